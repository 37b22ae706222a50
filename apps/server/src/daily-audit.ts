import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import type { Logger } from 'pino';
import { unlikeTheLog } from './audit-replay-check.ts';
import { SESSION_CHECKS } from './audit-session-checks.ts';
import { RecurringJob } from './db/recurring-job.ts';
import { ordersOfDay } from './replay/ledger-orders.ts';

/** Whether yesterday (UTC) is still to be audited is asked this often. */
const ASK_EVERY_MS = 10 * 60_000;
/** One statement; a step that takes longer fails the run, which is tried again and whose absence is an alert. */
const MOST_MS = 5 * 60_000;
/** After each step three times as long as it took is left to everybody else. */
const PAUSE_SHARE = 3;
/** Held by who makes the steps, until the connection ends: a number of our own among the database's locks. */
const LOCK = 7044;
/** So many findings are kept of a day. */
const MOST_KEPT = 100;

/**
 * Looks once a day for what nobody may do with the rights of the server's role: acts without a session, orders by other terms than
 * the rules', and yesterday's orders settled again from the log's lines. Each step has a snapshot of its own.
 */
export class DailyAudit extends RecurringJob {
  readonly #address: pg.ClientConfig;

  constructor(address: pg.ClientConfig, log: Logger) {
    super(log, { everyMs: ASK_EVERY_MS, complaint: 'the daily audit could not be made', isAtOnce: false });
    this.#address = address;
  }

  /** @returns what was found, or null where nothing was due here */
  async run(): Promise<readonly string[] | null> {
    const client = new pg.Client({
      ...this.#address,
      application_name: 'fairtick audit of the day',
      statement_timeout: MOST_MS,
    });
    // Between two steps nobody waits for an answer: a line that breaks then is told by the next one.
    client.on('error', () => {});
    await client.connect();
    try {
      const lock = await client.query<{ is_ours: boolean }>('select pg_try_advisory_lock($1) as is_ours', [
        LOCK,
      ]);
      if (!lock.rows[0]?.is_ours) return null;
      const { rows } = await client.query<{ day: string | null }>('select audit_due()::text as day');
      const day = rows[0]?.day ?? null;
      if (day === null) return null;
      const findings = await this.#look(client, day);
      if (findings === null) return null;
      await client.query('select audit_keep($1, $2)', [day, JSON.stringify(findings.slice(0, MOST_KEPT))]);
      if (findings.length > 0)
        this.log.error({ findings: findings.slice(0, 10) }, 'the daily audit found what may not be');
      return findings;
    } finally {
      await client.end();
    }
  }

  /** @returns null when it was told to stop meanwhile */
  async #look(client: pg.Client, day: string): Promise<string[] | null> {
    const findings: string[] = [];
    const steps = [
      ...SESSION_CHECKS.map(({ name, sql }) => async () => {
        const { rows } = await client.query<{ detail: string }>(`${sql} limit ${MOST_KEPT}`);
        return rows.map(({ detail }) => `${name}: ${detail}`);
      }),
      async () => {
        const range = await ordersOfDay(client, Date.parse(`${day}T00:00:00Z`));
        return range === null ? [] : unlikeTheLog(client, range);
      },
    ];
    for (const step of steps) {
      if (this.isStopped) return null;
      const beganMs = performance.now();
      await client.query('begin isolation level repeatable read read only');
      // No helper processes: those who place orders meanwhile need the processors.
      await client.query('set local max_parallel_workers_per_gather = 0');
      findings.push(...(await step()));
      await client.query('commit');
      await sleep((performance.now() - beganMs) * PAUSE_SHARE);
    }
    return findings;
  }
}
