import { Gauge, type Registry } from 'prom-client';
import type { Queryable } from '../platform/db/database.ts';
import type { Products } from './products.ts';
import type { RuleBook } from './rule-book.ts';
import { TradingHours } from './trading-hours.ts';

/** The newest tick of each product that nobody closed. */
const NEWEST = `
  select s.product_id, s.rules_id, log_now()::float8 as now_ms, h.begun_ms::float8 as begun_ms, s.tick_ms::float8 as tick_ms
  from product_states s cross join log_head h
  where s.rules_id is not null and coalesce(s.gap_reason, '') not in ('session', 'end')`;

export interface PriceAge {
  readonly symbol: string;
  /** Time since its last tick, or since its trading period or the log began if that is later; ms. */
  readonly ageMs: number;
}

export type PriceAges = () => Promise<readonly PriceAge[]>;

/** How old the prices are without which no order is taken: of each product in its trading hours, whatever the reason. */
export const priceAges =
  ({ db, products, rules }: { db: Queryable; products: Products; rules: RuleBook }): PriceAges =>
  async () => {
    const { rows } = await db.query<NewestRow>(NEWEST);
    const book = await rules.getMany(rows.map((row) => Number(row.rules_id)));
    return rows.flatMap((row) => {
      const logged = book.get(Number(row.rules_id));
      const period = logged && TradingHours.of(logged.rules.schedule).periodAt(row.now_ms);
      if (!period) return [];
      const sinceMs = Math.max(row.tick_ms ?? 0, period.startMs, row.begun_ms);
      const { symbol } = products.byId(row.product_id);
      return [{ symbol, ageMs: Math.max(0, row.now_ms - sinceMs) }];
    });
  };

interface NewestRow extends Record<string, unknown> {
  readonly product_id: number;
  readonly rules_id: string;
  readonly now_ms: number;
  readonly begun_ms: number;
  readonly tick_ms: number | null;
}

/** Adds the age of each open product's price to the metrics; it is read from the database at each scrape. */
export function measurePriceAges(registry: Registry, ages: PriceAges): void {
  new Gauge({
    name: 'fairtick_product_price_age_seconds',
    help: 'Time since the last price of a product in its trading hours; orders are taken only at a young one',
    labelNames: ['symbol'],
    registers: [registry],
    async collect() {
      this.reset();
      for (const { symbol, ageMs } of await ages()) this.set({ symbol }, ageMs / 1_000);
    },
  });
}
