import type pg from 'pg';
import type { Logger } from 'pino';
import { alone } from '../../platform/db/alone.ts';
import { RecurringJob } from '../../platform/db/recurring-job.ts';

const EVERY_MS = 600_000;
/** Advisory lock of the process that deletes; its connection's end releases it. */
const LOCK = 7049;
const STATEMENT_MS = 15_000;
/** Candles that one statement deletes at most. */
const STEP = 2_000;
/** Statements of one turn; after a long pause the next turn continues. */
const MOST_STEPS = 2_000;
const MINUTE_MS = 60_000;
/** How many days the candles of a period, in minutes, are kept; longer periods are never deleted. */
const KEPT: readonly { readonly period: number; readonly days: number }[] = [
  { period: 1, days: 10 },
  { period: 5, days: 60 },
];

/**
 * Deletes the oldest candles of one product and period ($1, $2) that begin before $3, over a span of $4 ms from the oldest on. The
 * bounds are constants of the statement, so that it reads the index between them and no other row.
 */
const deleteStep = (
  table: 'candles' | 'venue_candles',
) => `delete from ${table} where product_id = $1 and period = $2
  and time_ms < least($3::bigint, (select min(time_ms) from ${table} where product_id = $1 and period = $2) + $4::bigint)`;

export const DELETE_STEP = deleteStep('candles');
const STEPS = [DELETE_STEP, deleteStep('venue_candles')] as const;

/** Deletes old candles on a connection of its own, in steps of at most {@link STEP} rows; one process at a time does it. */
export class CandlePruning extends RecurringJob {
  readonly #address: pg.ClientConfig;

  constructor(address: pg.ClientConfig, log: Logger) {
    super(log, { everyMs: EVERY_MS, complaint: 'old candles were not deleted' });
    this.#address = address;
  }

  /** @returns how many candles were deleted */
  async run(): Promise<number> {
    const address = {
      ...this.#address,
      application_name: 'fairtick candles',
      statement_timeout: STATEMENT_MS,
    };
    return (await alone(address, LOCK, (client) => this.#prune(client))) ?? 0;
  }

  async #prune(client: pg.Client): Promise<number> {
    const { rows } = await client.query<{ id: number; now: number }>(
      'select id, log_now()::float8 as now from products order by id',
    );
    let deleted = 0;
    let steps = 0;
    for (const { id, now } of rows)
      for (const { period, days } of KEPT) {
        const bounds = [id, period, now - days * 1_440 * MINUTE_MS, STEP * period * MINUTE_MS];
        for (const step of STEPS)
          for (let count = 1; count > 0; deleted += count) {
            if (this.isStopped || steps >= MOST_STEPS) return deleted;
            steps += 1;
            count = (await client.query(step, bounds)).rowCount ?? 0;
          }
      }
    return deleted;
  }
}
