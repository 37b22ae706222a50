import type { Closed, Quote } from '@fairtick/protocol';
import { useSyncExternalStore } from 'react';
import { get } from '../api/client.ts';
import { stream } from '../api/stream.ts';

export interface BoardRow {
  readonly symbol: string;
  readonly name: string;
  /** What a search finds it by beside its name. */
  readonly words?: readonly string[] | undefined;
  readonly assetClass: 'forex' | 'energy' | 'metal' | 'index' | 'stock' | 'crypto';
  readonly decimals: number;
  readonly isOpen: boolean;
  /** Null while it takes orders. */
  readonly closed: Closed | null;
  /** How many of its sources count now; null: unknown. */
  readonly sourcesNow: number | null;
  readonly n: number | null;
  readonly price: string | null;
  readonly priceAt: number | null;
  readonly change: string | null;
  readonly changeRate: string | null;
  readonly high: string | null;
  readonly low: string | null;
}

type Listener = () => void;

/**
 * The newest price of every product. Each row listens to its own product only, and listeners are called at most once per
 * animation frame.
 */
class Market {
  #rows = new Map<string, BoardRow>();
  #order: readonly string[] = [];
  readonly #listeners = new Map<string, Set<Listener>>();
  readonly #listListeners = new Set<Listener>();
  readonly #dirty = new Set<string>();
  #frame: number | null = null;

  get symbols(): readonly string[] {
    return this.#order;
  }

  get(symbol: string): BoardRow | undefined {
    return this.#rows.get(symbol);
  }

  all(): BoardRow[] {
    return this.#order.flatMap((symbol) => this.#rows.get(symbol) ?? []);
  }

  /** Takes rows before the list is loaded. */
  begin(rows: readonly BoardRow[]): void {
    for (const row of rows) this.#rows.set(row.symbol, row);
  }

  /** Replaces the list, for instance after a change of language. Newer prices than the list's are kept. */
  load(rows: readonly BoardRow[]): void {
    this.#rows = new Map(
      rows.map((row) => {
        const known = this.#rows.get(row.symbol);
        return [row.symbol, known && (known.n ?? 0) > (row.n ?? 0) ? { ...known, name: row.name } : row];
      }),
    );
    this.#order = rows.map((row) => row.symbol);
    for (const row of rows) this.#dirty.add(row.symbol);
    this.#flush();
    for (const listener of this.#listListeners) listener();
  }

  take(quotes: readonly Quote[]): void {
    for (const quote of quotes) {
      const row = this.#rows.get(quote.symbol);
      const { n, closed, sourcesNow, change, changeRate } = quote;
      if (!row || n < (row.n ?? 0)) continue;
      if (n === row.n && JSON.stringify(closed) === JSON.stringify(row.closed)) continue;
      // A gap has no price: the last known one stays, with its age.
      const price = quote.price === null ? {} : { price: quote.price, priceAt: quote.time };
      const state = { closed, isOpen: closed === null || closed.because === 'full', sourcesNow };
      this.#rows.set(quote.symbol, { ...row, n, change, changeRate, ...state, ...price });
      this.#dirty.add(quote.symbol);
    }
    if (this.#dirty.size > 0) this.#frame ??= requestAnimationFrame(() => this.#flush());
  }

  subscribe(symbol: string, listener: Listener): () => void {
    const listeners = this.#listeners.get(symbol) ?? new Set();
    this.#listeners.set(symbol, listeners.add(listener));
    return () => listeners.delete(listener);
  }

  subscribeList(listener: Listener): () => void {
    this.#listListeners.add(listener);
    return () => this.#listListeners.delete(listener);
  }

  #flush(): void {
    this.#frame = null;
    const changed = [...this.#dirty];
    this.#dirty.clear();
    for (const symbol of changed) for (const listener of this.#listeners.get(symbol) ?? []) listener();
  }
}

export const market = new Market();

export function useRow(symbol: string): BoardRow | undefined {
  return useSyncExternalStore(
    (listener) => market.subscribe(symbol, listener),
    () => market.get(symbol),
    () => market.get(symbol),
  );
}

/** A product in a list to choose from. */
export const optionText = ({ name, symbol }: BoardRow): string =>
  name === symbol ? symbol : `${symbol} · ${name}`;

/** Whether too few of its sources give a price: the last known one says nothing of now. */
export const lacksPrice = (row: Pick<BoardRow, 'closed'> | undefined): boolean =>
  row?.closed?.because === 'no_price' || row?.closed?.because === 'maintenance';

/** The price of now, as far as one is reliable. */
export const priceNow = (row: BoardRow | undefined): string | null =>
  row && !lacksPrice(row) ? row.price : null;

/** The symbols of all products in catalogue order; empty until the list is loaded. */
export function useSymbols(): readonly string[] {
  return useSyncExternalStore(
    (listener) => market.subscribeList(listener),
    () => market.symbols,
    () => market.symbols,
  );
}

/** Interval at which a visible page rereads the list, because markets open and close. */
const LIST_AGAIN_MS = 60_000;

export function followMarket(): void {
  stream.subscribe('quotes', ({ data }) => market.take(data));
  const read = () => {
    if (document.hidden) return;
    // The current list stays until an answer comes.
    get('product/board', {}, { isSilent: true }).then(
      (rows) => market.load(rows),
      () => {},
    );
  };
  if (market.symbols.length === 0) read();
  setInterval(read, LIST_AGAIN_MS);
}

/** Follows every tick of one product; subscribing also makes the server quote it more often. */
export function followProduct(symbol: string, onQuote?: (quote: Quote) => void): () => void {
  return stream.subscribe(`quote:${symbol}`, ({ data }) => {
    market.take([data]);
    onQuote?.(data);
  });
}
