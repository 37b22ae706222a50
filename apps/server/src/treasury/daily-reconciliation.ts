import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import type { Logger } from 'pino';
import { RecurringJob } from '../db/recurring-job.ts';

/** Whether today's run is still to be done is asked this often; the day is UTC's. */
const ASK_EVERY_MS = 10 * 60_000;
/** One step: as long as a customer with millions of movements may take, and no longer. */
const MOST_MS = 5 * 60_000;
/** After each step three times as long as it took is left to everybody else. */
const PAUSE_SHARE = 3;
/** Held by who makes the steps, until the connection ends: a number of our own among the database's locks. */
const LOCK = 7040;

/**
 * Compares ledger, requests and statements once a day, in steps: it reads every movement there is, and orders go on meanwhile. Several
 * processes may ask: one makes the steps, and another goes on where one has stopped.
 */
export class DailyReconciliation extends RecurringJob {
  readonly #address: pg.ClientConfig;

  constructor(address: pg.ClientConfig, log: Logger) {
    super(log, {
      everyMs: ASK_EVERY_MS,
      complaint: 'the daily reconciliation could not be made',
      isAtOnce: false,
    });
    this.#address = address;
  }

  /** @returns how many findings today's run has, or null where this process did not end it */
  async run(): Promise<number | null> {
    const client = new pg.Client({
      ...this.#address,
      application_name: 'fairtick reconciliation',
      statement_timeout: MOST_MS,
    });
    // Between two steps nobody waits for an answer: a line that breaks then is told by the next one.
    client.on('error', () => {});
    await client.connect();
    try {
      const lock = await client.query<{ is_ours: boolean }>('select pg_try_advisory_lock($1) as is_ours', [
        LOCK,
      ]);
      if (!lock.rows[0]?.is_ours || !(await this.#steps(client))) return null;
      const { rows } = await client.query<{ findings: number }>(
        'select jsonb_array_length(findings) as findings from reconciliations where staff_id is null order by id desc limit 1',
      );
      const findings = rows[0]?.findings ?? null;
      if (findings) this.log.error({ findings }, 'the daily reconciliation found what does not fit');
      return findings;
    } finally {
      await client.end();
    }
  }

  /** @returns whether the last step of today's run was made here */
  async #steps(client: pg.Client): Promise<boolean> {
    for (let made = 0; !this.isStopped; made += 1) {
      const beganMs = performance.now();
      const { rows } = await client.query<{ more: boolean }>('select reconcile_daily_step() as more');
      if (!rows[0]?.more) return made > 0;
      await sleep((performance.now() - beganMs) * PAUSE_SHARE);
    }
    return false;
  }
}
