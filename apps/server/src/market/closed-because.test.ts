import type { Schedule } from '@fairtick/trading';
import { expect, test } from 'vitest';
import { closedBecause } from './closed-because.ts';
import type { MarketRow } from './market-view.ts';

const NOW = Date.UTC(2026, 5, 1, 12);
const ALWAYS: Schedule = { zone: 'UTC', windows: [], holidays: [] };
const SINCE_NOON: Schedule = {
  zone: 'UTC',
  windows: [{ days: [1], from: '12:00', to: '20:00' }],
  holidays: [],
};

/** The state of a product that has just ticked, with what is other about it. */
function stateOf(other: Partial<MarketRow>, { afterMs = 0, schedule = ALWAYS, feed = 'simulated' } = {}) {
  const row = {
    product: { symbol: 'AAPL/ABC', assetClass: 'stock', listing: { sources: {} }, closesOn: null },
    rules: { rules: { schedule } },
    gap: null,
    priceMs: NOW,
    ordersFromMs: 0,
    ...other,
  } as unknown as MarketRow;
  return closedBecause(row, { feed, nowMs: () => NOW + afterMs });
}

test('a product is open while its prices go on', () => {
  expect(stateOf({})).toBeNull();
  expect(stateOf({}, { afterMs: 15_000 })).toBeNull();
});

test('a product has no reliable price before its first, in a gap, for 15 s after one, and when nothing more comes', () => {
  expect(stateOf({ priceMs: null, ordersFromMs: null })).toBe('no_price');
  for (const gap of ['quorum', 'clock', 'restart'] as const)
    expect(stateOf({ gap, ordersFromMs: null })).toBe('no_price');
  expect(stateOf({ ordersFromMs: NOW + 1 })).toBe('no_price');
  expect(stateOf({ ordersFromMs: NOW })).toBeNull();
  expect(stateOf({}, { afterMs: 15_001 })).toBe('no_price');
});

test('a product has none in the first 15 s of its trading period', () => {
  expect(stateOf({}, { schedule: SINCE_NOON, afterMs: 9_999 })).toBe('no_price');
  expect(stateOf({ priceMs: NOW + 15_000 }, { schedule: SINCE_NOON, afterMs: 15_000 })).toBeNull();
});

test('what closes a product for longer is told first', () => {
  expect(stateOf({ gap: 'halt', ordersFromMs: null })).toBe('halt');
  expect(stateOf({ gap: 'end', ordersFromMs: null })).toBe('ended');
  expect(stateOf({ gap: 'session', ordersFromMs: null })).toBe('hours');
  expect(stateOf({ gap: 'quorum', ordersFromMs: null }, { schedule: SINCE_NOON, afterMs: -1 })).toBe('hours');
  expect(stateOf({ rules: null })).toBe('no_source');
  expect(stateOf({}, { feed: 'live' })).toBe('no_source');
});
