import { type Points, points } from '@fairtick/money';
import type { ModelledProduct } from '../catalogue/listing.ts';
import type { TradingHours } from '../trading-hours.ts';
import type { Walk, WindowLevels } from './walk.ts';

export interface Loading {
  readonly walk: Walk;
  readonly weight: number;
}

/** A product whose log price is a constant and a weighted sum of walks. */
export class PricedProduct {
  readonly product: ModelledProduct;
  readonly hours: TradingHours;
  readonly #loadings: readonly Loading[];
  /** Log of the reference price in points: the log price where all walks are at 0. */
  readonly #origin: number;

  /** @param reference price in whole units of the quote where all walks are at 0 */
  constructor(
    product: ModelledProduct,
    hours: TradingHours,
    { reference, loadings }: { reference: number; loadings: readonly Loading[] },
  ) {
    this.product = product;
    this.hours = hours;
    this.#loadings = loadings;
    this.#origin = Math.log(reference * 10 ** product.decimals);
  }

  /** Log of the unrounded mid price in points; while the product is closed, of its closing price. */
  logAt(timeMs: number): number {
    const span = this.hours.spanAt(timeMs);
    const pricedMs = span.isOpen || !Number.isFinite(span.startMs) ? timeMs : span.startMs;
    let log = this.#origin;
    for (const { walk, weight } of this.#loadings) log += weight * walk.levelAt(pricedMs);
    return log;
  }

  /** The logs at the steps of a window, whether the product is open or not, summed in the same order as for a single price. */
  logsOf(window: number): WindowLevels {
    const logs: number[] = [];
    let stepMs = 0;
    for (const { walk, weight } of this.#loadings) {
      const walked = walk.windowAt(window);
      ({ stepMs } = walked);
      for (const [step, level] of walked.levels.entries())
        logs[step] = (logs[step] ?? this.#origin) + weight * level;
    }
    return { stepMs, levels: logs };
  }
}

/** The price with this log, rounded to whole points, halves up; never below one. Keeps order. */
export const toPoints = (log: number): Points => roundPoints(Math.exp(log));

/** Like {@link toPoints}, for a price instead of its log. */
export const roundPoints = (price: number): Points => points(BigInt(Math.max(1, Math.round(price))));
