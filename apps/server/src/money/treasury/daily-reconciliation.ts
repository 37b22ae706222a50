import { setTimeout as sleep } from 'node:timers/promises';
import type pg from 'pg';
import type { Logger } from 'pino';
import { alone } from '../../platform/db/alone.ts';
import { RecurringJob } from '../../platform/db/recurring-job.ts';

/** How often to check whether today's run is still to be done; days are UTC. */
const ASK_EVERY_MS = 10 * 60_000;
/** Statement timeout of one step, ms: enough for a customer with millions of movements. */
const MOST_MS = 5 * 60_000;
/** The pause after each step, as a multiple of its duration, for other work. */
const PAUSE_SHARE = 3;
/** Advisory lock of the process that makes the steps; the connection's end releases it. */
const LOCK = 7040;

/**
 * Compares ledger, requests and statements once a day, in steps, because it reads every movement while orders go on. Several
 * processes may try: one makes the steps, and another continues if it stops.
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

  /** @returns the number of findings of today's run, or null when this process did not finish it */
  async run(): Promise<number | null> {
    const address = {
      ...this.#address,
      application_name: 'fairtick reconciliation',
      statement_timeout: MOST_MS,
    };
    return alone(address, LOCK, async (client) => {
      if (!(await this.#steps(client))) return null;
      const { rows } = await client.query<{ findings: number }>(
        'select jsonb_array_length(findings) as findings from reconciliations where staff_id is null order by id desc limit 1',
      );
      const findings = rows[0]?.findings ?? null;
      if (findings) this.log.error({ findings }, 'the daily reconciliation found what does not fit');
      return findings;
    });
  }

  /** @returns whether this process made the last step of today's run */
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
