import type { Client, Pool } from '../../../apps/server/src/platform/db/database.ts';
import { judge } from '../../../apps/server/src/trading/placement/place-orders.ts';
import type { OrderRequest } from '../../../apps/server/src/trading/placement/placement-parts.ts';

/** Batches that are placed in one transaction of the owner's, of which nothing stays. */
export class Trial {
  readonly #client: Client;

  private constructor(client: Client) {
    this.#client = client;
  }

  static async run<T>(owner: Pool, work: (trial: Trial) => Promise<T>): Promise<T> {
    const client = await owner.connect();
    try {
      await client.query('begin');
      return await work(new Trial(client));
    } finally {
      await client.query('rollback');
      client.release();
    }
  }

  async change(...statements: readonly string[]): Promise<void> {
    for (const statement of statements) await this.#client.query(statement);
  }

  /** Sets the log's time: its last entry and the newest ticks are of this moment. */
  async setTime(ms: number): Promise<void> {
    await this.change(
      `update log_entries set time_ms = ${ms} where index = (select size - 1 from log_head)`,
      `update product_states set tick_ms = ${ms} where tick_ms is not null`,
      `update log_head set time_ms = ${ms}`,
    );
  }

  /** Places a batch; returns `accepted` for each request, or the refusal with the bound that it names. */
  async place(requests: readonly OrderRequest[]): Promise<string[]> {
    const judged = await judge(
      this.#client,
      requests,
      requests.map(() => null),
    );
    const answers = judged.faults.map((fault, at) =>
      fault === null ? 'accepted' : [fault, judged.bounds[at] ?? []].flat().join(' '),
    );
    const leaves = Buffer.alloc(32 * answers.filter((answer) => answer === 'accepted').length);
    if (leaves.length > 0)
      await this.#client.query(`select orders_seal($1, sha256('root'), $2, '')`, [judged.batch, leaves]);
    return answers;
  }

  /** The orders of the newest batch, in their order. */
  async orders(): Promise<{ rate: number; income: bigint; opensAtMs: number; settlesAtMs: number }[]> {
    const { rows } = await this.#client.query(
      `select payout_rate_bps, income, opens_at_ms, settles_at_ms from orders
       where batch_of(id) = (select next_batch - 1 from placement_head) order by id`,
    );
    return rows.map((row) => ({
      rate: row.payout_rate_bps,
      income: BigInt(row.income),
      opensAtMs: Number(row.opens_at_ms),
      settlesAtMs: Number(row.settles_at_ms),
    }));
  }
}
