import { array, type Pool, type Queryable } from '../../platform/db/database.ts';
import { NamedCall } from '../../platform/db/named-call.ts';

/** How many orders one transaction corrects or settles: it holds its locks for less than a tenth of a second. */
export const SETTLE_CHUNK = 2_000;
/** Calls of orders_void before the orders that are due are settled; each judges 16 batches. */
const VOID_ROUNDS = 64;

/** Every `count`th customer's orders, beginning with customer `number`: two lanes never lock the same balance. */
export interface Lane {
  readonly number: number;
  readonly count: number;
}

/** The end of a list of due orders: the next list starts from this settlement time and product. */
interface SettlementPlace {
  readonly settlesAtMs: number;
  readonly productId: number;
}

export const FROM_THE_MARK: SettlementPlace = { settlesAtMs: 0, productId: 0 };

/** The next orders of a lane that are due (orders_due), at most `limit`; `next` is null when there are no more. */
export async function dueOrders(
  db: Queryable,
  { limit, lane, from }: { limit: number; lane: Lane; from: SettlementPlace },
): Promise<{ ids: readonly string[]; next: SettlementPlace | null }> {
  const { rows } = await db.query<{ ids: string[] | null; next_ms: string; next_product: number }>(
    DUE.with({
      limit,
      lane: lane.number,
      lanes: lane.count,
      fromMs: from.settlesAtMs,
      fromProduct: from.productId,
    }),
  );
  const { ids = null, next_ms, next_product } = rows[0] ?? {};
  if (ids === null) return { ids: [], next: null };
  const next = { settlesAtMs: Number(next_ms), productId: Number(next_product) };
  return { ids, next: ids.length < limit ? null : next };
}

const DUE = new NamedCall('orders_due', {
  limit: 'int',
  lane: 'int',
  lanes: 'int',
  fromMs: 'bigint',
  fromProduct: 'smallint',
});

/** Settles these orders of a lane, in one transaction. @returns how many; null while another engine settles the lane */
export async function settleOrders(
  db: Queryable,
  ids: readonly string[],
  lane: Lane,
): Promise<number | null> {
  const { rows } = await db.query<{ result: number | null }>(
    SETTLE.with({ ids: array(ids), lane: lane.number }),
  );
  return rows[0]?.result ?? null;
}

const SETTLE = new NamedCall('orders_settle', { ids: 'bigint[]', lane: 'int' });

/**
 * Voids orders that can no longer open (orders_void).
 * @param onRound runs between two rounds, so that the lease is renewed during a long catch-up
 * @returns how many orders were void
 */
export async function voidUnopenedOrders(
  pool: Pool,
  onRound: () => Promise<unknown> = async () => {},
): Promise<number> {
  let all = 0;
  for (let round = 0; round < VOID_ROUNDS; round += 1) {
    const { rows } = await pool.query<{ voided: number; is_more: boolean }>({
      name: 'void-orders',
      text: 'select * from orders_void()',
    });
    all += rows[0]?.voided ?? 0;
    if (!rows[0]?.is_more) break;
    await onRound();
  }
  return all;
}

/**
 * Pays customers what the closes of fixes add to their orders.
 * @returns how many orders were corrected
 */
export async function correctOrders(
  pool: Pool,
  onChunk: () => Promise<unknown> = async () => {},
): Promise<number> {
  let corrected = 0;
  for (;;) {
    const { rows } = await pool.query<{ orders: number | null }>({
      name: 'correct-orders',
      text: 'select orders_correct($1) as orders',
      values: [SETTLE_CHUNK],
    });
    const orders = rows[0]?.orders ?? null;
    if (orders === null) return corrected;
    corrected += orders;
    await onChunk();
  }
}

/** Moves the mark below which all orders are settled; the next look starts there. */
export async function advanceSettlementHead(pool: Pool): Promise<void> {
  await pool.query({ name: 'advance-settlement', text: 'select orders_advance_settlement()' });
}
