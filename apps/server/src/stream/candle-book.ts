import type { Candle } from '@fairtick/protocol';
import { LiveCandle } from '../market/candles/live-candles.ts';
import type { NewsEntry } from '../market/log/ready-step.ts';
import type { Product } from '../market/products.ts';
import { candleAnswer } from '../market/routes.ts';
import type { Queryable } from '../platform/db/database.ts';
import { candleTopic, type TopicOf } from './topics.ts';

interface Page {
  readonly topic: string;
  readonly product: Product;
  readonly live: LiveCandle;
  /** Entries that arrived while the candle is being read; null once it is read. */
  waiting: NewsEntry[] | null;
  loaded: Promise<void>;
}

export interface CandleParts {
  readonly readers: Queryable;
  /** The simulated past, where there is one: a candle is read only after it is made. */
  readonly past: { ensure(product: Product): Promise<void> } | null;
}

export class CandleBook {
  readonly #parts: CandleParts;
  readonly #pages = new Map<number, Map<string, Page>>();

  constructor(parts: CandleParts) {
    this.#parts = parts;
  }

  /** Null before the product's first tick. */
  async open({ product, period }: TopicOf<'candle'>): Promise<Candle | null> {
    const topic = candleTopic(product, period);
    const pages = this.#pages.get(product.id) ?? new Map<string, Page>();
    this.#pages.set(product.id, pages);
    const page = pages.get(topic) ?? this.#begin(topic, product, new LiveCandle(product, period));
    pages.set(topic, page);
    try {
      await page.loaded;
    } catch (error) {
      if (pages.get(topic) === page) this.close({ kind: 'candle', product, period });
      throw error;
    }
    return answerOf(page);
  }

  /** Yields each topic whose candle changed. */
  *add(entry: NewsEntry): Generator<readonly [string, Candle]> {
    for (const page of this.#pages.get(entry.productId)?.values() ?? []) {
      if (page.waiting) {
        page.waiting.push(entry);
        continue;
      }
      if (!page.live.add(entry)) continue;
      const candle = answerOf(page);
      if (candle) yield [page.topic, candle];
    }
  }

  close({ product, period }: TopicOf<'candle'>): void {
    const pages = this.#pages.get(product.id);
    pages?.delete(candleTopic(product, period));
    if (pages?.size === 0) this.#pages.delete(product.id);
  }

  /** A tick is in the candle read, among the waiting entries, or in both. */
  #begin(topic: string, product: Product, live: LiveCandle): Page {
    const page: Page = { topic, product, live, waiting: [], loaded: Promise.resolve() };
    page.loaded = this.#load(page);
    return page;
  }

  async #load(page: Page): Promise<void> {
    await this.#parts.past?.ensure(page.product);
    await page.live.load(this.#parts.readers);
    for (const entry of page.waiting ?? []) page.live.add(entry);
    page.waiting = null;
  }
}

function answerOf({ live, product }: Page): Candle | null {
  return live.current && candleAnswer(live.current, product, live.period);
}
