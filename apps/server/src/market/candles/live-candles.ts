import type { Period } from '@fairtick/protocol';
import type { Queryable } from '../../platform/db/database.ts';
import type { IndexedEntry } from '../log/log-reader.ts';
import { hasMoved, MINUTE_MS } from './candle-batch.ts';
import { readCandles, type StoredCandle, startOf } from './candle-queries.ts';

const MINUTES: Readonly<Record<Exclude<Period, '1w' | '1M'>, number>> = {
  '1m': 1,
  '5m': 5,
  '30m': 30,
  '1d': 1440,
};
const MAX_TRIES = 5;

/**
 * One current candle, updated with committed ticks. It starts from the stored candle and the number of the last tick in it, so
 * that no tick is counted twice.
 */
export class LiveCandle {
  readonly #productId: number;
  readonly #period: Period;
  #candle: StoredCandle | null = null;
  #n = 0;

  constructor(productId: number, period: Period) {
    this.#productId = productId;
    this.#period = period;
  }

  get current(): StoredCandle | null {
    return this.#candle;
  }

  /** Reads the stored candle; reads again if a tick was committed meanwhile, which may or may not be in it. */
  async load(db: Queryable): Promise<void> {
    for (let attempt = 0; attempt < MAX_TRIES; attempt += 1) {
      const before = await readTickNumber(db, this.#productId);
      const [candle] = await readCandles(db, {
        productId: this.#productId,
        period: this.#period,
        beforeMs: null,
        limit: 1,
      });
      this.#candle = candle ?? null;
      this.#n = await readTickNumber(db, this.#productId);
      if (this.#n === before) return;
    }
  }

  /** Adds a tick of the product; returns whether the candle changed. */
  add(entry: IndexedEntry): boolean {
    if (entry.kind !== 'tick' || entry.n <= this.#n) return false;
    this.#n = entry.n;
    const timeMs = candleStart(this.#period, entry.timeMs);
    const { price } = entry;
    const candle = this.#candle;
    const [volume, turnover] = hasMoved(entry) ? [1n, price] : [0n, 0n];
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

function candleStart(period: Period, timeMs: number): number {
  if (period === '1w' || period === '1M') return startOf(period, timeMs);
  return timeMs - (timeMs % (MINUTES[period] * MINUTE_MS));
}

async function readTickNumber(db: Queryable, productId: number): Promise<number> {
  const { rows } = await db.query<{ tick_n: string | null }>({
    name: 'tick-number',
    text: 'select tick_n from product_states where product_id = $1',
    values: [productId],
  });
  return Number(rows[0]?.tick_n ?? 0);
}
