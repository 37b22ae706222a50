import { repeatable } from '@fairtick/kit/market/model-fixture.ts';
import { type Schedule, tradingPeriodAt } from '@fairtick/trading';
import { describe, expect, it } from 'vitest';
import { HOURS } from './catalogue/schedules.ts';
import { TradingHours } from './trading-hours.ts';

const DAY_MS = 86_400_000;
const SCHEDULES: readonly Schedule[] = Object.values(HOURS);
const FROM_MS = Date.UTC(2025, 11, 1);
const TO_MS = Date.UTC(2028, 0, 15);

describe('trading hours', () => {
  it('agree with tradingPeriodAt at any instant', () => {
    const draw = repeatable(5);
    for (const schedule of SCHEDULES) {
      const hours = TradingHours.of(schedule);
      for (let count = 0; count < 1500; count += 1) {
        const timeMs = FROM_MS + Math.floor(draw() * (TO_MS - FROM_MS));
        const period = tradingPeriodAt(schedule, timeMs);
        const span = hours.spanAt(timeMs);
        expect(span.isOpen).toBe(period !== null);
        expect(timeMs >= span.startMs && timeMs < span.endMs).toBe(true);
        if (period?.endMs) expect(span).toEqual({ ...period, isOpen: true });
      }
    }
  });

  it('list every trading period of a span once, in order', () => {
    for (const schedule of SCHEDULES.filter(({ windows }) => windows.length > 0)) {
      const hours = TradingHours.of(schedule);
      const periods = hours.periodsIn(FROM_MS, TO_MS);
      for (const [index, { startMs, endMs }] of periods.entries()) {
        expect(endMs).toBeGreaterThan(startMs);
        if (index > 0) expect(startMs).toBeGreaterThanOrEqual(periods[index - 1]!.endMs);
      }
      const daily = [];
      for (let dayMs = FROM_MS; dayMs < TO_MS; dayMs += DAY_MS) {
        daily.push(...hours.periodsIn(dayMs, dayMs + DAY_MS).filter(({ startMs }) => startMs >= dayMs));
      }
      expect(daily).toEqual(periods.filter(({ startMs }) => startMs >= FROM_MS));
    }
  });

  it.each([
    ['new-york', '2026-06-06T12:00:00Z', '2026-06-05T20:00:00Z', '2026-06-08T13:30:00Z'],
    ['new-york', '2026-03-08T12:00:00Z', '2026-03-06T21:00:00Z', '2026-03-09T13:30:00Z'],
    ['tokyo', '2026-06-01T03:00:00Z', '2026-06-01T02:30:00Z', '2026-06-01T03:30:00Z'],
    ['tokyo', '2026-05-06T12:00:00Z', '2026-05-01T06:30:00Z', '2026-05-07T00:00:00Z'],
    ['new-york', '2026-06-08T20:00:00Z', '2026-06-08T20:00:00Z', '2026-06-09T13:30:00Z'],
    ['new-york', '2026-06-08T19:59:59.999Z', '2026-06-05T20:00:00Z', null],
    ['currency-dealers', '2026-06-10T12:00:00Z', '2026-06-09T21:00:00Z', null],
    ['round-the-clock', '2026-06-06T12:00:00Z', null, null],
  ] as const)('of %s at %s have the last closing and the next opening', (name, iso, closed, opens) => {
    const hours = TradingHours.of(HOURS[name]);
    const text = (ms: number | null) => (ms === null ? null : new Date(ms).toISOString());
    const iso3 = (time: string | null) => (time === null ? null : new Date(time).toISOString());
    expect([text(hours.closedAt(Date.parse(iso))), text(hours.opensAt(Date.parse(iso)))]).toEqual([
      iso3(closed),
      iso3(opens),
    ]);
  });

  it('give the closed span over a weekend and for a product that never opens', () => {
    const newYork = TradingHours.of(HOURS['new-york']);
    expect(newYork.spanAt(Date.UTC(2026, 10, 21, 12))).toEqual({
      startMs: Date.UTC(2026, 10, 20, 21),
      endMs: Date.UTC(2026, 10, 23, 14, 30),
      isOpen: false,
    });
    const never = TradingHours.of({
      zone: 'UTC',
      windows: [{ days: [], from: '09:00', to: '10:00' }],
      holidays: [],
    });
    expect(never.spanAt(1e12)).toEqual({
      startMs: Number.NEGATIVE_INFINITY,
      endMs: Number.POSITIVE_INFINITY,
      isOpen: false,
    });
    expect([never.periodAt(1e12), never.opensAt(1e12), never.closedAt(1e12)]).toEqual([null, null, null]);
  });
});
