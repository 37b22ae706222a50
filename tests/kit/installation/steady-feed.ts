import { points } from '@fairtick/money';
import type { ProductRules } from '@fairtick/trading';
import type { Announcement, Arrival, Feed } from '../../../apps/server/src/market-data/feeds/feed.ts';
import type { Product } from '../../../apps/server/src/market-data/products.ts';
import { ManualFeed } from './manual-feed.ts';

/** A feed for writers that run by themselves: a new price of one product at every step, unless it is told to be silent. */
export class SteadyFeed implements Feed {
  readonly name = 'manual';
  readonly #product: Product;
  readonly #rules: ManualFeed;
  #count = 0n;
  isSilent = false;

  constructor(product: Product, changes: Partial<ProductRules> = {}) {
    this.#product = product;
    this.#rules = new ManualFeed(changes);
  }

  rulesOf(product: Product): ProductRules | null {
    return this.#rules.rulesOf(product);
  }

  take(timeMs: number): readonly Arrival[] {
    if (this.isSilent) return [];
    this.#count += 1n;
    return ['a', 'b', 'c'].map((source) => ({
      productId: this.#product.id,
      quote: {
        source,
        price: points(108_000n + (this.#count % 100n)),
        sourceMs: timeMs,
        sourceSeq: this.#count,
        receivedMs: timeMs,
      },
    }));
  }

  endedBy(): ReadonlySet<number> {
    return new Set();
  }

  setBusy(): void {}

  async announcement(): Promise<Announcement | null> {
    return null;
  }
}
