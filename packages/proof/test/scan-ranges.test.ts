import { describe, expect, test } from 'vitest';
import { leafHash, rootOf, type ScanSource, scanRanges, toHex } from '../src/index.ts';
import { judge } from './judging.ts';
import { inclusionProof } from './rfc-proofs.ts';
import {
  AT,
  agreedFix,
  carriedAgain,
  logOf,
  receiptOf,
  SETTLING,
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
  (_, n) => `seed|4|2026-01-01|commit|${String(n).padStart(64, '0')}`,
);
const won = story('won');

describe('the parts of the log that a receipt is about', () => {
  test.each(Object.entries(STORIES))('of "%s" hold no entry that the receipt hides', async (_, told) => {
    expect((await scan(told))?.fault).toBe(null);
  });

  test('are read in every bundle that they touch, and no other', async () => {
    const long = withMore(withMore(won, 8, ...filler, ...filler), 6, ...filler);
    const found = await scan(long);
    expect(found?.fault).toBe(null);
    expect(found?.count).toBeGreaterThan(500);
    expect(found?.count).toBeLessThan(800);
  });
});

describe('frauds that only a scan of the log shows', () => {
  test('a second fix with the number or of the second of one that is shown is found', async () => {
    const [same, other] = [agreedFix({ n: 12, fixMs: AT.opens }, '1.08500'), SETTLING('1.08300')];
    expect((await scan(withMore(won, 9, same)))?.fault).toBe(
      'the receipt does not show entry 9: it is a fix 12 of EUR/USD, too',
    );
    expect((await scan(withMore(won, 6, other.replace('|13|', '|14|'))))?.fault).toMatch(/a fix 14 of/);
    const foreign = same.replace('EUR/USD', 'GBP/USD');
    expect((await scan(withMore(won, 9, foreign)))?.fault).toBe(null);
  });

  test('a close that the receipt hides is found', async () => {
    const { log, shown, ...told } = story('won, by its close');
    const hidden = { ...told, log, shown: shown.slice(0, -1), outcome: story('lost').outcome };
    const outcome = { ...hidden.outcome, settlePrice: '1.08422' };
    expect((await scan({ ...hidden, outcome }))?.fault).toMatch(/entry 12: it is a close 13 of EUR\/USD/);
  });

  test('an order that is named twice is found', async () => {
    const { asked } = logOf(won).terms;
    const again = logOf(won).orders.replace('|5|7|', '|8|10|');
    expect(again).toContain(asked?.slice(0, 32));
    expect((await scan(withMore(won, 7, again)))?.fault).toMatch(/it names the order once more/);
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
    const changed = (texts: string[]) => texts.with(6, `seed|4|2026-01-01|commit|${'0'.repeat(64)}`);
    expect((await scan(won, changed))?.fault).toMatch(/not those of the log that was signed/);
    expect((await scan(won, (texts) => texts.slice(0, -1)))?.fault).toMatch(/not those of the log/);
    expect((await scan(won, () => []))?.fault).toMatch(/not those of the log/);
  });
});
