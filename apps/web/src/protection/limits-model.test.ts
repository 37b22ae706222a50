import type { UsedLimit } from '@fairtick/protocol';
import { expect, test } from 'vitest';
import { changeOf, endOf, kindsOf, usedShare } from './limits-model.ts';

const limit: UsedLimit = {
  asset: 'USDT',
  kind: 'stake',
  per: 'day',
  amount: '100.500000',
  used: '25.125000',
  left: '75.375000',
  resetsAt: 0,
  later: null,
};

test('practice money has no limit on deposits', () => {
  expect(kindsOf('DEMO')).toEqual(['stake', 'loss']);
  expect(kindsOf('BTC')).toEqual(['deposit', 'stake', 'loss']);
});

test('a typed amount is classified as tighter, looser or no change before it is sent', () => {
  expect(changeOf('', undefined)).toBe('nothing');
  expect(changeOf('5', undefined)).toBe('tighter');
  expect(changeOf('100.49', limit)).toBe('tighter');
  expect(changeOf('100.5', limit)).toBe('nothing');
  expect(changeOf('100.', limit)).toBe('tighter');
  expect(changeOf('100.5000001', limit)).toBe('looser');
  expect(changeOf('', limit)).toBe('looser');
  // Setting the present limit again cancels a pending change.
  expect(changeOf('100.50', { ...limit, later: { amount: null, at: 1 } })).toBe('tighter');
});

test('the bar of a used-up limit is full and never longer', () => {
  expect(usedShare(limit)).toBe(0.25);
  expect(usedShare({ ...limit, used: '300' })).toBe(1);
});

test('a break ends after its hours, a self-exclusion after its months, and one for good never', () => {
  const now = Date.UTC(2026, 7, 31, 9, 30);
  expect(endOf({ hours: 24 }, now)).toBe(now + 86_400_000);
  expect(endOf({ months: 6 }, now)).toBe(Date.UTC(2027, 1, 28, 9, 30));
  expect(endOf({ months: 12 }, now)).toBe(Date.UTC(2027, 7, 31, 9, 30));
  expect(endOf({ months: 'forever' }, now)).toBeNull();
});
