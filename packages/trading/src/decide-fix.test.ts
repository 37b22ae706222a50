import { Random } from '@fairtick/kit/hostile/random.ts';
import { points } from '@fairtick/money';
import { describe, expect, test } from 'vitest';
import {
  type Closing,
  decideFix,
  type FixAnswer,
  fixFrom,
  hasRecord,
  isFixReady,
  isLoggedInTime,
  type KnownRecord,
  laterRecords,
} from './index.ts';

const T = 1_780_315_200_000;
const RULES = { sources: ['a', 'b', 'c', 'd', 'e'], quorum: 2, quietMs: 2_000, outlierBps: 50 };
const OPEN: Closing = { by: 'open' };

/** A record of half a second before T by default, the last one by the source's own word. */
function record(
  source: string,
  price: number,
  { ageMs = 500, closing = { by: 'said' } as Closing } = {},
): KnownRecord {
  return { source, last: { number: 7n, timeMs: T - ageMs, price: points(BigInt(price)) }, closing };
}

const decide = (records: Parameters<typeof decideFix>[0]['records'], rules = RULES): FixAnswer =>
  decideFix({ fixMs: T, records, rules });

const usesOf = ({ records }: FixAnswer) =>
  records.filter(({ use }) => use !== 'none').map(({ source, use }) => `${source}:${use}`);

describe('the price', () => {
  test.each([
    ['of three records is the middle one', [100_030, 100_000, 100_010], 100_010n],
    ['of two is their mean', [100_010, 100_020], 100_015n],
    ['of two is rounded down to a unit', [100_010, 100_021], 100_015n],
    ['of four is the mean of the middle two', [100_000, 100_040, 100_020, 100_011], 100_015n],
  ])('%s', (_case, prices, price) => {
    const answer = decide(prices.map((each, at) => record(RULES.sources[at] as string, each)));
    expect([answer.price, answer.isThin]).toEqual([price, false]);
  });

  test('lists each source of the rules once, ascending, and no other', () => {
    const rules = { ...RULES, sources: ['c', 'a', 'b'] };
    const answer = decide([record('z', 1), record('b', 100_001), record('a', 100_000)], rules);
    expect(answer.records.map(({ source, use }) => `${source}:${use}`)).toEqual(['a:use', 'b:use', 'c:none']);
    expect(answer.price).toBe(100_000n);
  });

  test('is the same whatever order the records come in', () => {
    const random = new Random(20_261_128);
    for (let round = 0; round < 300; round += 1) {
      const records = RULES.sources.flatMap((source) =>
        random.isLikely(0.8)
          ? [record(source, random.whole(99_000, 101_000), { ageMs: random.whole(0, 4_000) })]
          : [],
      );
      const answer = decide(records);
      expect(decide([...records].sort(() => random.next() - 0.5))).toEqual(answer);
      expect(answer.price === null).toBe(records.length === 0);
    }
  });
});

describe('a record counts', () => {
  test.each([
    [0, 'use'],
    [2_000, 'use'],
    [2_001, 'quiet'],
    [3_600_000, 'quiet'],
  ])('%i ms before T: %s', (ageMs, use) => {
    const answer = decide([record('a', 100_000), record('b', 100_000), record('c', 100_000, { ageMs })]);
    expect(usesOf(answer)).toEqual(['a:use', 'b:use', `c:${use}`]);
  });

  test.each([
    [100_500, 'use'],
    [100_501, 'outlier'],
    [99_500, 'use'],
    [99_499, 'outlier'],
  ])('at %i, with a median of 100 000 and 50 basis points: %s', (price, use) => {
    const answer = decide([record('a', 100_000), record('b', 100_000), record('c', price)]);
    expect(usesOf(answer)).toEqual(['a:use', 'b:use', `c:${use}`]);
    if (use === 'outlier') expect(answer.price).toBe(100_000n);
  });

  test('not for the median that outliers are measured from while it is quiet', () => {
    const quiet = { ageMs: 60_000 };
    const answer = decide([
      ...['a', 'b', 'c'].map((source) => record(source, 90_000, quiet)),
      ...['d', 'e'].map((source) => record(source, 100_000)),
    ]);
    expect(usesOf(answer)).toEqual(['a:quiet', 'b:quiet', 'c:quiet', 'd:use', 'e:use']);
    expect([answer.price, answer.isThin]).toEqual([100_000n, false]);
  });
});

describe('a fix is thin', () => {
  test('where fewer records than the quorum count, and has the median of all of them, whatever their age', () => {
    const answer = decide([
      record('a', 100_010),
      record('b', 100_000, { ageMs: 2_001 }),
      record('c', 100_030, { ageMs: 9_000_000 }),
    ]);
    expect(usesOf(answer)).toEqual(['a:use', 'b:quiet', 'c:quiet']);
    expect([answer.price, answer.isThin]).toEqual([100_010n, true]);
    const apart = decide([record('a', 100_000), record('b', 110_000)]);
    expect(usesOf(apart)).toEqual(['a:outlier', 'b:outlier']);
    expect([apart.price, apart.isThin]).toEqual([105_000n, true]);
  });

  test('and has no price where no source has a record', () => {
    const answer = decide([{ source: 'a', use: 'away' }]);
    expect([answer.price, answer.isThin]).toEqual([null, true]);
    expect(answer.records[0]).toEqual({ source: 'a', use: 'away' });
    expect(answer.records.slice(1).every(({ use }) => use === 'none')).toBe(true);
  });
});

describe('a fix is written', () => {
  const rules = { ...RULES, sources: ['a', 'b', 'c'] };
  const next: Closing = { by: 'next', next: { number: 8n, timeMs: T + 1, price: points(100_003n) } };
  /** Whether it is ready before and after the wait is over. */
  const isReady = (records: Parameters<typeof decideFix>[0]['records'], of = rules) =>
    [false, true].map((isWaitOver) => isFixReady(decide(records, of), of, isWaitOver));
  const [a, b] = [record('a', 100_000), record('b', 100_000, { closing: next })];

  test('at once where every source is known to the end or away', () => {
    expect(isReady([a, b, record('c', 100_000)])).toEqual([true, true]);
    expect(isReady([a, b, record('c', 100_000, { ageMs: 9_000 })])).toEqual([true, true]);
    expect(isReady([a, b, { source: 'c', use: 'away' }])).toEqual([true, true]);
  });

  test('after the wait where a source is open or unknown and the quorum does not rest on it', () => {
    expect(isReady([a, b, record('c', 100_000, { closing: OPEN })])).toEqual([false, true]);
    expect(isReady([a, b])).toEqual([false, true]);
  });

  test('not while the quorum rests on an open record, on a quiet one or on an outlier', () => {
    const open = record('c', 100_000, { closing: OPEN });
    expect(isReady([a, open])).toEqual([false, false]);
    expect(isReady([a, record('b', 100_000, { ageMs: 9_000 }), open])).toEqual([false, false]);
    expect(isReady([a, record('b', 120_000), open])).toEqual([false, false]);
  });

  test('not without any record', () => {
    expect(isReady([])).toEqual([false, false]);
    expect(isReady(rules.sources.map((source) => ({ source, use: 'away' as const })))).toEqual([
      false,
      false,
    ]);
  });
});

describe('what is learned of an open fix later', () => {
  const open = { closing: OPEN };
  const fixed = decide([
    record('a', 100_000),
    record('b', 100_000, open),
    record('c', 100_000, open),
  ]).records;
  const numbered = (of: KnownRecord, number: bigint): KnownRecord => ({
    ...of,
    last: { ...of.last, number },
  });
  const priceOf = (known: Parameters<typeof laterRecords>[1]) => {
    const answer = decide(laterRecords(fixed, known));
    return [answer.price, ...answer.records.slice(0, 4).map((each) => hasRecord(each) && each.closing.by)];
  };

  test('closes a part, or shows that a record had been left out', () => {
    expect(priceOf([record('b', 100_000)])).toEqual([100_000n, 'said', 'said', 'open', false]);
    const missed = [numbered(record('b', 100_200), 9n), numbered(record('c', 100_100), 8n)];
    expect(priceOf(missed)).toEqual([100_100n, 'said', 'said', 'said', false]);
    expect(priceOf([record('d', 100_400)])).toEqual([100_000n, 'said', 'open', 'open', 'said']);
  });

  test('changes nothing of what was known to the end, and takes no earlier record', () => {
    const known = [numbered(record('a', 100_400), 9n), numbered(record('b', 100_400), 6n)];
    expect(priceOf(known)).toEqual([100_000n, 'said', 'open', 'open', false]);
    expect(priceOf([])).toEqual([100_000n, 'said', 'open', 'open', false]);
    expect(priceOf([{ source: 'b', use: 'away' }])).toEqual([100_000n, 'said', 'open', 'open', false]);
  });
});

test('what a fix has of a record is what the source has: number, time, price and the record after it', () => {
  const known = record('a', 100_000);
  const [listed] = decide([known]).records;
  expect(listed && hasRecord(listed) && { ...listed }).toEqual({ ...known, use: 'use' });
});

test('fixes are at whole seconds, and an order is logged a second before its own', () => {
  expect([0, 1, 999, 1_000].map((afterMs) => fixFrom(T + afterMs) - T)).toEqual([0, 1_000, 1_000, 1_000]);
  expect([isLoggedInTime(T - 1_000, T), isLoggedInTime(T - 999, T)]).toEqual([true, false]);
});
