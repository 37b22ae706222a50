import {
  HOUR_MS,
  INSTALLED_MS,
  MINUTE_MS,
  productOf,
  repeatable,
  testModel,
} from '@fairtick/kit/market/model-fixture.ts';
import { describe, expect, it } from 'vitest';
import { HOURS } from '../catalogue/schedules.ts';
import { TradingHours } from '../trading-hours.ts';
import { type SimulatedQuote, SLOT_MS, SOURCES } from './sources.ts';
import { DAY_MS } from './walk.ts';

const FIRST_SLOT = Math.ceil(INSTALLED_MS / SLOT_MS) * SLOT_MS;

/** Counts the quotes, silences and faults of one product's sources. */
function watch(symbol: string, fromMs: number, toMs: number) {
  const model = testModel();
  const { outlierBps } = productOf(symbol);
  const silences: number[] = [];
  const silentSince = new Map<string, number>();
  let [slots, spikes, bothGone, twoHonest] = [0, 0, 0, 0];
  for (let slotMs = fromMs; slotMs < toMs; slotMs += SLOT_MS) {
    const mid = Number(model.priceAt(symbol, slotMs));
    const quotes = model.quotesAt(symbol, slotMs);
    const isSpike = ({ price }: SimulatedQuote) =>
      Math.abs(Number(price) / mid - 1) * 10_000 > 2.5 * outlierBps;
    slots += 1;
    spikes += quotes.filter(isSpike).length;
    if (quotes.length < 2) bothGone += 1;
    if (quotes.filter((quote) => !isSpike(quote)).length >= 2) twoHonest += 1;
    for (const source of SOURCES) {
      const speaks = quotes.some((quote) => quote.source === source);
      const since = silentSince.get(source);
      if (!speaks) silentSince.set(source, since ?? slotMs);
      else if (since !== undefined) {
        silences.push(slotMs - since);
        silentSince.delete(source);
      }
    }
  }
  return { slots, silences, spikes, bothGone, twoHonest };
}

describe('quotesAt', () => {
  it('gives the same quotes in another model and in any order', () => {
    const draw = repeatable(3);
    const [model, other] = [testModel(), testModel()];
    const slots = Array.from({ length: 400 }, () => FIRST_SLOT + Math.floor(draw() * 8 * 60 * 240) * SLOT_MS);
    const first = slots.map((slotMs) => model.quotesAt('GBP/JPY', slotMs));
    const order = [...slots.keys()].sort((one, two) => (slots[one] as number) - (slots[two] as number));
    for (const index of order) {
      expect(other.quotesAt('GBP/JPY', slots[index] as number)).toEqual(first[index]);
    }
  });

  it('stamps each quote within its slot, in order', () => {
    const model = testModel();
    const before = new Map<string, SimulatedQuote>();
    const midnight = (Math.floor(FIRST_SLOT / DAY_MS) + 1) * DAY_MS;
    for (let slotMs = midnight - 20 * MINUTE_MS; slotMs < midnight + 20 * MINUTE_MS; slotMs += SLOT_MS) {
      for (const quote of model.quotesAt('EUR/USD', slotMs)) {
        const { sourceMs, arrivesMs, sourceSeq, source } = quote;
        expect(Number.isInteger(sourceMs) && Number.isInteger(arrivesMs)).toBe(true);
        expect(slotMs - sourceMs).toBeGreaterThanOrEqual(20);
        expect(slotMs - sourceMs).toBeLessThanOrEqual(120);
        expect(arrivesMs > sourceMs && arrivesMs <= slotMs).toBe(true);
        const last = before.get(source);
        if (last) {
          expect(sourceSeq).toBeGreaterThan(last.sourceSeq);
          expect(sourceMs).toBeGreaterThan(last.sourceMs);
        }
        before.set(source, quote);
      }
    }
    expect([...before.keys()].sort()).toEqual([...SOURCES]);
  });

  it('gives quotes with small errors and without bias', () => {
    const model = testModel();
    for (const symbol of ['EUR/USD', 'BTC/USDT', 'F']) {
      let [sum, count] = [0, 0];
      for (let slotMs = FIRST_SLOT; slotMs < FIRST_SLOT + HOUR_MS; slotMs += SLOT_MS) {
        for (const { price, sourceMs } of model.quotesAt(symbol, slotMs)) {
          const mid = Number(model.priceAt(symbol, sourceMs));
          const error = Number(price) - mid;
          if (Math.abs(error) > mid * 0.002) continue;
          expect(Math.abs(error)).toBeLessThanOrEqual(Math.max(2, mid * 0.000_006));
          sum += error / Math.max(1, mid * 0.000_005);
          count += 1;
        }
      }
      expect(count).toBeGreaterThan(40_000);
      expect(Math.abs(sum / count), symbol).toBeLessThan(0.02);
    }
  });

  it('gives occasional faults, but hardly ever of two sources at once', () => {
    const hours = 24;
    let [slots, silences, spikes, bothGone, twoHonest] = [0, 0, 0, 0, 0];
    const lengths: number[] = [];
    for (const symbol of ['EUR/USD', 'USD/TRY', 'XAU/USD', 'BTC/USDT']) {
      const seen = watch(symbol, FIRST_SLOT, FIRST_SLOT + hours * HOUR_MS);
      slots += seen.slots;
      silences += seen.silences.length;
      spikes += seen.spikes;
      bothGone += seen.bothGone;
      twoHonest += seen.twoHonest;
      lengths.push(...seen.silences);
    }
    const productHours = 4 * hours;
    // One in 20 minutes and one in 15: 3 and 4 an hour.
    expect(silences / productHours).toBeGreaterThan(2.4);
    expect(silences / productHours).toBeLessThan(3.6);
    expect(spikes / productHours).toBeGreaterThan(3.2);
    expect(spikes / productHours).toBeLessThan(4.8);
    expect(Math.min(...lengths)).toBeGreaterThanOrEqual(4750);
    expect(Math.max(...lengths)).toBeLessThanOrEqual(25_250);
    expect(bothGone / slots).toBeLessThan(0.0001);
    expect(twoHonest / slots).toBeGreaterThan(0.995);
  });

  it('gives no quotes while the product is closed', () => {
    const model = testModel();
    const open = Date.UTC(2026, 10, 19, 14, 30);
    const close = Date.UTC(2026, 10, 19, 21, 0);
    expect(model.quotesAt('AAPL', open - SLOT_MS)).toEqual([]);
    expect(model.quotesAt('AAPL', open)).toEqual([]);
    expect(model.quotesAt('AAPL', open + SLOT_MS).length).toBeGreaterThan(1);
    expect(model.quotesAt('AAPL', close - SLOT_MS).length).toBeGreaterThan(1);
    expect(model.quotesAt('AAPL', close)).toEqual([]);
    // The price stays where it closed until it opens, with a gap, on Friday.
    const held = model.priceAt('AAPL', close);
    for (const later of [1, HOUR_MS, 17 * HOUR_MS]) expect(model.priceAt('AAPL', close + later)).toBe(held);
    expect(model.priceAt('AAPL', open + DAY_MS)).not.toBe(held);
  });
});

describe('lastQuotes', () => {
  /** The last quote of each source up to a time, found by going through all slots before it. */
  const lastOf = (symbol: string, timeMs: number, backMs: number) => {
    const model = testModel();
    const last = new Map<string, SimulatedQuote>();
    for (
      let slotMs = Math.ceil((timeMs - backMs) / SLOT_MS) * SLOT_MS;
      slotMs <= timeMs + SLOT_MS;
      slotMs += SLOT_MS
    )
      for (const quote of model.quotesAt(symbol, slotMs))
        if (quote.sourceMs <= timeMs) last.set(quote.source, quote);
    return SOURCES.flatMap((source) => last.get(source) ?? []);
  };
  const shown = (symbol: string, timeMs: number, model = testModel()) => {
    const quotes = new Map(model.lastQuotes(symbol, timeMs).map((quote) => [quote.source, quote]));
    return SOURCES.flatMap((source) => quotes.get(source) ?? []);
  };

  it('gives each source’s last quote at or before a time, in any model and order, through silences too', () => {
    const model = testModel();
    const draw = repeatable(5);
    let silent = 0;
    for (let count = 0; count < 300; count += 1) {
      const timeMs = FIRST_SLOT + HOUR_MS + Math.floor(draw() * 6 * HOUR_MS);
      const quotes = shown('BTC/USDT', timeMs, model);
      expect(quotes).toEqual(lastOf('BTC/USDT', timeMs, 30_000));
      expect(quotes).toHaveLength(SOURCES.length);
      if (quotes.some(({ sourceMs }) => timeMs - sourceMs > 1_000)) silent += 1;
    }
    expect(silent).toBeGreaterThan(0);
  });

  it('looks back over the time while the product is closed', () => {
    const model = testModel();
    const hours = TradingHours.of(HOURS['new-york']);
    const closed = hours.spanAt(Date.UTC(2026, 10, 21, 12));
    expect(closed.isOpen).toBe(false);
    const atTheEnd = shown('AAPL', closed.startMs, model);
    expect(atTheEnd).toHaveLength(SOURCES.length);
    for (const timeMs of [closed.startMs + HOUR_MS, closed.endMs, closed.endMs + 100])
      expect(shown('AAPL', timeMs, model)).toEqual(atTheEnd);
    const after = shown('AAPL', closed.endMs + 60_000, model);
    expect(after.every(({ sourceMs }) => sourceMs > closed.endMs)).toBe(true);
  });
});
