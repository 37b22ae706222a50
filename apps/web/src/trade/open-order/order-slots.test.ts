import { expect, test } from 'vitest';
import { slotsOf } from './order-slots.ts';

const ORDER = { openedAt: 1_000_000, settlesAt: 1_060_000 };
const at = (ms: number, price: string) => ({ time: ORDER.openedAt + ms, price });

test('a minute has a slot for each quarter of a second, a price lasts until the next, and the right has room', () => {
  const { prices, openSlot, endSlot, timeOf } = slotsOf([at(0, '1.5'), at(1_000, '1.6')], ORDER);
  expect(endSlot - openSlot).toBe(240);
  expect(prices.slice(openSlot, openSlot + 6)).toEqual([1.5, 1.5, 1.5, 1.5, 1.6, null]);
  expect(prices.slice(0, openSlot).every((price) => price === null)).toBe(true);
  expect(prices.length).toBeGreaterThan(endSlot + 20);
  expect([timeOf(openSlot), timeOf(endSlot)]).toEqual([ORDER.openedAt, ORDER.settlesAt]);
});

test('ticks before the opening and after the end are not drawn', () => {
  const { prices, endSlot } = slotsOf([at(-250, '1'), at(60_000, '2'), at(60_250, '3')], ORDER);
  expect(prices[endSlot]).toBe(2);
  expect(prices.filter((price) => price !== null)).toEqual([2]);
});
