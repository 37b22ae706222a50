import type { FundEntry } from '@fairtick/protocol';
import { expect, test } from 'vitest';
import { errors } from '../../parts/period.ts';
import { EVERYTHING, type LogFilter, statementOf, summarise } from './fund-log-model.ts';

const entry = (amount: string, balance: string | null): FundEntry => ({
  id: '1',
  time: 0,
  type: 'deposit',
  result: 'success',
  ending: null,
  asset: 'USDT',
  amount,
  balance,
  order: null,
  ref: 'deposit:1',
});
const filter = (change: Partial<LogFilter>): LogFilter => ({ ...EVERYTHING, ...change });
const OF_ASSET = filter({ asset: 'USDT' });

test('an empty filter sends no parameter, and a set filter sends its values', () => {
  expect(summarise(EVERYTHING, 0)).toEqual({});
  expect(summarise(filter({ type: 'interest', result: 'failure', asset: 'BTC' }), 0)).toEqual({
    type: 'interest',
    result: 'failure',
    asset: 'BTC',
  });
});

test('days are whole days of the reader’s calendar', () => {
  const noon = new Date(2026, 10, 20, 12).getTime();
  const midnight = (day: number) => new Date(2026, 10, day).getTime();
  expect(summarise(filter({ period: 'today' }), noon)).toEqual({ from: midnight(20) });
  expect(summarise(filter({ period: 'week' }), noon)).toEqual({ from: midnight(14) });
  const month = (at: number) => new Date(2026, at, 1).getTime();
  expect(summarise(filter({ period: 'lastMonth' }), noon)).toEqual({ from: month(9), to: month(10) - 1 });
  const days = { ...EVERYTHING, period: 'custom', from: '2026-11-18', to: '2026-11-19' } as const;
  expect(summarise(days, noon)).toEqual({ from: midnight(18), to: midnight(20) - 1 });
});

test('both ends of a chosen period are required, in order (S5-11)', () => {
  expect(errors({ from: '', to: '' })).toEqual({
    from: { id: 'fault.formIncomplete' },
    to: { id: 'fault.formIncomplete' },
  });
  expect(errors({ from: '2026-11-20', to: '2026-11-19' })).toEqual({ to: { id: 'log.fault.daysReversed' } });
  expect(errors({ from: '2026-11-19', to: '2026-11-19' })).toEqual({});
  expect(errors({ from: '2026-02-27', to: '2026-02-31' })).toEqual({ to: { id: 'fault.formIncomplete' } });
});

test('opening, inflow and outflow add up to the closing balance, and entries without a balance count for nothing', () => {
  const entries = [
    entry('-20.000000', '85.000000'),
    entry('70.000000', null),
    entry('5.000000', '105.000000'),
  ];
  expect(statementOf(OF_ASSET, entries)).toEqual({
    asset: 'USDT',
    opening: '100.000000',
    inflow: '5.000000',
    outflow: '-20.000000',
    closing: '85.000000',
    matches: true,
  });
});

test('a list with a missing entry does not match', () => {
  expect(
    statementOf(OF_ASSET, [entry('-20.000000', '85.000000'), entry('5.000000', '106.000000')])?.matches,
  ).toBe(false);
});

test('several assets, a filtered list and entries without a balance have no sums', () => {
  const entries = [entry('5.000000', '5.000000')];
  expect(statementOf(EVERYTHING, entries)).toBeNull();
  expect(statementOf({ ...OF_ASSET, type: 'deposit' }, entries)).toBeNull();
  expect(statementOf({ ...OF_ASSET, result: 'success' }, entries)).toBeNull();
  expect(statementOf(OF_ASSET, [entry('5.000000', null)])).toBeNull();
});
