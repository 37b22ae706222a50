import type { Schedule } from '@fairtick/trading';
import { expect, test } from 'vitest';
import type { MarketRow } from './market-view.ts';
import { NO_STOPS, type OrderStops } from './order-stops.ts';
import { closedOf } from './product-state.ts';

const NOW = Date.UTC(2026, 5, 1, 12);
const ALWAYS: Schedule = { zone: 'UTC', windows: [], holidays: [] };
const SINCE_NOON: Schedule = {
  zone: 'UTC',
  windows: [{ days: [1], from: '12:00', to: '20:00' }],
  holidays: [],
};

interface Moment {
  readonly afterMs?: number;
  readonly schedule?: Schedule;
  readonly feed?: string;
  readonly logMs?: number;
  readonly stops?: OrderStops;
}

/** The state of a product that has just ticked, with what is other about it. */
function closedAs(other: Partial<MarketRow>, moment: Moment = {}) {
  const { afterMs = 0, schedule = ALWAYS, feed = 'simulated', logMs, stops = NO_STOPS } = moment;
  const row = {
    product: { id: 7, symbol: 'AAPL/ABC', assetClass: 'stock', listing: { sources: {} }, closesOn: null },
    rules: { rules: { schedule, quorum: 3, sources: ['a', 'b', 'c', 'd', 'e'] } },
    gap: null,
    priceMs: NOW,
    ordersFromMs: 0,
    sourcesNow: 5,
    ...other,
  } as unknown as MarketRow;
  const nowMs = () => NOW + afterMs;
  return closedOf(row, {
    feed,
    nowMs,
    logMs: () => logMs ?? nowMs(),
    stops: () => stops,
  });
}
const stateOf = (...about: Parameters<typeof closedAs>) => closedAs(...about)?.because ?? null;

test('a product is open while its prices go on', () => {
  expect(stateOf({})).toBeNull();
  expect(stateOf({}, { afterMs: 15_000 })).toBeNull();
});

test('a product has no reliable price before its first, in a gap, for 15 s after one, and when nothing more comes', () => {
  expect(stateOf({ priceMs: null, ordersFromMs: null })).toBe('no_price');
  expect(stateOf({ gap: 'quorum', ordersFromMs: null })).toBe('no_price');
  expect(stateOf({ ordersFromMs: NOW + 1 })).toBe('no_price');
  expect(stateOf({ ordersFromMs: NOW })).toBeNull();
  expect(stateOf({}, { afterMs: 15_001 })).toBe('no_price');
});

test('a product has none in the first 15 s of its trading period', () => {
  expect(stateOf({}, { schedule: SINCE_NOON, afterMs: 9_999 })).toBe('no_price');
  expect(stateOf({ priceMs: NOW + 15_000 }, { schedule: SINCE_NOON, afterMs: 15_000 })).toBeNull();
});

test('what closes a product for longer is told first', () => {
  expect(stateOf({ gap: 'halt', ordersFromMs: null })).toBe('disagreement');
  expect(stateOf({ gap: 'end', ordersFromMs: null })).toBe('ended');
  expect(stateOf({ gap: 'session', ordersFromMs: null })).toBe('hours');
  expect(stateOf({ gap: 'quorum', ordersFromMs: null }, { schedule: SINCE_NOON, afterMs: -1 })).toBe('hours');
  expect(stateOf({ rules: null })).toBe('no_source');
  expect(stateOf({}, { feed: 'live' })).toBe('no_source');
});

test('each state says since when, until when, and why', () => {
  const none = { since: null, until: null, reason: null, sources: null, assets: null };
  expect(closedAs({ gap: 'quorum', ordersFromMs: null, sourcesNow: 2 }, { afterMs: 9_000 })).toEqual({
    ...none,
    because: 'no_price',
    since: NOW,
    sources: { now: 2, all: 5, needed: 3 },
  });
  expect(closedAs({ gap: 'session' }, { schedule: SINCE_NOON, afterMs: -60_000 })).toMatchObject({
    because: 'hours',
    until: NOW,
  });
  const halted = { since: NOW - 5, reason: 'one source lies' };
  const halt = { sinceMs: halted.since, reason: halted.reason };
  for (const stops of [
    { ...NO_STOPS, all: halt },
    { ...NO_STOPS, halted: new Map([[7, halt]]) },
  ])
    expect(closedAs({}, { stops })).toEqual({ ...none, ...halted, because: 'halt' });
  expect(closedAs({}, { stops: { ...NO_STOPS, halted: new Map([[8, halt]]) } })).toBeNull();
  const full = { ...NO_STOPS, full: new Map([[7, ['USDT']]]) };
  expect(closedAs({}, { stops: full })).toEqual({ ...none, because: 'full', assets: ['USDT'] });
});

test('a product is under maintenance while the log has no writer, or has just got one', () => {
  for (const gap of ['clock', 'restart'] as const)
    expect(stateOf({ gap, ordersFromMs: null })).toBe('maintenance');
  expect(stateOf({}, { logMs: NOW - 5_000 })).toBeNull();
  expect(closedAs({}, { logMs: NOW - 5_001 })).toMatchObject({ because: 'maintenance', since: NOW });
});
