import type { Balance } from '@fairtick/protocol';
import { expect, test } from 'vitest';
import { type KnownPrice, worthOf } from './worth-model.ts';

const balance = (asset: string, available: string, held = '0', earning = '0'): Balance => ({
  asset,
  available,
  held,
  earning,
});
const PRICES: Readonly<Record<string, KnownPrice>> = {
  'BTC/USDT': { price: '80000.00', atMs: 2_000 },
  'ETH/USDT': { price: '4000.00', atMs: 1_000 },
};
const priceOf = (symbol: string) => PRICES[symbol] ?? null;

test('available, held and earning amounts all count, at the prices of their pairs', () => {
  const balances = [
    balance('USDT', '100.5', '20', '3'),
    balance('BTC', '0.5'),
    balance('ETH', '2'),
    balance('USD', '0.00'),
  ];
  expect(worthOf(balances, 'USDT', priceOf)).toEqual({ total: '48123.50', missing: [], atMs: 1_000 });
  expect(worthOf(balances, 'BTC', priceOf).total).toBe('0.60154375');
  expect(worthOf(balances, 'ETH', priceOf).total).toBe('12.03087500');
});

test('practice money is worth nothing, and needs no price', () => {
  expect(worthOf([balance('DEMO', '10000')], 'USDT', priceOf)).toEqual({
    total: '0.00',
    missing: [],
    atMs: null,
  });
});

test('a missing price gives no total instead of 0, and its asset is named', () => {
  const balances = [balance('USD', '5'), balance('BTC', '1')];
  expect(worthOf(balances, 'USDT', priceOf)).toMatchObject({ total: null, missing: ['USD'] });
  expect(worthOf(balances, 'USDT', () => null)).toMatchObject({ total: null, missing: ['USD', 'BTC'] });
  expect(worthOf([balance('BTC', '1')], 'USDT', () => ({ price: '0', atMs: 0 })).total).toBeNull();
  expect(worthOf([balance('BTC', 'x')], 'BTC', priceOf).missing).toEqual(['BTC']);
});

test('the total is rounded down', () => {
  expect(worthOf([balance('ETH', '0.000001')], 'BTC', priceOf).total).toBe('0.00000005');
});
