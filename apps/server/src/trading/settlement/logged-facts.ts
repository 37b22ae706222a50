import { isLoggedInTime, type VoidReason } from '@fairtick/trading';
import type { Queryable } from '../../platform/db/database.ts';

/** Orders that open and settle together: of one batch, one product, one opening time and one settlement time. */
export interface OrderGroup {
  readonly batch: number;
  readonly productId: number;
  readonly opensAtMs: number;
  readonly settlesAtMs: number;
}

/** A price with the index of the entry that states it. */
interface Stated {
  readonly index: number;
  readonly price: bigint;
}

export interface LoggedFix extends Stated {
  readonly isThin: boolean;
  /** The `close`; null where there is none. */
  readonly close: Stated | null;
  /** Whether a close with another price has done for orders what it does. */
  readonly isCorrected: boolean;
}

/** What the log has of a group. */
export interface LoggedFacts {
  /** The time of the `orders` entry that carries the batch; null while none does. */
  readonly loggedAtMs: number | null;
  readonly open: LoggedFix | null;
  readonly settle: LoggedFix | null;
}

/** How a group opened, as far as the log shows it. */
export type Opening =
  | { readonly state: 'pending' }
  | { readonly state: 'void'; readonly reason: VoidReason }
  | { readonly state: 'open'; readonly fix: LoggedFix };

export function openingOf({ loggedAtMs, open }: LoggedFacts, { opensAtMs }: OrderGroup): Opening {
  if (loggedAtMs === null) return { state: 'pending' };
  if (!isLoggedInTime(loggedAtMs, opensAtMs)) return { state: 'void', reason: 'not_logged' };
  if (open === null) return { state: 'pending' };
  return open.isThin ? { state: 'void', reason: 'no_price' } : { state: 'open', fix: open };
}

type FactsRow = {
  logged_ms: string | null;
  open: FixRow | null;
  settle: FixRow | null;
};
/** Index, price, thin, index and price of the close, corrected; prices as text. */
type FixRow = [number, string, boolean, number | null, string | null, boolean];

const FIX_COLUMNS = (name: string) =>
  `case when ${name}.index is not null then jsonb_build_array(${name}.index, ${name}.price::text, ${name}.is_thin,
    ${name}.close_index, ${name}.close_price::text, ${name}.is_corrected) end`;

/** What the log has of each of the groups, in their order. */
export async function readFacts(db: Queryable, groups: readonly OrderGroup[]): Promise<LoggedFacts[]> {
  if (groups.length === 0) return [];
  const { rows } = await db.query<FactsRow>({
    name: 'logged-facts',
    text: `select b.time_ms as logged_ms, ${FIX_COLUMNS('f')} as open, ${FIX_COLUMNS('s')} as settle
      from unnest($1::bigint[], $2::smallint[], $3::bigint[], $4::bigint[]) with ordinality
        as g (batch, product_id, opens_ms, settles_ms, place)
      left join lateral (
        select * from logged_batches where first_batch <= g.batch order by first_batch desc limit 1
      ) b on b.last_batch >= g.batch
      left join logged_fixes f on f.product_id = g.product_id and f.fix_ms = g.opens_ms
      left join logged_fixes s on s.product_id = g.product_id and s.fix_ms = g.settles_ms
      order by g.place`,
    values: [
      groups.map(({ batch }) => batch),
      groups.map(({ productId }) => productId),
      groups.map(({ opensAtMs }) => opensAtMs),
      groups.map(({ settlesAtMs }) => settlesAtMs),
    ],
  });
  return rows.map(({ logged_ms, open, settle }) => ({
    loggedAtMs: logged_ms === null ? null : Number(logged_ms),
    open: open && readFix(open),
    settle: settle && readFix(settle),
  }));
}

function readFix([index, price, isThin, closeIndex, closePrice, isCorrected]: FixRow): LoggedFix {
  const close =
    closeIndex === null || closePrice === null ? null : { index: closeIndex, price: BigInt(closePrice) };
  return { index, price: BigInt(price), isThin, close, isCorrected };
}

/** A batch in the log. */
export interface LoggedBatch {
  /** The index of the `orders` entry that carries the batch. */
  readonly index: number;
  readonly timeMs: number;
  /** The log's size when the batch was accepted. */
  readonly logSize: number;
  /** The log's root at that size, hex. */
  readonly logRoot: string;
}

/** Where a batch stands in the log; null while it is not logged. */
export async function readLoggedBatch(db: Queryable, batch: number): Promise<LoggedBatch | null> {
  const { rows } = await db.query<{
    entry_index: string;
    time_ms: string;
    log_size: string;
    log_root: Buffer;
  }>({
    name: 'logged-batch',
    text: `select l.entry_index, l.time_ms, o.log_size, o.log_root from order_batches o
      cross join lateral (
        select * from logged_batches where first_batch <= o.number order by first_batch desc limit 1
      ) l where o.number = $1 and l.last_batch >= o.number`,
    values: [batch],
  });
  const row = rows[0];
  if (!row) return null;
  return {
    index: Number(row.entry_index),
    timeMs: Number(row.time_ms),
    logSize: Number(row.log_size),
    logRoot: row.log_root.toString('hex'),
  };
}
