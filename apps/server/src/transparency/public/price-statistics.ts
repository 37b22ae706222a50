import type { PublicStatistics } from '@fairtick/protocol';
import type { Products } from '../../market/products.ts';
import type { Queryable } from '../../platform/db/database.ts';

const MOST_ROWS = 1_000;

type Prices = Pick<PublicStatistics, 'holes' | 'ticks' | 'sources' | 'halts'>;

/**
 * The counts of prices and sources by the log's writer, and the halts in the log.
 * @param since SQL of the first UTC day that counts
 */
export async function readPrices(
  { db, products }: { readonly db: Queryable; readonly products: Products },
  since: string,
): Promise<Prices> {
  const ticks = await db.query<{ product_id: number | null; ticks: string; holes: string }>(
    `select product_id, sum(ticks) as ticks, sum(holes) as holes from tick_statistics where date >= ${since}
     group by grouping sets ((product_id), ()) having product_id is null or sum(holes) > 0
     order by product_id is null desc, 3 desc, 1 limit ${MOST_ROWS + 1}`,
  );
  return {
    ticks: Number(ticks.rows.find((row) => row.product_id === null)?.ticks ?? 0),
    holes: ticks.rows.flatMap(({ product_id, holes }) =>
      product_id === null ? [] : [{ symbol: products.byId(product_id).symbol, count: Number(holes) }],
    ),
    sources: await readSources(db, since),
    halts: await readHalts(db, since),
  };
}

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
     where began.is_on and began.time_ms >= extract(epoch from (${since})::timestamp at time zone 'utc') * 1000`,
  );
  return { count: Number(rows[0]?.count ?? 0), totalMs: Number(rows[0]?.total ?? 0) };
}
