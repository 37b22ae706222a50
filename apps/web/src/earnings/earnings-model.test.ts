import type { EarningsSummary } from '@fairtick/protocol';
import { describe, expect, test } from 'vitest';
import { amountFault, barsOf, countsFromTomorrow, dayText, movable, ratePercent } from './earnings-model.ts';

const summary = { available: '100.500000', total: '7.000001' } as EarningsSummary;

describe('a transfer', () => {
  test('moves at most the available amount in and at most the earning amount out', () => {
    expect([movable(summary, 'in'), movable(summary, 'out')]).toEqual(['100.500000', '7.000001']);
    expect(amountFault('100.5', summary, 'in')).toBeNull();
    expect(amountFault('100.500001', summary, 'in')).toEqual({
      id: 'earnings.moreThanAvailable',
      values: { amount: '100.50' },
    });
    expect(amountFault('7.000001', summary, 'out')).toBeNull();
    expect(amountFault('7.000002', summary, 'out')?.id).toBe('earnings.moreThanEarning');
  });

  test.each([
    ['', 'earnings.amountMissing'],
    ['0', 'earnings.amountWrong'],
    ['0.0000001', 'earnings.amountWrong'],
    ['.', 'fault.amountUnreadable'],
    ['1,0a', 'fault.amountUnreadable'],
    ['1,234', 'fault.amountAmbiguous'],
  ])('of %j is refused with a message', (amount, id) => {
    expect(amountFault(amount, summary, 'in')?.id).toBe(id);
  });
});

test('money that came in today counts from tomorrow, where an asset earns', () => {
  const of = (countsToday: string, annualRate: string | null = '0.03') =>
    countsFromTomorrow({ annualRate, countsToday, total: '640.250000' } as EarningsSummary);
  expect([of('0.000000'), of('640.249999'), of('640.250000'), of('0.000000', null)]).toEqual([
    true,
    true,
    false,
    false,
  ]);
});

test('a rate is shown exactly, never rounded up', () => {
  expect(['0.03', '0.0125', '0.029999', '0', '0.2'].map(ratePercent)).toEqual([
    '3.00%',
    '1.25%',
    '2.9999%',
    '0.00%',
    '20.00%',
  ]);
});

test('a day of UTC is shown as the same day in every time zone', () => {
  expect(dayText('2027-03-01', 'en-US')).toBe('March 1');
  expect(dayText('2027-03-01', 'zh-CN')).toBe('3月1日');
});

test('the chart has one bar per day up to the last one, and an empty bar for a day without interest', () => {
  const record = (date: string, interest: string) => ({
    asset: 'USDT',
    date,
    principal: '1',
    rate: '0.03',
    interest,
  });
  const bars = barsOf(
    [record('2027-03-04', '0.50'), record('2027-03-02', '1.00'), record('2027-02-01', '9.00')],
    Date.UTC(2027, 2, 4),
    4,
  );
  expect(bars).toEqual([
    { date: '2027-03-01', interest: null, height: 0 },
    { date: '2027-03-02', interest: '1.00', height: 1 },
    { date: '2027-03-03', interest: null, height: 0 },
    { date: '2027-03-04', interest: '0.50', height: 0.5 },
  ]);
});
