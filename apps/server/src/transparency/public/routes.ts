import type { Data } from '@fairtick/protocol';
import { readPublicSources } from '../../market/feeds/live/live-report.ts';
import { cached } from '../../platform/cached.ts';
import type { Handlers } from '../../platform/http/context.ts';
import { type OwedParts, readHoldings, readLiabilities, readOwed } from '../liabilities/owed-answers.ts';
import { logHandlers } from '../../market/log-routes.ts';
import { readPublicRules } from './public-rules.ts';
import { readPublicStatistics, type StatisticsParts } from './public-statistics.ts';

/** How often the database is queried at most, ms, however many people look. */
const STATISTICS_EVERY_MS = 15_000;
const RECEIPT_EVERY_MS = 5_000;
/** The feed reports its sources each 5 s. */
const SOURCES_EVERY_MS = 2_000;

interface ReceiptSource {
  /** Makes the receipt that anybody may see; null while there is none. */
  readonly publishedReceipt: () => Promise<Data<'transparencyReceipt'>>;
}

export function transparencyHandlers(
  parts: Parameters<typeof logHandlers>[0] &
    StatisticsParts &
    OwedParts &
    ReceiptSource &
    Parameters<typeof readPublicSources>[0],
) {
  return {
    ...logHandlers(parts),
    transparencyStats: cached(STATISTICS_EVERY_MS, () => readPublicStatistics(parts)),
    transparencyRules: cached(STATISTICS_EVERY_MS, () => readPublicRules(parts.db)),
    transparencySources: cached(SOURCES_EVERY_MS, () => readPublicSources(parts)),
    transparencyLiabilities: cached(STATISTICS_EVERY_MS, () => readLiabilities(parts)),
    transparencyHoldings: cached(STATISTICS_EVERY_MS, () => readHoldings(parts)),
    transparencyReceipt: cached(RECEIPT_EVERY_MS, parts.publishedReceipt),
    fundOwed: (_input, { session }) => readOwed(parts, session.customerId),
  } satisfies Partial<Handlers>;
}
