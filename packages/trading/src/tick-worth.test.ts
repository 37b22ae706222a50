import { Random } from '@fairtick/kit/hostile/random.ts';
import { points } from '@fairtick/money';
import { describe, expect, test } from 'vitest';
import {
  boundsOf,
  decidePrice,
  isComplete,
  isCurrent,
  type ListedQuote,
  openingWorth,
  type QuoteUse,
  settlementWorth,
  type Tick,
} from './index.ts';

const NOW = 1_000_000;

function tickOf(quotes: readonly (readonly [number, QuoteUse, number?])[], absent = false): Tick {
  const listed: ListedQuote[] = quotes.map(([price, use, ageMs = 0], place) => ({
    source: `s${place}`,
    price: points(BigInt(price)),
    sourceMs: NOW - ageMs,
    sourceSeq: 1n,
    receivedMs: NOW,
    use,
  }));
  if (absent) listed.push({ source: 'z', use: 'none' });
  return { kind: 'tick', n: 1, timeMs: NOW, price: points(102n), quotes: listed, freshMs: 250 };
}

describe('what a tick is worth', () => {
  test.each([
    [
      'every source counts',
      tickOf([
        [101, 'use'],
        [102, 'use'],
        [104, 'use'],
      ]),
      [102n, 102n],
    ],
    [
      'one is an outlier',
      tickOf([
        [101, 'use'],
        [102, 'use'],
        [900, 'outlier'],
      ]),
      [102n, 102n],
    ],
    [
      'one is stale',
      tickOf([
        [104, 'use'],
        [101, 'use'],
        [1, 'stale'],
      ]),
      [101n, 104n],
    ],
    [
      'one has sent nothing',
      tickOf(
        [
          [101, 'use'],
          [104, 'use'],
        ],
        true,
      ),
      [101n, 104n],
    ],
    [
      'one is of use, and too old',
      tickOf([
        [103, 'use'],
        [101, 'use', 250],
        [104, 'use', 251],
      ]),
      [101n, 103n],
    ],
    [
      'one is an outlier, and too old',
      tickOf([
        [101, 'use'],
        [104, 'use'],
        [900, 'outlier', 251],
      ]),
      [101n, 104n],
    ],
    [
      'one is stale, and an outlier does not count',
      tickOf([
        [101, 'use'],
        [900, 'outlier'],
        [1, 'stale'],
      ]),
      [101n, 101n],
    ],
  ])('where %s', (_case, tick, [low, high]) => {
    expect(boundsOf(tick)).toEqual({ low, high });
    expect(isComplete(tick)).toBe(low === 102n && high === 102n);
    expect(openingWorth(boundsOf(tick))).toEqual({ up: low, down: high });
    expect(settlementWorth(boundsOf(tick))).toEqual({ up: high, down: low });
  });

  test('to leave sources out never moves a price against a customer', () => {
    const random = new Random(132);
    for (let round = 0; round < 2_000; round += 1) {
      const sources = Array.from({ length: random.of([3, 4, 5, 7]) }, (_, place) => `s${place}`);
      const quorum = Math.floor(sources.length / 2) + 1;
      const rules = { sources, quorum, lagMs: 0, staleMs: 1_000, outlierBps: 10_000 };
      const quotes = sources.map((source) => ({
        source,
        price: points(BigInt(random.whole(1_000, 1_040))),
        sourceMs: NOW,
        sourceSeq: 1n,
        receivedMs: NOW,
      }));
      const whole = decidePrice({ quotes, timeMs: NOW, rules }).price as bigint;
      const left = quotes.filter(() => random.isLikely(0.7));
      const { price, quotes: listed } = decidePrice({ quotes: left, timeMs: NOW, rules });
      if (price === null) continue;
      const { low, high } = boundsOf({
        kind: 'tick',
        n: 1,
        timeMs: NOW,
        price,
        quotes: listed,
        freshMs: 250,
      });
      expect(low <= whole && whole <= high).toBe(true);
      expect(low <= price && price <= high).toBe(true);
    }
  });
});

test.each([
  [[0, 250, 251], true],
  [[0, 251, 251], false],
  [[250, 251], false],
  [[250], true],
  [[251], false],
  [[0, 0, 0, 0], true],
])('a tick with quotes of use that are %j ms old is current: %s', (ages, expected) => {
  const quotes = ages.map((ageMs) => [100, 'use', ageMs] as const);
  expect(isCurrent(tickOf(quotes))).toBe(expected);
  // Sources whose quotes are not of use, or that have none, count as sources without a quote.
  const more = [...quotes, [100, 'stale', 900] as const, [900, 'outlier', 0] as const];
  expect(isCurrent(tickOf(more, true))).toBe(ages.length === 4);
});
