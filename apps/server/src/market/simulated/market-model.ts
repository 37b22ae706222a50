import type { Points } from '@fairtick/money';
import type { Schedule } from '@fairtick/trading';
import type { Driver } from '../catalogue/drivers.ts';
import type { ModelledProduct } from '../catalogue/listing.ts';
import { type CandleStep, candlesOf, type ModelCandle } from './candles.ts';
import { Factor, type SeedSource } from './factor.ts';
import { type Loading, PricedProduct, toPoints } from './priced-product.ts';
import { type SimulatedQuote, SourceDesk } from './sources.ts';
import { Timeline } from './timeline.ts';
import { TradingHours } from './trading-hours.ts';
import { sharesByRhythm, sharesByTradingHours } from './variance-shares.ts';

export type { ModelCandle } from './candles.ts';
export type { SeedSource } from './factor.ts';
export { type SimulatedQuote, SLOT_MS, SOURCES } from './sources.ts';

/**
 * Simulated prices as a function of time. The model keeps no time or state and uses no other randomness, so any number of models
 * with the same seeds and installation give the same prices in any order of calls.
 */
export interface MarketModel {
  /**
   * The mid price at an instant, in points; while the product is closed, its last close. Accepts any instant; rising times are
   * cheap, since the current 15 minutes are cached.
   */
  priceAt(symbol: string, timeMs: number): Points;
  /**
   * The quotes of the sources at a slot, a multiple of 250 ms. Some sources may be absent; all are while the product is closed
   * and in the first slot of a trading period, since a source looks back.
   */
  quotesAt(symbol: string, slotMs: number): SimulatedQuote[];
  /** Each source's last quote with a source time of `timeMs` or before, however far back: its record at that time. */
  lastQuotes(symbol: string, timeMs: number): SimulatedQuote[];
  /**
   * The candles of [fromMs, toMs) in which the product traded, made directly and not from ticks. `fromMs` is moved back to the
   * start of a candle; the last candle is cut off at `toMs`, so it shows nothing later. They are complete for steps of a
   * minute up to 2 days before the installation, 5 minutes up to 10 days, 30 minutes up to 60 days and days before that; candles
   * of shorter steps have gaps there.
   */
  candles(symbol: string, fromMs: number, toMs: number, step: CandleStep): ModelCandle[];
  /** Adds a product. It changes no other's prices. */
  add(product: ModelledProduct): void;
}

export interface MarketModelOptions {
  readonly products: Iterable<ModelledProduct>;
  /** Called for every date from the installation's to that of the requested time, both included. */
  readonly seeds: SeedSource;
  /**
   * When the product was installed. At midnight UTC before it every price is its reference; after it, prices move in steps of 250
   * ms. Must never change: all prices depend on it.
   */
  readonly installedMs: number;
}

/** The least share of a listed product's volatility that is its own, however closely it follows its market. */
const OWN_SHARE = 0.15;

export function createMarketModel({ products, seeds, installedMs }: MarketModelOptions): MarketModel {
  const parts = new ModelParts(seeds, new Timeline(installedMs));
  const bySymbol = new Map<string, { priced: PricedProduct; desk: SourceDesk }>();
  const add = (product: ModelledProduct) => {
    const priced = parts.price(product);
    bySymbol.set(product.symbol, { priced, desk: new SourceDesk(priced, seeds) });
  };
  for (const product of products) add(product);
  const find = (symbol: string) => {
    const found = bySymbol.get(symbol);
    if (!found) throw new RangeError(`no product ${symbol}`);
    return found;
  };
  return {
    priceAt: (symbol, timeMs) => toPoints(find(symbol).priced.logAt(timeMs)),
    quotesAt: (symbol, slotMs) => find(symbol).desk.quotesAt(slotMs),
    lastQuotes: (symbol, timeMs) => find(symbol).desk.lastQuotes(timeMs),
    candles: (symbol, fromMs, toMs, step) =>
      candlesOf(find(symbol).priced, parts.timeline, fromMs, toMs, step),
    add,
  };
}

/** Builds products from factors and trading hours that they share. */
class ModelParts {
  readonly timeline: Timeline;
  readonly #seeds: SeedSource;
  readonly #factors = new Map<string, Factor>();
  readonly #hours = new Map<Schedule, TradingHours>();

  constructor(seeds: SeedSource, timeline: Timeline) {
    this.#seeds = seeds;
    this.timeline = timeline;
  }

  price(product: ModelledProduct): PricedProduct {
    const { model, symbol } = product;
    const hours = this.#hoursOf(product.schedule);
    const weights = new Map<Driver, number>();
    if (model.kind === 'pair') {
      addWeights(weights, model.base.driver, 1);
      addWeights(weights, model.quote.driver, -1);
      return new PricedProduct(product, hours, model.base.usd / model.quote.usd, this.#loadings(weights));
    }
    addWeights(weights, model.market, model.beta);
    let variance = 0;
    for (const [{ volatility }, weight] of weights) variance += (weight * volatility) ** 2;
    const own = Math.sqrt(Math.max(model.volatility ** 2 - variance, (OWN_SHARE * model.volatility) ** 2));
    const alone = new Factor(
      `product:${symbol}`,
      own,
      sharesByTradingHours(hours),
      this.#seeds,
      this.timeline,
    );
    return new PricedProduct(product, hours, model.reference, [
      ...this.#loadings(weights),
      { factor: alone, weight: 1 },
    ]);
  }

  #hoursOf(schedule: Schedule): TradingHours {
    let hours = this.#hours.get(schedule);
    if (!hours) {
      hours = new TradingHours(schedule);
      this.#hours.set(schedule, hours);
    }
    return hours;
  }

  #loadings(weights: ReadonlyMap<Driver, number>): Loading[] {
    const loadings: Loading[] = [];
    for (const [driver, weight] of weights) {
      // A driver that both sides of a pair follow equally cancels out of the price.
      if (Math.abs(weight) > 1e-12) loadings.push({ factor: this.#factorOf(driver), weight });
    }
    return loadings;
  }

  #factorOf({ id, volatility, rhythm }: Driver): Factor {
    let factor = this.#factors.get(id);
    if (!factor) {
      factor = new Factor(id, volatility, sharesByRhythm(rhythm), this.#seeds, this.timeline);
      this.#factors.set(id, factor);
    }
    return factor;
  }
}

/** Adds a driver and all that it follows, with the weights multiplied along the way. */
function addWeights(weights: Map<Driver, number>, driver: Driver, weight: number): void {
  weights.set(driver, (weights.get(driver) ?? 0) + weight);
  for (const followed of driver.follows) addWeights(weights, followed.driver, weight * followed.weight);
}
