import { expect, test } from 'vitest';
import { approvalsNeeded, isAbove, less, readable, sumOf, typedAmount } from './amounts.ts';

test('amounts are shown in groups of thousands, with all significant decimals and at least two', () => {
  expect(readable('1000.000000')).toBe('1,000.00');
  expect(readable('1234567.5')).toBe('1,234,567.50');
  expect(readable('0.02500000')).toBe('0.025');
  expect(readable('-12.00')).toBe('−12.00');
  expect(readable('7')).toBe('7.00');
});

test('a typed amount gets the decimals of its asset, and invalid text gives none', () => {
  expect(typedAmount('1,000.5', '1.000000')).toBe('1000.500000');
  expect(typedAmount(' 12 ', '1.00')).toBe('12.00');
  expect(typedAmount('1.234', '1.00')).toBeNull();
  for (const text of ['', '0', '-1', 'x', '1e3', '0.00']) expect(typedAmount(text, '1.00')).toBeNull();
});

test('differences, sums and comparisons of amounts are exact', () => {
  expect(less('1000.000000', '0.000001')).toBe('999.999999');
  expect(less('1.00', '1.00')).toBe('0.00');
  expect(less('1.00', '2.50')).toBe('-1.50');
  expect(sumOf(['4999.999999', '0.000002'])).toBe('5000.000001');
  expect(sumOf([])).toBe('0');
  expect(isAbove('5000.000001', '5000')).toBe(true);
  expect(isAbove('5000.000000', '5000')).toBe(false);
});

test('text that is no amount is refused instead of counted as zero', () => {
  expect(() => sumOf(['1.00', ''])).toThrow('is no amount');
  expect(() => sumOf(['1e3'])).toThrow('is no amount');
});

test('a larger amount needs more approvals', () => {
  const rules = [
    { kind: 'deposit', needed: 0, above: [{ asset: 'USDT', amount: '5000.000000', needed: 1 }] },
  ];
  expect(approvalsNeeded(rules, 'deposit', { amount: '5000.000000', asset: 'USDT' })).toBe(0);
  expect(approvalsNeeded(rules, 'deposit', { amount: '5000.000001', asset: 'USDT' })).toBe(1);
  expect(approvalsNeeded(rules, 'deposit', { amount: '5000.000001', asset: 'BTC' })).toBe(0);
  expect(approvalsNeeded(rules, 'withdrawal', { amount: '1', asset: 'USDT' })).toBeNull();
});
