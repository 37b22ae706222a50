import type { ListedQuote, Quote } from '@fairtick/trading';
import type { Queryable } from '../../platform/db/database.ts';

/** Upper bounds of the lags that are counted, ms; as in `schema/market/statistics.sql`. */
const LAG_BOUNDS = [0, 5, 10, 25, 50, 100, 250, 500, 1_000, 2_500, 5_000];
const DAY_MS = 86_400_000;

interface SourceCounts {
  absent: number;
  stale: number;
  outliers: number;
  /** Numbers of quotes by lag: one for each of LAG_BOUNDS, and a last one for longer lags. */
  readonly lags: number[];
}

interface ProductCounts {
  ticks: number;
  holes: number;
  readonly sources: Map<string, SourceCounts>;
}

/** Counts of ticks, holes and quotes per UTC day, for the public statistics. They are kept in memory between two writes. */
export class PriceCounts {
  /** By day (since 1970) and product. */
  #days = new Map<number, Map<number, ProductCounts>>();

  addTick(productId: number, timeMs: number, quotes: readonly ListedQuote[]): void {
    const counts = this.#of(productId, timeMs);
    counts.ticks += 1;
    for (const { source, use } of quotes) {
      if (use === 'use') continue;
      const of = sourceOf(counts, source);
      if (use === 'none') of.absent += 1;
      else if (use === 'stale') of.stale += 1;
      else of.outliers += 1;
    }
  }

  /** A quote that was received: its lag is the time from the source to its receipt. */
  addQuote(productId: number, timeMs: number, { source, sourceMs, receivedMs }: Quote): void {
    const { lags } = sourceOf(this.#of(productId, timeMs), source);
    const place = LAG_BOUNDS.findIndex((bound) => receivedMs - sourceMs <= bound);
    const at = place < 0 ? LAG_BOUNDS.length : place;
    lags[at] = (lags[at] ?? 0) + 1;
  }

  addHoles(productId: number, timeMs: number, count: number): void {
    this.#of(productId, timeMs).holes += count;
  }

  /** Adds all counts to the database's, and starts again at 0. */
  async write(db: Queryable): Promise<void> {
    const days = this.#days;
    this.#days = new Map();
    for (const [day, products] of days) {
      const ticks = [...products].map(([id, { ticks, holes }]) => [id, ticks, holes]);
      const sources = [...products].flatMap(([id, counts]) =>
        [...counts.sources].map(([source, { absent, stale, outliers, lags }]) => [
          ...[id, source, absent, stale, outliers],
          lags,
        ]),
      );
      await db.query('select price_statistics_add($1, $2, $3)', [
        new Date(day * DAY_MS).toISOString().slice(0, 10),
        JSON.stringify(ticks),
        JSON.stringify(sources),
      ]);
    }
  }

  #of(productId: number, timeMs: number): ProductCounts {
    const day = Math.floor(timeMs / DAY_MS);
    const products = this.#days.get(day) ?? new Map<number, ProductCounts>();
    this.#days.set(day, products);
    const counts = products.get(productId) ?? { ticks: 0, holes: 0, sources: new Map() };
    products.set(productId, counts);
    return counts;
  }
}

function sourceOf({ sources }: ProductCounts, source: string): SourceCounts {
  const known = sources.get(source);
  if (known) return known;
  const lags = Array<number>(LAG_BOUNDS.length + 1).fill(0);
  const counts = { absent: 0, stale: 0, outliers: 0, lags };
  sources.set(source, counts);
  return counts;
}
