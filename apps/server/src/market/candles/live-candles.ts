import type { Period } from '@fairtick/protocol';
import type { Queryable } from '../../platform/db/database.ts';
import type { NewsEntry } from '../log/ready-step.ts';
import { hasVolume } from './candle-batch.ts';
import { type CandleProduct, candleStart, readCandles, type StoredCandle } from './candle-queries.ts';

const MAX_TRIES = 5;

/** Number and time of a product's last tick; 0 and null before the first. */
interface LastTick {
  readonly n: number;
  readonly timeMs: number | null;
}

/**
 * Keeps the current candle up to date with committed ticks. It starts from the stored candle and the last tick in it, so that no tick is
 * counted twice.
 */
export class LiveCandle {
  readonly #product: CandleProduct;
  readonly period: Period;
  #candle: StoredCandle | null = null;
  #last: LastTick = { n: 0, timeMs: null };

  constructor(product: CandleProduct, period: Period) {
    this.#product = product;
    this.period = period;
  }

  get current(): StoredCandle | null {
    return this.#candle;
  }

  /** Reads the stored candle; reads again if a tick was committed meanwhile, which may or may not be in it. */
  async load(db: Queryable): Promise<void> {
    for (let attempt = 0; attempt < MAX_TRIES; attempt += 1) {
      const before = await readLastTick(db, this.#product.id);
      const [candle] = await readCandles(db, {
        product: this.#product,
        period: this.period,
        beforeMs: null,
        limit: 1,
      });
      this.#candle = candle?.source === undefined ? (candle ?? null) : null;
      this.#last = await readLastTick(db, this.#product.id);
      if (this.#last.n === before.n) return;
    }
  }

  /** Adds a tick of the product; returns whether the candle changed. */
  add(entry: NewsEntry): boolean {
    const last = this.#last;
    if (entry.kind !== 'tick' || entry.n <= last.n) return false;
    this.#last = entry;
    const timeMs = candleStart(this.period, this.#product.day, entry.timeMs);
    const { price } = entry;
    const candle = this.#candle;
    const [volume, turnover] = hasVolume(entry, last.timeMs) ? [1n, price] : [0n, 0n];
    this.#candle =
      candle?.timeMs === timeMs
        ? {
            ...candle,
            high: price > candle.high ? price : candle.high,
            low: price < candle.low ? price : candle.low,
            close: price,
            volume: candle.volume + volume,
            turnover: candle.turnover + turnover,
          }
        : { timeMs, open: price, high: price, low: price, close: price, volume, turnover };
    return true;
  }
}

async function readLastTick(db: Queryable, productId: number): Promise<LastTick> {
  const { rows } = await db.query<{ tick_n: string | null; tick_ms: string | null }>({
    name: 'last-tick',
    text: 'select tick_n, tick_ms from product_states where product_id = $1',
    values: [productId],
  });
  const { tick_n = null, tick_ms = null } = rows[0] ?? {};
  return { n: Number(tick_n ?? 0), timeMs: tick_ms === null ? null : Number(tick_ms) };
}
