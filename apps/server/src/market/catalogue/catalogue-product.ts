import type { Localised } from '@fairtick/protocol/languages';
import type { Schedule } from '@fairtick/trading';
import type { Driver } from './drivers.ts';

export type AssetClass = 'forex' | 'energy' | 'metal' | 'index' | 'stock' | 'crypto';

/** One side of a pair. Its value in dollars on the reference date is `usd`; its driver moves it from there. */
export interface Currency {
  /** The code within a symbol: `EUR`, `XAU`, `BTC`. */
  readonly code: string;
  readonly names: Localised;
  readonly usd: number;
  readonly driver: Driver;
}

/** A price that is the value of one currency in another: log price = log base - log quote. */
export interface ForexModel {
  readonly kind: 'pair';
  readonly base: Currency;
  readonly quote: Currency;
}

/** A price with its own level: log price = log reference + beta × market + the product's own walk. */
export interface EquityModel {
  readonly kind: 'listed';
  /** Price on the reference date, in whole units of the quote (pence for London). */
  readonly reference: number;
  /** Volatility per year of the price's logarithm, including the market's share: 0.28 is 28 %. */
  readonly volatility: number;
  readonly market: Driver;
  readonly beta: number;
}

export interface CatalogueProduct {
  /** `^[A-Z0-9]+(/[A-Z0-9]+)?$`; unique. */
  readonly symbol: string;
  /** Each fits a phone's list row. */
  readonly names: Localised;
  readonly assetClass: AssetClass;
  /** Decimals of a price: 0 to 8. A price in points has this many. */
  readonly decimals: number;
  readonly schedule: Schedule;
  /** Products that move together and share one exposure limit. */
  readonly group: string;
  /** Delay between the acceptance of an order and its opening price. */
  /** A source without a quote for this long is ignored. */
  readonly quietMs: number;
  /** A quote this far from the others is ignored, in 1/10 000 of the price. */
  readonly outlierBps: number;
  readonly model: ForexModel | EquityModel;
}
