import { ASKED_BYTES } from '@fairtick/proof';
import { GRID_MS, MOST_FIX_WAIT_MS } from '@fairtick/trading';
import type { Queryable } from '../../platform/db/database.ts';
import type { DueFixes } from './fix-writer.ts';
import type { WaitingBatch } from './orders-entries.ts';

/** How many batches are read at once. */
const MAX_BATCHES = 1_000;
/** How many due fixes of a product are read at once: after a pause, later steps write the rest. */
const MAX_DUE = 8;

/** The beginning or the end of a halt that the log has to state. */
export interface OwedHalt {
  readonly n: number;
  readonly haltId: number;
  readonly isOn: boolean;
  readonly reason: string;
  /** Null: all products. */
  readonly symbol: string | null;
}

/** What the database has for the next step of the writer. */
export interface Facts {
  readonly databaseMs: number;
  readonly batches: readonly WaitingBatch[];
  readonly due: readonly DueFixes[];
  /** Products that are watched or may have unsettled orders. */
  readonly busy: ReadonlySet<number>;
  readonly halts: readonly OwedHalt[];
}

/**
 * All facts in one statement, at every step: an order for a product that nobody watched must make it tick at the next grid time.
 * @param last the last grid time and the last batch that are written
 */
export async function readFacts(db: Queryable, last: { gridMs: number; batch: number }): Promise<Facts> {
  const { rows } = await db.query<{
    db_ms: number;
    busy: number[] | null;
    halts: HaltRow[] | null;
    due: DueRow[] | null;
    batches: BatchRow[] | null;
  }>({
    name: 'log-facts',
    text: `select (extract(epoch from clock_timestamp()) * 1000)::float8 as db_ms,
      (select array_agg(product_id) from (
        select product_id from watched_products where until > now()
        union select product_id from busy_products, settlement_head where until_ms > least($1, settled_before_ms)
      ) b) as busy,
      (select jsonb_agg(jsonb_build_array(n, halt_id, is_on, reason, symbol) order by n) from halts_owed()) as halts,
      (select jsonb_agg(jsonb_build_array(p.id, l.n, d.times))
       from products p
       left join lateral (select n, fix_ms from logged_fixes where product_id = p.id order by n desc limit 1) l on true
       cross join lateral (
         select array_agg(fix_ms order by fix_ms) as times from (
           select fix_ms from fixes_due where product_id = p.id and fix_ms > greatest(l.fix_ms, $4) order by fix_ms limit $5
         ) f
       ) d where d.times is not null) as due,
      (select jsonb_agg(jsonb_build_array(number, accepted_at_ms, encode(root, 'hex'),
         (select coalesce(string_agg(encode(substr(asked, 1, $6), 'hex'), ' '), '') from orders
          where id >= first_order(b.number) and id < first_order(b.number + 1))) order by number)
       from (select * from order_batches where number > $2 order by number limit $3) b) as batches`,
    values: [
      ...[last.gridMs + GRID_MS, last.batch, MAX_BATCHES],
      ...[last.gridMs - MOST_FIX_WAIT_MS, MAX_DUE, ASKED_BYTES],
    ],
  });
  const row = rows[0];
  if (!row) throw new Error('no facts');
  return {
    databaseMs: row.db_ms,
    busy: new Set(row.busy ?? []),
    halts: (row.halts ?? []).map(([n, haltId, isOn, reason, symbol]) => ({
      n,
      haltId,
      isOn,
      reason,
      symbol,
    })),
    due: (row.due ?? []).map(([productId, lastN, times]) => ({ productId, lastN: lastN ?? 0, times })),
    batches: (row.batches ?? []).map(([number, acceptedAtMs, root, asked]) => ({
      number,
      acceptedAtMs,
      root: Buffer.from(root, 'hex'),
      asked: asked === '' ? [] : asked.split(' '),
    })),
  };
}

type HaltRow = [number, number, boolean, string, string | null];
type DueRow = [number, number | null, number[]];
type BatchRow = [number, number, string, string];
