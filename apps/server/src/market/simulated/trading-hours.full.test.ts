import { repeatable } from '@fairtick/kit/market/model-fixture.ts';
import { tradingPeriodAt } from '@fairtick/trading';
import { describe, expect, it } from 'vitest';
import { CATALOGUE } from '../catalogue/catalogue.ts';
import { DAY_MS } from './timeline.ts';
import { TradingHours } from './trading-hours.ts';

const SCHEDULES = [...new Set(CATALOGUE.map(({ schedule }) => schedule))];
const FROM_MS = Date.UTC(2025, 11, 1);
const TO_MS = Date.UTC(2028, 0, 15);

describe('trading hours', () => {
  it('agree with tradingPeriodAt at any instant', () => {
    const draw = repeatable(5);
    for (const schedule of SCHEDULES) {
      const hours = new TradingHours(schedule);
      for (let count = 0; count < 1500; count += 1) {
        const timeMs = FROM_MS + Math.floor(draw() * (TO_MS - FROM_MS));
        const period = tradingPeriodAt(schedule, timeMs);
        const span = hours.spanAt(timeMs);
        expect(span.open).toBe(period !== null);
        expect(timeMs >= span.startMs && timeMs < span.endMs).toBe(true);
        if (period?.endMs) expect(span).toEqual({ ...period, open: true });
      }
    }
  });

  it('list every trading period of a span once, in order', () => {
    for (const schedule of SCHEDULES.filter(({ windows }) => windows.length > 0)) {
      const hours = new TradingHours(schedule);
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

  it('give the closed span over a weekend and for a product that never opens', () => {
    const newYork = new TradingHours(CATALOGUE.find(({ symbol }) => symbol === 'AAPL')!.schedule);
    expect(newYork.spanAt(Date.UTC(2026, 10, 21, 12))).toEqual({
      startMs: Date.UTC(2026, 10, 20, 21),
      endMs: Date.UTC(2026, 10, 23, 14, 30),
      open: false,
    });
    const never = new TradingHours({
      zone: 'UTC',
      windows: [{ days: [], from: '09:00', to: '10:00' }],
      holidays: [],
    });
    expect(never.spanAt(1e12)).toEqual({ startMs: 1e12, endMs: 1e12 + 1, open: false });
  });
});
