import { points } from '@fairtick/money';
import type { Closing } from '@fairtick/trading';
import { expect, test } from 'vitest';
import { formatEntry } from '../entry.ts';
import type { Receipt } from '../receipt/receipt.ts';
import { type Ask, checkAtSources } from './at-sources.ts';

const FIX_MS = 1_700_000_000_000;

/** A receipt with one fix, in which Binance's last record is trade 500. */
function receiptOf(closing: Closing, source = 'binance'): Receipt {
  const last = { number: 500n, timeMs: FIX_MS - 40, price: points(6_000_012n) };
  const entry = formatEntry({
    kind: 'fix',
    symbol: 'BTC/USDT',
    n: 7,
    timeMs: FIX_MS + 250,
    fixMs: FIX_MS,
    price: last.price,
    decimals: 2,
    rulesHash: 'a'.repeat(64),
    records: [
      { source, last, closing, use: 'use' },
      { source: 'sim-a', use: 'none' },
    ],
  });
  return { entries: [{ role: 'opening', index: 42, entry, proof: [] }] } as unknown as Receipt;
}

type Trade = readonly [number: number, time: number, price: string];

/** Binance's answer of these trades. */
const answering =
  (...trades: readonly Trade[]): Ask =>
  async () =>
    trades.map(([a, T, p]) => ({ a, p, q: '1', f: a, l: a, T, m: true, M: true }));

const NEXT: Closing = { by: 'next', next: { number: 501n, timeMs: FIX_MS + 90, price: points(6_000_100n) } };
const TRUE: Trade = [500, FIX_MS - 40, '60000.12000000'];
const AFTER: Trade = [501, FIX_MS + 90, '60001.00000000'];

const stateOf = async (closing: Closing, ask: Ask) =>
  (await checkAtSources(receiptOf(closing), ask))[0]?.state;

test('a record and the one after it are as the exchange has them', async () => {
  const asked: string[] = [];
  const [finding, ...others] = await checkAtSources(receiptOf(NEXT), async (url) => {
    asked.push(url.href);
    return answering(TRUE, AFTER)(url);
  });
  expect(others).toEqual([]);
  expect(asked).toEqual([
    'https://data-api.binance.vision/api/v3/aggTrades?symbol=BTCUSDT&limit=1000&fromId=500',
  ]);
  expect(finding).toEqual({
    index: 42,
    fixMs: FIX_MS,
    source: 'binance',
    state: 'same',
    shown: { number: '500', timeMs: FIX_MS - 40, price: '60000.12' },
    url: asked[0],
    has: [],
  });
});

test.each<[string, Ask]>([
  ['another price', answering([500, FIX_MS - 40, '60000.13000000'], AFTER)],
  ['another time', answering([500, FIX_MS - 41, '60000.12000000'], AFTER)],
  ['no such number', answering([502, FIX_MS + 95, '60000.12000000'])],
  ['no record', answering()],
  ['another record after it', answering(TRUE, [501, FIX_MS + 90, '60001.01000000'])],
])('%s is told', async (_, ask) => {
  expect(await stateOf(NEXT, ask)).toBe('differs');
});

test('a record that was left out is told', async () => {
  const between: Trade = [501, FIX_MS - 10, '60000.50000000'];
  const far: Closing = { by: 'next', next: { number: 502n, timeMs: FIX_MS + 90, price: points(6_000_100n) } };
  expect(await stateOf(far, answering(TRUE, between, [502, FIX_MS + 90, '60001.00000000']))).toBe('skipped');
  expect(await stateOf({ by: 'said' }, answering(TRUE, between))).toBe('skipped');
  expect(await stateOf({ by: 'open' }, answering(TRUE, between))).toBe('skipped');
});

test('a source’s word holds where its next record is later', async () => {
  expect(await stateOf({ by: 'said' }, answering(TRUE, AFTER))).toBe('same');
  expect(await stateOf({ by: 'said' }, answering(TRUE))).toBe('same');
});

test('what can’t be asked or read is no agreement', async () => {
  const silent: Ask = () => Promise.reject(new Error('no line'));
  expect(await stateOf(NEXT, silent)).toBe('unread');
  expect(await stateOf(NEXT, async () => ({ code: -1121, msg: 'Invalid symbol.' }))).toBe('unread');
  const [finding] = await checkAtSources(receiptOf(NEXT, 'bybit'), silent);
  expect(finding).toMatchObject({ state: 'unasked', url: null });
});
