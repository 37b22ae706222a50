import type { Order } from '@fairtick/protocol';
import { expect, test } from 'vitest';
import { outcomeOf } from './outcome.ts';

const order = {
  ...{ direction: 'up', openPrice: '100.00', amount: '40', expectedIncome: '32', settlesAt: 60_000 },
  ...{ status: 'unsettled', profit: null, result: null, voidReason: null },
} as Order;
const amountAt = (nowMs: number, of = order) =>
  outcomeOf(of, { price: '101.00', nowMs, t: (id) => id })?.amount ?? null;

test('a price says how an open order would end until its settlement time, and nothing afterwards', () => {
  expect(amountAt(59_999)).toBe('+32.00');
  expect(amountAt(60_000)).toBeNull();
  expect(amountAt(90_000, { ...order, status: 'settled', result: 'loss', profit: '-40' })).toBe('−40.00');
});
