import { describe, expect, test } from 'vitest';
import { QuoteBoard } from './quote-board.ts';
import { SourceCounts } from './source-figures.ts';

const NOW = 1_800_000_000_000;

describe('the figures of a source', () => {
  test('are of the last minute alone, with lags to the millisecond', () => {
    const counts = new SourceCounts();
    counts.price(NOW - 61_000, NOW - 69_000);
    counts.tick(NOW - 61_000, 'outlier');
    for (let at = 0; at < 100; at += 1) counts.price(NOW + at * 100, NOW + at * 100 - at);
    counts.tick(NOW + 9_900, 'use');
    counts.tick(NOW + 9_900, 'use');
    counts.tick(NOW + 9_900, 'stale');
    expect(counts.read(NOW + 9_900)).toEqual({
      prices: 101,
      gaps: 0,
      ignored: 0,
      refused: 0,
      lastMs: NOW + 9_900,
      // 100 in the 60 s up to the end of the present part.
      quotesPerSecond: 1.7,
      lagP50: 49,
      lagP99: 98,
      clockMs: null,
      ticks: { use: 2, stale: 1, outlier: 0, none: 0 },
    });
    expect(counts.read(NOW + 75_000)).toMatchObject({ quotesPerSecond: 0, lagP50: null, lagP99: null });
  });

  test('of a process that has just begun are not spread over a whole minute', () => {
    const counts = new SourceCounts();
    for (let at = 0; at <= 10; at += 1) counts.price(NOW + at * 200, null);
    expect(counts.read(NOW + 2_000)).toMatchObject({ quotesPerSecond: 5.5, lagP50: null, clockMs: null });
  });

  test('show our clock behind the source’s, also by prices that are refused for it', () => {
    const board = new QuoteBoard('okx', new Map([['A', { productId: 1, decimals: 2 }]]));
    const price = (sourceMs: number, order: bigint, receivedMs: number) =>
      board.apply([{ kind: 'price', market: 'A', prices: ['1.00'], sourceMs, order }], receivedMs);
    price(NOW - 20, 1n, NOW);
    price(NOW + 5_000, 2n, NOW + 1_000);
    board.apply([{ kind: 'last', market: 'A', number: 1n, sourceMs: NOW + 2_600 }], NOW + 2_000);
    expect(board.counts.read(NOW + 2_000)).toMatchObject({
      prices: 1,
      ignored: 1,
      lagP50: 20,
      clockMs: -4_000,
    });
  });

  test('count gaps that numbers show, and not the ends of connections', () => {
    const board = new QuoteBoard('okx', new Map([['A', { productId: 1, decimals: 2 }]]));
    board.apply([{ kind: 'gap', market: null }], NOW);
    board.apply([{ kind: 'gap', market: 'A' }], NOW);
    expect(board.counts.read(NOW).gaps).toBe(1);
  });
});
