import { describe, expect, test } from 'vitest';
import { byAsset } from './balance-model.ts';

describe('a trial balance', () => {
  test('is zero only if the exact sum over all accounts is zero', () => {
    const rows = (external: string) => [
      { asset: 'BTC', account: 'customers available', balance: '90071992547409.91000001' },
      { asset: 'BTC', account: 'trading', balance: '0.00000002' },
      { asset: 'BTC', account: 'external', balance: external },
      { asset: 'USD', account: 'external', balance: '0.00' },
    ];
    const [btc, usd] = byAsset(rows('-90071992547409.91000003'));
    expect([btc?.isZero, usd?.isZero]).toEqual([true, true]);
    // A double can't represent the last digit.
    expect(byAsset(rows('-90071992547409.91000002'))[0]).toMatchObject({ sum: '0.00000001', isZero: false });
  });

  test('counts an account that has no column', () => {
    const [usd] = byAsset([
      { asset: 'USD', account: 'external', balance: '-5.00' },
      { asset: 'USD', account: 'account 16', balance: '4.99' },
    ]);
    expect(usd).toMatchObject({ sum: '-0.01', isZero: false });
    expect(usd?.balances.get('fees')).toBeUndefined();
  });
});
