import { nextOpening, tradingPeriodAt } from '@fairtick/trading';
import { expect, test } from 'vitest';
import { CATALOGUE } from '../../catalogue/catalogue.ts';
import { CALENDARS, liveSchedule } from '../../catalogue/schedules.ts';
import { endingCalendars, endOf } from './calendar-ends.ts';

const hoursOf = (symbol: string) => {
  const product = CATALOGUE.find((one) => one.symbol === symbol);
  if (!product) throw new Error(`no ${symbol}`);
  return liveSchedule(product.liveHours);
};
const isOpen = (symbol: string, iso: string) => tradingPeriodAt(hoursOf(symbol), Date.parse(iso)) !== null;

/** The last moment of one state and the first of the next. */
const turns = (symbol: string, iso: string, opens: boolean) => {
  const atMs = Date.parse(iso);
  const before = tradingPeriodAt(hoursOf(symbol), atMs - 1) !== null;
  expect([before, isOpen(symbol, iso)]).toEqual([!opens, opens]);
};

test.each([
  // Sunday 17:00 in New York: 22:00 UTC in winter, 21:00 in summer; clocks change on 8 March and 1 November 2026.
  ['EUR/USD', '2026-03-01T22:00:00Z', true],
  ['EUR/USD', '2026-03-06T22:00:00Z', false],
  ['EUR/USD', '2026-03-08T21:00:00Z', true],
  ['EUR/USD', '2026-10-30T21:00:00Z', false],
  ['EUR/USD', '2026-11-01T22:00:00Z', true],
  ['EUR/USD', '2026-12-24T22:00:00Z', false],
  ['EUR/USD', '2026-12-27T22:00:00Z', true],
  ['EUR/USD', '2026-12-31T22:00:00Z', false],
  ['EUR/USD', '2027-01-03T22:00:00Z', true],
  ['XAU/USD', '2026-03-08T22:00:00Z', true],
  ['XAU/USD', '2026-03-09T21:00:00Z', false],
  ['XAU/USD', '2026-03-09T22:00:00Z', true],
  ['XAU/USD', '2026-01-19T18:00:00Z', false],
  ['XAU/USD', '2026-04-02T21:00:00Z', false],
  ['XAU/USD', '2026-04-05T22:00:00Z', true],
  ['UKOIL', '2026-06-01T22:00:00Z', false],
  ['UKOIL', '2026-06-02T00:00:00Z', true],
  ['UKOIL', '2026-06-05T22:00:00Z', false],
  ['UKOIL', '2026-12-31T18:00:00Z', false],
  ['USOIL', '2026-06-05T21:00:00Z', false],
  // Stocks follow the clocks of their exchanges.
  ['AAPL', '2026-03-06T14:30:00Z', true],
  ['AAPL', '2026-03-09T13:30:00Z', true],
  ['AAPL', '2026-11-27T18:00:00Z', false],
  ['AAPL', '2027-11-26T18:00:00Z', false],
  ['0700HK', '2026-12-24T04:00:00Z', false],
  ['0700HK', '2026-12-28T05:00:00Z', true],
  ['7203JP', '2026-12-30T06:30:00Z', false],
  ['7203JP', '2027-01-04T00:00:00Z', true],
  ['SAP', '2026-12-30T13:00:00Z', false],
  ['SAP', '2026-03-27T16:30:00Z', false],
  ['SAP', '2026-03-30T15:30:00Z', false],
])('%s at %s: open %s', turns);

test('currencies trade from Sunday to Friday without a break, but no session runs across 17:00 in New York', () => {
  const from = Date.parse('2026-06-07T21:00:00Z');
  for (let ms = from; ms < from + 5 * 86_400_000; ms += 900_000)
    expect(tradingPeriodAt(hoursOf('EUR/USD'), ms), new Date(ms).toISOString()).not.toBeNull();
  expect(isOpen('EUR/USD', '2026-06-12T21:00:00Z')).toBe(false);
  const session = tradingPeriodAt(hoursOf('EUR/USD'), Date.parse('2026-06-09T12:00:00Z'));
  expect(session?.endMs).toBe(Date.parse('2026-06-09T21:00:00Z'));
});

test.each([
  ['AAPL', '2026-11-26T15:00:00Z', '2026-11-27T14:30:00Z'],
  ['AAPL', '2026-07-03T15:00:00Z', '2026-07-06T13:30:00Z'],
  ['0700HK', '2027-02-08T02:00:00Z', '2027-02-10T01:30:00Z'],
  ['7203JP', '2026-05-04T02:00:00Z', '2026-05-07T00:00:00Z'],
  ['SAP', '2026-12-24T10:00:00Z', '2026-12-28T08:00:00Z'],
  ['EUR/USD', '2026-06-13T12:00:00Z', '2026-06-14T21:00:00Z'],
  ['XAU/USD', '2026-12-25T15:00:00Z', '2026-12-27T23:00:00Z'],
])('%s is closed at %s and opens at %s', (symbol, iso, opens) => {
  expect(isOpen(symbol, iso)).toBe(false);
  expect(nextOpening(hoursOf(symbol), Date.parse(iso))).toBe(Date.parse(opens));
});

test('crypto never closes', () => {
  for (const iso of ['2026-12-25T12:00:00Z', '2027-03-14T07:00:00Z'])
    expect(isOpen('BTC/USDT', iso)).toBe(true);
});

test('after the last known date nothing trades, and the operator is warned 90 days before', () => {
  const listed = CATALOGUE.filter(({ assetClass }) => assetClass !== 'crypto' && assetClass !== 'index');
  for (const product of listed) {
    const { until } = liveSchedule(product.liveHours);
    expect(
      CALENDARS.map((calendar) => calendar.until),
      product.symbol,
    ).toContain(until);
  }
  expect(isOpen('SHEL', '2027-12-30T10:00:00Z')).toBe(true);
  expect(isOpen('SHEL', '2028-01-04T10:00:00Z')).toBe(false);
  expect(nextOpening(hoursOf('SHEL'), Date.parse('2028-01-04T10:00:00Z'))).toBeNull();
  const used = ['SHEL', 'AAPL', 'BTC/USDT'].map((symbol) => ({
    listing: { liveHours: CATALOGUE.find((one) => one.symbol === symbol)!.liveHours },
  }));
  const warns = endOf('2027-12-31') - 90 * 86_400_000;
  expect(endingCalendars(used, warns)).toEqual([]);
  expect(endingCalendars(used, warns + 1)).toMatchObject([{ market: 'London', until: '2027-12-31' }]);
});
