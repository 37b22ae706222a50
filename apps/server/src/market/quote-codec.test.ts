import { MAX_MINOR, points } from '@fairtick/money';
import type { JudgedQuote, ListedQuote } from '@fairtick/trading';
import { describe, expect, test } from 'vitest';
import { packQuotes, type QuoteFrame, unpackQuotes } from './quote-codec.ts';

const SOURCES = ['a', 'b', 'c', ...Array.from({ length: 60 }, (_, place) => `s${100 + place}`)];
const FRAME: QuoteFrame = { sources: SOURCES, price: points(108_451n), timeMs: Date.UTC(2026, 5, 1) };

const quote = (changes: Partial<JudgedQuote>): JudgedQuote => ({
  source: 'a',
  price: points(108_450n),
  sourceMs: FRAME.timeMs - 80,
  receivedMs: FRAME.timeMs - 10,
  sourceSeq: 7n,
  use: 'use',
  ...changes,
});

describe('packed quotes', () => {
  test.each<[string, ListedQuote[]]>([
    ['none', []],
    ['one', [quote({})]],
    ['all uses', [quote({}), quote({ source: 'b', use: 'stale' }), quote({ source: 'c', use: 'outlier' })]],
    [
      'sources that have sent nothing',
      [{ source: 'a', use: 'none' }, quote({ source: 'b' }), { source: 's100', use: 'none' }],
    ],
    ['a price far above and far below', [quote({ price: points(MAX_MINOR) }), quote({ price: points(1n) })]],
    [
      'the beginning of time and the end of it',
      [quote({ sourceMs: 0, receivedMs: Number.MAX_SAFE_INTEGER })],
    ],
    ['times beyond the tick', [quote({ sourceMs: FRAME.timeMs + 1, receivedMs: FRAME.timeMs })]],
    ['the smallest number', [quote({ sourceSeq: 0n })]],
    ['the largest number that the grammar has', [quote({ sourceSeq: 10n ** 20n - 1n })]],
    ['numbers around the edges of the encoding', EDGES.map((sourceSeq) => quote({ sourceSeq }))],
    ['as many sources as a tick may have', SOURCES.map((source) => quote({ source }))],
  ])('are the same after unpacking: %s', (_what, quotes) => {
    expect(unpackQuotes(packQuotes(quotes, FRAME), FRAME)).toEqual(quotes);
  });

  test('take about ten bytes a source in everyday use', () => {
    const quotes = ['a', 'b', 'c'].map((source) => quote({ source, sourceSeq: 820_454_400n }));
    expect(packQuotes(quotes, FRAME).length).toBeLessThanOrEqual(33);
  });

  test('of a source that the rules do not name can not be packed', () => {
    expect(() => packQuotes([quote({ source: 'x' })], FRAME)).toThrow('not in the rules');
  });

  test('that are cut off, too long or of other rules are refused and not misread', () => {
    const bytes = packQuotes([quote({ sourceSeq: 300n })], FRAME);
    for (let length = 1; length < bytes.length; length += 1) {
      expect(() => unpackQuotes(bytes.subarray(0, length), FRAME)).toThrow();
    }
    const endless = Buffer.concat([bytes.subarray(0, bytes.length - 2), Buffer.alloc(20, 0xff)]);
    expect(() => unpackQuotes(endless, FRAME)).toThrow();
    const fourth = packQuotes([quote({ source: 's100' })], FRAME);
    expect(() => unpackQuotes(fourth, { ...FRAME, sources: ['a', 'b', 'c'] })).toThrow('do not fit');
  });
});

const EDGES = [7n, 14n, 21n, 28n, 35n, 49n, 53n, 56n, 63n, 64n].flatMap((bits) => [
  2n ** bits - 1n,
  2n ** bits,
  2n ** bits + 1n,
]);
