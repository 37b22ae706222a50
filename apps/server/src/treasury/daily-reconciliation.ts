import pg from 'pg';
import type { Logger } from 'pino';
import { RecurringJob } from '../db/recurring-job.ts';

/** Whether today's run is still to be done is asked this often; the day is UTC's. */
const ASK_EVERY_MS = 10 * 60_000;
/** It reads every movement there is: no bound of ordinary statements is meant for it. */
const MOST_MS = 30 * 60_000;

/** Compares ledger, requests and statements once a day. Several processes may ask: the database lets one do it. */
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

  /** @returns how many findings today's run has, or null where it was done before */
  async run(): Promise<number | null> {
    const client = new pg.Client({
      ...this.#address,
      application_name: 'fairtick reconciliation',
      statement_timeout: MOST_MS,
    });
    await client.connect();
    try {
      const made = await client.query<{ id: string | null }>('select reconcile_daily() as id');
      const { rows } = await client.query<{ findings: number }>(
        'select jsonb_array_length(findings) as findings from reconciliations where id = $1',
        [made.rows[0]?.id],
      );
      const findings = rows[0]?.findings ?? null;
      if (findings) this.log.error({ findings }, 'the daily reconciliation found what does not fit');
      return findings;
    } finally {
      await client.end();
    }
  }
}
