import type { PublicStatistics } from '@fairtick/protocol';
import type { Queryable } from '../../platform/db/database.ts';
import type { Products } from '../../market/products.ts';
import { amountOf, ms } from '../../platform/office-queries.ts';
import { readPrices } from './price-statistics.ts';

export interface StatisticsParts {
  readonly db: Queryable;
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
  const { rows } = await db.query<Pick<PublicStatistics, 'computedAt' | 'countedUntil' | 'from'>>(
    `select ${ms('now()')} as "computedAt", nullif(settles_ms, 0)::float8 as "countedUntil",
       ${ms(`((${SINCE})::timestamp at time zone 'utc')`)} as from from statistics_mark`,
  );
  const [mark] = rows;
  if (!mark) throw new Error('the statistics have no mark');
  return {
    ...mark,
    outcomes: await readOutcomes(parts, false),
    practice: mode === 'demo' ? await readOutcomes(parts, true) : null,
    delays: await readDelays(db),
    refusals: await readRefusals(db),
    gaps: await readGaps(db),
    ...(await readPrices(db, SINCE)),
    withdrawals: await readWithdrawals(db),
  };
}

type Outcomes = PublicStatistics['outcomes'];

/** The columns of the counts of orders, by the names of the answer. */
const COUNTS = {
  won: 'won',
  unpriced: 'unpriced',
  corrected: 'corrected',
  lost: 'lost',
  tied: 'tied',
  void: 'void',
  voidWon: 'void_won',
  voidLost: 'void_lost',
  voidTied: 'void_tied',
} as const;

async function readOutcomes({ db, products }: StatisticsParts, isPractice: boolean): Promise<Outcomes> {
  const columns = Object.values(COUNTS).map((column) => `sum(${column}) as ${column}`);
  const counts = Object.entries(COUNTS).map(([name, column]) => `'${name}', coalesce(sum(${column}), 0)`);
  type Row = Omit<Outcomes['products'][number], 'symbol' | keyof typeof COUNTS> & {
    readonly product: number;
    readonly counts: Record<keyof typeof COUNTS, number>;
  };
  // Shares of stakes may be added over assets, stakes may not: each product and cycle is weighted by its number of orders.
  const { rows } = await db.query<Row>(
    `select product_id as product, minutes, json_build_object(${counts.join(', ')}) as counts,
       round(sum(stated / nullif(staked, 0) * (won + lost)) / nullif(sum(won + lost), 0), 4) as "statedEdge",
       round(sum((staked - paid) / nullif(staked, 0) * (won + lost)) / nullif(sum(won + lost), 0), 4) as "realisedEdge"
     from (
       select s.product_id, s.minutes, s.asset_id, ${columns.join(', ')}, sum(staked) as staked, sum(paid) as paid, sum(stated) as stated
       from order_statistics s join ledger.assets a on a.id = s.asset_id and a.is_practice = $1 where s.date >= ${SINCE}
       group by 1, 2, 3
     ) by_asset
     group by grouping sets ((product_id, minutes), ())
     order by product_id is null desc, sum(won + lost + tied + void) desc limit ${MOST_ROWS + 1}`,
    [isPractice],
  );
  const losers = await db.query<Outcomes['losers'][number]>(
    `select a.code as asset, count(*)::float8 as customers, (count(*) filter (where result < 0))::float8 as lost from (
       select customer_id, asset_id, sum(result) as result from customer_results
       where month > ${TODAY} - interval '1 year' group by 1, 2
     ) c join ledger.assets a on a.id = c.asset_id and a.is_practice = $1 group by a.id order by a.id`,
    [isPractice],
  );
  const [all, ...cycles] = rows as [Row, ...Row[]];
  return {
    ...all.counts,
    products: cycles.map(({ product, counts: own, ...cycle }) => ({
      symbol: products.byId(product).symbol,
      ...own,
      ...cycle,
    })),
    voids: await readVoids(db, isPractice),
    losers: losers.rows,
  };
}

async function readVoids(db: Queryable, isPractice: boolean): Promise<Outcomes['voids']> {
  const { rows } = await db.query<Outcomes['voids'][number]>(
    `select reason, a.code as asset, sum(count)::float8 as count, sum(won)::float8 as won, sum(lost)::float8 as lost,
       sum(tied)::float8 as tied, ${amountOf('sum(returned)')} as returned, ${amountOf('sum(would_pay)')} as "wouldHavePaid"
     from void_statistics v join ledger.assets a on a.id = v.asset_id and a.is_practice = $1 where date >= ${SINCE}
     group by reason, a.id order by sum(count) desc, reason, a.id`,
    [isPractice],
  );
  return rows;
}

/** Upper bounds (ms) of the buckets with the median and the 99th percentile. */
async function readDelays(db: Queryable): Promise<PublicStatistics['delays']> {
  type Delays = PublicStatistics['delays'];
  const { rows } = await db.query<Delays['fix'] & { readonly kind: keyof Delays }>(
    `select kind, max(total)::float8 as count, (min(bucket) filter (where so_far * 2 >= total) + 1) * ${BUCKET_MS} as p50,
       (min(bucket) filter (where so_far * 100 >= total * 99) + 1) * ${BUCKET_MS} as p99
     from (
       select kind, bucket, sum(count) over (partition by kind order by bucket) as so_far, sum(count) over (partition by kind) as total
       from (select kind, bucket, sum(count) as count from delay_statistics where date >= ${SINCE} group by 1, 2) b
     ) d group by kind`,
  );
  const none = { count: 0, p50: null, p99: null };
  return { fix: none, settle: none, ...Object.fromEntries(rows.map(({ kind, ...delay }) => [kind, delay])) };
}

async function readRefusals(db: Queryable): Promise<PublicStatistics['refusals']> {
  const { rows } = await db.query<PublicStatistics['refusals'][number]>(
    `select code, sum(count)::float8 as count, coalesce(sum(count) filter (where result = 1), 0)::float8 as won,
       coalesce(sum(count) filter (where result = -1), 0)::float8 as lost
     from refusal_statistics where date >= ${SINCE} group by 1 order by 2 desc limit 100`,
  );
  return rows;
}

async function readGaps(db: Queryable): Promise<PublicStatistics['gaps']> {
  const { rows } = await db.query<PublicStatistics['gaps'][number]>(
    `select p.symbol, g.reason, sum(g.count)::float8 as count from gap_statistics g join products p on p.id = g.product_id
     where date >= ${SINCE} group by p.id, 2 order by 3 desc, p.id limit ${MOST_ROWS}`,
  );
  return rows;
}

async function readWithdrawals(db: Queryable): Promise<PublicStatistics['withdrawals']> {
  type Withdrawals = PublicStatistics['withdrawals'];
  const lasted = (share: number) =>
    ms(`percentile_disc(${share}) within group (order by decided_at - submitted_at)`);
  const paid = await db.query<Pick<Withdrawals, 'paid' | 'p50' | 'p95'>>(
    `select count(*)::float8 as paid, ${lasted(0.5)} as p50, ${lasted(0.95)} as p95
     from withdrawal_requests where status = 'success' and decided_at >= ${SINCE}`,
  );
  const pending = await db.query<Withdrawals['pending'][number]>(
    `select a.code as asset, count(*)::float8 as count, ${amountOf('sum(amount)')} as sum, ${ms('min(submitted_at)')} as "oldestAt"
     from withdrawal_requests r join ledger.assets a on a.id = r.asset_id where decided_at is null group by a.id order by a.id`,
  );
  const rejections = await db.query<Withdrawals['rejections'][number]>(
    `select coalesce(reason, 'other') as reason, count(*)::float8 as count from withdrawal_requests
     where status = 'failure' and decided_at >= ${SINCE} group by 1 order by 2 desc limit 100`,
  );
  return { paid: 0, p50: null, p95: null, ...paid.rows[0], pending: pending.rows, rejections: rejections.rows };
}
