import { expect, test } from 'vitest';
import { heldBy, isNothing, sumOf, totalOf } from './balances-model.ts';

test('the total of an asset is the exact sum of its available, held and earning amounts', () => {
  const balance = { asset: 'USDT', available: '9007199254.740993', held: '0.000001', earning: '1.000000' };
  expect(totalOf(balance)).toBe('9007199255.740994');
  expect(totalOf({ ...balance, held: '?' })).toBeNull();
  expect(sumOf(['1', '0.25'])).toBe('1.25');
  expect([isNothing('0.000000'), isNothing('0.000001')]).toEqual([true, false]);
});

test('a held amount is split by cause, and an unknown amount is null, not zero', () => {
  const open = { asset: 'USDT', amount: '100.000000', status: 'unsettled' } as const;
  const orders = [open, { ...open, status: 'settled' } as const, { ...open, asset: 'DEMO' }];
  const withdrawals = [{ asset: 'USDT', amount: '20.5' }];
  expect(heldBy('USDT', orders, withdrawals)).toEqual({ orders: '100.000000', withdrawals: '20.5' });
  expect(heldBy('BTC', orders, withdrawals)).toEqual({ orders: '0', withdrawals: '0' });
  expect(heldBy('USDT', null, null)).toEqual({ orders: null, withdrawals: null });
});
