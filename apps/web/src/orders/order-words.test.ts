import { expect, test } from 'vitest';
import { priceMove } from './order-words.ts';

test.each([
  ['1.16060', '1.16059', '-0.00001'],
  ['87661.56', '87847.78', '186.22'],
  ['1.1', '1.10000', '0.00000'],
  ['900719925.47409', '900719925.4741', '0.00001'],
])('from %s to %s a price moved by %s', (openPrice, settlePrice, move) => {
  expect(priceMove({ openPrice, settlePrice })).toBe(move);
});

test('an order without an opening or a settlement has no move', () => {
  expect(priceMove({ openPrice: null, settlePrice: '1' })).toBeNull();
  expect(priceMove({ openPrice: '1', settlePrice: null })).toBeNull();
});
