import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { readAmount } from '@fairtick/money';
import { anyAddress, readAddress } from '@fairtick/protocol/addresses';
import { expect, onTestFinished, test } from 'vitest';
import type { BankStatementWork } from '../../money/treasury/bank-statement-worker.ts';
import type { NewsWork } from '../../news/news-worker.ts';
import { RefusalError } from '../http/context.ts';
import { dayOrderOf, readEpoch, readMoment } from '../imports/moments.ts';
import { decimalMarkOf, plainNumber, signedNumber } from '../imports/numbers.ts';
import { columnName } from '../imports/tables.ts';
import { LateWorkError, WorkThread } from './work-thread.ts';

const MEBIBYTE = 1_048_576;
/** The product's own bound is 50 ms, on a machine with nothing else to do. */
const MAX_MS = 250;
/** Shorter than the product's deadlines: what takes longer is ended, and only the caller's own thread counts. */
const TIMES = { timeMs: 3_000 };
const SIGNS = ['[', '(', '> ', '"', '`', '*', '<', '0', '1,', '1 ', '２', '.', ' ', '\n', '&#', '-'];
const ASSET = { id: 1, code: 'USD', scale: 2, isPractice: false };

/** In one piece, as text arrives. */
const mebibyteOf = (sign: string) => Buffer.from(sign.repeat(MEBIBYTE / sign.length)).toString();

const spentMs: number[] = [];
const spentSince = (before: NodeJS.CpuUsage): number => {
  const { user, system } = process.threadCpuUsage(before);
  return (user + system) / 1_000;
};

/**
 * No turn of the loop is longer than all work of its thread. Other programs of the machine do not count, and neither does what
 * tests of other files left running in this thread: a pause as long as the work measures that.
 */
async function expectLittleWork(work: () => Promise<unknown>): Promise<void> {
  const [before, startedMs] = [process.threadCpuUsage(), performance.now()];
  await work();
  let spent = spentSince(before);
  if (spent >= MAX_MS) {
    const idle = process.threadCpuUsage();
    await sleep(performance.now() - startedMs);
    spent -= spentSince(idle);
    console.log(`${spent.toFixed(1)} ms, and ${spentSince(idle).toFixed(1)} ms in a pause as long`);
  }
  spentMs.push(spent);
  expect(spent).toBeLessThan(MAX_MS);
}

/** A refusal and the end at the deadline are answers, too. */
const answered = (work: Promise<unknown>) =>
  work.catch((error: unknown) => {
    expect(error instanceof RefusalError || error instanceof LateWorkError, String(error)).toBe(true);
  });

test('a mebibyte of any sign in a bank’s file, an article or a feed is left to a thread', async () => {
  const statements = new WorkThread<BankStatementWork>(
    new URL('../../money/treasury/bank-statement-worker.ts', import.meta.url),
    TIMES,
  );
  const news = new WorkThread<NewsWork>(new URL('../../news/news-worker.ts', import.meta.url), TIMES);
  let page = '';
  const server = createServer((_request, response) => response.end(page));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(async () => {
    server.close();
    await Promise.all([statements.stop(), news.stop()]);
  });
  const feed = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  for (const sign of SIGNS) {
    const text = mebibyteOf(sign);
    const date = text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').slice(0, MEBIBYTE);
    page = `<rss><channel><title>a</title><item><title>b</title><pubDate>${date}</pubDate></item></channel></rss>`;
    const files = [
      text,
      `date,amount,reference\n2026-11-25,5.00,${text}`,
      `date,amount,${text}\n${text},5,r`,
    ];
    for (const content of files) {
      const input = { file: Buffer.from(content).toString('base64') };
      await expectLittleWork(() => answered(statements.run('columns', input, ASSET)));
      await expectLittleWork(() => answered(statements.run('sight', input, ASSET)));
    }
    await expectLittleWork(() => answered(news.run('nodes', text)));
    await expectLittleWork(() =>
      answered(news.run('feed', feed, 'UTC', { timeMs: 10_000, maxBytes: 4 * MEBIBYTE })),
    );
  }
  console.log(`at most ${Math.max(...spentMs).toFixed(1)} ms in each of ${spentMs.length} calls`);
}, 900_000);

test.each(SIGNS)('readers of addresses, numbers and days refuse a mebibyte of %j at once', async (sign) => {
  const text = mebibyteOf(sign);
  await expectLittleWork(async () => {
    for (const read of [readMoment, readEpoch, anyAddress, readAmount, columnName]) read(text);
    for (const mark of ['.', ','] as const) [plainNumber(text, mark), signedNumber(text, mark)];
    for (const ofColumn of [dayOrderOf, decimalMarkOf]) ofColumn([text]);
    readAddress('USDT', text);
  });
});
