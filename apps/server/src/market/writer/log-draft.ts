import { type FixEntry, formatEntry, type OrdersEntry, type RulesEntry } from '@fairtick/proof';
import { isRecordClosed, lastingGap, ordersFrom } from '@fairtick/trading';
import type { Product } from '../products.ts';
import type { LoggedRules } from '../rule-book.ts';
import type { DraftEntry, ProductState, StatedPrice } from './draft-entry.ts';

type Stated<Kind> = Extract<StatedPrice, { kind: Kind }>;

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

  addTick(product: Product, rules: LoggedRules, tick: Omit<Stated<'tick'>, 'kind'>): void {
    const state = this.state(product.id);
    const index = this.#size + this.entries.length;
    const { timeMs, price } = tick;
    const n = this.#addPrice(product, rules, { kind: 'tick', ...tick });
    const ordersFromMs = ordersFrom(tick, state.gap?.reason ?? null, state.gap ? null : state.ordersFromMs);
    const after = { tick: { n, timeMs, price, index }, gap: null, ordersFromMs };
    this.#changed.set(product.id, { ...state, lastN: n, lastMs: timeMs, ...after });
  }

  addGap(product: Product, rules: LoggedRules, stop: Omit<Stated<'gap'>, 'kind'>): void {
    const state = this.state(product.id);
    const { timeMs } = stop;
    const n = this.#addPrice(product, rules, { kind: 'gap', ...stop });
    const reason = lastingGap(stop, { gap: null, ordersFromMs: state.ordersFromMs });
    const gap = state.gap ?? { reason, timeMs };
    this.#changed.set(product.id, { ...state, lastN: n, lastMs: timeMs, gap, ordersFromMs: null });
  }

  /** @returns the product's number of the entry */
  #addPrice({ id: productId, symbol }: Product, rules: LoggedRules, stated: StatedPrice): number {
    const n = this.state(productId).lastN + 1;
    const { decimals, sources } = rules.rules;
    const text = formatEntry({ ...stated, n, symbol, decimals, rulesHash: rules.hash });
    this.entries.push({ ...stated, productId, n, rulesId: rules.id, sources, text });
    return n;
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
    const text = formatEntry({ kind: 'orders', ...orders });
    this.entries.push({ kind: 'orders', timeMs, firstBatch, lastBatch, text });
  }

  addRules(productId: number, rules: Omit<RulesEntry, 'kind'> & { readonly timeMs: number }): void {
    const { timeMs, n } = rules;
    const text = formatEntry({ kind: 'rules', ...rules });
    this.entries.push({ kind: 'rules', timeMs, productId, n, text });
  }

  addText(timeMs: number, text: string): void {
    this.entries.push({ kind: 'text', timeMs, text });
  }

  setRules(productId: number, rulesId: number): void {
    this.#changed.set(productId, { ...this.state(productId), rulesId });
  }
}
