import { expect, test } from 'vitest';
import { Assets } from '../../platform/assets.ts';
import { readableFacts } from './audit-facts.ts';

const assets = new Assets([
  { id: 2, code: 'USDT', scale: 6, isPractice: false },
  { id: 3, code: 'USD', scale: 2, isPractice: false },
]);

test('amounts of the audit log are read in their asset, and nothing is left in smallest units', () => {
  const found = { asset: 2, found: '500000000', claimed: '500500000', evidence: 'tx 1' };
  expect(readableFacts(found, assets)).toEqual({
    asset: 'USDT',
    found: '500.000000',
    claimed: '500.500000',
    evidence: 'tx 1',
  });
  expect(readableFacts({ asset: 2, ppm: 12_500, from: '2026-01-01' }, assets)).toEqual({
    asset: 'USDT',
    rate: '1.25%',
    from: '2026-01-01',
  });
});

test('terms of a channel stand among the other facts', () => {
  const bank = { bank: 'First', branch: 'Main', holder: 'Fairtick', accountNumber: '1' };
  const terms = {
    asset_id: 3,
    network: 'SWIFT',
    bank,
    min: 1_000,
    presets: [1_000, 5_000],
    is_enabled: true,
  };
  expect(readableFacts({ change: 7, terms }, assets)).toEqual({
    change: 7,
    network: 'SWIFT',
    ...bank,
    min: '10.00',
    presets: ['10.00', '50.00'],
    isEnabled: true,
    asset: 'USD',
  });
});

test('facts without an asset stay as they are', () => {
  expect(readableFacts({ isStrong: false, reason: 'security' }, assets)).toEqual({
    isStrong: false,
    reason: 'security',
  });
});
