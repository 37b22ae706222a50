import type { Schedule } from '@fairtick/trading';
import type { Driver } from './drivers.ts';

export type AssetClass = 'forex' | 'energy' | 'metal' | 'index' | 'stock' | 'crypto';

/** One side of a pair. Its value in dollars on the reference date is `usd`; from there its driver moves it. */
export interface Currency {
  /** As it stands in a symbol: `EUR`, `XAU`, `BTC`. */
  readonly code: string;
  readonly names: ProductNames;
  readonly usd: number;
  readonly driver: Driver;
}

/** A price that is one currency's value in another: log price = log base - log quote. */
export interface ForexModel {
  readonly kind: 'pair';
  readonly base: Currency;
  readonly quote: Currency;
}

/** A price with a level of its own: log price = log reference + beta × market + what is the product's alone. */
export interface EquityModel {
  readonly kind: 'listed';
  /** Price on the reference date, in whole units of the quote (pence for London). */
  readonly reference: number;
  /** Of log price, per year, the market's share included: 0.28 is 28 %. */
  readonly volatility: number;
  readonly market: Driver;
  readonly beta: number;
}

/** Simplified Chinese, Traditional Chinese as Taiwan writes it, English; each fits a phone's list row. */
export interface ProductNames {
  readonly zh: string;
  readonly tw: string;
  readonly en: string;
}

export interface CatalogueProduct {
  /** `^[A-Z0-9]+(/[A-Z0-9]+)?$`; unique. */
  readonly symbol: string;
  readonly names: ProductNames;
  readonly assetClass: AssetClass;
  /** Decimals of a price: 0 to 8. A price in points has this many. */
  readonly decimals: number;
  readonly schedule: Schedule;
  /** Products that move together and share one exposure limit. */
  readonly group: string;
  /** Between a customer's order and its opening price. */
  readonly delayMs: 1000 | 2000;
  /** A source that has said nothing for this long is not counted. */
  readonly staleMs: number;
  /** A quote this far from the others is not counted, in 1/10 000 of the price. */
  readonly outlierBps: number;
  readonly model: ForexModel | EquityModel;
}
