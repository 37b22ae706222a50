import {
  HOUR_MS,
  INSTALLED_MS,
  MINUTE_MS,
  productOf,
  repeatable,
  SEEDS,
  testModel,
} from '@fairtick/kit/market/model-fixture.ts';
import { describe, expect, it } from 'vitest';
import { CATALOGUE } from '../catalogue/catalogue.ts';
import { CURRENCIES } from '../catalogue/currencies.ts';
import { DRIVERS } from '../catalogue/listing.ts';
import { DAY_MS, WINDOW_MS } from './walk.ts';

const SAMPLE = ['EUR/USD', 'GBP/NZD', 'XAU/USD', 'BTC/USDT', 'USOIL', 'NAS100', 'AAPL', '0700HK', 'SHEL'];
const usdOf = (code: string) => CURRENCIES.get(code)!.usd;
const MIDNIGHT_MS = Math.floor(INSTALLED_MS / DAY_MS) * DAY_MS;

describe('priceAt', () => {
  it('gives the same prices in another model and in any order', () => {
    const draw = repeatable(1);
    const asked = Array.from({ length: 600 }, (_, index) => ({
      symbol: SAMPLE[index % SAMPLE.length] as string,
      timeMs: INSTALLED_MS + Math.floor((draw() * 6 - 3) * DAY_MS),
    }));
    const model = testModel();
    const first = asked.map(({ symbol, timeMs }) => model.priceAt(symbol, timeMs));
    const other = testModel();
    other.candles('EUR/USD', INSTALLED_MS - 5 * DAY_MS, INSTALLED_MS, HOUR_MS);
    const sorted = [...asked.entries()].sort(([, one], [, two]) => one.timeMs - two.timeMs);
    for (const [index, { symbol, timeMs }] of sorted) {
      expect(other.priceAt(symbol, timeMs)).toBe(first[index]);
    }
  });

  it('starts from the reference prices', () => {
    const model = testModel();
    for (const product of CATALOGUE.filter((each) => each.model.kind === 'pair')) {
      if (product.model.kind !== 'pair') continue;
      const reference = (usdOf(product.model.base) / usdOf(product.model.quote)) * 10 ** product.decimals;
      const error = Math.abs(Number(model.priceAt(product.symbol, MIDNIGHT_MS)) - reference);
      expect(error, product.symbol).toBeLessThanOrEqual(0.5001);
    }
  });

  it('prices crosses as the product of their legs', () => {
    const model = testModel();
    const triples = [
      ...[['EUR', 'USD', 'JPY'] as const, ['GBP', 'USD', 'JPY'] as const, ['EUR', 'GBP', 'USD'] as const],
      ...[['EUR', 'USD', 'CHF'] as const, ['AUD', 'USD', 'JPY'] as const, ['NZD', 'USD', 'JPY'] as const],
      ...[['GBP', 'AUD', 'USD'] as const, ['EUR', 'USD', 'CAD'] as const, ['AUD', 'NZD', 'USD'] as const],
      ...[['EUR', 'USD', 'NOK'] as const, ['EUR', 'USD', 'PLN'] as const, ['CAD', 'CHF', 'JPY'] as const],
      ['GBP', 'USD', 'CHF'] as const,
    ];
    const real = (symbol: string, timeMs: number) =>
      Number(model.priceAt(symbol, timeMs)) / 10 ** productOf(symbol).decimals;
    for (const [one, two, three] of triples) {
      const cross = productOf(`${one}/${three}`);
      for (const timeMs of [-400 * DAY_MS, -3 * DAY_MS, 0, 777_777, 4 * DAY_MS].map(
        (each) => INSTALLED_MS + each,
      )) {
        const [left, right] = [real(`${one}/${two}`, timeMs), real(`${two}/${three}`, timeMs)];
        const point = 10 ** -cross.decimals;
        // Each leg is off by at most half a point of its own, multiplied by the other leg.
        const legs =
          (right * 10 ** -productOf(`${one}/${two}`).decimals +
            left * 10 ** -productOf(`${two}/${three}`).decimals) /
          2;
        const error = Math.abs(left * right - real(cross.symbol, timeMs));
        expect(error, `${cross.symbol} at ${timeMs}`).toBeLessThanOrEqual(legs + point * 0.501);
        if (legs < point) expect(error / point, cross.symbol).toBeLessThanOrEqual(2);
      }
    }
  });

  it('has no jumps between windows, days and steps of different length', () => {
    const model = testModel();
    for (const symbol of ['EUR/USD', 'XAU/USD', 'BTC/USDT']) {
      for (const daysBefore of [62, 12, 4, 1]) {
        const from = MIDNIGHT_MS - daysBefore * DAY_MS;
        for (let border = from; border < from + 3 * DAY_MS; border += WINDOW_MS) {
          const before = Number(model.priceAt(symbol, border - 1));
          const step = Math.abs(Number(model.priceAt(symbol, border)) - before);
          expect(step / before, `${symbol} at ${border}`).toBeLessThan(symbol === 'BTC/USDT' ? 1e-5 : 1.2e-5);
        }
      }
    }
  });

  it('moves by small steps once installed', () => {
    const model = testModel();
    const largest = (symbol: string, fromMs: number, toMs: number) => {
      let worst = 0;
      let before = Number(model.priceAt(symbol, fromMs));
      for (let timeMs = fromMs + 250; timeMs < toMs; timeMs += 250) {
        const price = Number(model.priceAt(symbol, timeMs));
        worst = Math.max(worst, Math.abs(price / before - 1) * 10_000);
        before = price;
      }
      return worst;
    };
    const midnight = MIDNIGHT_MS + DAY_MS;
    expect(largest('EUR/USD', midnight - 4 * HOUR_MS, midnight + 20 * HOUR_MS)).toBeLessThan(2);
    expect(largest('EUR/JPY', midnight - 4 * HOUR_MS, midnight + 4 * HOUR_MS)).toBeLessThan(2);
    expect(largest('BTC/USDT', midnight - 4 * HOUR_MS, midnight + 20 * HOUR_MS)).toBeLessThan(8);
    expect(largest('AAPL', midnight + 14.5 * HOUR_MS, midnight + 21 * HOUR_MS)).toBeLessThan(10);
  });

  it('does not depend on the secrets of later dates', () => {
    const model = testModel();
    const other = testModel({
      seedOf: (date) => (date > '2026-11-19' ? new Uint8Array(32).fill(9) : SEEDS.seedOf(date)),
    });
    const midnight = MIDNIGHT_MS + 2 * DAY_MS;
    for (const symbol of SAMPLE) {
      for (const before of [1, 250, MINUTE_MS, DAY_MS, 30 * DAY_MS]) {
        expect(other.priceAt(symbol, midnight - before)).toBe(model.priceAt(symbol, midnight - before));
      }
    }
    expect(other.priceAt('BTC/USDT', midnight + MINUTE_MS)).not.toBe(
      model.priceAt('BTC/USDT', midnight + MINUTE_MS),
    );
  });

  it('refuses invalid symbols, times, steps and secrets', () => {
    const model = testModel();
    expect(() => model.priceAt('EUR/XXX', INSTALLED_MS)).toThrow(RangeError);
    expect(() => model.priceAt('EUR/USD', INSTALLED_MS + 30 * 365 * DAY_MS)).toThrow(RangeError);
    expect(() => model.priceAt('EUR/USD', Number.NaN)).toThrow(RangeError);
    expect(() => model.quotesAt('EUR/USD', 251)).toThrow(RangeError);
    expect(() => model.candles('EUR/USD', 0, 1, 0)).toThrow(RangeError);
    const short = testModel({ seedOf: () => new Uint8Array(31) });
    expect(() => short.priceAt('EUR/USD', INSTALLED_MS)).toThrow(RangeError);
  });
});

describe('the movement of prices', () => {
  it('has the volatility the catalogue gives', () => {
    const model = testModel();
    const toMs = MIDNIGHT_MS + DAY_MS;
    for (const product of CATALOGUE.filter(
      (each, index) => index % 3 === 0 || SAMPLE.includes(each.symbol),
    )) {
      const roundTheClock = product.hours === 'round-the-clock';
      const closes = model
        .candles(product.symbol, toMs - (roundTheClock ? 60 : 84) * DAY_MS, toMs, DAY_MS)
        .filter(({ time }) => roundTheClock || new Date(time).getUTCDay() % 6 !== 0)
        .map(({ close }) => Math.log(Number(close)));
      const returns = closes.slice(1).map((close, index) => close - (closes[index] as number));
      const variance = returns.reduce((sum, each) => sum + each * each, 0) / returns.length;
      const annual = Math.sqrt(variance * (roundTheClock ? 365.25 : 252));
      const ratio = annual / configuredVolatility(product.symbol);
      expect(ratio, product.symbol).toBeGreaterThan(1 / 1.6);
      expect(ratio, product.symbol).toBeLessThan(1.6);
    }
  });

  it('has no memory: past steps do not predict the next step', () => {
    const model = testModel();
    // Variances add up, within windows and across them, at steps of 250 ms and of 15 s alike.
    const closes = model.candles('EUR/USD', INSTALLED_MS - 8 * DAY_MS, INSTALLED_MS - 3 * DAY_MS, 15_000);
    expect(
      varianceRatio(
        closes.map(({ open }) => Math.log(Number(open))),
        20,
      ),
    ).toBeCloseTo(1, 1);
    const live = Array.from({ length: 2 * 24 * 60 * 60 }, (_, index) =>
      Math.log(Number(model.priceAt('XAU/USD', MIDNIGHT_MS + DAY_MS + index * 1000))),
    );
    expect(Math.abs(varianceRatio(live, 60) - 1)).toBeLessThan(0.12);
    expect(Math.abs(varianceRatio(live, 900) - 1)).toBeLessThan(0.35);
    // A burst gives no advantage either: a bet that follows the last second over the next ten wins as often as it loses.
    let [won, lost] = [0, 0];
    for (let index = 1; index + 11 < live.length; index += 5) {
      const [before, now] = [live[index - 1] as number, live[index] as number];
      const [opened, closed] = [live[index + 1] as number, live[index + 11] as number];
      const followed = (now - before) * (closed - opened);
      if (followed > 0) won += 1;
      if (followed < 0) lost += 1;
    }
    expect(won + lost).toBeGreaterThan(30_000);
    expect(Math.abs(won / (won + lost) - 0.5)).toBeLessThan(0.012);
  });

  it('has daily ranges like real prices', () => {
    const model = testModel();
    const range = (symbol: string) => {
      const days = model
        .candles(symbol, MIDNIGHT_MS - 90 * DAY_MS, MIDNIGHT_MS, DAY_MS)
        .filter(({ time }) => new Date(time).getUTCDay() % 6 !== 0)
        .map(({ high, low, open }) => (Number(high - low) / Number(open)) * 100)
        .sort((one, other) => one - other);
      return days[Math.floor(days.length / 2)] as number;
    };
    const expected = {
      'EUR/USD': [0.4, 0.9],
      'BTC/USDT': [2, 5],
      AAPL: [1, 3],
      NVDA: [1, 4],
      NAS100: [0.8, 2.5],
    };
    for (const [symbol, [least, most]] of Object.entries(expected)) {
      expect(range(symbol), symbol).toBeGreaterThan(least as number);
      expect(range(symbol), symbol).toBeLessThan(most as number);
    }
  });
});

/** Variance of the longer returns relative to the sum of the shorter ones that they consist of: 1 for a walk without memory. */
function varianceRatio(logs: readonly number[], times: number): number {
  const variance = (stride: number) => {
    let sum = 0;
    let count = 0;
    for (let index = stride; index < logs.length; index += stride) {
      sum += ((logs[index] as number) - (logs[index - stride] as number)) ** 2;
      count += 1;
    }
    return sum / count;
  };
  return variance(times) / variance(1) / times;
}

function configuredVolatility(symbol: string): number {
  const { model } = productOf(symbol);
  if (model.kind === 'listed') return model.volatility;
  const weights = new Map<string, number>();
  const add = (id: string, weight: number) => {
    weights.set(id, (weights.get(id) ?? 0) + weight);
    for (const followed of DRIVERS.get(id)!.follows) add(followed.id, weight * followed.weight);
  };
  add(`currency:${model.base}`, 1);
  add(`currency:${model.quote}`, -1);
  return Math.hypot(...[...weights].map(([id, weight]) => DRIVERS.get(id)!.volatility * weight));
}
