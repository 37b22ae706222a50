import type { Queryable } from '../platform/db/database.ts';

export interface TickLineQuery {
  readonly productId: number;
  readonly fromMs: number;
  readonly toMs: number;
}

const LONGEST_MS = 2 * 60 * 60 * 1000;
const PARTS = 240;

/**
 * Committed prices from `fromMs` to `toMs`, oldest first, in points: the first of all, then the last of each of 240 equal parts
 * of time. Reads at most the last two hours. The index by product bounds the work, and the last checkpoint before the range tells
 * which partitions are too old, because the log's time never falls. Empty where the log's partitions no longer hold the range, or
 * where it ends before it begins.
 */
export async function readTickLine(
  db: Queryable,
  { productId, fromMs, toMs }: TickLineQuery,
): Promise<{ timeMs: number; price: bigint }[]> {
  const beginMs = Math.max(fromMs, toMs - LONGEST_MS);
  if (beginMs >= toMs) return [];
  const { rows } = await db.query<{ time_ms: string; price: string }>({
    name: 'tick-line',
    text: `select distinct on (part) time_ms, price
           from (
             select index, time_ms, price,
               case when row_number() over (order by time_ms, index) = 1 then -1
                    else (time_ms - $2) * ${PARTS} / ($3 - $2 + 1) end as part
             from log_entries
             where product_id = $1 and kind = log_kind('tick') and time_ms between $2 and $3
               and index >= $4
           ) ticks
           order by part, time_ms desc, index desc`,
    values: [productId, beginMs, toMs, await firstIndexAfter(db, beginMs)],
  });
  return rows.map((row) => ({ timeMs: Number(row.time_ms), price: BigInt(row.price) }));
}

/**
 * An index below which every entry is older than `timeMs`. It is read in a statement of its own: partitions that a constant
 * excludes are not opened, but those that a subquery excludes are.
 */
async function firstIndexAfter(db: Queryable, timeMs: number): Promise<number> {
  const { rows } = await db.query<{ size: string }>({
    name: 'checkpoint-before',
    text: 'select size from log_checkpoints where time_ms < $1 order by time_ms desc limit 1',
    values: [timeMs],
  });
  return Number(rows[0]?.size ?? 0);
}
