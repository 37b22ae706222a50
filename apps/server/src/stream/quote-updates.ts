import type { Quote } from '@fairtick/protocol';
import type { MarketRow, MarketView } from '../market/market-view.ts';
import { quoteOf } from '../market/product-answers.ts';
import { closedOf, type StateParts } from '../market/product-state.ts';
import type { Parts } from './frames.ts';
import { quoteTopic } from './topics.ts';

interface Publisher {
  hasReaders(topic: string): boolean;
  publish(topic: string, data: unknown, parts: Parts): void;
}

/** A product's own topic gets every change at once, the list all those of half a second. */
export class QuoteUpdates {
  readonly #market: MarketView;
  readonly #state: StateParts;
  readonly #readers: Publisher;
  readonly #changed = new Set<number>();
  /** The state of each product as readers know it, written. */
  readonly #states = new Map<number, string>();
  #all: { readonly version: number; readonly json: string } | null = null;

  constructor(market: MarketView, state: StateParts, readers: Publisher) {
    this.#market = market;
    this.#state = state;
    this.#readers = readers;
  }

  of(productId: number): Quote {
    return this.#quote(this.#market.get(productId));
  }

  all(): string {
    const { version } = this.#market;
    if (this.#all?.version !== version) {
      const quotes = this.#market.all().map((row) => this.#quote(row));
      this.#all = { version, json: JSON.stringify(quotes) };
    }
    return this.#all.json;
  }

  take(row: MarketRow): void {
    this.#changed.add(row.product.id);
    const topic = quoteTopic(row.product);
    if (!this.#readers.hasReaders(topic)) return;
    const quote = this.#quote(row);
    this.#readers.publish(topic, quote, () => [['quote', quote]]);
  }

  /** With products whose state changed without an entry of the log. */
  send(): void {
    for (const row of this.#market.all()) {
      const state = JSON.stringify(closedOf(row, this.#state));
      const before = this.#states.get(row.product.id);
      this.#states.set(row.product.id, state);
      if (before === undefined || before === state) continue;
      this.#all = null;
      this.take(row);
    }
    if (this.#changed.size === 0) return;
    const quotes = [...this.#changed].map((productId) => this.of(productId));
    this.#changed.clear();
    this.#readers.publish('quotes', quotes, () => quotes.map((quote) => [quote.symbol, quote]));
  }

  #quote(row: MarketRow): Quote {
    return quoteOf(row, this.#state);
  }
}
