import { GRID_MS } from '@fairtick/trading';
import type { MarketRow, MarketView } from '../../market/market-view.ts';
import type { WatchedProducts } from '../../market/watched-products.ts';

/** A tick of this age is young enough after the way to the database, too. A busy product has one at every grid time. */
const YOUNG_MS = GRID_MS + 100;
/** An order waits this long for a tick, and is then placed and refused. */
const MAX_WAIT_MS = 1_000;

/**
 * Has a product tick at every grid time before it gets an order: one that nobody watches ticks every few seconds, and an order needs
 * a young tick. All orders of a product share one wait. It refuses nothing: the database decides.
 */
export class NewestTicks {
  readonly #market: Pick<MarketView, 'get'>;
  readonly #watched: Pick<WatchedProducts, 'tell'>;
  readonly #nowMs: () => number;
  readonly #waits = new Map<number, PromiseWithResolvers<void>>();

  /** @param parts.nowMs the log's time */
  constructor(parts: {
    market: Pick<MarketView, 'get'>;
    watched: Pick<WatchedProducts, 'tell'>;
    nowMs: () => number;
  }) {
    this.#market = parts.market;
    this.#watched = parts.watched;
    this.#nowMs = parts.nowMs;
  }

  /** Waits for a young tick of the product, for a second at most; not at all while its prices have stopped. */
  async ready(productId: number): Promise<void> {
    this.#watched.tell([productId]);
    const row = this.#market.get(productId);
    if (row.priceMs === null || row.gap !== null || this.#isYoung(row)) return;
    await (this.#waits.get(productId) ?? this.#begin(productId)).promise;
  }

  /** Takes the rows of new entries: a young tick ends the wait for its product, and so does a gap. */
  take(rows: readonly MarketRow[]): void {
    for (const row of rows) {
      if (row.gap !== null || this.#isYoung(row)) this.#waits.get(row.product.id)?.resolve();
    }
  }

  #begin(productId: number): PromiseWithResolvers<void> {
    const wait = Promise.withResolvers<void>();
    this.#waits.set(productId, wait);
    const timer = setTimeout(wait.resolve, MAX_WAIT_MS);
    void wait.promise.then(() => {
      clearTimeout(timer);
      this.#waits.delete(productId);
    });
    return wait;
  }

  #isYoung({ gap, priceMs }: MarketRow): boolean {
    return gap === null && priceMs !== null && this.#nowMs() - priceMs <= YOUNG_MS;
  }
}
