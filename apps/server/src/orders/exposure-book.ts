import { type Commitment, settlementMinute, TakenOn } from '@fairtick/trading';
import type { Queryable } from '../db/database.ts';
import { ORDERS_PER_BATCH } from './order-terms.ts';

/** A process that has placed nothing for so long reads what others did before it takes the lock, and not under it. */
const STALE_AFTER_MS = 1_000;
/** Nobody reads beside us twice within so short a time. */
const MOST_READS = 3;

/**
 * What the house has taken on, of the current settlement minute and all later ones. Nobody writes it
 * down, for it follows from the orders: read once from those that are still to settle, and from then on added up from each
 * batch, ours as we place it and everybody else's from its orders. Batches are numbered without gaps and commit in their
 * order, so that a number says what is known.
 */
export class ExposureBook {
  readonly #taken = new TakenOn();
  /** Known is the state after this batch; null before anything was read. */
  #batch: number | null = null;
  #readMs = Number.NEGATIVE_INFINITY;
  #fromMinuteMs = 0;

  /** Reads what has happened since, where that may be much. To be called without a lock. */
  async catchUp(db: Queryable): Promise<void> {
    if (this.#batch !== null && performance.now() - this.#readMs < STALE_AFTER_MS) return;
    await this.#read(db);
  }

  /** What was taken on before the batch of this number, to be called while the placement head is locked for it. */
  async before(db: Queryable, batch: number, nowMs: number): Promise<Pick<TakenOn, 'amountsOf'>> {
    // A batch that was reckoned to have failed may have committed after all, and others place too. Whoever reads beside us, without
    // the lock and from an older snapshot, may have been taken up first: then once more.
    for (let tries = 0; this.#batch !== batch - 1 && tries < MOST_READS; tries += 1) await this.#read(db);
    if (this.#batch !== batch - 1) throw new Error(`batch ${batch} does not follow batch ${this.#batch}`);
    this.#forgetBefore(settlementMinute(nowMs));
    return this.#taken;
  }

  /** Whether anything of this product was known to settle in this minute. */
  knows(assetId: number, productId: number, minuteMs: number): boolean {
    return this.#taken.has(assetId, productId, minuteMs);
  }

  /** The batch has committed with these orders. */
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
    // Two may have asked at once.
    if (this.#batch !== after || !rows[0]) return;
    for (const [customerId, assetId, productId, group, minuteMs, income] of rows[0].added ?? []) {
      this.#taken.add({ customerId, assetId, productId, group, minuteMs, income: BigInt(income) });
    }
    this.#batch = Number(rows[0].batch);
    this.#readMs = performance.now();
  }

  /** At most the minutes that the longest contract reaches are kept. */
  #forgetBefore(minuteMs: number): void {
    if (minuteMs <= this.#fromMinuteMs) return;
    this.#fromMinuteMs = minuteMs;
    this.#taken.forgetBefore(minuteMs);
  }
}

/** The sums of {@link TakenOn} for everybody together: of a product (then the group is null) or of a group. */
export interface MinuteExposure {
  readonly assetId: number;
  readonly productId: number | null;
  readonly group: string | null;
  readonly minuteMs: number;
  readonly income: bigint;
}

/** Of the current settlement minute and all later ones, as the database has them now. */
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

/** Whatever settles in the current minute or later, settled or not: found by the index on settlement times. */
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
