import type { Quote } from '@fairtick/protocol';
import type { MarketRow, MarketView } from '../market/market-view.ts';
import { quoteOf } from '../market/product-answers.ts';
import { closedOf, type StateParts } from '../market/product-state.ts';
import type { Parts } from './frames.ts';
import { quoteTopic } from './topics.ts';

interface Publisher {
  hasReaders(topic: string): boolean;
  publish(topic: string, json: string, parts: Parts): void;
}

/** A product's own topic gets every change at once, the list all those of half a second. */
export class QuoteUpdates {
  readonly #market: MarketView;
  readonly #state: StateParts;
  readonly #readers: Publisher;
  readonly #changed = new Set<number>();
  /** The state of each product as readers know it, written. */
  readonly #states = new Map<number, string>();
  /** Written quotes of products, until they change. */
  readonly #texts = new Map<number, string>();
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
      const quotes = this.#market.all().map((row) => this.#text(row));
      this.#all = { version, json: `[${quotes.join()}]` };
    }
    return this.#all.json;
  }

  /** @param ready the quote, written, if it came so */
  take(row: MarketRow, ready: string | null = null): void {
    const { id } = row.product;
    this.#changed.add(id);
    if (ready === null) this.#texts.delete(id);
    else this.#texts.set(id, ready);
    const topic = quoteTopic(row.product);
    if (!this.#readers.hasReaders(topic)) return;
    const text = this.#text(row);
    this.#readers.publish(topic, text, () => [['quote', JSON.parse(text)]]);
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
    const json = `[${[...this.#changed].map((productId) => this.#text(this.#market.get(productId))).join()}]`;
    this.#changed.clear();
    this.#readers.publish('quotes', json, () =>
      (JSON.parse(json) as Quote[]).map((quote) => [quote.symbol, quote]),
    );
  }

  #text(row: MarketRow): string {
    const text = this.#texts.get(row.product.id) ?? JSON.stringify(this.#quote(row));
    this.#texts.set(row.product.id, text);
    return text;
  }

  #quote(row: MarketRow): Quote {
    return quoteOf(row, this.#state);
  }
}
