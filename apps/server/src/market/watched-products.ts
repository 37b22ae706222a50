import type { Logger } from 'pino';
import type { Pool } from '../platform/db/database.ts';

/** How often a product that is still being watched is reported again. */
export const REPORT_EVERY_MS = 3_000;

/** Tells the feed which products are being watched: all new ones in one statement, one statement at a time. */
export class WatchedProducts {
  readonly #pool: Pool;
  readonly #log: Logger;
  readonly #toldMs = new Map<number, number>();
  readonly #untold = new Set<number>();
  #telling: Promise<void> | null = null;

  constructor(pool: Pool, log: Logger) {
    this.#pool = pool;
    this.#log = log;
  }

  /** Reports products that are being watched; skips those that were reported a moment ago. */
  tell(productIds: Iterable<number>): void {
    const nowMs = performance.now();
    for (const id of productIds) {
      if (nowMs - (this.#toldMs.get(id) ?? Number.NEGATIVE_INFINITY) >= REPORT_EVERY_MS * 0.9)
        this.#untold.add(id);
    }
    if (this.#untold.size === 0) return;
    this.#telling ??= this.#tellAll().finally(() => {
      this.#telling = null;
    });
  }

  async #tellAll(): Promise<void> {
    while (this.#untold.size > 0) {
      const ids = [...this.#untold];
      this.#untold.clear();
      const nowMs = performance.now();
      for (const id of ids) this.#toldMs.set(id, nowMs);
      try {
        await this.#pool.query(
          `insert into watched_products (product_id, until)
           select id, now() + interval '10 seconds' from unnest($1::smallint[]) as w (id) order by id
           on conflict (product_id) do update set until = excluded.until`,
          [ids],
        );
      } catch (error) {
        // Only the frequency of prices depends on it.
        this.#log.warn({ err: error }, 'watched products could not be told');
      }
    }
  }
}
