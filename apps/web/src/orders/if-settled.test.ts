import { expect, test } from 'vitest';
import { ifSettledAt } from './outcome.ts';

const ORDER = {
  direction: 'up',
  openPrice: '1.08450',
  amount: '100.000000',
  expectedIncome: '80.000000',
} as const;

test.each([
  ['up', '1.08451', '80.000000'],
  ['up', '1.08449', '-100.000000'],
  ['up', '1.0845', '0.000000'],
  ['down', '1.08451', '-100.000000'],
  ['down', '1.08449', '80.000000'],
] as const)('%s at %s: %s', (direction, price, expected) => {
  expect(ifSettledAt({ ...ORDER, direction }, price)).toBe(expected);
});

test('a price of many digits is compared whole', () => {
  const order = { ...ORDER, openPrice: '87661.56' };
  expect(ifSettledAt(order, '87661.57')).toBe('80.000000');
  expect(ifSettledAt(order, '87616')).toBe('-100.000000');
});

test('an order that has not opened has no outcome yet', () => {
  expect(ifSettledAt({ ...ORDER, openPrice: null }, '1')).toBeNull();
});
