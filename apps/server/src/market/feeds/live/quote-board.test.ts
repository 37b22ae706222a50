import type { Quote } from '@fairtick/trading';
import { describe, expect, test } from 'vitest';
import { QuoteBoard } from './quote-board.ts';
import type { VenueEvent } from './venue.ts';

const MARKETS = new Map([
  ['BTC', { productId: 1, decimals: 2 }],
  ['ETH', { productId: 2, decimals: 2 }],
]);
const START = Date.UTC(2026, 5, 1);

const price = (
  market: string,
  text: string,
  { sourceMs = null, order = null }: { sourceMs?: number | null; order?: bigint | null } = {},
): VenueEvent => ({ kind: 'price', market, prices: [text], sourceMs, order });
const alive = (sourceMs: number | null = null): VenueEvent => ({ kind: 'alive', market: null, sourceMs });

/** A board that is told events at a time after the start, and gives the quotes that come of them. */
function boardOf() {
  const board = new QuoteBoard('kraken', MARKETS);
  const at = (ms: number, ...events: readonly VenueEvent[]): Quote[] => {
    board.apply(events, START + ms);
    return board.take(START + ms).map(({ quote }) => quote);
  };
  return { board, at };
}

describe('a board of quotes', () => {
  test('restates a price for half a minute on proofs of the connection alone, and then has none', () => {
    const { board, at } = boardOf();
    at(0, price('BTC', '100'));
    expect(at(29_000, alive()).map((quote) => quote.receivedMs - START)).toEqual([29_000]);
    expect(board.priced(START + 30_000)).toEqual([1]);
    expect(at(30_001, alive())).toEqual([]);
    expect(board.priced(START + 30_001)).toEqual([]);
    expect(at(31_000, price('BTC', '101')).map((quote) => quote.price)).toEqual([10_100n]);
  });

  test('lets a market whose frames end fall out, and keeps the others', () => {
    const { board, at } = boardOf();
    at(0, price('BTC', '100'), price('ETH', '5'));
    for (let second = 1; second <= 60; second += 1) at(second * 1_000, price('ETH', '5.01'), alive());
    expect(board.priced(START + 60_000)).toEqual([2]);
    expect(at(60_250, alive()).map((quote) => quote.price)).toEqual([501n]);
  });

  test('restates for as long as the venue says that this very price holds', () => {
    const { at } = boardOf();
    at(0, price('BTC', '100'));
    for (let second = 3; second <= 300; second += 3)
      expect(at(second * 1_000, { kind: 'unchanged', market: 'BTC', sourceMs: null })).toHaveLength(1);
  });

  test('numbers each restatement anew, and lets no time of the source fall', () => {
    const { at } = boardOf();
    const quotes = [
      ...at(0, price('BTC', '100', { sourceMs: START - 20 })),
      ...at(100, alive()),
      ...at(100, alive(START - 10)),
      ...at(120, price('BTC', '100', { sourceMs: START })),
      ...at(90, alive()),
    ];
    expect(quotes.map(({ sourceMs }) => sourceMs - START)).toEqual([-20, 100, 100, 100, 100]);
    for (const [place, { sourceSeq }] of quotes.entries())
      if (place > 0) expect(sourceSeq).toBeGreaterThan((quotes[place - 1] as Quote).sourceSeq);
  });

  test('takes no price and no proof whose time is more than a second ahead', () => {
    const { board, at } = boardOf();
    expect(at(0, price('BTC', '100', { sourceMs: START + 1_001 }))).toEqual([]);
    expect(at(0, price('BTC', '100', { sourceMs: START + 1_000 }))).toHaveLength(1);
    expect(at(250, alive(START + 1_251))).toEqual([]);
    expect(board.counts.read(START + 1_000).ignored).toBe(1);
  });

  test('keeps the newest quote of each grid time, for a minute', () => {
    const { board } = boardOf();
    for (let ms = 0; ms <= 3_600_000; ms += 50) board.apply([price('BTC', '100')], START + ms);
    const kept = board.take(START + 3_600_000).map(({ quote }) => quote.receivedMs - START);
    expect(kept).toEqual(Array.from({ length: 241 }, (_, step) => 3_540_000 + step * 250));
  });
});
