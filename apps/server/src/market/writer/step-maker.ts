import type { Logger } from 'pino';
import type { Pool } from '../../platform/db/database.ts';
import { RecurringJob } from '../../platform/db/recurring-job.ts';
import { LogTime } from '../log/log-time.ts';
import type { LogNews } from '../log/ready-step.ts';
import { newsOf, writeStep } from '../log/ready-step.ts';
import { MarketView } from '../market-view.ts';
import { NO_STOPS, type OrderStops, readOrderStops } from '../order-stops.ts';
import { quoteOf } from '../product-answers.ts';
import type { StateParts } from '../product-state.ts';
import type { Products } from '../products.ts';
import { RuleBook } from '../rule-book.ts';
import type { DraftEntry } from './draft-entry.ts';

const STOPS_EVERY_MS = 500;
/** Entries of a longer step are read from the database. */
const MOST_ENTRIES = 1_000;

interface StepMakerParts {
  readonly pool: Pool;
  readonly products: Products;
  /** The feed's name in the setting `FEED`. */
  readonly feed: string;
  readonly key: Buffer;
  readonly log: Logger;
}

/** Makes of each committed step what readers of the stream get, once for all API processes. */
export class StepMaker {
  readonly #parts: StepMakerParts;
  readonly #state: StateParts;
  readonly #time = new LogTime();
  readonly #job: RecurringJob;
  #market: MarketView;
  #stops: OrderStops | null = null;
  #waiting: { readonly first: number; readonly entries: DraftEntry[] } | null = null;

  constructor(parts: StepMakerParts) {
    const { pool, products, feed, log } = parts;
    this.#parts = parts;
    this.#market = this.#newMarket();
    products.onChange(() => this.#market.load());
    this.#state = {
      feed,
      nowMs: () => this.#time.now(),
      logMs: () => this.#time.head?.timeMs ?? null,
      stops: () => this.#stops ?? NO_STOPS,
    };
    const read = async () => {
      this.#stops = await readOrderStops(pool, this.#time.now());
      if (this.#market.hasNewRules) await this.#market.refreshRules();
    };
    const complaint = 'halts and limits could not be read';
    this.#job = RecurringJob.of(read, log, { everyMs: STOPS_EVERY_MS, complaint });
  }

  start(): void {
    this.#job.start();
  }

  stop(): Promise<void> {
    return this.#job.stop();
  }

  /** Call it before the first append of each term: others may have written since the last one. */
  async begin(): Promise<void> {
    this.#waiting = null;
    this.#market = this.#newMarket();
    await this.#market.load();
  }

  /** Takes entries that were appended at `first`. */
  add(first: number, entries: readonly DraftEntry[]): void {
    this.#waiting ??= { first, entries: [] };
    this.#waiting.entries.push(...entries);
  }

  /** @returns the step of all that was added since the last one; null: readers read it from the database */
  make(head: LogNews['head']): string | null {
    const { first, entries } = this.#waiting ?? { first: head.size, entries: [] };
    this.#waiting = null;
    this.#time.take(head);
    const news = entries.flatMap((entry, place) => {
      if (entry.kind !== 'tick' && entry.kind !== 'gap') return [];
      const { sources, text, ...stated } = entry;
      return [newsOf({ ...stated, index: first + place })];
    });
    const rows = this.#market.apply(news);
    const quotes = new Map(
      rows.map((row) => [row.product.id, JSON.stringify(quoteOf(row, this.#state))] as const),
    );
    // A quote of each entry: none may be skipped.
    if (quotes.size < news.length || entries.length > MOST_ENTRIES || first + entries.length !== head.size)
      return null;
    return writeStep({ first, entries: news, head, quotes, stops: this.#stops }, this.#parts.key);
  }

  #newMarket(): MarketView {
    const { pool, products } = this.#parts;
    return new MarketView(pool, products, new RuleBook(pool));
  }
}
