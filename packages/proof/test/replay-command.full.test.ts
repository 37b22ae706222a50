/** Settles a receipt's order again on the command line, from a server of its log that the test plays. */
import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { encodeEntryBundle, parseTilePath } from '../src/index.ts';
import { ShownLog } from './shown-log.ts';
import { AT, logOf, receiptOf, SETTLING, type Story, story, withEntries } from './story.ts';

// Each run starts a process, which takes long on a busy machine.
vi.setConfig({ testTimeout: 60_000 });

const BIN = join(import.meta.dirname, '../bin/fairtick.ts');
let folder: string;
let log: ShownLog;
let server: Server;
/** Answers bundles in place of the log. */
let bundle: ((response: ServerResponse) => void) | null = null;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'fairtick-replay-'));
  server = createServer((request, response) => {
    if (bundle && request.url?.includes('/tile/')) return bundle(response);
    answer(request.url ?? '').then(
      (body) => response.end(body),
      () => response.writeHead(503).end(),
    );
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
});
afterAll(async () => {
  await new Promise((resolve) => server.close(resolve));
  rmSync(folder, { recursive: true });
});

async function answer(url: string): Promise<string | Uint8Array> {
  const path = url.slice('/api/transparency/'.length);
  if (path === 'checkpoint') return log.checkpoint();
  const tile = parseTilePath(path);
  if (tile?.level !== 'entries') throw new Error(path);
  return encodeEntryBundle((await log.bundle(tile.index, tile.width)).map((text) => Buffer.from(text)));
}

/** Replays the story's order from its log, with another outcome in the receipt if one is given. */
function replay(told: Story, outcome = told.outcome): Promise<{ code: number; out: string }> {
  log = new ShownLog(logOf(told).texts);
  const file = join(folder, 'receipt.json');
  writeFileSync(file, JSON.stringify(receiptOf({ ...told, outcome })));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return new Promise((resolve) => {
    execFile(process.execPath, [BIN, 'replay', file, '--url', url], (error, stdout, stderr) =>
      resolve({ code: Number(error?.code ?? 0), out: stdout + stderr }),
    );
  });
}

test.each([
  'won',
  'won, by its close',
  'won, though its close is a loss',
  'won, by the close of its opening',
  'won, no price of its settlement time',
  'won, under rules that changed before it settled',
  'void, too few sources at the opening',
  'void, logged too late',
])('%s: the log leads to the outcome of the receipt', async (name) => {
  const { code, out } = await replay(story(name));
  expect(out).toContain('Nothing differs.');
  expect(code).toBe(0);
});

test('names what differs from the log', async () => {
  const told = story('won, by its close');
  const { code, out } = await replay(told, { ...told.outcome, settlePrice: '1.08422', result: 'loss' });
  expect(out).toContain('DIFFERS settlePrice: by the log 1.08432, in the receipt 1.08422');
  expect(out).toContain('DIFFERS result: by the log profit, in the receipt loss');
  expect(code).toBe(1);
});

test('names entries of the server that are not those of the receipt, though they lead to the same outcome', async () => {
  const told = story('won');
  const running = replay(told);
  log = new ShownLog(
    logOf(
      withEntries(told, {
        10: SETTLING('1.08451').replace(String(AT.settles + 400), String(AT.settles + 401)),
      }),
    ).texts,
  );
  const { code, out } = await running;
  expect(out).toContain('DIFFERS at 10: the receipt shows another entry than the server');
  expect(code).toBe(1);
});

test('reads amounts that no ledger holds', async () => {
  const amount = '9999999999999.000001';
  const told = { ...story('won'), terms: { amount } };
  const { code, out } = await replay(told, { ...told.outcome, payout: '17999999999998.200001' });
  expect(out).toContain('Nothing differs.');
  expect(code).toBe(0);
});

test('stops at an answer that is longer than any of a log, and at one that is cut off', async () => {
  const answers = [endless, (response: ServerResponse) => response.end(Buffer.alloc(5))];
  for (const given of answers) {
    const running = replay(story('won'));
    bundle = given;
    const { code, out } = await running;
    bundle = null;
    expect(out).toMatch(/^Nothing was compared: .*(sends more than \d+ bytes|is no bundle of)/);
    expect(code).toBe(2);
  }
});

/** Sends zeros until the other end has enough. */
function endless(response: ServerResponse): void {
  const more = () => {
    while (!response.destroyed && response.write(Buffer.alloc(1 << 20)));
  };
  response.on('drain', more);
  more();
}

test('says that a log does not decide yet', async () => {
  const told = story('won');
  const { texts } = logOf(told);
  const running = replay(told);
  log = new ShownLog(texts.slice(0, 10));
  expect(await running).toEqual({
    code: 2,
    out: 'Nothing was compared: the log does not decide this order yet\n',
  });
});
