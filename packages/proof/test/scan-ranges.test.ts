import { describe, expect, test } from 'vitest';
import { inclusionProof, leafHash, rootOf, type ScanSource, scanRanges, toHex } from '../src/index.ts';
import { judge } from './judging.ts';
import { AT, agreed, gap, ORDERS, receiptOf, STORIES, type Story, story, withMore } from './story.ts';

/** The receipt of a story, scanned against its log as a server shows it. */
async function scan(told: Story, served?: (texts: string[]) => string[]) {
  const receipt = receiptOf(told);
  const report = judge(receipt);
  expect(report.isValid).toBe(true);
  const ordersEntry = receipt.entries.find(({ role }) => role === 'orders')?.entry ?? '';
  const texts = told.log.map((text) => (text === ORDERS ? ordersEntry : text));
  const leaves = texts.map((text) => leafHash(text));
  const source: ScanSource = {
    bundle: async (index, width) => (served?.(texts) ?? texts).slice(index * 256, index * 256 + width),
    inclusion: async (index) => inclusionProof(leaves, index),
  };
  const checkpoint = { size: leaves.length, root: toHex(rootOf(leaves)) };
  return scanRanges(receipt, { symbol: 'EUR/USD', checkpoint }, source);
}

/** Enough unrelated entries that the ranges are in several bundles. */
const filler = Array.from(
  { length: 600 },
  (_, n) => `seed|1|2026-01-01|commit|${String(n).padStart(64, '0')}`,
);
const won = story('won');

describe('both ranges of a receipt', () => {
  test.each(Object.entries(STORIES))('of "%s" hold no entry that the receipt hides', async (_, told) => {
    const found = await scan(told);
    if (told.shown.some(([role]) => role === 'orders')) expect(found?.fault).toBe(null);
    else expect(found).toBe(null);
  });

  test('are read in every bundle that they touch', async () => {
    const long = withMore(withMore(won, 10, ...filler), 6, ...filler);
    const found = await scan(long);
    expect(found?.fault).toBe(null);
    expect(found?.count).toBeGreaterThan(600);
    expect(found?.count).toBeLessThan(1200);
  });
});

describe('frauds that only a scan of the log shows', () => {
  test('a second tick with the same number before the opening is found', async () => {
    const twice = withMore(won, 8, agreed(43, AT.open - 250, '1.08500'));
    expect((await scan(twice))?.fault).toBe(
      'the receipt does not show entry 8: number 43 of EUR/USD stands there too',
    );
    const far = withMore(twice, 6, ...filler);
    expect((await scan(far))?.fault).toBe(
      'the receipt does not show entry 608: number 43 of EUR/USD stands there too',
    );
  });

  test('a second settlement tick with the same number is found, and so is a gap that is left out', async () => {
    const twice = withMore(won, 13, agreed(91, AT.settles, '1.08300'));
    expect((await scan(twice))?.fault).toMatch(/number 91 of EUR\/USD/);
    const stopped = withMore(won, 11, gap(90, AT.settles - 500));
    expect((await scan(stopped))?.fault).toMatch(/number 90 of EUR\/USD/);
  });

  test('a price hidden behind a gap until the order was void is found', async () => {
    const silent = story('void, prices had stopped before it was logged');
    expect((await scan(withMore(silent, 7, agreed(43, AT.open, '1.08427'))))?.fault).toMatch(
      /number 43 of EUR\/USD/,
    );
  });

  test('a batch that is logged twice is found', async () => {
    const again = receiptOf(won).entries.find(({ role }) => role === 'orders')?.entry ?? '';
    expect((await scan(withMore(won, 7, again)))?.fault).toMatch(/the order’s batch, 7, once more/);
  });

  test('entries other than the signed ones are found', async () => {
    const changed = (texts: string[]) => texts.with(6, 'seed|1|2026-01-01|commit|0');
    expect((await scan(won, changed))?.fault).toMatch(/not those of the log that was signed/);
    expect((await scan(won, (texts) => texts.slice(0, -1)))?.fault).toMatch(/not those of the log/);
    expect((await scan(won, () => []))?.fault).toMatch(/not those of the log/);
  });
});
