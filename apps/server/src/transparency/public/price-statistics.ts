import type { PublicStatistics } from '@fairtick/protocol';
import type { Queryable } from '../../platform/db/database.ts';

const MOST_ROWS = 1_000;

type Prices = Pick<PublicStatistics, 'ticks' | 'fixes' | 'aways' | 'sources' | 'halts'>;

/**
 * The counts of prices and sources by the log's writer, and the fixes, halts and absences of sources in the log.
 * @param since SQL of the first UTC day that counts
 */
export async function readPrices(db: Queryable, since: string): Promise<Prices> {
  type Row = Record<'ticks' | 'fixes' | 'open' | 'thin', string>;
  const { rows } = await db.query<Row>(
    `select (select coalesce(sum(ticks), 0) from tick_statistics where date >= ${since}) as ticks, coalesce(sum(fixes), 0) as fixes,
       coalesce(sum(open), 0) as open, coalesce(sum(thin), 0) as thin from fix_statistics where date >= ${since}`,
  );
  const [row] = rows;
  return {
    ticks: Number(row?.ticks),
    fixes: { count: Number(row?.fixes), open: Number(row?.open), thin: Number(row?.thin) },
    aways: await readAways(db, since),
    sources: await readSources(db, since),
    halts: await readHalts(db, since),
  };
}

/** An interval counts on the day on which it began; one that lasts counts up to now. */
async function readAways(db: Queryable, since: string): Promise<Prices['aways']> {
  const { rows } = await db.query<{ source: string; count: string; total: string }>(
    `select source, count(*) as count, sum(coalesce(until_ms, log_now()) - from_ms) as total from source_aways
     where from_ms >= ${msOf(since)} group by 1 order by 1 limit ${MOST_ROWS}`,
  );
  return rows.map(({ source, count, total }) => ({ source, count: Number(count), totalMs: Number(total) }));
}

const msOf = (day: string): string => `extract(epoch from (${day})::timestamp at time zone 'utc') * 1000`;

async function readSources(db: Queryable, since: string): Promise<Prices['sources']> {
  type Row = Record<'source' | 'quotes' | 'absent' | 'stale' | 'outliers', string> & {
    p50: number | null;
    p99: number | null;
  };
  const { rows } = await db.query<Row>(
    `with lags as (
       select source, array_agg(count order by place) as lags, sum(count) as quotes from (
         select source, place, sum(count) as count from source_statistics, unnest(lags) with ordinality as l (count, place)
         where date >= ${since} group by 1, 2
       ) by_place group by 1
     )
     select s.source, coalesce(l.quotes, 0) as quotes, lag_quantile(l.lags::bigint[], 0.5) as p50, lag_quantile(l.lags::bigint[], 0.99) as p99,
       s.absent, s.stale, s.outliers
     from (
       select source, sum(absent) as absent, sum(stale) as stale, sum(outliers) as outliers from source_statistics
       where date >= ${since} group by 1
     ) s left join lags l using (source) order by s.source limit ${MOST_ROWS}`,
  );
  return rows.map((row) => ({
    source: row.source,
    quotes: Number(row.quotes),
    lagP50: row.p50,
    lagP99: row.p99,
    absent: Number(row.absent),
    stale: Number(row.stale),
    outliers: Number(row.outliers),
  }));
}

/** A halt counts on the day on which it began; one that lasts counts up to now. */
async function readHalts(db: Queryable, since: string): Promise<Prices['halts']> {
  const { rows } = await db.query<{ count: string; total: string }>(
    `select count(*) as count, coalesce(sum(coalesce(ended.time_ms, log_now()) - began.time_ms), 0) as total
     from log_halts began left join log_halts ended on ended.halt_id = began.halt_id and not ended.is_on
     where began.is_on and began.time_ms >= ${msOf(since)}`,
  );
  return { count: Number(rows[0]?.count ?? 0), totalMs: Number(rows[0]?.total ?? 0) };
}
