import { type Points, points } from '@fairtick/money';
import type { ModelledProduct } from '../catalogue/listing.ts';
import type { Factor } from './factor.ts';
import type { TradingHours } from './trading-hours.ts';

export interface Loading {
  readonly factor: Factor;
  readonly weight: number;
}

/** A product whose log price is a constant and a weighted sum of factors. */
export class PricedProduct {
  readonly product: ModelledProduct;
  readonly hours: TradingHours;
  readonly loadings: readonly Loading[];
  /** Log of the reference price in points: the log price where all factors are at 0. */
  readonly origin: number;

  /** @param reference price in whole units of the quote where all factors are at 0 */
  constructor(
    product: ModelledProduct,
    hours: TradingHours,
    reference: number,
    loadings: readonly Loading[],
  ) {
    this.product = product;
    this.hours = hours;
    this.loadings = loadings;
    this.origin = Math.log(reference * 10 ** product.decimals);
  }

  /** Log of the unrounded mid price in points; while the product is closed, of its closing price. */
  logAt(timeMs: number): number {
    const span = this.hours.spanAt(timeMs);
    const priced = span.open ? timeMs : span.startMs;
    let log = this.origin;
    for (const { factor, weight } of this.loadings) log += weight * factor.levelAt(priced);
    return log;
  }
}

/** The price with this log, rounded to whole points, halves up; never below one. Keeps order. */
export function toPoints(log: number): Points {
  return roundPoints(Math.exp(log));
}

/** Like {@link toPoints}, for a price instead of its log. */
export function roundPoints(price: number): Points {
  return points(BigInt(Math.max(1, Math.round(price))));
}
