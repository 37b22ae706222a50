import { cached } from '../../platform/cached.ts';
import type { Handlers } from '../../platform/http/context.ts';
import { type OwedParts, readLiabilities, readOwed } from '../liabilities/owed-answers.ts';
import { transparencyHandlers as logHandlers } from '../../market/log/routes.ts';
import { readPublicRules } from './public-rules.ts';
import { readPublicStatistics, type StatisticsParts } from './public-statistics.ts';

/** How often the database is queried at most, ms, however many people look. */
const STATISTICS_EVERY_MS = 15_000;

export function transparencyHandlers(
  parts: Parameters<typeof logHandlers>[0] & StatisticsParts & OwedParts,
): ReturnType<typeof logHandlers> &
  Pick<Handlers, 'transparencyStats' | 'transparencyRules' | 'transparencyLiabilities' | 'fundOwed'> {
  const statistics = cached(STATISTICS_EVERY_MS, () => readPublicStatistics(parts));
  const rules = cached(STATISTICS_EVERY_MS, () => readPublicRules(parts.db));
  const liabilities = cached(STATISTICS_EVERY_MS, () => readLiabilities(parts));
  return {
    ...logHandlers(parts),
    transparencyStats: statistics,
    transparencyRules: rules,
    transparencyLiabilities: liabilities,
    fundOwed: (_input, { session }) => readOwed(parts, session.customerId),
  };
}
