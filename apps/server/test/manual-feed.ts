import { parsePrice } from '@fairtick/money';
import { type ProductRules, ROUND_THE_CLOCK } from '@fairtick/trading';
import type { Announcement, Arrival, Feed } from '../src/market-data/feeds/feed.ts';
import { productRules } from '../src/market-data/product-rules.ts';
import type { Product } from '../src/market-data/products.ts';

/** A feed that says what a test tells it to: three sources, quorum two, no delay unless asked for. */
export class ManualFeed implements Feed {
  readonly name: string;
  readonly #changes: Partial<ProductRules>;
  #arrivals: Arrival[] = [];
  #sequence = 0n;
  ended = new Set<number>();

  constructor(changes: Partial<ProductRules> = {}, name = 'manual') {
    this.name = name;
    this.#changes = changes;
  }

  rulesOf(product: Product): ProductRules {
    const rules = productRules({
      symbol: product.symbol,
      decimals: product.decimals,
      sources: ['a', 'b', 'c'],
      quorum: 2,
      staleMs: 5_000,
      outlierBps: 100,
      settleBoundMs: 2_000,
      delayMs: 0,
      schedule: ROUND_THE_CLOCK,
    });
    return { ...rules, ...this.#changes };
  }

  /** A quote of one source, received at `receivedMs`. */
  quote(product: Product, source: string, price: string, receivedMs: number, sourceMs = receivedMs): void {
    const points = parsePrice(price, product.decimals);
    if (points === null) throw new Error(`${price} is no price of ${product.symbol}`);
    this.#sequence += 1n;
    const quote = { source, price: points, sourceMs, sourceSeq: this.#sequence, receivedMs };
    this.#arrivals.push({ productId: product.id, quote });
  }

  /** The same price of all three sources. */
  price(product: Product, price: string, receivedMs: number): void {
    for (const source of ['a', 'b', 'c']) this.quote(product, source, price, receivedMs);
  }

  take(timeMs: number): readonly Arrival[] {
    const due = this.#arrivals.filter(({ quote }) => quote.receivedMs <= timeMs);
    this.#arrivals = this.#arrivals.filter(({ quote }) => quote.receivedMs > timeMs);
    return due;
  }

  endedBy(): ReadonlySet<number> {
    return this.ended;
  }

  setBusy(): void {}

  async announcement(): Promise<Announcement | null> {
    return null;
  }
}
