import { describe, expect, test } from 'vitest';
import { inclusionProof, leafHash, rootOf, type ScanSource, scanRanges, toHex } from '../src/index.ts';
import { judge } from './judging.ts';
import {
  AT,
  agreed,
  carriedAgain,
  gap,
  logOf,
  receiptOf,
  STORIES,
  type Story,
  story,
  withMore,
} from './story.ts';

/** The receipt of a story, scanned against its log as a server shows it. */
async function scan(told: Story, served?: (texts: string[]) => string[]) {
  const receipt = receiptOf(told);
  expect(judge(receipt).isValid).toBe(true);
  const { texts } = logOf(told);
  const leaves = texts.map((text) => leafHash(text));
  const source: ScanSource = {
    bundle: async (index, width) => (served?.(texts) ?? texts).slice(index * 256, index * 256 + width),
    inclusion: async (index) => inclusionProof(leaves, index),
  };
  const checkpoint = { size: leaves.length, root: toHex(rootOf(leaves)) };
  return scanRanges(receipt, { checkpoint }, source);
}

/** Enough unrelated entries that the ranges are in several bundles. */
const filler = Array.from(
  { length: 600 },
  (_, n) => `seed|3|2026-01-01|commit|${String(n).padStart(64, '0')}`,
);
const won = story('won');

describe('the parts of the log that a receipt is about', () => {
  test.each(Object.entries(STORIES))('of "%s" hold no entry that the receipt hides', async (_, told) => {
    expect((await scan(told))?.fault).toBe(null);
  });

  test('are read in every bundle that they touch, and no other', async () => {
    const long = withMore(withMore(won, 12, ...filler, ...filler), 11, ...filler);
    const found = await scan(long);
    expect(found?.fault).toBe(null);
    expect(found?.count).toBeGreaterThan(600);
    expect(found?.count).toBeLessThan(1400);
  });
});

describe('frauds that only a scan of the log shows', () => {
  test('a second tick with the same number before the opening is found', async () => {
    const twice = withMore(won, 11, agreed(47, AT.early, '1.08500'));
    expect((await scan(twice))?.fault).toBe(
      'the receipt does not show entry 11: number 47 of EUR/USD stands there too',
    );
    const far = withMore(twice, 10, ...filler);
    expect((await scan(far))?.fault).toBe(
      'the receipt does not show entry 611: number 47 of EUR/USD stands there too',
    );
  });

  test('a second settlement tick with the same number is found, and one hidden between two others', async () => {
    expect((await scan(withMore(won, 16, agreed(91, AT.settles, '1.08300'))))?.fault).toMatch(
      /number 91 of EUR\/USD/,
    );
    const none = story('won, no entry of the settlement time');
    expect((await scan(withMore(none, 14, gap(91, AT.settles))))?.fault).toMatch(/number 91 of EUR\/USD/);
  });

  test('a price hidden until the order was void is found', async () => {
    const silent = story('void, a hole that the next entry shows much later');
    expect((await scan(withMore(silent, 10, agreed(46, AT.early, '1.08427'))))?.fault).toMatch(
      /number 46 of EUR\/USD/,
    );
  });

  test('a batch that is carried twice is found, before the entry shown and behind it', async () => {
    expect((await scan(carriedAgain()))?.fault).toMatch(
      /does not show entry 5: it carries the order’s batch, 7, once more/,
    );
    expect((await scan(withMore(won, 7, logOf(won).orders)))?.fault).toMatch(
      /the order’s batch, 7, once more/,
    );
  });

  test('entries other than the signed ones are found', async () => {
    const changed = (texts: string[]) => texts.with(6, `seed|3|2026-01-01|commit|${'0'.repeat(64)}`);
    expect((await scan(won, changed))?.fault).toMatch(/not those of the log that was signed/);
    expect((await scan(won, (texts) => texts.slice(0, -1)))?.fault).toMatch(/not those of the log/);
    expect((await scan(won, () => []))?.fault).toMatch(/not those of the log/);
  });
});
