import type pg from 'pg';
import type { Logger } from 'pino';
import { CandlePruning } from '../market/candles/candle-pruning.ts';
import { EarningAccrual } from '../money/earnings/accrual-job.ts';
import { RequestLapse } from '../money/requests/request-lapse.ts';
import { PublicHeads } from '../money/treasury/public-heads.ts';
import { FlagTasks } from '../office/customer-view/flag-tasks-job.ts';
import type { Pool } from '../platform/db/database.ts';
import type { RecurringJob } from '../platform/db/recurring-job.ts';
import { DailyAudit } from '../transparency/audit/daily-audit.ts';
import { DailyLiabilities } from '../transparency/liabilities/daily-liabilities.ts';
import { StatisticsRollUp } from '../transparency/public/statistics-roll-up.ts';

/** Recurring jobs of processes with the engine's role; a lock in the database lets one process at a time run each. */
export function startEngineJobs(
  pool: Pool,
  address: pg.ClientConfig,
  { signingKeyFile, log }: { signingKeyFile: string; log: Logger },
): readonly RecurringJob[] {
  const jobs = [
    new EarningAccrual(pool, log),
    new RequestLapse(pool, log),
    new PublicHeads(address, log),
    new DailyLiabilities(address, log),
    new DailyAudit(address, log, signingKeyFile),
    new StatisticsRollUp(pool, log),
    new CandlePruning(address, log),
    new FlagTasks(pool, log),
  ];
  for (const job of jobs) job.start();
  return jobs;
}
