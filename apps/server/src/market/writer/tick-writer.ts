import { decidePrice, GRID_MS, type Quote } from '@fairtick/trading';
import type { Feed, LatestQuotes } from '../feeds/feed.ts';
import type { Product, Products } from '../products.ts';
import type { LoggedRules } from '../rule-book.ts';
import { TradingHours } from '../trading-hours.ts';
import type { ProductState } from './draft-entry.ts';
import type { LogDraft } from './log-draft.ts';
import { isLoggable } from './loggable.ts';
import { PriceCounts } from './price-counts.ts';

/** Facts from the database that decide, together with the quotes, which entries a grid time gets. */
export interface StepFacts {
  /** Products that are watched or have unsettled orders: they tick at every grid time. */
  readonly busy: ReadonlySet<number>;
  /** The database's clock was set: a gap is logged, because prices before this step say nothing about the next. */
  readonly hasStepped: boolean;
}

/** An open product that is not busy ticks at least this often. */
const IDLE_MS = 5_000;
/** A source's time may be ahead of its receipt by this. A later one would keep the source's next quotes out: its time never falls. */
const MAX_AHEAD_MS = 5_000;

/**
 * Turns quotes into log entries, one grid time after the other: at each, at most one tick or gap per product. Its only state is
 * the rules and the newest quote of each source.
 */
export class TickWriter {
  /** Counts of what was written and received. */
  readonly counts = new PriceCounts();
  readonly #feed: Feed;
  readonly #products: Products;
  /** Rules in force by product; see {@link setRules}. */
  readonly #rules = new Map<number, LoggedRules>();
  readonly #latest: LatestQuotes;

  /** @param options.latest the quotes of the log's last entries: once a source is listed with a quote, every later entry lists one of it */
  constructor(options: { feed: Feed; products: Products; latest?: LatestQuotes }) {
    this.#feed = options.feed;
    this.#products = options.products;
    this.#latest = options.latest ?? new Map();
  }

  /** The rules that ticks and gaps of this product name from now on. */
  setRules(rules: LoggedRules): void {
    this.#rules.set(rules.productId, rules);
  }

  /**
   * Adds a gap for every product that had a price, because this process has not received the quotes of this grid time.
   * @param missing grid times after this one that nobody can write either, which are counted for busy products
   */
  addRestart(
    draft: LogDraft,
    timeMs: number,
    { busy, missing }: Omit<StepFacts, 'hasStepped'> & { missing: number },
  ): void {
    for (const product of this.#products.all) {
      const state = draft.state(product.id);
      const rules = this.#rules.get(product.id);
      if (!state.tick || !rules || state.gap) continue;
      draft.addGap(product, rules, { timeMs, reason: this.#stopReason(product), quotes: [] });
      if (busy.has(product.id)) this.counts.addHoles(product.id, timeMs, missing);
    }
  }

  /** Adds all ticks and gaps of one grid time. `timeMs` is a multiple of {@link GRID_MS} and later than any before. */
  addStep(draft: LogDraft, timeMs: number, { busy, hasStepped }: StepFacts): void {
    if (timeMs % GRID_MS !== 0) throw new Error(`${timeMs} is not on the grid`);
    const arrived = this.#takeQuotes(timeMs);
    const stopped = this.#feed.stopped?.(timeMs);
    const before = draft.entries.length;
    for (const product of this.#products.all) {
      const { id } = product;
      const rules = this.#rules.get(id);
      if (!rules) continue;
      const state = draft.state(id);
      if (hasStepped && state.tick && !state.gap) {
        draft.addGap(product, rules, { timeMs, reason: 'clock', quotes: [] });
        continue;
      }
      const hasArrived = arrived.has(id);
      const stop = stopped?.get(id) ?? null;
      // The last quotes of a recording still make a price.
      const stops = stop === 'end' && hasArrived ? null : stop;
      this.#addProduct(draft, product, { timeMs, rules, isBusy: busy.has(id), hasArrived, stops });
    }
    if (draft.entries.length === before) this.#addOldest(draft, timeMs);
  }

  /**
   * Adds a tick of the product whose last one is the oldest. An acceptance has to follow an entry of the same moment, so there is one
   * at every grid time at which any product has a price.
   */
  #addOldest(draft: LogDraft, timeMs: number): void {
    let oldest: { readonly product: Product; readonly rules: LoggedRules; readonly tickMs: number } | null =
      null;
    for (const product of this.#products.all) {
      const rules = this.#rules.get(product.id);
      const { tick, gap } = draft.state(product.id);
      if (!rules || !tick || gap || (oldest && oldest.tickMs <= tick.timeMs)) continue;
      oldest = { product, rules, tickMs: tick.timeMs };
    }
    if (!oldest) return;
    const idle = { hasArrived: false, stops: null };
    this.#addProduct(draft, oldest.product, { timeMs, rules: oldest.rules, isBusy: true, ...idle });
  }

  /** Why this process has no quotes of a product: it has just begun, or its feed does not have the product. */
  #stopReason(product: Product): 'restart' | 'end' {
    return this.#feed.rulesOf(product) ? 'restart' : 'end';
  }

  /** @returns the products with new quotes */
  #takeQuotes(timeMs: number): Set<number> {
    const arrived = new Set<number>();
    for (const { productId, quote } of this.#feed.take(timeMs)) {
      const latest = this.#latest.get(productId) ?? new Map<string, Quote>();
      const before = latest.get(quote.source);
      const { price, sourceSeq: number, sourceMs, receivedMs: arrivedMs } = quote;
      const { decimals } = this.#products.byId(productId);
      if (!isLoggable({ price, number, times: [sourceMs, arrivedMs] }, decimals)) continue;
      if (arrivedMs > timeMs || sourceMs > arrivedMs + MAX_AHEAD_MS) continue;
      // Skip repeated and out-of-order quotes: an older quote must not replace a newer one of its source.
      if (before && (before.sourceSeq >= number || before.sourceMs > sourceMs)) continue;
      // Another process, with its own sight of the source, may have logged a later receipt of an earlier quote.
      const receivedMs = Math.max(arrivedMs, before?.receivedMs ?? 0);
      this.#latest.set(productId, latest.set(quote.source, { ...quote, receivedMs }));
      arrived.add(productId);
      this.counts.addQuote(productId, timeMs, quote);
    }
    return arrived;
  }

  #addProduct(
    draft: LogDraft,
    product: Product,
    at: {
      timeMs: number;
      rules: LoggedRules;
      isBusy: boolean;
      hasArrived: boolean;
      /** Why the feed stops its prices. */
      stops: 'end' | 'halt' | null;
    },
  ): void {
    const { timeMs, rules } = at;
    const state = draft.state(product.id);
    const isEnding = state.tick !== null && state.gap === null;
    // A tick describes the moment just before its time: at the very end of a trading period it still belongs to it.
    const isInHours = TradingHours.of(rules.rules.schedule).spanAt(timeMs - 1).isOpen;
    if (at.stops || !isInHours) {
      if (isEnding) draft.addGap(product, rules, { timeMs, reason: at.stops ?? 'session', quotes: [] });
      return;
    }
    const quotes = this.#latest.get(product.id);
    if (!quotes) return;
    const isDue = at.hasArrived || isTickDue(state, at);
    // After a gap only new quotes bring a price back. Without new ones, a price ends when quotes become stale.
    if (!isDue && (!isEnding || areAllCurrent(quotes, timeMs, rules))) return;
    const answer = decidePrice({ quotes: [...quotes.values()], timeMs, rules: rules.rules });
    if (answer.price === null) {
      if (isEnding) draft.addGap(product, rules, { timeMs, reason: 'quorum', quotes: answer.quotes });
      return;
    }
    if (!isDue) return;
    draft.addTick(product, rules, { timeMs, price: answer.price, quotes: answer.quotes });
    this.counts.addTick(product.id, timeMs, answer.quotes);
    this.#feed.judged?.(answer.quotes);
  }
}

/** Whether a product ticks although no quote has come. */
function isTickDue({ tick, gap }: ProductState, at: { timeMs: number; isBusy: boolean }): boolean {
  return tick !== null && gap === null && (at.isBusy || at.timeMs - tick.timeMs >= IDLE_MS);
}

/** Whether every quote is still current: then no quorum is lost without a new quote. */
function areAllCurrent(quotes: ReadonlyMap<string, Quote>, timeMs: number, { rules }: LoggedRules): boolean {
  for (const { source, sourceMs, receivedMs } of quotes.values()) {
    const isStale = timeMs - Math.min(sourceMs, receivedMs) > rules.quietMs;
    if (isStale && rules.sources.includes(source)) return false;
  }
  return true;
}
