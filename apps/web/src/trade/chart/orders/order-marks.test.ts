import type { Order } from '@fairtick/protocol';
import { expect, test } from 'vitest';
import { orderMarks } from './order-marks.ts';

const order = (direction: Order['direction'], openedAt: number, settleTickAt: number | null) =>
  ({ direction, openedAt, settleTickAt }) as Order;
const marksOf = (orders: readonly Order[], room: number) =>
  orderMarks(orders, room, (ms) => (ms < 0 ? null : ms)).map(
    ({ kind, isAbove, index, count }) => `${kind} ${isAbove ? 'above' : 'below'} ${index} ×${count}`,
  );

test('an opening has its arrow on the side of its direction, and the settlement a mark on the other', () => {
  expect(marksOf([order('up', 4, 5)], 4)).toEqual(['up below 4 ×1', 'settled above 5 ×1']);
  expect(marksOf([order('down', 4, 5)], 4)).toEqual(['down above 4 ×1', 'settled below 5 ×1']);
  expect(marksOf([order('down', -4, null)], 4)).toEqual([]);
});

test('marks of a side that would overlap share a candle, with a number for those of a kind', () => {
  const orders = [order('up', 4, 8), order('up', 5, 9), order('down', 10, null), order('up', 20, 30)];
  expect(marksOf(orders, 4)).toEqual([
    'up below 4 ×2',
    'settled above 8 ×2',
    'down above 8 ×1',
    'up below 20 ×1',
    'settled above 30 ×1',
  ]);
  expect(marksOf(orders, 1)).toHaveLength(7);
});
