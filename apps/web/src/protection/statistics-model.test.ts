import { expect, test } from 'vitest';
import { wayTo } from './alerts-model.ts';
import { perHundred, verdictOf } from './statistics-model.ts';

test('a win rate of fewer than 30 orders is marked as too few, and no orders give no verdict', () => {
  const rates = { winRate: '0.9000', breakEven: '0.5400' };
  expect(verdictOf({ won: 26, lost: 3, ...rates })).toBe('few');
  expect(verdictOf({ won: 27, lost: 3, ...rates })).toBe('above');
  expect(verdictOf({ won: 27, lost: 23, ...rates, winRate: '0.5399' })).toBe('below');
  expect(verdictOf({ won: 0, lost: 0, winRate: null, breakEven: null })).toBeNull();
});

test('the result is shown per hundred staked', () => {
  expect(perHundred({ result: '-4.600000', staked: '100.000000' })).toBe('−4.60');
  expect(perHundred({ result: '20.000000', staked: '1000.000000' })).toBe('+2.00');
  expect(perHundred({ result: '0.000000', staked: '0.000000' })).toBeNull();
});

test('the direction to a target price follows from the current price', () => {
  expect(wayTo('1.09', '1.08400')).toBe('up');
  expect(wayTo('1.08', '1.08400')).toBe('down');
  expect(wayTo('1.084', '1.08400')).toBeNull();
  expect(wayTo('0', '1.08400')).toBeNull();
  expect(wayTo('1.09', null)).toBeNull();
});
