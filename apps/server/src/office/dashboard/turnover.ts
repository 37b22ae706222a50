import type { Queryable } from '../../platform/db/database.ts';

const HOUR_MS = 3_600_000;
/** An hour is closed this long after its end: by then all orders accepted in it are written. */
const CLOSED_AFTER_MS = 60_000;
const DAYS = 14;

export interface HourTurnover {
  readonly hour: number;
  readonly assetId: number;
  readonly orders: number;
  readonly stakes: bigint;
}

/**
 * Stakes of orders by the hour of their acceptance. A closed hour never changes, so a process reads each one once. The query uses
 * the index on settlement times, since an order settles at most an hour and a second after its acceptance.
 */
export class Turnover {
  readonly #db: Queryable;
  readonly #closed = new Map<number, readonly HourTurnover[]>();

  constructor(db: Queryable) {
    this.#db = db;
  }

  /** The last 14 UTC days including today, oldest first. */
  async read(nowMs: number): Promise<HourTurnover[]> {
    const first = Math.floor(nowMs / (24 * HOUR_MS)) * 24 - (DAYS - 1) * 24;
    const last = Math.floor(nowMs / HOUR_MS);
    for (const hour of this.#closed.keys()) if (hour < first) this.#closed.delete(hour);
    let from = first;
    while (from <= last && this.#closed.has(from)) from += 1;
    const rows = from > last ? [] : await this.#readHours(from, last);
    for (let hour = from; hour <= last; hour += 1) {
      if ((hour + 1) * HOUR_MS + CLOSED_AFTER_MS > nowMs) break;
      this.#closed.set(
        hour,
        rows.filter((row) => row.hour === hour),
      );
    }
    const known = [...this.#closed].filter(([hour]) => hour < from).flatMap(([, hours]) => hours);
    return [...known, ...rows];
  }

  async #readHours(from: number, last: number): Promise<HourTurnover[]> {
    const { rows } = await this.#db.query<{ hour: string; asset_id: number; orders: string; stakes: string }>(
      `select accepted_at_ms / 3600000 as hour, asset_id, count(*) as orders, sum(stake) as stakes from orders
       where settles_at_ms >= $1 and settles_at_ms < $2::bigint + 3602000 and accepted_at_ms >= $1 and accepted_at_ms < $2
       group by 1, 2 order by 1, 2`,
      [from * HOUR_MS, (last + 1) * HOUR_MS],
    );
    return rows.map((row) => ({
      hour: Number(row.hour),
      assetId: row.asset_id,
      orders: Number(row.orders),
      stakes: BigInt(row.stakes),
    }));
  }
}
