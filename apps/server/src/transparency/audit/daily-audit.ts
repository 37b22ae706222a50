import { existsSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import type pg from 'pg';
import type { Logger } from 'pino';
import { alone } from '../../platform/db/alone.ts';
import { RecurringJob } from '../../platform/db/recurring-job.ts';
import { batchOf } from '../../trading/order-terms.ts';
import { ordersOfDay } from '../replay/ledger-orders.ts';
import { wronglySigned } from './audit-batch-check.ts';
import { failureByRows } from './audit-checks.ts';
import { unlikeTheLog } from './audit-replay-check.ts';
import { SESSION_CHECKS } from './audit-session-checks.ts';

/** How often it is checked whether yesterday (UTC) is due for the audit. */
const ASK_EVERY_MS = 10 * 60_000;
/** Timeout of a statement. A step that takes longer fails the run, which is retried; a missing audit raises an alert. */
const MOST_MS = 5 * 60_000;
/** Pause after each step, as a multiple of its duration, which leaves the database to other work. */
const PAUSE_SHARE = 3;
/** Advisory lock, held by the process that runs the audit until its connection ends. */
const LOCK = 7048;
/** Most findings kept of a day. */
const MOST_KEPT = 100;

/**
 * Audits once a day what the server's database role must not do: acts without a session, orders with terms that
 * contradict the rules, and yesterday's orders and the signatures of their batches. Each step has its own snapshot.
 */
export class DailyAudit extends RecurringJob {
  readonly #address: pg.ClientConfig;
  readonly #signingKeyFile: string;

  constructor(address: pg.ClientConfig, log: Logger, signingKeyFile: string) {
    super(log, { everyMs: ASK_EVERY_MS, complaint: 'the daily audit could not be made', isAtOnce: false });
    this.#address = address;
    this.#signingKeyFile = signingKeyFile;
  }

  /** @returns the findings, or null when no audit was due here */
  async run(): Promise<readonly string[] | null> {
    const address = {
      ...this.#address,
      application_name: 'fairtick audit of the day',
      statement_timeout: MOST_MS,
    };
    return alone(address, LOCK, async (client) => {
      const { rows } = await client.query<{ day: string | null }>('select audit_due()::text as day');
      const day = rows[0]?.day ?? null;
      if (day === null) return null;
      const findings = await this.#look(client, day);
      if (findings === null) return null;
      await client.query('select audit_keep($1, $2)', [day, JSON.stringify(findings.slice(0, MOST_KEPT))]);
      if (findings.length > 0)
        this.log.error({ findings: findings.slice(0, 10) }, 'the daily audit found what may not be');
      return findings;
    });
  }

  /** @returns null when it was stopped meanwhile */
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
      async () => {
        const range = await ordersOfDay(client, Date.parse(`${day}T00:00:00Z`));
        if (range === null) return [];
        if (!existsSync(this.#signingKeyFile)) {
          this.log.warn('the daily audit checks no signatures, because this process has no key file');
          return [];
        }
        return wronglySigned(client, this.#signingKeyFile, {
          first: batchOf(range.first),
          last: batchOf(range.last),
        });
      },
    ];
    for (const step of steps) {
      if (this.isStopped) return null;
      const beganMs = performance.now();
      await client.query('begin isolation level repeatable read read only');
      // No parallel workers, because orders need the processors.
      await client.query('set local max_parallel_workers_per_gather = 0');
      try {
        findings.push(...(await step()));
      } catch (error) {
        findings.push(failureByRows(error));
      }
      await client.query('rollback');
      await sleep((performance.now() - beganMs) * PAUSE_SHARE);
    }
    return findings;
  }
}
