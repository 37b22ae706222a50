import { Gauge, type Registry } from 'prom-client';
import type { Queryable } from '../platform/db/database.ts';
import type { Products } from './products.ts';
import type { RuleBook } from './rule-book.ts';
import { TradingCalendar } from './trading-calendar.ts';

/** An older current tick is not looked for: this long before a product's last tick or gap. */
const LOOK_BACK_MS = 600_000;

/**
 * The newest current tick of each product that nobody closed, where there is one within LOOK_BACK_MS. In nearly every product it is the
 * last tick, found by its index.
 */
const NEWEST = `
  select s.product_id, s.rules_id, log_now()::float8 as now_ms, h.begun_ms::float8 as begun_ms, s.last_ms::float8 as last_ms,
    coalesce(
      (select e.time_ms from log_entries e where e.index = s.tick_index and e.is_current),
      (select e.time_ms from log_entries e where e.product_id = s.product_id and e.kind <= log_kind('gap')
        and e.time_ms > s.last_ms - ${LOOK_BACK_MS} and e.is_current order by e.time_ms desc limit 1))::float8 as current_ms
  from product_states s cross join log_head h
  where s.rules_id is not null and coalesce(s.gap_reason, '') not in ('session', 'halt', 'end')`;

export interface PriceAge {
  readonly symbol: string;
  /** Time since its last current tick, or since its trading period or the log began if that is later; ms. */
  readonly ageMs: number;
}

/** How old the prices are that decide orders: of each product in its trading hours, whatever the reason. */
export class PriceAges {
  readonly #db: Queryable;
  readonly #products: Products;
  readonly #rules: RuleBook;
  readonly #calendar = new TradingCalendar();

  constructor(parts: { db: Queryable; products: Products; rules: RuleBook }) {
    this.#db = parts.db;
    this.#products = parts.products;
    this.#rules = parts.rules;
  }

  async read(): Promise<readonly PriceAge[]> {
    const { rows } = await this.#db.query<NewestRow>(NEWEST);
    const book = await this.#rules.getMany(rows.map((row) => Number(row.rules_id)));
    return rows.flatMap((row) => {
      const logged = book.get(Number(row.rules_id));
      const period = logged && this.#calendar.tradingPeriodAt(logged.rules.schedule, row.now_ms);
      if (!period) return [];
      const currentMs = row.current_ms ?? row.last_ms - LOOK_BACK_MS;
      const sinceMs = Math.max(currentMs, period.startMs, row.begun_ms);
      const { symbol } = this.#products.byId(row.product_id);
      return [{ symbol, ageMs: Math.max(0, row.now_ms - sinceMs) }];
    });
  }
}

interface NewestRow extends Record<string, unknown> {
  readonly product_id: number;
  readonly rules_id: string;
  readonly now_ms: number;
  readonly begun_ms: number;
  readonly last_ms: number;
  readonly current_ms: number | null;
}

/** Adds the age of each open product's price to the metrics; it is read from the database at each scrape. */
export function measurePriceAges(registry: Registry, ages: Pick<PriceAges, 'read'>): void {
  new Gauge({
    name: 'fairtick_product_price_age_seconds',
    help: 'Time since the last current price of a product in its trading hours, which alone opens and settles orders',
    labelNames: ['symbol'],
    registers: [registry],
    async collect() {
      this.reset();
      for (const { symbol, ageMs } of await ages.read()) this.set({ symbol }, ageMs / 1_000);
    },
  });
}
