import { setImmediate } from 'node:timers/promises';
import { tradingDayAt } from '@fairtick/trading';
import type { Pool, Queryable } from '../../platform/db/database.ts';
import { transaction } from '../../platform/db/database.ts';
import { MINUTE_MS } from '../candles/candle-batch.ts';
import type { Product, Products } from '../products.ts';
import type { MarketModel, ModelCandle } from '../simulated/market-model.ts';
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

/**
 * The simulated market's past: candles from before the installation, made directly from the model. The candles for lists are made
 * at the first start, the rest when a client first opens a product; all are stored.
 */
export class SimulatedHistory {
  readonly #pool: Pool;
  readonly #model: MarketModel;
  /** Minutes from this time on come from the log. */
  readonly #untilMs: number;
  readonly #making = new Map<number, Promise<void>>();

  constructor(pool: Pool, model: MarketModel, begunMs: number) {
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
    // This takes seconds on a slow machine, so it runs before the transaction: the transaction's connection must not idle that
    // long.
    const made: MadeCandles[] = [];
    for (const { period, days } of FIRST_REACH) {
      const candlesOf = (product: Product) =>
        this.#candles(product, period, this.#startOf(product, period) - days * DAY_MS);
      made.push({ period, candles: products.all.map(candlesOf) });
    }
    await transaction(this.#pool, async (client) => {
      await client.query('select pg_advisory_xact_lock(7022)');
      if (await hasCandles(client)) return;
      await insertCandles(client, made);
    });
  }

  /** Makes a product's whole past once; later calls return at once. */
  async ensure(product: Product): Promise<void> {
    let making = this.#making.get(product.id);
    if (!making) {
      making = this.#make(product).catch((error: unknown) => {
        this.#making.delete(product.id);
        throw error;
      });
      this.#making.set(product.id, making);
    }
    await making;
  }

  async #make(product: Product): Promise<void> {
    const { rows } = await this.#pool.query('select 1 from candle_histories where product_id = $1', [
      product.id,
    ]);
    if (rows.length > 0) return;
    const made: MadeCandles[] = [];
    for (const { period, days } of REACH) {
      const toMs = this.#startOf(product, period);
      made.push({ period, candles: [this.#candles(product, period, toMs - days * DAY_MS, toMs)] });
      // Lets pending requests run between the periods.
      await setImmediate();
    }
    await transaction(this.#pool, async (client) => {
      await insertCandles(client, made);
      await client.query('insert into candle_histories (product_id) values ($1) on conflict do nothing', [
        product.id,
      ]);
    });
  }

  #candles(product: Product, period: number, fromMs: number, toMs = this.#untilMs): ProductCandles {
    const made =
      fromMs < toMs
        ? this.#model.candles(
            product.symbol,
            fromMs,
            toMs,
            period === DAY_MINUTES ? product.day : period * MINUTE_MS,
          )
        : [];
    return { product, made };
  }

  /** Start of the product's candle of this length, in minutes, that contains the log's beginning. */
  #startOf(product: Product, period: number): number {
    if (period === DAY_MINUTES) return tradingDayAt(product.day, this.#untilMs).startMs;
    return this.#untilMs - (this.#untilMs % (period * MINUTE_MS));
  }
}

interface ProductCandles {
  readonly product: Product;
  readonly made: readonly ModelCandle[];
}

interface MadeCandles {
  readonly period: number;
  readonly candles: readonly ProductCandles[];
}

async function hasCandles(db: Queryable): Promise<boolean> {
  const { rows } = await db.query('select 1 from candles limit 1');
  return rows.length > 0;
}

async function insertCandles(db: Queryable, periods: readonly MadeCandles[]): Promise<void> {
  for (const { period, candles } of periods) {
    const rows = candles.flatMap(({ product, made }) =>
      made.map((candle) => ({ productId: product.id, ...candle })),
    );
    await insertPeriod(db, period, rows);
  }
}

async function insertPeriod(
  db: Queryable,
  period: number,
  rows: readonly ({ productId: number } & ModelCandle)[],
): Promise<void> {
  await db.query(
    `insert into candles (product_id, period, time_ms, open, high, low, close, volume, turnover)
     select product_id, $2, time_ms, open, high, low, close, volume, volume * ((open + high + low + close) / 4)
     from unnest($1::smallint[], $3::bigint[], $4::bigint[], $5::bigint[], $6::bigint[], $7::bigint[], $8::bigint[])
       as c (product_id, time_ms, open, high, low, close, volume)
     on conflict do nothing`,
    [
      rows.map((row) => row.productId),
      period,
      rows.map((row) => row.time),
      rows.map((row) => row.open),
      rows.map((row) => row.high),
      rows.map((row) => row.low),
      rows.map((row) => row.close),
      rows.map((row) => row.ticks),
    ],
  );
}
