import { monitorEventLoopDelay } from 'node:perf_hooks';
import { expect, test } from 'vitest';
import type { NewsWork } from '../../news/news-worker.ts';
import { dayOrderOf, readEpoch, readMoment } from '../imports/moments.ts';
import { decimalMarkOf, plainNumber, signedNumber } from '../imports/numbers.ts';
import { columnName } from '../imports/tables.ts';
import { LateWorkError, WorkThread } from './work-thread.ts';

const MEBIBYTE = 1_048_576;
/** The deadline of a thread. Far above the 50 ms that the texts take, because the machine may be busy; slow patterns take minutes. */
const MAX_MS = 3_000;

test('text that is made to be slow ends with its thread, and the next text is read', async () => {
  const script = new URL('../../news/news-worker.ts', import.meta.url);
  const thread = new WorkThread<NewsWork>(script, { timeMs: MAX_MS });
  const delay = monitorEventLoopDelay({ resolution: 10 });
  expect(await thread.run('html', 'markdown', '**a**')).toBe('<p><strong>a</strong></p>');
  delay.enable();
  await expect(thread.run('html', 'markdown', '> '.repeat(MEBIBYTE / 2))).rejects.toBeInstanceOf(
    LateWorkError,
  );
  expect(delay.max / 1e6).toBeLessThan(MAX_MS);
  expect(await thread.run('summary', 'b *c*', 160)).toBe('b c');
  await thread.stop();
}, 60_000);

test.each(['(', ' (', '[', '1 ', '1,', '２', ',', 'T', '0'])(
  'a mebibyte of %j in a cell is read at once',
  (sign) => {
    const text = sign.repeat(MEBIBYTE / sign.length);
    const startedMs = performance.now();
    expect([readMoment(text), readMoment(`2026-11-25 ${text}`), readEpoch(text)]).toEqual([null, null, null]);
    expect([plainNumber(text, '.'), signedNumber(text, ','), dayOrderOf([text])]).toEqual([null, null, null]);
    expect(columnName(text).length).toBeLessThanOrEqual(100);
    decimalMarkOf([text]);
    expect(performance.now() - startedMs).toBeLessThan(MAX_MS);
  },
);
