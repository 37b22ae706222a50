import pg from 'pg';
import type { Logger } from 'pino';
import { RecurringJob } from '../../platform/db/recurring-job.ts';

/** How often to check whether the hour has passed. */
const ASK_EVERY_MS = 60_000;
/** Statement timeout, ms: it hashes the movements of an hour, or all since the first, so ordinary timeouts are too short. */
const MOST_MS = 30 * 60_000;

/** Takes the heads of ledger and audit log once an hour, for the public log. Several processes may try; one of them does it. */
export class PublicHeads extends RecurringJob {
  readonly #address: pg.ClientConfig;

  constructor(address: pg.ClientConfig, log: Logger) {
    super(log, { everyMs: ASK_EVERY_MS, complaint: 'the heads could not be taken' });
    this.#address = address;
  }

  /** @returns the number of the new head, or null when none was due */
  async run(): Promise<string | null> {
    const client = new pg.Client({
      ...this.#address,
      application_name: 'fairtick heads',
      statement_timeout: MOST_MS,
    });
    await client.connect();
    try {
      const { rows } = await client.query<{ number: string | null }>('select heads_take() as number');
      return rows[0]?.number ?? null;
    } finally {
      await client.end();
    }
  }
}
