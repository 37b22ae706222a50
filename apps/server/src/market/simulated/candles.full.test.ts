import { HOUR_MS, INSTALLED_MS, MINUTE_MS, testModel } from '@fairtick/kit/market/model-fixture.ts';
import { describe, expect, it } from 'vitest';
import type { ModelCandle } from './candles.ts';
import { DAY_MS } from './walk.ts';

/** Start of the installation's window, from which steps are live ones; it happens to start an hour. */
const INSTALLED_HOUR_MS = Math.floor(INSTALLED_MS / HOUR_MS) * HOUR_MS;
const NEXT_DAY_MS = (Math.floor(INSTALLED_MS / DAY_MS) + 1) * DAY_MS;

/** Merges candles into candles of a longer step. */
function rollUp(candles: readonly ModelCandle[], stepMs: number): ModelCandle[] {
  const merged: ModelCandle[] = [];
  for (const candle of candles) {
    const time = Math.floor(candle.time / stepMs) * stepMs;
    const last = merged.at(-1);
    if (last?.time !== time) {
      merged.push({ ...candle, time });
      continue;
    }
    let { high, low } = last;
    if (candle.high > high) high = candle.high;
    if (candle.low < low) low = candle.low;
    const { close } = candle;
    merged[merged.length - 1] = { time, open: last.open, high, low, close, ticks: last.ticks + candle.ticks };
  }
  return merged;
}

describe('candles', () => {
  it('merge into exactly the candles of a longer step', () => {
    const model = testModel();
    const spans = [
      { days: 2, steps: [MINUTE_MS, 5 * MINUTE_MS, 30 * MINUTE_MS, HOUR_MS, DAY_MS] },
      { days: 10, steps: [5 * MINUTE_MS, 30 * MINUTE_MS, 4 * HOUR_MS, DAY_MS] },
      { days: 60, steps: [30 * MINUTE_MS, HOUR_MS, DAY_MS] },
      { days: 200, steps: [DAY_MS, 7 * DAY_MS] },
    ];
    for (const symbol of ['EUR/USD', 'BTC/USDT', 'AAPL', '0700HK', 'HK50', 'USOIL']) {
      for (const { days, steps } of spans) {
        // Ends in the middle of a candle, and after the installation, in live steps.
        for (const toMs of [INSTALLED_MS, INSTALLED_MS + 3 * HOUR_MS]) {
          const fromMs = Math.floor((INSTALLED_MS - days * DAY_MS) / (7 * DAY_MS)) * 7 * DAY_MS + 7 * DAY_MS;
          const start = days < 7 ? NEXT_DAY_MS - days * DAY_MS : fromMs;
          const fine = model.candles(symbol, start, toMs, steps[0] as number);
          expect(fine.length).toBeGreaterThan(5);
          for (const step of steps.slice(1)) {
            expect(model.candles(symbol, start, toMs, step), `${symbol} ${step}`).toEqual(rollUp(fine, step));
          }
        }
      }
    }
  });

  it('match the prices of priceAt', () => {
    const model = testModel();
    for (const symbol of ['EUR/USD', 'AAPL', '7203JP']) {
      for (const fromMs of [INSTALLED_HOUR_MS - 30 * HOUR_MS, INSTALLED_HOUR_MS + 21 * HOUR_MS]) {
        const candles = model.candles(symbol, fromMs, fromMs + 10 * HOUR_MS, MINUTE_MS);
        for (const { time, open, high, low, close } of candles) {
          expect(model.priceAt(symbol, time)).toBe(open);
          const last = time + MINUTE_MS - (time < INSTALLED_HOUR_MS ? 5000 : 250);
          expect(model.priceAt(symbol, last)).toBe(close);
          expect(high >= open && high >= close && low <= open && low <= close).toBe(true);
        }
      }
    }
  });

  it('end at the requested time and show no later price', () => {
    const model = testModel();
    const fromMs = INSTALLED_MS - HOUR_MS;
    const whole = model.candles('EUR/USD', fromMs, INSTALLED_MS + HOUR_MS, 5 * MINUTE_MS);
    const cut = model.candles('EUR/USD', fromMs, INSTALLED_MS, 5 * MINUTE_MS);
    expect(cut[0]?.time).toBe(Math.floor(fromMs / (5 * MINUTE_MS)) * 5 * MINUTE_MS);
    expect(cut.slice(0, -1)).toEqual(whole.slice(0, cut.length - 1));
    const last = cut.at(-1)!;
    expect(last.time).toBeLessThan(INSTALLED_MS);
    expect(last.close).toBe(model.priceAt('EUR/USD', Math.floor(INSTALLED_MS / 250) * 250));
    expect(last.ticks).toBeLessThan(whole[cut.length - 1]!.ticks);
    expect(model.candles('EUR/USD', INSTALLED_MS, INSTALLED_MS, MINUTE_MS)).toEqual([]);
  });

  it('exist exactly within the trading hours', () => {
    const model = testModel();
    const day = (date: string) => Date.parse(`${date}T00:00:00Z`);
    const hoursOf = (symbol: string, date: string, stepMs = 30 * MINUTE_MS) =>
      model
        .candles(symbol, day(date), day(date) + DAY_MS, stepMs)
        .map(({ time }) => new Date(time).toISOString().slice(11, 16));
    const apple = hoursOf('AAPL', '2026-11-17');
    expect([apple.length, apple[0], apple.at(-1)]).toEqual([13, '14:30', '20:30']);
    const summer = hoursOf('AAPL', '2026-10-06');
    expect([summer.length, summer[0]]).toEqual([13, '13:30']);
    expect(hoursOf('AAPL', '2026-11-14')).toEqual([]);
    expect(hoursOf('AAPL', '2026-11-26')).toEqual([]);
    const toyota = hoursOf('7203JP', '2026-11-17');
    expect(toyota).toEqual('00:00 00:30 01:00 01:30 02:00 03:30 04:00 04:30 05:00 05:30 06:00'.split(' '));
    expect(hoursOf('NAS100', '2026-11-17', HOUR_MS)).toHaveLength(23);
    expect(hoursOf('NAS100', '2026-11-14', HOUR_MS)).toEqual([]);
    expect(hoursOf('NAS100', '2026-11-15', HOUR_MS)).toEqual(['23:00']);
    expect(hoursOf('EUR/USD', '2026-11-14', HOUR_MS)).toHaveLength(24);
  });

  it('have one tick in every 3 s of trading, as in the log', () => {
    const model = testModel();
    const ticks = (symbol: string, stepMs: number) => {
      const candles = model.candles(symbol, NEXT_DAY_MS - 40 * DAY_MS, NEXT_DAY_MS - 30 * DAY_MS, stepMs);
      return [...new Set(candles.map((candle) => candle.ticks))];
    };
    for (const symbol of ['EUR/USD', 'BTC/USDT', 'AAPL'])
      expect(ticks(symbol, MINUTE_MS), symbol).toEqual([20]);
    // Trading hours of a stock in New York: six and a half.
    expect(ticks('AAPL', DAY_MS)).toEqual([(6.5 * HOUR_MS) / 3_000]);
  });

  it('of minutes have bodies, wicks and different sizes like those of a real chart', () => {
    const minutes = testModel().candles('EUR/USD', INSTALLED_MS - DAY_MS, INSTALLED_MS, MINUTE_MS);
    const ranges = minutes.map(({ high, low }) => Number(high - low)).sort((one, other) => one - other);
    const at = (share: number) => ranges[Math.floor(share * ranges.length)] as number;
    expect(at(0.5)).toBeGreaterThan(4);
    expect(at(0.5)).toBeLessThan(30);
    expect(at(0.95) / at(0.05)).toBeGreaterThan(3);
    const wicked = minutes.filter(({ open, high, low, close }) => {
      const [top, bottom] = open > close ? [open, close] : [close, open];
      return high > top && low < bottom;
    });
    expect(wicked.length / minutes.length).toBeGreaterThan(0.3);
  });
});
