import { formatDecimal, type Points, points } from '@fairtick/money';
import { type GapReason, lastingGap, ordersFrom, tradingDayAt } from '@fairtick/trading';
import type { Queryable } from '../platform/db/database.ts';
import { hasVolume } from './candles/candle-batch.ts';
import type { NewsEntry } from './log/ready-step.ts';
import { hasEnded, type Product, type Products } from './products.ts';
import type { LoggedRules, RuleBook } from './rule-book.ts';

/** A product's row in a list. Prices in points, times in Unix ms; null is unknown. */
export interface MarketRow {
  readonly product: Product;
  readonly rules: LoggedRules | null;
  readonly n: number | null;
  readonly price: Points | null;
  readonly priceMs: number | null;
  readonly gap: GapReason | null;
  /** From when on it takes orders; null while its prices have stopped. */
  readonly ordersFromMs: number | null;
  /** How many of its sources count in its newest tick or gap; unknown until the first that is applied. */
  readonly sourcesNow: number | null;
  readonly day: DayFigures | null;
}

/** Figures of the product's trading day that contains the last price. */
export interface DayFigures {
  /** When the day ends, exclusive. */
  readonly endMs: number;
  readonly open: bigint;
  readonly high: bigint;
  readonly low: bigint;
  readonly volume: number;
}

/**
 * The newest committed price of every product and the figures of its day, for screens. A read-only copy of log and candles; no
 * decision uses it.
 */
export class MarketView {
  readonly #db: Queryable;
  readonly #products: Products;
  readonly #rules: RuleBook;
  readonly #rows = new Map<number, MarketRow>();
  #hasNewRules = false;
  #version = 0;

  constructor(db: Queryable, products: Products, rules: RuleBook) {
    this.#db = db;
    this.#products = products;
    this.#rules = rules;
  }

  /**
   * Reads the current state, later that of products that were added. Entries from `size` on may be applied after it.
   */
  async load(): Promise<void> {
    const { rows } = await this.#db.query<ViewRow>(VIEW);
    const book = await this.#rules.getMany(
      rows.flatMap((row) => (row.rules_id === null ? [] : [Number(row.rules_id)])),
    );
    for (const row of rows) {
      const rules = row.rules_id === null ? null : (book.get(Number(row.rules_id)) ?? null);
      // A product that is added while this reads comes with the next reading.
      if (!this.#products.has(row.product_id)) continue;
      const product = this.#products.byId(row.product_id);
      const known = this.#rows.get(product.id);
      this.#rows.set(product.id, known ? { ...known, product } : readView(product, row, rules));
    }
    this.#version += 1;
  }

  /**
   * Applies entries in log order; entries that {@link load} has included change nothing.
   * @returns the row after each new entry
   */
  apply(entries: readonly NewsEntry[]): MarketRow[] {
    const rows: MarketRow[] = [];
    for (const entry of entries) {
      const before = this.#rows.get(entry.productId);
      if (!before || (before.n ?? 0) >= entry.n) continue;
      if (entry.rulesId !== before.rules?.id) this.#hasNewRules = true;
      const row = afterEntry(before, entry);
      this.#rows.set(entry.productId, row);
      rows.push(row);
    }
    if (rows.length > 0) this.#version += 1;
    return rows;
  }

  /** Rises with every change; a cached answer is valid for one version. */
  get version(): number {
    return this.#version;
  }

  /** Whether a tick named rules that are not loaded yet. */
  get hasNewRules(): boolean {
    return this.#hasNewRules;
  }

  /** Reads which rules are in force; cheap enough for regular calls. */
  async refreshRules(): Promise<void> {
    this.#hasNewRules = false;
    const { rows } = await this.#db.query<{ product_id: number; rules_id: string }>(
      'select product_id, rules_id from product_states where rules_id is not null',
    );
    const book = await this.#rules.getMany(rows.map((row) => Number(row.rules_id)));
    for (const { product_id, rules_id } of rows) {
      const row = this.#rows.get(product_id);
      const rules = book.get(Number(rules_id)) ?? null;
      if (row && rules && row.rules?.id !== rules.id) this.#rows.set(product_id, { ...row, rules });
    }
    this.#version += 1;
  }

  get(productId: number): MarketRow {
    const row = this.#rows.get(productId);
    if (!row) throw new Error(`no product ${productId} in view`);
    return row;
  }

  /** The rows of lists, in catalogue order: without added products whose rules are not in force yet, and those that ended. */
  all(): MarketRow[] {
    const isListed = ({ product, rules }: MarketRow) =>
      !(product.isAdded && rules === null) && !hasEnded(product, Date.now());
    return this.#products.all.flatMap(({ id }) => this.#rows.get(id) ?? []).filter(isListed);
  }
}

function afterEntry(row: MarketRow, entry: NewsEntry): MarketRow {
  const { sourcesNow } = entry;
  if (entry.kind === 'gap')
    return { ...row, n: entry.n, gap: lastingGap(entry, row), ordersFromMs: null, sourcesNow };
  const volume = hasVolume(entry, row.priceMs) ? 1 : 0;
  const day: DayFigures =
    row.day && entry.timeMs < row.day.endMs
      ? {
          ...row.day,
          high: entry.price > row.day.high ? entry.price : row.day.high,
          low: entry.price < row.day.low ? entry.price : row.day.low,
          volume: row.day.volume + volume,
        }
      : {
          endMs: tradingDayAt(row.product.day, entry.timeMs).endMs,
          open: entry.price,
          high: entry.price,
          low: entry.price,
          volume,
        };
  return {
    ...row,
    n: entry.n,
    price: entry.price,
    priceMs: entry.timeMs,
    gap: null,
    ordersFromMs: ordersFrom(entry, row.gap, row.ordersFromMs),
    sourcesNow,
    day,
  };
}

/** Change since the start of the day, and its share of the day's opening price, in the wire's format. */
export function changeOf(row: MarketRow): { change: string | null; changeRate: string | null } {
  if (row.price === null || row.day === null) return { change: null, changeRate: null };
  const change = row.price - row.day.open;
  // Six decimals of a rate, rounded to nearest, ties away from zero.
  const scaled = (change < 0n ? -change : change) * 2_000_000n;
  const rate = (scaled + row.day.open) / (row.day.open * 2n);
  return {
    change: formatDecimal(change, row.product.decimals),
    changeRate: formatDecimal(change < 0n ? -rate : rate, 6),
  };
}

type ViewRow = { product_id: number; last_n: string; gap_reason: GapReason | null } & Record<
  'tick_price' | 'tick_ms' | 'orders_from_ms' | 'rules_id',
  string | null
> &
  Record<`day_${'ms' | 'open' | 'high' | 'low' | 'close' | 'volume'}`, string | null>;

/** The day's figures are its candle plus the current minute, as in every longer period. */
const VIEW = `
  select s.product_id, s.last_n, s.tick_price, s.tick_ms, s.gap_reason, s.orders_from_ms, s.rules_id, d.*
  from product_states s left join lateral (
    select day_start(s.product_id, time_ms) as day_ms, (array_agg(open order by is_minute, time_ms))[1] as day_open,
      max(high) as day_high, min(low) as day_low, (array_agg(close order by is_minute desc, time_ms desc))[1] as day_close,
      sum(volume) as day_volume
    from (
      (select c.*, false as is_minute from candles c
       where c.product_id = s.product_id and c.period = 1440 order by c.time_ms desc limit 1)
      union all
      (select c.*, true from candles c
       where c.product_id = s.product_id and c.period = 1 and c.time_ms = s.tick_ms / 60000 * 60000)
    ) parts
    group by 1 order by 1 desc limit 1
  ) d on true`;

function readView(product: Product, row: ViewRow, rules: LoggedRules | null): MarketRow {
  const day =
    row.day_ms === null
      ? null
      : {
          endMs: tradingDayAt(product.day, Number(row.day_ms)).endMs,
          open: BigInt(row.day_open as string),
          high: BigInt(row.day_high as string),
          low: BigInt(row.day_low as string),
          volume: Number(row.day_volume),
        };
  const lastKnown = row.tick_price ?? row.day_close;
  return {
    product,
    rules,
    n: Number(row.last_n),
    price: lastKnown === null ? null : points(BigInt(lastKnown)),
    priceMs: row.tick_ms === null ? null : Number(row.tick_ms),
    gap: row.gap_reason,
    ordersFromMs: row.orders_from_ms === null ? null : Number(row.orders_from_ms),
    sourcesNow: null,
    day,
  };
}
