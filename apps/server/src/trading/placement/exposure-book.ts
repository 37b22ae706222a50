import { type Commitment, settlementMinute, TakenOn } from '@fairtick/trading';
import type { Queryable } from '../../platform/db/database.ts';
import { ORDERS_PER_BATCH } from '../orders/order-terms.ts';

/** After this long without placing, a process reads the orders of other processes before it takes the lock, not under it. */
const STALE_AFTER_MS = 1_000;
/** Most reads under the lock: a concurrent read can make one of them useless, but not three in a row. */
const MOST_READS = 3;

/**
 * The house's exposure of the current settlement minute and all later ones. It is not stored, because it follows from the
 * orders: read once from the unsettled ones, then added up from each batch, our own when it commits and those of other processes
 * from their orders. Batches are numbered without gaps and commit in that order, so one batch number says which orders are
 * included.
 */
export class ExposureBook {
  readonly #taken = new TakenOn();
  /** The state includes all batches up to this one; null before the first read. */
  #batch: number | null = null;
  #readMs = Number.NEGATIVE_INFINITY;
  #fromMinuteMs = 0;

  /** Reads what other processes placed since the last read, which may be much. Call it without a lock. */
  async catchUp(db: Queryable): Promise<void> {
    if (this.#batch !== null && performance.now() - this.#readMs < STALE_AFTER_MS) return;
    await this.#read(db);
  }

  /** The exposure before the batch of this number. Call it while the placement head is locked for that batch. */
  async before(db: Queryable, batch: number, nowMs: number): Promise<Pick<TakenOn, 'amountsOf'>> {
    // A batch that seemed to fail may have committed, and other processes place orders too. A concurrent read of this process,
    // without the lock and with an older snapshot, may have been applied first: then read again.
    for (let tries = 0; this.#batch !== batch - 1 && tries < MOST_READS; tries += 1) await this.#read(db);
    if (this.#batch !== batch - 1) throw new Error(`batch ${batch} does not follow batch ${this.#batch}`);
    this.#forgetBefore(settlementMinute(nowMs));
    return this.#taken;
  }

  /** Whether the book has an order on this product that settles in this minute. */
  knows(assetId: number, productId: number, minuteMs: number): boolean {
    return this.#taken.has(assetId, productId, minuteMs);
  }

  /** Adds the orders of a batch that has committed. */
  note(batch: number, orders: readonly Commitment[]): void {
    if (this.#batch !== batch - 1) return;
    for (const order of orders) this.#taken.add(order);
    this.#batch = batch;
    this.#readMs = performance.now();
  }

  async #read(db: Queryable): Promise<void> {
    const after = this.#batch;
    const { rows } = await db.query<{ batch: string; added: Added[] | null }>(
      after === null
        ? { name: 'exposures', text: incomesOf(UNSETTLED) }
        : {
            name: 'exposures-since',
            text: incomesOf('o.id >= $1'),
            values: [(after + 1) * ORDERS_PER_BATCH],
          },
    );
    // A concurrent read may have been applied first.
    if (this.#batch !== after || !rows[0]) return;
    for (const [customerId, assetId, productId, group, minuteMs, income] of rows[0].added ?? []) {
      this.#taken.add({ customerId, assetId, productId, group, minuteMs, income: BigInt(income) });
    }
    this.#batch = Number(rows[0].batch);
    this.#readMs = performance.now();
  }

  /** Keeps only the minutes within the longest cycle from now. */
  #forgetBefore(minuteMs: number): void {
    if (minuteMs <= this.#fromMinuteMs) return;
    this.#fromMinuteMs = minuteMs;
    this.#taken.forgetBefore(minuteMs);
  }
}

/** The sums of {@link TakenOn} over all customers, per product (group is null) or per group. */
export interface MinuteExposure {
  readonly assetId: number;
  readonly productId: number | null;
  readonly group: string | null;
  readonly minuteMs: number;
  readonly income: bigint;
}

/** Exposures of the current settlement minute and all later ones, as the database has them now. */
export async function readExposures(db: Queryable): Promise<MinuteExposure[]> {
  const { rows } = await db.query<MinuteExposure & { income: string }>({
    name: 'exposures-of-all',
    text: `
      select o.asset_id as "assetId", o.product_id as "productId", p.exposure_group as "group",
        (o.settles_at_ms / 60000 * 60000)::float8 as "minuteMs", sum(o.income)::text as income
      from orders o join products p on p.id = o.product_id where ${UNSETTLED}
      group by grouping sets ((1, 4, 2), (1, 4, 3))`,
  });
  return rows.map((row) => ({ ...row, income: BigInt(row.income) }));
}

/** Customer, asset, product, its group, minute, income. */
type Added = [string, number, number, string, number, string];

/** Orders that settle in the current minute or later, settled or not; the index on settlement times finds them. */
const UNSETTLED = 'o.settles_at_ms >= (select log_now()) / 60000 * 60000';

/** One statement, so that the batch and the orders are of one snapshot. */
const incomesOf = (orders: string) => `
  select (select coalesce(max(number), 0) from order_batches) as batch, (
    select json_agg(json_build_array(e.customer_id::text, e.asset_id, e.product_id, p.exposure_group, e.minute_ms, e.income::text))
    from (
      select o.customer_id, o.asset_id, o.product_id, o.settles_at_ms / 60000 * 60000 as minute_ms, sum(o.income) as income
      from orders o where ${orders} group by 1, 2, 3, 4
    ) e join products p on p.id = e.product_id
  ) as added`;
