import type { AssetClass } from '@fairtick/protocol';
import type { Localised } from '@fairtick/protocol/languages';
import type { HoursName } from './schedules.ts';

/** How a simulated price moves, with its currencies and its market by their names. */
export type PriceModel =
  /** The value of one currency in another: log price = log base - log quote. */
  | { readonly kind: 'pair'; readonly base: string; readonly quote: string }
  /** A price with its own level: log price = log reference + beta × market + the product's own walk. */
  | {
      readonly kind: 'listed';
      /** Price on the reference date, in whole units of the quote (pence for London). */
      readonly reference: number;
      /** Volatility per year of the price's logarithm, including the market's share: 0.28 is 28 %. */
      readonly volatility: number;
      /** A name of {@link DRIVERS}. */
      readonly market: string;
      readonly beta: number;
    };

/** The bounds of a source's quotes with simulated prices. */
export interface QuoteTerms {
  /** A source without a quote for this long is ignored. */
  readonly quietMs: number;
  /** A quote this far from the others is ignored, in 1/10 000 of the price. */
  readonly outlierBps: number;
}

/** A product that the program ships: its row of `products` at the first start. */
export interface CatalogueProduct extends QuoteTerms {
  /** `^[A-Z0-9]+(/[A-Z0-9]+)?$`; unique. */
  readonly symbol: string;
  /** Each fits a phone's list row. */
  readonly names: Localised;
  readonly assetClass: AssetClass;
  /** Decimals of a price: 0 to 8. A price in points has this many. */
  readonly decimals: number;
  /** Trading hours with simulated prices, and with live ones. */
  readonly hours: HoursName;
  readonly liveHours: HoursName;
  /** Products that move together and share one exposure limit. */
  readonly group: string;
  readonly model: PriceModel;
}

/** Coins move more, and their prices come more often. */
export const termsOf = (assetClass: AssetClass): QuoteTerms =>
  assetClass === 'crypto' ? { quietMs: 2_000, outlierBps: 100 } : { quietMs: 5_000, outlierBps: 60 };
