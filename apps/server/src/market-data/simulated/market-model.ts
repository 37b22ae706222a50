import type { Points } from '@fairtick/money';
import type { Schedule } from '@fairtick/trading';
import type { CatalogueProduct } from '../catalogue/catalogue-product.ts';
import type { Driver } from '../catalogue/drivers.ts';
import { candlesOf, type ModelCandle } from './candles.ts';
import { rhythmClock, sessionClock } from './clocks.ts';
import { Factor, type SeedSource } from './factor.ts';
import { type Loading, PricedProduct, toPoints } from './priced-product.ts';
import { type SimulatedQuote, SourceDesk } from './sources.ts';
import { Timeline } from './timeline.ts';
import { TradingHours } from './trading-hours.ts';

export type { ModelCandle } from './candles.ts';
export type { SeedSource } from './factor.ts';
export { type SimulatedQuote, SLOT_MS, SOURCES } from './sources.ts';

/**
 * Simulated prices as a function of time: nothing in it keeps time, remembers what it said or is said by
 * chance, so any number of models with the same seeds and installation say the same in any order.
 */
export interface MarketModel {
  /**
   * The mid price at an instant, in points. While the product is closed, its last close. Any instant can be
   * asked for; going forward is cheap, since the current 15 minutes are kept.
   */
  priceAt(symbol: string, timeMs: number): Points;
  /**
   * What the sources say at a slot, a multiple of 250 ms. Some may be absent; nothing while the product is
   * closed and in the first slot of a session, since a source looks back.
   */
  quotesAt(symbol: string, slotMs: number): SimulatedQuote[];
  /**
   * The candles of [fromMs, toMs) in which the product traded, made directly and not from ticks. `fromMs` is
   * moved back to a multiple of `stepMs`; at `toMs` the last candle is cut off, so nothing later shows. They
   * are complete for steps of a minute up to 2 days before the installation, 5 minutes up to 10 days,
   * 30 minutes up to 60 days and days before that; candles of shorter steps have gaps there.
   */
  candles(symbol: string, fromMs: number, toMs: number, stepMs: number): ModelCandle[];
}

export interface MarketModelOptions {
  readonly products: readonly CatalogueProduct[];
  /** Asked for every date between the installation's and that of the time asked for, both included. */
  readonly seeds: SeedSource;
  /**
   * When the product was installed. At midnight UTC before it every price is its reference, and what comes
   * after it is walked in quarters of a second. Must not change later: all prices hang on it.
   */
  readonly installedMs: number;
}

/** Of a listed product's volatility, what is its own at least, however closely it follows its market. */
const OWN_SHARE = 0.15;

export function createMarketModel({ products, seeds, installedMs }: MarketModelOptions): MarketModel {
  const parts = new ModelParts(seeds, new Timeline(installedMs));
  const bySymbol = new Map(
    products.map((product) => {
      const priced = parts.price(product);
      return [product.symbol, { priced, desk: new SourceDesk(priced, seeds) }];
    }),
  );
  const find = (symbol: string) => {
    const found = bySymbol.get(symbol);
    if (!found) throw new RangeError(`no product ${symbol}`);
    return found;
  };
  return {
    priceAt: (symbol, timeMs) => toPoints(find(symbol).priced.logAt(timeMs)),
    quotesAt: (symbol, slotMs) => find(symbol).desk.quotesAt(slotMs),
    candles: (symbol, fromMs, toMs, stepMs) =>
      candlesOf(find(symbol).priced, parts.timeline, fromMs, toMs, stepMs),
  };
}

/** Builds products of factors and hours that they share. */
class ModelParts {
  readonly timeline: Timeline;
  readonly #seeds: SeedSource;
  readonly #factors = new Map<string, Factor>();
  readonly #hours = new Map<Schedule, TradingHours>();

  constructor(seeds: SeedSource, timeline: Timeline) {
    this.#seeds = seeds;
    this.timeline = timeline;
  }

  price(product: CatalogueProduct): PricedProduct {
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
    const alone = new Factor(`product:${symbol}`, own, sessionClock(hours), this.#seeds, this.timeline);
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
      // What both sides of a pair follow alike has no part in their price.
      if (Math.abs(weight) > 1e-12) loadings.push({ factor: this.#factorOf(driver), weight });
    }
    return loadings;
  }

  #factorOf({ id, volatility, rhythm }: Driver): Factor {
    let factor = this.#factors.get(id);
    if (!factor) {
      factor = new Factor(id, volatility, rhythmClock(rhythm), this.#seeds, this.timeline);
      this.#factors.set(id, factor);
    }
    return factor;
  }
}

/** Adds a driver and all it follows, with the weights multiplied along the way. */
function addWeights(weights: Map<Driver, number>, driver: Driver, weight: number): void {
  weights.set(driver, (weights.get(driver) ?? 0) + weight);
  for (const followed of driver.follows) addWeights(weights, followed.driver, weight * followed.weight);
}
