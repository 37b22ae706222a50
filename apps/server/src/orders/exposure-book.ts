import { type Exposure, exposureKey, NO_EXPOSURE } from '@fairtick/trading';
import { array, type Client } from '../db/database.ts';

/** Kept are so many at most: a few megabytes. */
const MAX_KEPT = 20_000;

/** Of one asset, scope and minute. */
export interface ExposureName {
  readonly assetId: number;
  readonly scope: string;
  readonly minuteMs: number;
}

/**
 * What the house has taken on, as this process left it. Only batches change it, and they are numbered without gaps: while
 * the next batch is ours as the last one was, what we know of it is what the database holds. As soon as another process has
 * placed one, we know nothing and read again.
 */
export class ExposureBook {
  readonly #known = new Map<string, Exposure>();
  /** Known is the state after this batch. */
  #batch = 0;

  /**
   * The exposures of these names before the batch of this number, by {@link exposureKey}; reads those that aren't known.
   * To be called while the placement head is locked for that batch.
   */
  async read(
    client: Client,
    batch: number,
    names: ReadonlyMap<string, ExposureName>,
  ): Promise<ReadonlyMap<string, Exposure>> {
    if (this.#batch !== batch - 1 || this.#known.size > MAX_KEPT) this.#known.clear();
    this.#batch = batch - 1;
    const missing = [...names].filter(([key]) => !this.#known.has(key));
    if (missing.length > 0) {
      for (const [key] of missing) this.#known.set(key, NO_EXPOSURE);
      try {
        for (const row of await readExposures(
          client,
          missing.map(([, name]) => name),
        )) {
          this.#known.set(exposureKey(row.asset_id, row.scope, Number(row.minute_ms)), exposureOf(row));
        }
      } catch (error) {
        this.#known.clear();
        throw error;
      }
    }
    return this.#known;
  }

  /** The batch has committed and left these. */
  note(batch: number, changed: ReadonlyMap<string, Exposure>): void {
    if (this.#batch !== batch - 1) return;
    for (const [key, exposure] of changed) this.#known.set(key, exposure);
    this.#batch = batch;
  }
}

type ExposureRow = {
  asset_id: number;
  scope: string;
  minute_ms: string;
  up_stake: string;
  up_income: string;
  down_stake: string;
  down_income: string;
};

async function readExposures(client: Client, names: readonly ExposureName[]): Promise<ExposureRow[]> {
  const { rows } = await client.query<ExposureRow>({
    name: 'exposures',
    text: `select e.* from unnest($1::smallint[], $2::text[], $3::bigint[]) as n (asset_id, scope, minute_ms)
      join exposures e using (asset_id, scope, minute_ms)`,
    values: [
      array(names.map(({ assetId }) => assetId)),
      names.map(({ scope }) => scope),
      array(names.map(({ minuteMs }) => minuteMs)),
    ],
  });
  return rows;
}

const exposureOf = (row: ExposureRow): Exposure => ({
  upStake: BigInt(row.up_stake),
  upIncome: BigInt(row.up_income),
  downStake: BigInt(row.down_stake),
  downIncome: BigInt(row.down_income),
});
