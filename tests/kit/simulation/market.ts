import type { Arrival } from '../../../apps/server/src/market/feeds/feed.ts';
import type { Product } from '../../../apps/server/src/market/products.ts';
import { points } from '../../../packages/money/src/index.ts';
import type { KnownRecord, ProductRules, SourceRecord } from '../../../packages/trading/src/index.ts';
import type { Random } from '../hostile/random.ts';
import { FAULTS, type Fault, type Said, SOURCES, spoil } from '../installation/feed-faults.ts';
import { ManualFeed } from '../installation/manual-feed.ts';

export const SYMBOLS = ['EUR/USD', 'USD/JPY', 'BTC/USDT'] as const;
const STARTS: Readonly<Record<string, bigint>> = {
  'EUR/USD': 108_400n,
  'USD/JPY': 151_000n,
  'BTC/USDT': 6_400_000n,
};
export const RULES: Partial<ProductRules> = {
  quietMs: 3_000,
  waitMs: 2_000,
  delayMs: 2_000,
  outlierBps: 50,
};

/** True prices of a few products, what their sources have on record, and the faults with which they tell it. */
export class Market {
  readonly products: readonly Product[];
  readonly #random: Random;
  readonly #prices = new Map<number, bigint>();
  readonly #faults = new Map<string, Fault>();
  readonly #silentUntil = new Map<number, number>();
  /** By product and source, in the order of their numbers. */
  readonly #records = new Map<string, SourceRecord[]>();

  constructor(products: readonly Product[], random: Random) {
    this.products = products;
    this.#random = random;
    for (const { id, symbol } of products) this.#prices.set(id, STARTS[symbol] as bigint);
  }

  /** Sources fail and recover at random. */
  spoil(): void {
    const random = this.#random;
    for (const { id } of this.products) {
      for (const source of SOURCES) {
        if (random.isLikely(0.01)) this.#faults.set(`${id}:${source}`, random.of(FAULTS));
        if (random.isLikely(0.1)) this.#faults.delete(`${id}:${source}`);
      }
    }
  }

  /** No source quotes a random product for a while. */
  silence(nowMs: number): void {
    this.#silentUntil.set(this.#random.of(this.products).id, nowMs + this.#random.whole(500, 9_000));
  }

  heal(): void {
    this.#faults.clear();
    this.#silentUntil.clear();
  }

  /** What each source has on record at a time. Nothing shows that a record is the last one but the record after it. */
  recordsAt(productId: number, fixMs: number): KnownRecord[] {
    return SOURCES.flatMap((source): KnownRecord[] => {
      const records = this.#records.get(`${productId}:${source}`) ?? [];
      const at = records.findLastIndex(({ timeMs }) => timeMs <= fixMs);
      const [last, next] = [records[at], records[at + 1]];
      return last ? [{ source, last, closing: next ? { by: 'next', next } : { by: 'open' } }] : [];
    });
  }

  #record(key: string, { price, sourceMs }: Said): void {
    const records = this.#records.get(key) ?? [];
    const timeMs = Math.max(sourceMs, records.at(-1)?.timeMs ?? 0);
    records.push({ number: BigInt(records.length + 1), timeMs, price: points(price) });
    this.#records.set(key, records);
  }

  /** The quotes that arrive between two times. */
  arrivals(fromMs: number, toMs: number, last: Map<string, Said>): Arrival[] {
    const random = this.#random;
    return this.products.flatMap((product) => {
      // The price often stands still, so that some orders end at their opening price.
      const step = random.isLikely(0.3) ? random.whole(-1, 1) : 0;
      const price = (this.#prices.get(product.id) as bigint) + BigInt(step);
      this.#prices.set(product.id, price);
      if ((this.#silentUntil.get(product.id) ?? 0) > toMs) return [];
      return SOURCES.flatMap((source) => {
        if (!random.isLikely(0.7)) return [];
        const receivedMs = random.whole(Math.max(fromMs + 1, toMs - 900), toMs);
        const key = `${product.id}:${source}`;
        const quote: Said = {
          source,
          price: random.isLikely(0.2) ? price + BigInt(random.whole(-1, 1)) : price,
          sourceMs: receivedMs - random.whole(0, 400),
          sourceSeq: BigInt(toMs),
          receivedMs,
        };
        this.#record(key, quote);
        const fault = this.#faults.get(key);
        const said = fault ? spoil(fault, quote, last.get(key)) : [quote];
        if (fault !== 'frozen') last.set(key, quote);
        return said.map((one) => ({ productId: product.id, quote: { ...one, price: points(one.price) } }));
      });
    });
  }
}

/** One writer's feed: it has only the quotes that this writer received itself. */
export class MarketFeed extends ManualFeed {
  readonly #market: Market;
  readonly #last = new Map<string, Said>();
  #heardMs: number | null = null;

  constructor(market: Market) {
    super(RULES);
    this.#market = market;
  }

  override take(timeMs: number): readonly Arrival[] {
    const fromMs = this.#heardMs ?? timeMs - 250;
    this.#heardMs = timeMs;
    return this.#market.arrivals(fromMs, timeMs, this.#last);
  }

  override recordsAt(productId: number, fixMs: number): readonly KnownRecord[] {
    return this.#market.recordsAt(productId, fixMs);
  }
}
