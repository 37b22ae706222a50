import { MAX_MINOR } from '@fairtick/money';
import { leafHash, rootOf, toHex } from '@fairtick/proof';
import { decidePrice, GRID_MS, type Quote } from '@fairtick/trading';
import type { Feed } from './feeds/feed.ts';
import type { ProductState } from './log/draft.ts';
import { nativeSha256 } from './log/hash.ts';
import type { LogDraft } from './log/log-draft.ts';
import type { Product, Products } from './products.ts';
import type { LoggedRules } from './rule-book.ts';
import type { TradingCalendar } from './trading-calendar.ts';

/** A batch of acceptances that is not logged yet. */
export interface WaitingBatch {
  readonly number: number;
  readonly acceptedAtMs: number;
  readonly accepted: number;
  readonly refused: number;
  readonly root: Uint8Array;
}

/** Facts from the database that the next step needs. */
export interface StepFacts {
  /** In ascending order, from the first that is not logged. */
  readonly batches: readonly WaitingBatch[];
  /** Products with orders that settle at this step's second: their price is restated if no quote came. */
  readonly due: ReadonlySet<number>;
  /** The database's clock was set: a gap is logged, because prices before this step say nothing about the next. */
  readonly hasStepped: boolean;
}

/**
 * Turns quotes into log entries, one grid time after the other: at each, at most one tick or gap per product. Its only state is
 * the newest quote of each source, which a restart may lose.
 */
export class TickWriter {
  readonly #feed: Feed;
  readonly #products: Products;
  readonly #calendar: TradingCalendar;
  /** Rules in force by product; see {@link setRules}. */
  readonly #rules = new Map<number, LoggedRules>();
  readonly #latest = new Map<number, Map<string, Quote>>();

  constructor(options: { feed: Feed; products: Products; calendar: TradingCalendar }) {
    this.#feed = options.feed;
    this.#products = options.products;
    this.#calendar = options.calendar;
  }

  /** The rules that ticks of this product name from now on. */
  setRules(rules: LoggedRules): void {
    this.#rules.set(rules.productId, rules);
  }

  /**
   * Adds a gap for every product that had a price, because this process has not seen the prices before it. Products that this
   * feed does not have are closed.
   */
  addRestart(draft: LogDraft, timeMs: number): void {
    for (const product of this.#products.all) {
      const state = draft.state(product.id);
      if (!state.tick || state.gap) continue;
      draft.addGap(product, { timeMs, reason: this.#rules.has(product.id) ? 'restart' : 'end' });
    }
  }

  /** Adds all entries of one grid time. `timeMs` is a multiple of {@link GRID_MS} and later than any before. */
  addStep(draft: LogDraft, timeMs: number, facts: StepFacts): void {
    if (timeMs % GRID_MS !== 0) throw new Error(`${timeMs} is not on the grid`);
    addOrders(draft, timeMs, facts.batches);
    const arrived = this.#takeQuotes(timeMs);
    const ended = this.#feed.endedBy(timeMs);
    for (const product of this.#products.all) {
      const state = draft.state(product.id);
      if (facts.hasStepped && state.tick && !state.gap) {
        draft.addGap(product, { timeMs, reason: 'clock' });
        continue;
      }
      const isWanted = arrived.has(product.id) || facts.due.has(product.id);
      this.#addProduct(draft, product, {
        timeMs,
        isWanted,
        isDue: facts.due.has(product.id),
        hasEnded: ended.has(product.id) && !arrived.has(product.id),
      });
    }
  }

  #takeQuotes(timeMs: number): Set<number> {
    const arrived = new Set<number>();
    for (const { productId, quote } of this.#feed.take(timeMs)) {
      const quotes = this.#latest.get(productId) ?? new Map<string, Quote>();
      this.#latest.set(productId, quotes);
      const before = quotes.get(quote.source);
      // Skip repeated and out-of-order quotes: an older quote must not replace a newer one of its source.
      if (before && before.sourceSeq >= quote.sourceSeq) continue;
      if (!isWritable(quote, this.#products.byId(productId).decimals) || quote.receivedMs > timeMs) continue;
      quotes.set(quote.source, quote);
      arrived.add(productId);
    }
    return arrived;
  }

  #addProduct(
    draft: LogDraft,
    product: Product,
    at: { timeMs: number; isWanted: boolean; isDue: boolean; hasEnded: boolean },
  ): void {
    const { timeMs } = at;
    const rules = this.#rules.get(product.id);
    const state = draft.state(product.id);
    // A tick describes the moment just before its time: at the very end of a session it still belongs to the session.
    const session = rules && this.#calendar.tradingPeriodAt(rules.rules.schedule, timeMs - 1);
    if (!rules || !session || at.hasEnded) {
      if (state.tick && !state.gap) {
        draft.addGap(product, { timeMs, reason: at.hasEnded ? 'end' : 'session' });
      }
      return;
    }
    // Rules and feed can differ for a while: a changed list of sources takes effect an hour after it is logged.
    const quotes = [...(this.#latest.get(product.id)?.values() ?? [])].filter(({ source }) =>
      rules.rules.sources.includes(source),
    );
    if (!at.isWanted && (state.gap || !state.tick || areAllCurrent(quotes, timeMs, rules))) return;
    const previous = state.tick && { price: state.tick.price, timeMs: state.tick.timeMs };
    const answer = decidePrice({ quotes, timeMs, previous, rules: rules.rules });
    if (answer.kind === 'no-quorum') {
      if (state.tick && !state.gap) draft.addGap(product, { timeMs, reason: 'quorum' });
      return;
    }
    if (answer.isNew || (at.isDue && !state.gap)) {
      draft.addTick(product, rules, {
        timeMs,
        price: answer.price,
        isNew: answer.isNew,
        quotes: answer.quotes,
      });
    }
  }
}

/**
 * Logs waiting batches that were accepted by `timeMs`: an entry's time must not precede its orders. An empty batch is exempt: its
 * time may be an hour off if the database's clock was ahead and not corrected yet, and it must not block the batches behind it.
 */
function addOrders(draft: LogDraft, timeMs: number, batches: readonly WaitingBatch[]): void {
  const ready: WaitingBatch[] = [];
  for (const batch of batches) {
    if (batch.accepted > 0 && batch.acceptedAtMs > timeMs) break;
    ready.push(batch);
  }
  const [first, last] = [ready[0], ready.at(-1)];
  if (!first || !last) return;
  const leaves = ready.map((batch) => leafHash(batch.root, nativeSha256));
  draft.addOrders({
    timeMs,
    firstBatch: first.number,
    lastBatch: last.number,
    accepted: ready.reduce((sum, batch) => sum + batch.accepted, 0),
    refused: ready.reduce((sum, batch) => sum + batch.refused, 0),
    root: toHex(rootOf(leaves, nativeSha256)),
  });
}

/** Whether every quote is still current, and there are enough: then the price is unchanged and needs no decision. */
function areAllCurrent(quotes: readonly Quote[], timeMs: number, { rules }: LoggedRules): boolean {
  const isCurrent = (quote: Quote) => timeMs - Math.min(quote.sourceMs, quote.receivedMs) <= rules.staleMs;
  return quotes.length >= rules.quorum && quotes.every(isCurrent);
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
  return { productId, lastN: 0, tick: null, gap: null, ordersFromMs: null, rulesId: null };
}
