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
  test('has a price for half a minute, and each market its own', () => {
    const { board, at } = boardOf();
    at(0, price('BTC', '100'), price('ETH', '5'));
    expect(board.priced(START + 30_000)).toEqual(
      new Map([
        [1, 10_000n],
        [2, 500n],
      ]),
    );
    at(20_000, price('ETH', '5.01'));
    expect(board.priced(START + 30_001)).toEqual(new Map([[2, 501n]]));
    expect(at(31_000, price('BTC', '101')).map((quote) => quote.price)).toEqual([10_100n]);
  });

  test('makes no quote of a frame without a price', () => {
    const { at } = boardOf();
    at(0, price('BTC', '100'));
    expect(at(250, { kind: 'alive' }, { kind: 'last', market: 'BTC', number: 1n, sourceMs: START })).toEqual(
      [],
    );
  });

  test('numbers each quote anew, and lets no time of the source fall', () => {
    const { at } = boardOf();
    const quotes = [
      ...at(0, price('BTC', '100', { sourceMs: START - 20 })),
      ...at(100, price('BTC', '100', { sourceMs: START - 10, order: 1n })),
      ...at(100, price('BTC', '100', { sourceMs: START - 15, order: 2n })),
      ...at(90, price('BTC', '100', { sourceMs: START, order: 3n })),
    ];
    expect(quotes.map(({ sourceMs }) => sourceMs - START)).toEqual([-20, -10, -10, 0]);
    for (const [place, { sourceSeq }] of quotes.entries())
      if (place > 0) expect(sourceSeq).toBeGreaterThan((quotes[place - 1] as Quote).sourceSeq);
  });

  test('takes no price whose time is more than a second ahead', () => {
    const { board, at } = boardOf();
    expect(at(0, price('BTC', '100', { sourceMs: START + 1_001 }))).toEqual([]);
    expect(at(0, price('BTC', '100', { sourceMs: START + 1_000 }))).toHaveLength(1);
    expect(board.counts.read(START + 1_000).ignored).toBe(1);
  });

  const first = price('BTC', '100', { order: 10n, sourceMs: START - 50 });

  test.each([
    ['an older number', price('BTC', '90', { order: 9n })],
    ['an older number and time', price('BTC', '90', { order: 9n, sourceMs: START - 60 })],
    ['an older time and no number', price('BTC', '90', { sourceMs: START - 60 })],
    ['a time long before, under a new number', price('BTC', '90', { order: 11n, sourceMs: START - 2_000 })],
    ['a time ahead', price('BTC', '90', { order: 11n, sourceMs: START + 5_000 })],
    ['no price', price('BTC', 'NaN', { order: 11n, sourceMs: START })],
    ['lost frames', { kind: 'gap', market: 'BTC' } as const],
  ])('has no price after a frame with %s, also with the first frame again', (_case, frame) => {
    const { board, at } = boardOf();
    at(0, first);
    expect(at(250, frame)).toEqual([]);
    expect(board.priced(START + 250)).toEqual(new Map());
    if (frame.kind === 'price' && frame.order === 11n) expect(at(500, first)).toEqual([]);
    const next = price('BTC', '101', { order: 12n, sourceMs: START + 600 });
    expect(at(750, next).map((quote) => quote.price)).toEqual([10_100n]);
  });

  test.each([
    ['the same number and time', price('BTC', '90', { order: 10n, sourceMs: START - 50 })],
    ['the next number and a time shortly before', price('BTC', '90', { order: 11n, sourceMs: START - 51 })],
    ['a number from anew and a later time', price('BTC', '90', { order: 1n, sourceMs: START })],
  ])('takes the later price where it has %s', (_case, frame) => {
    const { at } = boardOf();
    at(0, first);
    expect(at(250, frame).map((quote) => quote.price)).toEqual([9_000n]);
  });

  test('wants a new connection when numbers stay below earlier ones, and there takes them', () => {
    const { board } = boardOf();
    const said = (ms: number, order: bigint) => board.apply([price('BTC', '100', { order })], START + ms);
    expect([said(0, 10n), said(100, 1n), said(1_000, 2n), said(1_500, 11n)]).toEqual([
      true,
      true,
      true,
      true,
    ]);
    expect([said(1_600, 3n), said(3_500, 4n), said(3_600, 5n)]).toEqual([true, true, false]);
    expect(board.apply([{ kind: 'reconnected' }], START + 3_700)).toBe(true);
    expect(said(3_800, 6n)).toBe(true);
    expect([...board.priced(START + 3_800).keys()]).toEqual([1]);
  });

  test('keeps the newest quote of each grid time, for a minute', () => {
    const { board } = boardOf();
    for (let ms = 0; ms <= 3_600_000; ms += 50) board.apply([price('BTC', '100')], START + ms);
    const kept = board.take(START + 3_600_000).map(({ quote }) => quote.receivedMs - START);
    expect(kept).toEqual(Array.from({ length: 241 }, (_, step) => 3_540_000 + step * 250));
  });
});
