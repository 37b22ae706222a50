import {
  type Exposure,
  exposureKey,
  groupScope,
  NO_EXPOSURE,
  productScope,
  settlementMinute,
  sumOfExposures,
} from '@fairtick/trading';
import type { Queryable } from '../db/database.ts';
import { ORDERS_PER_BATCH } from './order-terms.ts';

/** A process that has placed nothing for so long reads what others did before it takes the lock, and not under it. */
const STALE_AFTER_MS = 1_000;
/** Nobody reads beside us twice within so short a time. */
const MOST_READS = 3;

/**
 * What the house has taken on, by {@link exposureKey}: of the current settlement minute and all later ones. Nobody writes it
 * down, for it follows from the orders: read once from those that are still to settle, and from then on added up from each
 * batch, ours as we place it and everybody else's from its orders. Batches are numbered without gaps and commit in their
 * order, so that a number says what is known.
 */
export class ExposureBook {
  readonly #known = new Map<string, Exposure>();
  /** Known is the state after this batch; null before anything was read. */
  #batch: number | null = null;
  #readMs = Number.NEGATIVE_INFINITY;
  #fromMinuteMs = 0;

  /** Reads what has happened since, where that may be much. To be called without a lock. */
  async catchUp(db: Queryable): Promise<void> {
    if (this.#batch !== null && performance.now() - this.#readMs < STALE_AFTER_MS) return;
    await this.#read(db);
  }

  /** The exposures before the batch of this number, to be called while the placement head is locked for it. */
  async before(db: Queryable, batch: number, nowMs: number): Promise<ReadonlyMap<string, Exposure>> {
    // A batch that was reckoned to have failed may have committed after all, and others place too. Whoever reads beside us, without
    // the lock and from an older snapshot, may have been taken up first: then once more.
    for (let tries = 0; this.#batch !== batch - 1 && tries < MOST_READS; tries += 1) await this.#read(db);
    if (this.#batch !== batch - 1) throw new Error(`batch ${batch} does not follow batch ${this.#batch}`);
    this.#forgetBefore(settlementMinute(nowMs));
    return this.#known;
  }

  /** All of it as {@link catchUp} has read it. */
  get all(): ReadonlyMap<string, Exposure> {
    return this.#known;
  }

  /** Whether anything of this product was known to settle in this minute. */
  knows(assetId: number, productId: number, minuteMs: number): boolean {
    return this.#known.has(exposureKey(assetId, productScope(productId), minuteMs));
  }

  /** The batch has committed and left these. */
  note(batch: number, changed: ReadonlyMap<string, Exposure>): void {
    if (this.#batch !== batch - 1) return;
    for (const [key, exposure] of changed) this.#known.set(key, exposure);
    this.#batch = batch;
    this.#readMs = performance.now();
  }

  async #read(db: Queryable): Promise<void> {
    const after = this.#batch;
    const { rows } = await db.query<{ batch: string; added: Added[] | null }>(
      after === null
        ? { name: 'exposures', text: exposuresOf(UNSETTLED) }
        : {
            name: 'exposures-since',
            text: exposuresOf('o.id >= $1'),
            values: [(after + 1) * ORDERS_PER_BATCH],
          },
    );
    // Two may have asked at once.
    if (this.#batch !== after || !rows[0]) return;
    for (const [assetId, productId, group, minuteMs, ...amounts] of rows[0].added ?? []) {
      const [upStake, upIncome, downStake, downIncome] = amounts.map(BigInt) as [
        bigint,
        bigint,
        bigint,
        bigint,
      ];
      const added = { upStake, upIncome, downStake, downIncome };
      for (const scope of [productScope(productId), groupScope(group)]) {
        const key = exposureKey(assetId, scope, minuteMs);
        this.#known.set(key, sumOfExposures(this.#known.get(key) ?? NO_EXPOSURE, added));
      }
    }
    this.#batch = Number(rows[0].batch);
    this.#readMs = performance.now();
  }

  /** At most an hour of minutes is kept, of each asset and scope. */
  #forgetBefore(minuteMs: number): void {
    if (minuteMs <= this.#fromMinuteMs) return;
    this.#fromMinuteMs = minuteMs;
    for (const key of this.#known.keys()) {
      if (Number(key.slice(key.lastIndexOf(':') + 1)) < minuteMs) this.#known.delete(key);
    }
  }
}

/** Asset, product, its group, minute; stakes and incomes of up, and of down. */
type Added = [number, number, string, number, string, string, string, string];

/** Whatever settles in the current minute or later, settled or not: found by the index on settlement times. */
const UNSETTLED = 'o.settles_at_ms >= (select log_now()) / 60000 * 60000';

/** One statement, so that the batch and the orders are of one snapshot. */
const exposuresOf = (orders: string) => `
  select (select coalesce(max(number), 0) from order_batches) as batch, (
    select json_agg(json_build_array(e.asset_id, e.product_id, p.exposure_group, e.minute_ms,
      e.up_stake::text, e.up_income::text, e.down_stake::text, e.down_income::text))
    from (
      select o.asset_id, o.product_id, o.settles_at_ms / 60000 * 60000 as minute_ms,
        coalesce(sum(o.stake) filter (where o.direction = 1), 0) as up_stake,
        coalesce(sum(o.income) filter (where o.direction = 1), 0) as up_income,
        coalesce(sum(o.stake) filter (where o.direction = -1), 0) as down_stake,
        coalesce(sum(o.income) filter (where o.direction = -1), 0) as down_income
      from orders o where ${orders} group by 1, 2, 3
    ) e join products p on p.id = e.product_id
  ) as added`;
