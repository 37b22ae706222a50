import type pg from 'pg';
import type { Logger } from 'pino';
import { DailyAudit } from './daily-audit.ts';
import type { Pool } from './db/database.ts';
import { EarningAccrual } from './earnings/accrual.ts';
import { DailyLiabilities } from './liabilities/daily-liabilities.ts';
import { RequestLapse } from './recharge/request-lapse.ts';
import { StatisticsRollUp } from './transparency/statistics-roll-up.ts';
import { PublicHeads } from './treasury/public-heads.ts';

interface Job {
  start(): void;
  stop(): Promise<void>;
}

/** Recurring jobs of processes with the engine's role; a lock in the database lets one process at a time run each. */
export function startEngineJobs(pool: Pool, address: pg.ClientConfig, log: Logger): readonly Job[] {
  const jobs: readonly Job[] = [
    new EarningAccrual(pool, log),
    new RequestLapse(pool, log),
    new PublicHeads(address, log),
    new DailyLiabilities(address, log),
    new DailyAudit(address, log),
    new StatisticsRollUp(pool, log),
  ];
  for (const job of jobs) job.start();
  return jobs;
}
