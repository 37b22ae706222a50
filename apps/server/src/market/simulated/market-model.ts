import type { Points } from '@fairtick/money';
import { CURRENCIES, type Currency } from '../catalogue/currencies.ts';
import type { Driver } from '../catalogue/drivers.ts';
import { DRIVERS, type ModelledProduct } from '../catalogue/listing.ts';
import { HOURS } from '../catalogue/schedules.ts';
import { TradingHours } from '../trading-hours.ts';
import { type CandleStep, candlesOf, type ModelCandle } from './candles.ts';
import { type Loading, PricedProduct, toPoints } from './priced-product.ts';
import { type SimulatedQuote, SimulatedSources } from './sources.ts';
import { sharesByRhythm, sharesByTradingHours } from './variance-shares.ts';
import { type SeedSource, type VarianceShares, Walk } from './walk.ts';

interface Options {
  /** Asked for every date from the installation's to that of the requested time, both included. */
  readonly seeds: SeedSource;
  /**
   * When the product was installed. At midnight UTC before it every price is its reference; after it, prices move in steps of 250
   * ms. Must never change: all prices depend on it.
   */
  readonly installedMs: number;
}

/** The least share of a listed product's volatility that is its own, however closely it follows its market. */
const OWN_SHARE = 0.15;

/**
 * Simulated prices as a function of time. The model uses no other randomness than the seeds, so any number of models with the same
 * seeds and installation give the same prices in any order of calls.
 */
export class MarketModel {
  readonly #options: Options;
  readonly #walks = new Map<string, Walk>();
  readonly #shares = new Map<TradingHours, VarianceShares>();
  readonly #products = new Map<
    string,
    { readonly priced: PricedProduct; readonly sources: SimulatedSources }
  >();

  constructor({ products, ...options }: Options & { readonly products: Iterable<ModelledProduct> }) {
    this.#options = options;
    for (const product of products) this.add(product);
  }

  /** Adds a product. It changes no other's prices. */
  add(product: ModelledProduct): void {
    const priced = this.#price(product);
    const sources = new SimulatedSources(priced, this.#options.seeds);
    this.#products.set(product.symbol, { priced, sources });
  }

  /** The mid price at an instant, in points; while the product is closed, its last close. */
  priceAt(symbol: string, timeMs: number): Points {
    return toPoints(this.#find(symbol).priced.logAt(timeMs));
  }

  /**
   * The quotes of the sources at a slot, a multiple of 250 ms. Some sources may be absent; all are while the product is closed
   * and in the first slot of a trading period, since a source looks back.
   */
  quotesAt(symbol: string, slotMs: number): SimulatedQuote[] {
    return this.#find(symbol).sources.quotesAt(slotMs);
  }

  /** Each source's last quote with a source time of `timeMs` or before: its record at that time. */
  lastQuotes(symbol: string, timeMs: number): SimulatedQuote[] {
    return this.#find(symbol).sources.lastQuotes(timeMs);
  }

  /**
   * The candles of [fromMs, toMs) in which the product traded, see {@link candlesOf}. They are complete for steps of a minute up to 2
   * days before the installation, 5 minutes up to 10 days, 30 minutes up to 60 days and days before that.
   */
  candles(symbol: string, fromMs: number, toMs: number, step: CandleStep): ModelCandle[] {
    return candlesOf(this.#find(symbol).priced, { fromMs, toMs, step });
  }

  #find(symbol: string) {
    const found = this.#products.get(symbol);
    if (!found) throw new RangeError(`no product ${symbol}`);
    return found;
  }

  #price(product: ModelledProduct): PricedProduct {
    const { model, symbol } = product;
    const hours = TradingHours.of(HOURS[product.hours]);
    if (model.kind === 'pair') {
      const [base, quote] = [currencyOf(model.base), currencyOf(model.quote)];
      const loadings = this.#loadings([
        [base.driver.id, 1],
        [quote.driver.id, -1],
      ]);
      return new PricedProduct(product, hours, { reference: base.usd / quote.usd, loadings });
    }
    const weights = weightsOf([[model.market, model.beta]]);
    let variance = 0;
    for (const [id, weight] of weights) variance += (weight * driverOf(id).volatility) ** 2;
    const volatility = Math.sqrt(
      Math.max(model.volatility ** 2 - variance, (OWN_SHARE * model.volatility) ** 2),
    );
    const shares = this.#shares.get(hours) ?? sharesByTradingHours(hours);
    this.#shares.set(hours, shares);
    const own = new Walk({ id: `product:${symbol}`, volatility }, shares, this.#options);
    const loadings = [...this.#loadings([[model.market, model.beta]]), { walk: own, weight: 1 }];
    return new PricedProduct(product, hours, { reference: model.reference, loadings });
  }

  /** A driver that both sides of a pair follow equally cancels out of the price. */
  #loadings(of: Weighted): Loading[] {
    return [...weightsOf(of)]
      .filter(([, weight]) => Math.abs(weight) > 1e-12)
      .map(([id, weight]) => ({ walk: this.#walkOf(driverOf(id)), weight }));
  }

  #walkOf(driver: Driver): Walk {
    const walk = this.#walks.get(driver.id) ?? new Walk(driver, sharesByRhythm(driver.rhythm), this.#options);
    this.#walks.set(driver.id, walk);
    return walk;
  }
}

type Weighted = readonly (readonly [driver: string, weight: number])[];

/** The weights of these drivers and of all that they follow, multiplied along the way. */
function weightsOf(of: Weighted, weights = new Map<string, number>()): ReadonlyMap<string, number> {
  for (const [id, weight] of of) {
    weights.set(id, (weights.get(id) ?? 0) + weight);
    weightsOf(
      driverOf(id).follows.map((followed) => [followed.id, weight * followed.weight]),
      weights,
    );
  }
  return weights;
}

function driverOf(id: string): Driver {
  const driver = DRIVERS.get(id);
  if (!driver) throw new Error(`no driver ${id}`);
  return driver;
}

function currencyOf(code: string): Currency {
  const currency = CURRENCIES.get(code);
  if (!currency) throw new Error(`no currency ${code}`);
  return currency;
}
