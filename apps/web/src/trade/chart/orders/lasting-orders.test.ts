import type { Order } from '@fairtick/protocol';
import { expect, test } from 'vitest';
import { lastingOrders } from './lasting-orders.ts';

const order = (id: string, status: Order['status'], settlesAt: number) =>
  ({ id, status, settlesAt }) as Order;
const ORDERS = [
  order('1', 'settled', 100_000),
  order('2', 'unsettled', 100_000),
  order('3', 'settled', 120_000),
];
const idsAt = (nowMs: number, picked: { id: string; ms: number } | null = null) =>
  lastingOrders(ORDERS, picked, nowMs).map(({ id }) => id);

test('a settled order leaves the chart after 30 s, and an open one stays', () => {
  expect(idsAt(129_000)).toEqual(['1', '2', '3']);
  expect(idsAt(130_000)).toEqual(['2', '3']);
  expect(idsAt(150_000)).toEqual(['2']);
});

test('one that was picked before its settlement leaves it, too, and one picked afterwards is back for 30 s', () => {
  expect(idsAt(130_000, { id: '1', ms: 90_000 })).toEqual(['2', '3']);
  expect(idsAt(200_000, { id: '1', ms: 180_000 })).toEqual(['1', '2']);
  expect(idsAt(210_000, { id: '1', ms: 180_000 })).toEqual(['2']);
});
