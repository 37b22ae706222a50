import type { sourceOperations } from '@fairtick/protocol/office';
import { readOfficeSources } from '../../market/feeds/live/live-report.ts';
import type { PriceAges } from '../../market/price-ages.ts';
import { cached } from '../../platform/cached.ts';
import type { Pool } from '../../platform/db/database.ts';
import type { OfficeHandlers } from '../../platform/office-area.ts';

/** The report is read at most once in this time, ms, however many people look. */
const KEEP_MS = 2_000;

/** @param parts.feed the kind of `FEED` */
export function sourceHandlers(parts: {
  pool: Pool;
  feed: string;
  ages: PriceAges;
}): OfficeHandlers<keyof typeof sourceOperations> {
  const { pool: db, feed, ages } = parts;
  return { 'sources/state': cached(KEEP_MS, () => readOfficeSources({ db, feed, ages })) };
}
