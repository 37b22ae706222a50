import { expect, test } from 'vitest';
import { rateOfPercent, ratePercent } from './rate-text.ts';

test('a rate is shown in percent, exactly', () => {
  expect(['0.03', '0.0125', '0.029999', '0', '0.2', '0.000001'].map(ratePercent)).toEqual([
    '3.00%',
    '1.25%',
    '2.9999%',
    '0.00%',
    '20.00%',
    '0.0001%',
  ]);
  expect(() => ratePercent('3 %')).toThrow('is no rate');
});

test('a typed percentage becomes a rate, and invalid text is passed on to be refused', () => {
  expect(['3', '1.25', '0.5', '20', '12.3456'].map(rateOfPercent)).toEqual([
    '0.03',
    '0.0125',
    '0.005',
    '0.20',
    '0.123456',
  ]);
  expect(['', 'x', '-1', '1.23456', '100'].map(rateOfPercent)).toEqual(['', 'x', '-1', '1.23456', '100']);
});
