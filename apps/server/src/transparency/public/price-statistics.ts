import type { PublicStatistics } from '@fairtick/protocol';
import type { Queryable } from '../../platform/db/database.ts';

const MOST_ROWS = 1_000;

type Prices = Pick<PublicStatistics, 'ticks' | 'fixes' | 'aways' | 'sources' | 'halts'>;

/**
 * The counts of prices and sources by the log's writer, and the fixes, halts and absences of sources in the log.
 * @param since SQL of the first UTC day that counts
 */
export async function readPrices(db: Queryable, since: string): Promise<Prices> {
  const { rows } = await db.query<Pick<Prices, 'ticks' | 'fixes'>>(
    `select (select coalesce(sum(ticks), 0)::float8 from tick_statistics where date >= ${since}) as ticks,
       json_build_object('count', coalesce(sum(fixes), 0), 'open', coalesce(sum(open), 0), 'thin', coalesce(sum(thin), 0)) as fixes
     from fix_statistics where date >= ${since}`,
  );
  return {
    ...(rows[0] as (typeof rows)[0]),
    aways: await readAways(db, since),
    sources: await readSources(db, since),
    halts: await readHalts(db, since),
  };
}

/** An interval counts on the day on which it began; one that lasts counts up to now. */
async function readAways(db: Queryable, since: string): Promise<Prices['aways']> {
  const { rows } = await db.query<Prices['aways'][number]>(
    `select source, count(*)::float8 as count, sum(coalesce(until_ms, log_now()) - from_ms)::float8 as "totalMs" from source_aways
     where from_ms >= ${msOf(since)} group by 1 order by 1 limit ${MOST_ROWS}`,
  );
  return rows;
}

const msOf = (day: string): string => `extract(epoch from (${day})::timestamp at time zone 'utc') * 1000`;

async function readSources(db: Queryable, since: string): Promise<Prices['sources']> {
  const { rows } = await db.query<Prices['sources'][number]>(
    `with lags as (
       select source, array_agg(count order by place) as lags, sum(count) as quotes from (
         select source, place, sum(count) as count from source_statistics, unnest(lags) with ordinality as l (count, place)
         where date >= ${since} group by 1, 2
       ) by_place group by 1
     )
     select s.source, coalesce(l.quotes, 0)::float8 as quotes, lag_quantile(l.lags::bigint[], 0.5) as "lagP50",
       lag_quantile(l.lags::bigint[], 0.99) as "lagP99", s.absent, s.stale, s.outliers
     from (
       select source, sum(absent)::float8 as absent, sum(stale)::float8 as stale, sum(outliers)::float8 as outliers from source_statistics
       where date >= ${since} group by 1
     ) s left join lags l using (source) order by s.source limit ${MOST_ROWS}`,
  );
  return rows;
}

/** Halts of all products. One counts on the day on which it began; one that lasts counts up to now. */
async function readHalts(db: Queryable, since: string): Promise<Prices['halts']> {
  const { rows } = await db.query<Prices['halts']>(
    `select count(*)::float8 as count, coalesce(sum(coalesce(ended.time_ms, log_now()) - began.time_ms), 0)::float8 as "totalMs"
     from log_halts began left join log_halts ended on ended.halt_id = began.halt_id and not ended.is_on
     join trading_halts h on h.id = began.halt_id and h.product_id is null
     where began.is_on and began.time_ms >= ${msOf(since)}`,
  );
  return rows[0] as Prices['halts'];
}
