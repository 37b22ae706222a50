import { formatDecimal } from '@fairtick/money';
import type { PublicStatistics } from '@fairtick/protocol';
import type { VoidReason } from '@fairtick/trading';
import type { Assets } from '../../platform/assets.ts';
import type { Queryable } from '../../platform/db/database.ts';
import type { Products } from '../../market/products.ts';
import { readPrices } from './price-statistics.ts';

export interface StatisticsParts {
  readonly db: Queryable;
  readonly assets: Assets;
  readonly products: Products;
  readonly mode: 'demo' | 'live';
}

const DAYS = 90;
const BUCKET_MS = 50;
const MOST_ROWS = 1_000;
/** The log's current day: its clock decides, as for every order. */
const TODAY = `(to_timestamp(log_now() / 1000) at time zone 'utc')::date`;
const SINCE = `${TODAY} - ${DAYS}`;

/** The house's public statistics, from the counts of `statistics_advance`, which derive from orders and log alone. */
export async function readPublicStatistics(parts: StatisticsParts): Promise<PublicStatistics> {
  const { db, mode } = parts;
  const { rows } = await db.query<{ now: number; from: number; until: string }>(
    `select floor(extract(epoch from now()) * 1000)::float8 as now, settles_ms as until,
       floor(extract(epoch from (${SINCE})::timestamp at time zone 'utc') * 1000)::float8 as from from statistics_mark`,
  );
  const [mark] = rows;
  if (!mark) throw new Error('the statistics have no mark');
  const until = Number(mark.until);
  return {
    computedAt: mark.now,
    countedUntil: until === 0 ? null : until,
    from: mark.from,
    outcomes: await readOutcomes(parts, false),
    practice: mode === 'demo' ? await readOutcomes(parts, true) : null,
    delays: await readDelays(db),
    refusals: await readRefusals(db),
    gaps: await readGaps(parts),
    ...(await readPrices(db, SINCE)),
    withdrawals: await readWithdrawals(parts),
  };
}

type OutcomeRow = {
  product_id: number | null;
  minutes: number | null;
  won: string;
  unpriced: string;
  corrected: string;
  lost: string;
  tied: string;
  void: string;
  void_won: string;
  void_lost: string;
  void_tied: string;
  stated: string | null;
  realised: string | null;
};

async function readOutcomes(
  { db, assets, products }: StatisticsParts,
  isPractice: boolean,
): Promise<PublicStatistics['outcomes']> {
  // Shares of stakes may be added over assets, stakes may not: each product and cycle is weighted by its number of orders.
  const { rows } = await db.query<OutcomeRow>(
    `select product_id, minutes, sum(won) as won, sum(unpriced) as unpriced, sum(corrected) as corrected, sum(lost) as lost, sum(tied) as tied, sum(void) as void,
       sum(void_won) as void_won, sum(void_lost) as void_lost, sum(void_tied) as void_tied,
       round(sum(stated / nullif(staked, 0) * (won + lost)) / nullif(sum(won + lost), 0), 4) as stated,
       round(sum((staked - paid) / nullif(staked, 0) * (won + lost)) / nullif(sum(won + lost), 0), 4) as realised
     from (
       select s.product_id, s.minutes, s.asset_id, sum(won) as won, sum(unpriced) as unpriced, sum(corrected) as corrected, sum(lost) as lost, sum(tied) as tied, sum(void) as void,
         sum(void_won) as void_won, sum(void_lost) as void_lost, sum(void_tied) as void_tied, sum(staked) as staked, sum(paid) as paid,
         sum(stated) as stated
       from order_statistics s join ledger.assets a on a.id = s.asset_id and a.is_practice = $1 where s.date >= ${SINCE}
       group by 1, 2, 3
     ) by_asset
     group by grouping sets ((product_id, minutes), ())
     order by product_id is null desc, sum(won + lost + tied + void) desc limit ${MOST_ROWS + 1}`,
    [isPractice],
  );
  const people = await db.query<{ asset_id: number; customers: string; lost: string }>(
    `select asset_id, count(*) as customers, count(*) filter (where result < 0) as lost from (
       select customer_id, asset_id, sum(result) as result from customer_results
       where month > ${TODAY} - interval '1 year' group by 1, 2
     ) c join ledger.assets a on a.id = c.asset_id and a.is_practice = $1 group by 1 order by 1`,
    [isPractice],
  );
  const all = rows.find((row) => row.product_id === null);
  return {
    ...countsOf(all),
    products: rows.flatMap((row) =>
      row.product_id === null
        ? []
        : [
            {
              symbol: products.byId(row.product_id).symbol,
              minutes: row.minutes as number,
              ...countsOf(row),
              statedEdge: row.stated,
              realisedEdge: row.realised,
            },
          ],
    ),
    voids: await readVoids({ db, assets }, isPractice),
    losers: people.rows.map(({ asset_id, customers, lost }) => ({
      asset: assets.byId(asset_id).code,
      customers: Number(customers),
      lost: Number(lost),
    })),
  };
}

async function readVoids(
  { db, assets }: Pick<StatisticsParts, 'db' | 'assets'>,
  isPractice: boolean,
): Promise<PublicStatistics['outcomes']['voids']> {
  type Row = Record<'count' | 'won' | 'lost' | 'tied' | 'returned' | 'would_pay', string> & {
    reason: VoidReason;
    asset_id: number;
  };
  const { rows } = await db.query<Row>(
    `select reason, asset_id, sum(count) as count, sum(won) as won, sum(lost) as lost, sum(tied) as tied, sum(returned) as returned,
       sum(would_pay) as would_pay
     from void_statistics v join ledger.assets a on a.id = v.asset_id and a.is_practice = $1 where date >= ${SINCE}
     group by 1, 2 order by 3 desc, 1, 2`,
    [isPractice],
  );
  return rows.map((row) => {
    const { code, scale } = assets.byId(row.asset_id);
    return {
      reason: row.reason,
      asset: code,
      count: Number(row.count),
      won: Number(row.won),
      lost: Number(row.lost),
      tied: Number(row.tied),
      returned: formatDecimal(BigInt(row.returned), scale),
      wouldHavePaid: formatDecimal(BigInt(row.would_pay), scale),
    };
  });
}

function countsOf(row: OutcomeRow | undefined) {
  return {
    won: Number(row?.won ?? 0),
    unpriced: Number(row?.unpriced ?? 0),
    corrected: Number(row?.corrected ?? 0),
    lost: Number(row?.lost ?? 0),
    tied: Number(row?.tied ?? 0),
    void: Number(row?.void ?? 0),
    voidWon: Number(row?.void_won ?? 0),
    voidLost: Number(row?.void_lost ?? 0),
    voidTied: Number(row?.void_tied ?? 0),
  };
}

/** Upper bounds (ms) of the buckets with the median and the 99th percentile. */
async function readDelays(db: Queryable): Promise<PublicStatistics['delays']> {
  const { rows } = await db.query<{ kind: string; count: string; p50: number | null; p99: number | null }>(
    `select kind, max(total) as count, min(bucket) filter (where so_far * 2 >= total) as p50,
       min(bucket) filter (where so_far * 100 >= total * 99) as p99
     from (
       select kind, bucket, sum(count) over (partition by kind order by bucket) as so_far, sum(count) over (partition by kind) as total
       from (select kind, bucket, sum(count) as count from delay_statistics where date >= ${SINCE} group by 1, 2) b
     ) d group by kind`,
  );
  const of = (kind: string) => {
    const row = rows.find((one) => one.kind === kind);
    const end = (bucket: number | null | undefined) =>
      bucket === null || bucket === undefined ? null : (bucket + 1) * BUCKET_MS;
    return { count: Number(row?.count ?? 0), p50: end(row?.p50), p99: end(row?.p99) };
  };
  return { fix: of('fix'), settle: of('settle') };
}

async function readRefusals(db: Queryable): Promise<PublicStatistics['refusals']> {
  const { rows } = await db.query<{ code: string; count: string; won: string; lost: string }>(
    `select code, sum(count) as count, coalesce(sum(count) filter (where result = 1), 0) as won,
       coalesce(sum(count) filter (where result = -1), 0) as lost
     from refusal_statistics where date >= ${SINCE} group by 1 order by 2 desc limit 100`,
  );
  return rows.map(({ code, count, won, lost }) => ({
    code,
    count: Number(count),
    won: Number(won),
    lost: Number(lost),
  }));
}

async function readGaps({ db, products }: StatisticsParts): Promise<PublicStatistics['gaps']> {
  const { rows } = await db.query<{ product_id: number; reason: string; count: string }>(
    `select product_id, reason, sum(count) as count from gap_statistics where date >= ${SINCE} group by 1, 2
     order by 3 desc, 1 limit ${MOST_ROWS}`,
  );
  return rows.map(({ product_id, reason, count }) => ({
    symbol: products.byId(product_id).symbol,
    reason,
    count: Number(count),
  }));
}

async function readWithdrawals({ db, assets }: StatisticsParts): Promise<PublicStatistics['withdrawals']> {
  const ms = (interval: string) => `floor(extract(epoch from ${interval}) * 1000)::float8`;
  const { rows } = await db.query<{ paid: string; p50: number | null; p95: number | null }>(
    `select count(*) as paid, ${ms(`percentile_disc(0.5) within group (order by decided_at - submitted_at)`)} as p50,
       ${ms(`percentile_disc(0.95) within group (order by decided_at - submitted_at)`)} as p95
     from withdrawal_requests where status = 'success' and decided_at >= ${SINCE}`,
  );
  const pending = await db.query<{ asset_id: number; count: string; sum: string; oldest: number }>(
    `select asset_id, count(*) as count, sum(amount) as sum, ${ms('min(submitted_at)')} as oldest
     from withdrawal_requests where decided_at is null group by 1 order by 1`,
  );
  const rejections = await db.query<{ reason: string; count: string }>(
    `select coalesce(reason, 'other') as reason, count(*) as count from withdrawal_requests
     where status = 'failure' and decided_at >= ${SINCE} group by 1 order by 2 desc limit 100`,
  );
  const [row] = rows;
  return {
    paid: Number(row?.paid ?? 0),
    p50: row?.p50 ?? null,
    p95: row?.p95 ?? null,
    pending: pending.rows.map(({ asset_id, count, sum, oldest }) => {
      const { code, scale } = assets.byId(asset_id);
      return { asset: code, count: Number(count), sum: formatDecimal(BigInt(sum), scale), oldestAt: oldest };
    }),
    rejections: rejections.rows.map(({ reason, count }) => ({ reason, count: Number(count) })),
  };
}
