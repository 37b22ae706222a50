import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { checkRecording } from '@fairtick/kit/market/check-recording.ts';
import type { Tally } from '@fairtick/kit/market/compare.ts';
import {
  type MadeOptions,
  makeRecording,
  type Recording,
  recordingsOf,
} from '@fairtick/kit/market/recordings.ts';
import { sample } from '@fairtick/kit/size.ts';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';

/** A Friday, twenty minutes before the end of the month and of the market’s day, which is 17:00 in New York. */
const START_MS = Date.UTC(2026, 6, 31, 20, 40, 0, 137);
const OPTIONS = { batches: 30, customers: 6, seed: 7, largeRows: 10_000, onProgress: () => {} };

const TICKS: readonly (readonly [file: string, made: MadeOptions])[] = [
  ['eurusd-ticks.csv', made('truefx', 'EUR/USD', 5, 900)],
  ['USDJPY-2026-07.csv', { ...made('truefx-symbol', 'USD/JPY', 3, 900), holeAfter: 420 }],
  ['DAT_ASCII_GBPUSD_T_202607.csv', made('histdata-ticks', 'GBP/USD', 5, 900)],
];
const CANDLES: readonly (readonly [file: string, made: MadeOptions])[] = [
  ['audusd-m1.csv', { ...made('ohlc', 'AUD/USD', 5, 400), startMs: START_MS - 137, holeAfter: 50 }],
  [
    'DAT_ASCII_XAUUSD_M1_2026.csv',
    { ...made('histdata-minutes', 'XAU/USD', 2, 90), startMs: START_MS - 137 },
  ],
];

function made(form: MadeOptions['form'], symbol: string, decimals: number, rows: number): MadeOptions {
  return { form, symbol, decimals, rows, startMs: START_MS, seed: 3 };
}

describe('a folder of recordings', () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'fairtick-recordings-'));
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  function record(file: string, options: MadeOptions): Recording {
    writeFileSync(join(folder, file), makeRecording(options));
    const [found] = recordingsOf(folder);
    if (!found || 'why' in found) throw new Error(`${file} was not recognised`);
    return found;
  }

  test('names each file that is no recording and ignores folders', () => {
    mkdirSync(join(folder, 'frames'));
    writeFileSync(join(folder, 'frames', 'eurusd.csv'), 'not looked at');
    writeFileSync(join(folder, 'SOURCES.md'), '# where it is from');
    writeFileSync(join(folder, 'usdchf.csv'), 'hello\nworld\n');
    for (const [file, options] of [...TICKS, ...CANDLES]) {
      writeFileSync(join(folder, file), makeRecording({ ...options, rows: 5 }));
    }
    const found = [...recordingsOf(folder)];
    const skipped = found.flatMap((each) => ('why' in each ? [each.file] : []));
    expect(skipped).toEqual(['SOURCES.md', 'usdchf.csv']);
    const recognised = found.flatMap((each) => ('why' in each ? [] : [[each.symbol, each.read.form]]));
    expect(recognised.sort()).toEqual([
      ['AUD/USD', 'candles'],
      ['EUR/USD', 'ticks'],
      ['GBP/USD', 'ticks'],
      ['USD/JPY', 'ticks'],
      ['XAU/USD', 'candles'],
    ]);
  });

  test.each(sample(TICKS, 1))('orders on %s settle as the recording says', async (file, options) => {
    const { tallies } = await checkRecording(record(file, options), OPTIONS);
    expect(tallies.flatMap(({ mismatches }) => mismatches)).toEqual([]);
    expect(countOf(tallies, 'orders')).toBeGreaterThan(100);
    expect(countOf(tallies, 'prices')).toBeGreaterThan(300);
    expect(countOf(tallies, 'balances')).toBe(6);
  });

  test('orders are refused while a recording has a hole, and accepted 15 s after it', async () => {
    const [file, options] = TICKS[1] as (typeof TICKS)[number];
    const { tallies } = await checkRecording(record(file, options), { ...OPTIONS, batches: 60 });
    expect(tallies.flatMap(({ mismatches }) => mismatches)).toEqual([]);
    expect(countOf(tallies, 'refusals')).toBeGreaterThan(0);
  });

  test('a large recording, appended many grid times at once, gives the results of its rows', async () => {
    const [file, options] = TICKS[0] as (typeof TICKS)[number];
    const { tallies } = await checkRecording(record(file, options), { ...OPTIONS, largeRows: 100 });
    expect(tallies.flatMap(({ mismatches }) => mismatches)).toEqual([]);
    expect(countOf(tallies, 'orders')).toBeGreaterThan(50);
  });

  test.each(sample(CANDLES, 1))(
    'candles of %s equal those computed from its rows (S3-50, S3-51)',
    async (file, options) => {
      const { tallies } = await checkRecording(record(file, options), OPTIONS);
      expect(tallies.flatMap(({ mismatches }) => mismatches)).toEqual([]);
      expect(countOf(tallies, 'candles of 1m')).toBeGreaterThanOrEqual(options.rows);
      expect(countOf(tallies, 'candles of 1M')).toBe(2);
    },
  );

  test('a single price that is wrong by one point is reported', async () => {
    const [file, options] = TICKS[0] as (typeof TICKS)[number];
    const recording = record(file, options);
    const rows = recording.read.rows.map((row, place) =>
      place === 700
        ? { ...row, prices: row.prices.map((price) => (Number(price) + 0.00001).toFixed(6)) }
        : row,
    );
    const { tallies } = await checkRecording({ ...recording, read: { ...recording.read, rows } }, OPTIONS);
    expect(tallies.flatMap(({ mismatches }) => mismatches)).not.toEqual([]);
  });
});

function countOf(tallies: readonly Tally[], what: string): number {
  return tallies.find((tally) => tally.what === what)?.compared ?? 0;
}
