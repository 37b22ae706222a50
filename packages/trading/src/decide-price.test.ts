import { Random } from '@fairtick/kit/hostile/random.ts';
import { points } from '@fairtick/money';
import { describe, expect, test } from 'vitest';
import { decidePrice, type PriceAnswer, type Quote } from './index.ts';

const NOW = 1_000_000;
const RULES = { sources: ['a', 'b', 'c', 'd', 'e'], quorum: 2, quietMs: 2_000, outlierBps: 50 };

/** A quote that arrived half a second ago by default. */
function quote(source: string, price: number, times: { sourceMs?: number; receivedMs?: number } = {}): Quote {
  const receivedMs = times.receivedMs ?? NOW - 500;
  return {
    source,
    price: points(BigInt(price)),
    sourceMs: times.sourceMs ?? receivedMs,
    sourceSeq: 1n,
    receivedMs,
  };
}

const decide = (quotes: readonly Quote[], rules = RULES): PriceAnswer =>
  decidePrice({ quotes, timeMs: NOW, rules });

/** Of the sources that have sent a quote. */
const usesOf = ({ quotes }: PriceAnswer) =>
  quotes.filter(({ use }) => use !== 'none').map(({ source, use }) => `${source}:${use}`);

describe('the freshness of quotes', () => {
  test.each([
    ['source and receipt now', 0, 0, 'use'],
    ['received exactly at the bound', 2_000, 2_000, 'use'],
    ['received a millisecond past the bound', 2_001, 2_001, 'stale'],
    ['received now, but told by the source at the bound', 2_000, 0, 'use'],
    ['received now, but told by the source past the bound', 2_001, 0, 'stale'],
    ['received past the bound, though the source dates it later', 0, 2_001, 'stale'],
    ['a source time after this moment, received in time', -1, 100, 'stale'],
    ['received only after this moment', 0, -1, 'stale'],
  ])('%s', (_case, sourceAge, receivedAge, use) => {
    const aged = quote('c', 100_000, { sourceMs: NOW - sourceAge, receivedMs: NOW - receivedAge });
    const answer = decide([quote('a', 100_000), quote('b', 100_000), aged]);
    expect(usesOf(answer)).toEqual(['a:use', 'b:use', `c:${use}`]);
  });
});

describe('outliers', () => {
  test.each([
    [100_500, 'use'],
    [100_501, 'outlier'],
    [99_500, 'use'],
    [99_499, 'outlier'],
    [150_000, 'outlier'],
    [1, 'outlier'],
  ])('with a median of 100 000 and 50 basis points, %i is %s', (price, use) => {
    const answer = decide([quote('a', 100_000), quote('b', 100_000), quote('c', price)]);
    expect(usesOf(answer)).toEqual(['a:use', 'b:use', `c:${use}`]);
  });

  test('an outlier does not move the price, which is the median of the rest', () => {
    const quotes = [quote('a', 100_000), quote('b', 100_010), quote('c', 100_020), quote('d', 120_000)];
    const answer = decide(quotes);
    expect(usesOf(answer)).toEqual(['a:use', 'b:use', 'c:use', 'd:outlier']);
    expect(answer.price).toBe(100_010n);
  });

  test('stale quotes do not count for the median that outliers are measured from', () => {
    const stale = { receivedMs: NOW - 60_000 };
    const answer = decide([
      quote('a', 90_000, stale),
      quote('b', 90_000, stale),
      quote('c', 100_000),
      quote('d', 100_000),
      quote('e', 100_000),
    ]);
    expect(usesOf(answer)).toEqual(['a:stale', 'b:stale', 'c:use', 'd:use', 'e:use']);
    expect(answer.price).toBe(100_000n);
  });

  test('two of three sources with the same wrong price make the right one an outlier', () => {
    const answer = decide([quote('a', 100_000), quote('b', 150_000), quote('c', 150_000)]);
    expect(usesOf(answer)).toEqual(['a:outlier', 'b:use', 'c:use']);
    expect(answer.price).toBe(150_000n);
  });
});

describe('the sources', () => {
  test('are those of the rules, each once and in sorted order, whatever came in which order', () => {
    const rules = { ...RULES, sources: ['c', 'a', 'b'] };
    const answer = decide([quote('z', 100_000), quote('b', 100_001), quote('a', 100_000)], rules);
    expect(answer.quotes.map(({ source, use }) => `${source}:${use}`)).toEqual(['a:use', 'b:use', 'c:none']);
    expect(answer.price).toBe(100_000n);
  });

  test('that have sent nothing are listed without a quote, and none else', () => {
    expect(decide([], { ...RULES, sources: ['a', 'b'] })).toEqual({
      price: null,
      quotes: [
        { source: 'a', use: 'none' },
        { source: 'b', use: 'none' },
      ],
    });
    const old = quote('a', 100_000, { receivedMs: NOW - 3_600_000 });
    expect(decide([old]).quotes[0]).toEqual({ ...old, use: 'stale' });
  });
});

describe('the median', () => {
  test.each([
    ['one', [100_030], 100_030n],
    ['three: the middle one', [100_030, 100_000, 100_010], 100_010n],
    ['two: the mean', [100_010, 100_020], 100_015n],
    ['two, rounded down to a unit', [100_010, 100_021], 100_015n],
    ['two, a unit apart', [100_011, 100_010], 100_010n],
    ['two that are the same', [100_011, 100_011], 100_011n],
    ['four: the mean of the middle two', [100_000, 100_040, 100_020, 100_010], 100_015n],
    ['five', [100_001, 100_003, 100_002, 100_005, 100_004], 100_003n],
  ])('of %s', (_case, prices, price) => {
    const quotes = prices.map((each, place) => quote(['a', 'b', 'c', 'd', 'e'][place] as string, each));
    expect(decide(quotes, { ...RULES, quorum: 1 }).price).toBe(price);
  });

  test('that outliers are measured from is rounded in the same way', () => {
    // The centre is 100 010, of which 5 000 basis points are 50 005.
    const quotes = [quote('a', 50_005), quote('b', 150_016)];
    const rules = { ...RULES, quorum: 1, outlierBps: 5_000 };
    expect(usesOf(decide(quotes, rules))).toEqual(['a:use', 'b:outlier']);
  });
});

describe('the quorum', () => {
  test('is reached with as many used quotes as it asks for, and missed with one fewer', () => {
    const quotes = [quote('a', 100_000), quote('b', 100_001), quote('c', 100_002)];
    expect(decide(quotes, { ...RULES, quorum: 3 }).price).toBe(100_001n);
    expect(decide(quotes.slice(1), { ...RULES, quorum: 3 }).price).toBeNull();
  });

  test('counts no outliers and no stale quotes', () => {
    const quotes = [
      quote('a', 100_000),
      quote('b', 100_000, { receivedMs: NOW - 2_001 }),
      quote('c', 100_000, { sourceMs: NOW - 9_000 }),
    ];
    const answer = decide(quotes);
    expect(answer.price).toBeNull();
    expect(usesOf(answer)).toEqual(['a:use', 'b:stale', 'c:stale']);
    const apart = [quote('a', 100_000), quote('b', 100_000), quote('c', 110_000)];
    expect(decide(apart, { ...RULES, quorum: 3 }).price).toBeNull();
  });

  test('is missed without a single quote, even if the rules ask for none', () => {
    expect(decide([], { ...RULES, quorum: 0 }).price).toBeNull();
  });
});

test('the same quotes at the same time give the same price, whatever order they come in', () => {
  const random = new Random(20_261_125);
  for (let round = 0; round < 500; round += 1) {
    const quotes = RULES.sources.flatMap((source) =>
      random.isLikely(0.8) ? [quote(source, random.whole(99_000, 101_000))] : [],
    );
    const shuffled = [...quotes].sort(() => random.next() - 0.5);
    const answer = decide(quotes);
    expect(decide(shuffled)).toEqual(answer);
    const used = answer.quotes.flatMap((each) => (each.use === 'use' ? [each.price] : []));
    expect(answer.price !== null).toBe(used.length >= RULES.quorum);
    // Half of the used prices or fewer are above it, and half or fewer below.
    const { price } = answer;
    if (price === null) continue;
    expect(used.filter((each) => each > price).length * 2).toBeLessThanOrEqual(used.length);
    expect(used.filter((each) => each < price).length * 2).toBeLessThanOrEqual(used.length);
  }
});
