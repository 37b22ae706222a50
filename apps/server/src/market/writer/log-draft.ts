import type { Points } from '@fairtick/money';
import { type FixEntry, formatEntry, type OrdersEntry } from '@fairtick/proof';
import { type GapReason, isRecordClosed, type ListedQuote, lastingGap, ordersFrom } from '@fairtick/trading';
import type { Product } from '../products.ts';
import type { LoggedRules } from '../rule-book.ts';
import type { DraftEntry, ProductState } from './draft-entry.ts';

/** Entries that are not written yet, with the products' states after them. */
export class LogDraft {
  readonly entries: DraftEntry[] = [];
  readonly #committed: ReadonlyMap<number, ProductState>;
  readonly #changed = new Map<number, ProductState>();
  readonly #size: number;

  constructor(committed: ReadonlyMap<number, ProductState>, size: number) {
    this.#committed = committed;
    this.#size = size;
  }

  /** States that differ from the committed ones. */
  get changed(): readonly ProductState[] {
    return [...this.#changed.values()];
  }

  state(productId: number): ProductState {
    const state = this.#changed.get(productId) ?? this.#committed.get(productId);
    if (!state) throw new Error(`no state of product ${productId}`);
    return state;
  }

  addTick(
    product: Product,
    rules: LoggedRules,
    tick: { timeMs: number; price: Points; quotes: readonly ListedQuote[] },
  ): void {
    const state = this.state(product.id);
    const n = state.lastN + 1;
    const text = formatEntry({
      kind: 'tick',
      n,
      ...tick,
      symbol: product.symbol,
      decimals: rules.rules.decimals,
      rulesHash: rules.hash,
    });
    this.#changed.set(product.id, {
      ...state,
      lastN: n,
      lastMs: tick.timeMs,
      tick: { n, timeMs: tick.timeMs, price: tick.price, index: this.#size + this.entries.length },
      gap: null,
      ordersFromMs: ordersFrom(tick, state.gap?.reason ?? null, state.gap ? null : state.ordersFromMs),
    });
    this.entries.push({
      kind: 'tick',
      productId: product.id,
      n,
      rulesId: rules.id,
      sources: rules.rules.sources,
      text,
      ...tick,
    });
  }

  addGap(
    product: Product,
    rules: LoggedRules,
    stop: { timeMs: number; reason: GapReason; quotes: readonly ListedQuote[] },
  ): void {
    const { timeMs } = stop;
    const state = this.state(product.id);
    const n = state.lastN + 1;
    const text = formatEntry({
      kind: 'gap',
      symbol: product.symbol,
      n,
      decimals: rules.rules.decimals,
      rulesHash: rules.hash,
      ...stop,
    });
    const reason = lastingGap(stop, { gap: null, ordersFromMs: state.ordersFromMs });
    const gap = state.gap ?? { reason, timeMs };
    this.#changed.set(product.id, { ...state, lastN: n, lastMs: timeMs, gap, ordersFromMs: null });
    this.entries.push({
      kind: 'gap',
      productId: product.id,
      n,
      rulesId: rules.id,
      sources: rules.rules.sources,
      text,
      ...stop,
    });
  }

  /** Adds a fix, or the `close` of one. */
  addFix(
    product: Product,
    rules: LoggedRules,
    fix: Pick<FixEntry, 'kind' | 'n' | 'timeMs' | 'fixMs' | 'price' | 'records'> & {
      readonly isThin: boolean;
    },
  ): void {
    const { isThin, ...stated } = fix;
    const { symbol } = product;
    const text = formatEntry({ ...stated, symbol, decimals: rules.rules.decimals, rulesHash: rules.hash });
    const isOpen = !fix.records.every(isRecordClosed);
    this.entries.push({ ...stated, productId: product.id, isThin, isOpen, text });
  }

  addOrders(orders: Omit<OrdersEntry, 'kind'>): void {
    const { timeMs, firstBatch, lastBatch } = orders;
    this.entries.push({
      kind: 'orders',
      timeMs,
      firstBatch,
      lastBatch,
      text: formatEntry({ kind: 'orders', ...orders }),
    });
  }

  addRules(
    productId: number,
    rules: {
      timeMs: number;
      symbol: string;
      n: number;
      effectiveMs: number;
      previousHash: string;
      json: string;
    },
  ): void {
    const { timeMs, n } = rules;
    this.entries.push({
      kind: 'rules',
      timeMs,
      productId,
      n,
      text: formatEntry({ kind: 'rules', ...rules }),
    });
  }

  addText(timeMs: number, text: string): void {
    this.entries.push({ kind: 'text', timeMs, text });
  }

  setRules(productId: number, rulesId: number): void {
    this.#changed.set(productId, { ...this.state(productId), rulesId });
  }
}
