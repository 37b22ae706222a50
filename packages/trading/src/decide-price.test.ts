import { points } from '@fairtick/money';
import { describe, expect, test } from 'vitest';
import { decidePrice, type PriceAnswer, type Quote } from './index.ts';

const NOW = 1_000_000;
const RULES = { quorum: 2, staleMs: 2_000, outlierBps: 50 };

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

function decide(
  quotes: readonly Quote[],
  previous: { price: number; timeMs: number } | null = { price: 100_000, timeMs: NOW - 1_000 },
  rules = RULES,
): PriceAnswer {
  return decidePrice({
    quotes,
    timeMs: NOW,
    previous: previous && { price: points(BigInt(previous.price)), timeMs: previous.timeMs },
    rules,
  });
}

const usesOf = (answer: PriceAnswer) => answer.quotes.map((judged) => `${judged.source}:${judged.use}`);
const priceOf = (answer: PriceAnswer) => (answer.kind === 'price' ? answer.price : null);

describe('the freshness of quotes', () => {
  test.each([
    ['source and receipt now', 0, 0, 'use'],
    ['received exactly at the bound', 2_000, 2_000, 'use'],
    ['received a millisecond past the bound', 2_001, 2_001, 'stale'],
    ['received now, but told by the source at the bound', 2_000, 0, 'use'],
    ['received now, but told by the source past the bound', 2_001, 0, 'stale'],
    ['received past the bound, though the source dates it later', 0, 2_001, 'stale'],
    ['a source whose clock runs ahead, received in time', -5_000, 100, 'use'],
    ['received only after this moment', 0, -1, 'stale'],
  ])('%s', (_case, sourceAge, receivedAge, use) => {
    const aged = quote('c', 100_000, { sourceMs: NOW - sourceAge, receivedMs: NOW - receivedAge });
    const answer = decide([quote('a', 100_000), quote('b', 100_000), aged]);
    expect(usesOf(answer)).toEqual(['a:use', 'b:use', `c:${use}`]);
  });

  test('sources are listed in sorted order, whatever order they came in', () => {
    const answer = decide([quote('c', 100_002), quote('a', 100_000), quote('b', 100_001)]);
    expect(usesOf(answer)).toEqual(['a:use', 'b:use', 'c:use']);
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
    const answer = decide(quotes, { price: 100_020, timeMs: NOW - 1_000 });
    expect(usesOf(answer)).toEqual(['a:use', 'b:use', 'c:use', 'd:outlier']);
    expect(priceOf(answer)).toBe(100_010n);
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
    expect(priceOf(answer)).toBe(100_000n);
  });

  test('two of three sources with the same wrong price make the right one an outlier', () => {
    const answer = decide([quote('a', 100_000), quote('b', 150_000), quote('c', 150_000)]);
    expect(usesOf(answer)).toEqual(['a:outlier', 'b:use', 'c:use']);
    expect(priceOf(answer)).toBe(150_000n);
  });
});

describe('the median', () => {
  test('of an odd number is the middle one', () => {
    expect(priceOf(decide([quote('a', 100_030), quote('b', 100_000), quote('c', 100_010)]))).toBe(100_010n);
  });

  test.each([
    ['nearer to the upper', 100_018, 100_020],
    ['nearer to the lower', 100_012, 100_010],
    ['as near to both: the lower', 100_015, 100_010],
    ['above both', 100_400, 100_020],
    ['below both', 99_600, 100_010],
  ])('of an even number is the one nearest to the previous price, which is %s', (_case, previous, price) => {
    const quotes = [quote('a', 100_000), quote('b', 100_010), quote('c', 100_020), quote('d', 100_030)];
    expect(priceOf(decide(quotes, { price: previous, timeMs: NOW - 1_000 }))).toBe(BigInt(price));
  });

  test('of an even number is the lower one without a previous price', () => {
    expect(priceOf(decide([quote('a', 100_020), quote('b', 100_010)], null))).toBe(100_010n);
  });

  test('is always the price of one source, never a value between two quotes', () => {
    expect(priceOf(decide([quote('a', 100_001), quote('b', 100_010)]))).toBe(100_001n);
  });
});

describe('the quorum', () => {
  test('is reached with as many used quotes as it asks for, and missed with one fewer', () => {
    const quotes = [quote('a', 100_000), quote('b', 100_001), quote('c', 100_002)];
    expect(decide(quotes, null, { ...RULES, quorum: 3 }).kind).toBe('price');
    expect(decide(quotes.slice(1), null, { ...RULES, quorum: 3 }).kind).toBe('no-quorum');
  });

  test('counts no outliers and no stale quotes', () => {
    const quotes = [
      quote('a', 100_000),
      quote('b', 100_000, { receivedMs: NOW - 2_001 }),
      quote('c', 100_000, { sourceMs: NOW - 9_000 }),
    ];
    const answer = decide(quotes);
    expect(answer.kind).toBe('no-quorum');
    expect(usesOf(answer)).toEqual(['a:use', 'b:stale', 'c:stale']);
    const apart = decide([quote('a', 100_000), quote('b', 100_000), quote('c', 110_000)], null, {
      ...RULES,
      quorum: 3,
    });
    expect(apart.kind).toBe('no-quorum');
  });

  test('is missed without a single quote, even if the rules ask for none', () => {
    expect(decide([], null, { ...RULES, quorum: 0 })).toEqual({ kind: 'no-quorum', quotes: [] });
  });
});

describe('a new or a restated price', () => {
  const previous = { price: 100_005, timeMs: NOW - 500 };

  test('a used quote that arrived since the previous tick makes the tick new', () => {
    const answer = decide([quote('a', 100_010), quote('b', 100_010, { receivedMs: NOW - 499 })], previous);
    expect(answer).toMatchObject({ kind: 'price', isNew: true, price: 100_010n });
  });

  test('quotes known to the previous tick restate its price exactly, even if their median differs', () => {
    const answer = decide([quote('a', 100_010), quote('b', 100_020)], previous);
    expect(answer).toMatchObject({ kind: 'price', isNew: false, price: 100_005n });
  });

  test('a quote that arrived but is not used does not make the tick new', () => {
    const late = { receivedMs: NOW - 1 };
    const answer = decide([quote('a', 100_010), quote('b', 100_010), quote('c', 140_000, late)], previous);
    expect(usesOf(answer)).toEqual(['a:use', 'b:use', 'c:outlier']);
    expect(answer).toMatchObject({ kind: 'price', isNew: false, price: 100_005n });
  });

  test('the first price of a product is new', () => {
    expect(decide([quote('a', 100_010), quote('b', 100_010)], null)).toMatchObject({ isNew: true });
  });
});
