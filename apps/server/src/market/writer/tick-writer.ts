import { MAX_MINOR } from '@fairtick/money';
import { leafHash, rootOf, toHex } from '@fairtick/proof';
import { decidePrice, GRID_MS, type Quote } from '@fairtick/trading';
import type { Feed } from '../feeds/feed.ts';
import { nativeSha256 } from '../log/native-sha256.ts';
import type { Product, Products } from '../products.ts';
import type { LoggedRules } from '../rule-book.ts';
import type { TradingCalendar } from '../trading-calendar.ts';
import type { ProductState } from './draft-entry.ts';
import type { LogDraft } from './log-draft.ts';
import { PriceCounts } from './price-counts.ts';

/** A batch of acceptances that is not logged yet. */
export interface WaitingBatch {
  readonly number: number;
  readonly acceptedAtMs: number;
  readonly root: Uint8Array;
}

/** Facts from the database that decide, together with the quotes, which entries a grid time gets. */
export interface StepFacts {
  /** Products that are watched or have unsettled orders: they tick at every grid time. */
  readonly busy: ReadonlySet<number>;
  /** Products that may have unsettled orders. */
  readonly ordered: ReadonlySet<number>;
  /** The database's clock was set: a gap is logged, because prices before this step say nothing about the next. */
  readonly hasStepped: boolean;
}

/** The newest quote of each source, by product. */
export type LatestQuotes = Map<number, Map<string, Quote>>;

/** An open product that is not busy ticks at least this often. */
const IDLE_MS = 5_000;
/** While prices have stopped, a product with unsettled orders gets a gap at each multiple of this: at each possible settlement time. */
const GAP_EVERY_MS = 1_000;
/** A source's time may be ahead of its receipt by this. A later one would keep the source's next quotes out: its time never falls. */
const MAX_AHEAD_MS = 5_000;

/** Most quotes of a source that wait until prices may take them; of more, the oldest go. */
const MAX_WAITING = 1_000;

/**
 * Turns quotes into log entries, one grid time after the other: at each, at most one tick or gap per product. Its only state is
 * the rules, the newest quote of each source that prices take, and those that are too young for them (`lagMs`).
 */
export class TickWriter {
  /** Counts of what was written and received. */
  readonly counts = new PriceCounts();
  readonly #feed: Feed;
  readonly #products: Products;
  readonly #calendar: TradingCalendar;
  /** Rules in force by product; see {@link setRules}. */
  readonly #rules = new Map<number, LoggedRules>();
  readonly #latest: LatestQuotes;
  /** In the order of their source times, by product and source. */
  readonly #waiting = new Map<number, Map<string, Quote[]>>();

  /** @param options.latest the quotes of the log's last entries: once a source is listed with a quote, every later entry lists one of it */
  constructor(options: {
    feed: Feed;
    products: Products;
    calendar: TradingCalendar;
    latest?: LatestQuotes;
  }) {
    this.#feed = options.feed;
    this.#products = options.products;
    this.#calendar = options.calendar;
    this.#latest = options.latest ?? new Map();
  }

  /** The rules that ticks and gaps of this product name from now on. */
  setRules(rules: LoggedRules): void {
    this.#rules.set(rules.productId, rules);
  }

  /**
   * Adds a gap for every product that had a price or may have unsettled orders, because this process has not received the quotes of
   * this grid time.
   * @param missing grid times after this one that nobody can write either, which are counted for busy products
   */
  addRestart(
    draft: LogDraft,
    timeMs: number,
    { busy, ordered, missing }: Omit<StepFacts, 'hasStepped'> & { missing: number },
  ): void {
    for (const product of this.#products.all) {
      const state = draft.state(product.id);
      const rules = this.#rules.get(product.id);
      if (!state.tick || !rules || (state.gap && !ordered.has(product.id))) continue;
      draft.addGap(product, rules, { timeMs, reason: this.#stopReason(product), quotes: [] });
      if (!state.gap && busy.has(product.id)) this.counts.addHoles(product.id, timeMs, missing);
    }
  }

  /** Adds all ticks and gaps of one grid time. `timeMs` is a multiple of {@link GRID_MS} and later than any before. */
  addStep(draft: LogDraft, timeMs: number, { busy, ordered, hasStepped }: StepFacts): void {
    if (timeMs % GRID_MS !== 0) throw new Error(`${timeMs} is not on the grid`);
    this.#takeQuotes(timeMs);
    const arrived = this.#promote(timeMs);
    const ended = this.#feed.endedBy(timeMs);
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
      this.#addProduct(draft, product, {
        timeMs,
        rules,
        isBusy: busy.has(id),
        isGapDue: state.gap !== null && ordered.has(id) && timeMs % GAP_EVERY_MS === 0,
        hasArrived,
        hasEnded: ended.has(id) && !hasArrived && !this.#waiting.has(id),
      });
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
    const idle = { isGapDue: false, hasArrived: false, hasEnded: false };
    this.#addProduct(draft, oldest.product, { timeMs, rules: oldest.rules, isBusy: true, ...idle });
  }

  /** Why this process has no quotes of a product: it has just begun, or its feed does not have the product. */
  #stopReason(product: Product): 'restart' | 'end' {
    return this.#feed.rulesOf(product) ? 'restart' : 'end';
  }

  #takeQuotes(timeMs: number): void {
    for (const { productId, quote } of this.#feed.take(timeMs)) {
      const ofProduct = this.#waiting.get(productId) ?? new Map<string, Quote[]>();
      const waiting = ofProduct.get(quote.source) ?? [];
      const before = waiting.at(-1) ?? this.#latest.get(productId)?.get(quote.source);
      if (!isWritable(quote, this.#products.byId(productId).decimals)) continue;
      if (quote.receivedMs > timeMs || quote.sourceMs > quote.receivedMs + MAX_AHEAD_MS) continue;
      // Skip repeated and out-of-order quotes: an older quote must not replace a newer one of its source.
      if (before && (before.sourceSeq >= quote.sourceSeq || before.sourceMs > quote.sourceMs)) continue;
      // Another process, with its own sight of the source, may have logged a later receipt of an earlier quote.
      const receivedMs = Math.max(quote.receivedMs, before?.receivedMs ?? 0);
      waiting.push({ ...quote, receivedMs });
      if (waiting.length > MAX_WAITING) waiting.shift();
      this.#waiting.set(productId, ofProduct.set(quote.source, waiting));
      this.counts.addQuote(productId, timeMs, quote);
    }
  }

  /**
   * Sets each source's latest quote to the newest one that a price of this time may take.
   * @returns the products with such quotes
   */
  #promote(timeMs: number): Set<number> {
    const arrived = new Set<number>();
    for (const [productId, sources] of this.#waiting) {
      const untilMs = timeMs - (this.#rules.get(productId)?.rules.lagMs ?? 0);
      for (const [source, quotes] of sources) {
        const taken = quotes.findLastIndex(({ sourceMs }) => sourceMs <= untilMs);
        if (taken < 0) continue;
        const latest = this.#latest.get(productId) ?? new Map<string, Quote>();
        this.#latest.set(productId, latest.set(source, quotes[taken] as Quote));
        arrived.add(productId);
        quotes.splice(0, taken + 1);
        if (quotes.length === 0) sources.delete(source);
      }
      if (sources.size === 0) this.#waiting.delete(productId);
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
      isGapDue: boolean;
      hasArrived: boolean;
      hasEnded: boolean;
    },
  ): void {
    const { timeMs, rules } = at;
    const state = draft.state(product.id);
    const isEnding = state.tick !== null && state.gap === null;
    // A tick describes the moment just before its time: at the very end of a trading period it still belongs to it.
    if (at.hasEnded || !this.#calendar.tradingPeriodAt(rules.rules.schedule, timeMs - 1)) {
      if (isEnding || at.isGapDue) {
        draft.addGap(product, rules, { timeMs, reason: at.hasEnded ? 'end' : 'session', quotes: [] });
      }
      return;
    }
    const quotes = this.#latest.get(product.id);
    if (!quotes) return;
    const isDue = at.hasArrived || isTickDue(state, at);
    // After a gap only new quotes bring a price back. Without new ones, a price ends when quotes become stale.
    if (!isDue && !at.isGapDue && (!isEnding || areAllCurrent(quotes, timeMs, rules))) return;
    const answer = decidePrice({ quotes: [...quotes.values()], timeMs, rules: rules.rules });
    if (answer.price === null) {
      if (isEnding || at.isGapDue)
        draft.addGap(product, rules, { timeMs, reason: 'quorum', quotes: answer.quotes });
      return;
    }
    if (!isDue) {
      // No quote has come since the gap, although old ones are not stale yet.
      if (at.isGapDue) {
        const reason = state.gap?.reason === 'clock' ? 'clock' : this.#stopReason(product);
        draft.addGap(product, rules, { timeMs, reason, quotes: [] });
      }
      return;
    }
    draft.addTick(product, rules, { timeMs, price: answer.price, quotes: answer.quotes });
    this.counts.addTick(product.id, timeMs, answer.quotes);
    this.#feed.judged?.(answer.quotes);
  }
}

/** Whether a product ticks although no quote has come. */
function isTickDue({ tick, gap }: ProductState, at: { timeMs: number; isBusy: boolean }): boolean {
  return tick !== null && gap === null && (at.isBusy || at.timeMs - tick.timeMs >= IDLE_MS);
}

/**
 * Logs waiting batches that were accepted by `timeMs`: an entry's time must not precede its orders.
 * @returns the batches that still wait
 */
export function addOrders(
  draft: LogDraft,
  timeMs: number,
  batches: readonly WaitingBatch[],
): readonly WaitingBatch[] {
  const end = batches.findIndex((batch) => batch.acceptedAtMs > timeMs);
  const ready = end < 0 ? batches : batches.slice(0, end);
  const [first, last] = [ready[0], ready.at(-1)];
  if (!first || !last) return batches;
  const leaves = ready.map((batch) => leafHash(batch.root, nativeSha256));
  draft.addOrders({
    timeMs,
    firstBatch: first.number,
    lastBatch: last.number,
    firstMs: first.acceptedAtMs,
    lastMs: last.acceptedAtMs,
    root: toHex(rootOf(leaves, nativeSha256)),
  });
  return batches.slice(ready.length);
}

/** Whether every quote is still current: then no quorum is lost without a new quote. */
function areAllCurrent(quotes: ReadonlyMap<string, Quote>, timeMs: number, { rules }: LoggedRules): boolean {
  for (const { source, sourceMs, receivedMs } of quotes.values()) {
    const isStale = timeMs - Math.min(sourceMs, receivedMs) > rules.staleMs;
    if (isStale && rules.sources.includes(source)) return false;
  }
  return true;
}

/** Limits of the log's grammar: a price of at most 12 digits before the point, and a number of at most 20. */
const PRICE_DIGITS = 12;
const PRICE_ENDS = Array.from({ length: 19 }, (_, decimals) => 10n ** BigInt(PRICE_DIGITS + decimals));
const SEQUENCE_END = 10n ** 20n;

/** Whether the log can hold a quote. A source may send any value, but the log's text and columns are limited. */
function isWritable({ price, sourceMs, receivedMs, sourceSeq }: Quote, decimals: number): boolean {
  const isTime = (ms: number) => Number.isSafeInteger(ms) && ms >= 0;
  return (
    price > 0n &&
    price <= MAX_MINOR &&
    price < (PRICE_ENDS[decimals] as bigint) &&
    isTime(sourceMs) &&
    isTime(receivedMs) &&
    sourceSeq >= 0n &&
    sourceSeq < SEQUENCE_END
  );
}

/** The initial state of a product that the log has never named. */
export function initialState(productId: number): ProductState {
  return { productId, lastN: 0, lastMs: 0, tick: null, gap: null, ordersFromMs: null, rulesId: null };
}
