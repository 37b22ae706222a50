import { setImmediate } from 'node:timers/promises';
import { tradingDayAt } from '@fairtick/trading';
import type { Pool, Queryable } from '../../platform/db/database.ts';
import { transaction } from '../../platform/db/database.ts';
import { MINUTE_MS } from '../candles/candle-batch.ts';
import type { Product, Products } from '../products.ts';
import type { ModelCandle } from '../simulated/candles.ts';
import type { MarketModel } from '../simulated/market-model.ts';
import { REACH } from './reach.ts';

const DAY_MS = 86_400_000;
const DAY_MINUTES = 1440;

/**
 * The first reach of every product, besides the current periods: days, so that a closed product shows its last trading period, and
 * half-hours for the small charts of lists.
 */
const FIRST_REACH: readonly { readonly period: number; readonly days: number }[] = [
  { period: 5, days: 0 },
  { period: 30, days: 1 },
  { period: 1440, days: 8 },
];

/** A candle to be stored; `period` in minutes. */
type Row = ModelCandle & { readonly productId: number; readonly period: number };

/**
 * The simulated market's past: candles from before the installation, made directly from the model. The candles for lists are made
 * at the first start, the rest when a client first opens a product; all are stored.
 */
export class SimulatedHistory {
  readonly #pool: Pool;
  readonly #model: Pick<MarketModel, 'candles'>;
  /** Minutes from this time on come from the log. */
  readonly #untilMs: number;

  constructor(pool: Pool, model: Pick<MarketModel, 'candles'>, begunMs: number) {
    this.#pool = pool;
    this.#model = model;
    this.#untilMs = begunMs - (begunMs % MINUTE_MS);
  }

  /**
   * Makes the candles that must exist before the first tick: the current periods, to which the log's minutes are added, and the
   * last days of every product. Does nothing when there are candles already.
   */
  async begin(products: Products): Promise<void> {
    if (await hasCandles(this.#pool)) return;
    // Made before the transaction, whose connection must not idle for the seconds that it takes on a slow machine.
    const rows = FIRST_REACH.flatMap(({ period, days }) =>
      products.all.flatMap((product) =>
        this.#candles(product, period, { fromMs: this.#startOf(product, period) - days * DAY_MS }),
      ),
    );
    await transaction(this.#pool, async (client) => {
      await client.query('select pg_advisory_xact_lock(7022)');
      if (!(await hasCandles(client))) await insert(client, rows);
    });
  }

  /** Makes a product's whole past once; later calls return at once. */
  async ensure(product: Product): Promise<void> {
    const known = await this.#pool.query('select from candle_histories where product_id = $1', [product.id]);
    if (known.rows.length > 0) return;
    const rows: Row[] = [];
    for (const { period, days } of REACH) {
      const toMs = this.#startOf(product, period);
      rows.push(...this.#candles(product, period, { fromMs: toMs - days * DAY_MS, toMs }));
      // Lets pending requests run between the periods.
      await setImmediate();
    }
    await transaction(this.#pool, async (client) => {
      await insert(client, rows);
      await client.query('insert into candle_histories (product_id) values ($1) on conflict do nothing', [
        product.id,
      ]);
    });
  }

  #candles(
    { id, symbol, day }: Product,
    period: number,
    { fromMs, toMs = this.#untilMs }: { fromMs: number; toMs?: number },
  ): Row[] {
    const step = period === DAY_MINUTES ? day : period * MINUTE_MS;
    return this.#model
      .candles(symbol, fromMs, toMs, step)
      .map((candle) => ({ ...candle, productId: id, period }));
  }

  /** Start of the product's candle of this length, in minutes, that contains the log's beginning. */
  #startOf({ day }: Product, period: number): number {
    if (period === DAY_MINUTES) return tradingDayAt(day, this.#untilMs).startMs;
    return this.#untilMs - (this.#untilMs % (period * MINUTE_MS));
  }
}

async function hasCandles(db: Queryable): Promise<boolean> {
  const { rows } = await db.query('select 1 from candles limit 1');
  return rows.length > 0;
}

async function insert(db: Queryable, rows: readonly Row[]): Promise<void> {
  await db.query(
    `insert into candles (product_id, period, time_ms, open, high, low, close, volume, turnover)
     select product_id, period, time_ms, open, high, low, close, volume, volume * ((open + high + low + close) / 4)
     from unnest($1::smallint[], $2::smallint[], $3::bigint[], $4::bigint[], $5::bigint[], $6::bigint[], $7::bigint[], $8::bigint[])
       as c (product_id, period, time_ms, open, high, low, close, volume)
     on conflict do nothing`,
    (['productId', 'period', 'time', 'open', 'high', 'low', 'close', 'ticks'] as const).map((column) =>
      rows.map((row) => row[column]),
    ),
  );
}
