import type { EarningsRecord, EarningsSummary, Language } from '@fairtick/protocol';
import type { Asset } from '../../platform/assets.ts';
import type { Queryable } from '../../platform/db/database.ts';
import { amountOf } from '../../platform/office-queries.ts';
import { introText } from './intro.ts';
import { rateOf } from './rate-text.ts';

/** Rows of the rate table that are returned: future rates, and the newest past ones. */
const MOST_RATES = 20;

type SummaryRow = Omit<
  EarningsSummary,
  'annualRate' | 'nextRate' | 'rates' | 'isSample' | 'intro' | 'assets'
> & {
  readonly rates: readonly { from: string; annualRate: string; isComing: boolean; isSample: boolean }[];
};

/** A customer's earnings in one asset. Books first what is due since midnight. */
export async function readSummary(
  db: Queryable,
  { customerId, asset, language }: { customerId: string; asset: Asset; language: Language },
): Promise<EarningsSummary> {
  await db.query('select earning_look($1)', [customerId]);
  const { rows } = await db.query<SummaryRow>(
    `with today as materialized (select earning_today() as day)
     select a.code as asset, ${amountOf('b.earning')} as total, ${amountOf('b.available')} as available,
       ${amountOf('coalesce(e.accumulated, 0)')} as accumulated,
       ${amountOf(`coalesce((select i.interest from earning_interest i
         where i.customer_id = $1 and i.asset_id = $2 and i.day = t.day - 1), 0)`)} as "yesterdayInterest",
       ${amountOf('case when e.low_day >= t.day then e.low else b.earning end')} as "countsToday",
       (extract(epoch from t.day + 1) * 1000)::float8 as "nextAccrualAt",
       (select coalesce(json_agg(r order by r.from desc), '[]') from (
         select r.from_day::text as from, ${rateOf('r.annual_ppm')} as "annualRate", r.from_day > t.day as "isComing",
           r.proposal_id is null as "isSample"
         from earning_rates r
         where r.asset_id = $2 and (r.proposal_id is not null or (select mode from house_settings) = 'demo')
         order by r.from_day desc limit ${MOST_RATES}
       ) r) as rates
     from ledger.balances b join ledger.assets a on a.id = b.asset_id cross join today t
     left join earning_accounts e on e.customer_id = b.owner_id and e.asset_id = b.asset_id
     where b.owner_id = $1 and b.asset_id = $2`,
    [customerId, asset.id],
  );
  const row = rows[0];
  if (!row) throw new Error(`customer ${customerId} has no balance of ${asset.code}`);
  const current = row.rates.find(({ isComing }) => !isComing);
  const next = row.rates.findLast(({ isComing }) => isComing);
  const isSample = current?.isSample === true;
  return {
    ...row,
    annualRate: current?.annualRate ?? null,
    nextRate: next ? { annualRate: next.annualRate, from: next.from } : null,
    rates: row.rates.map(({ from, annualRate }) => ({ from, annualRate })),
    isSample,
    intro: introText(language, isSample),
    assets: await readAssets(db, customerId),
  };
}

/** A short summary of each asset that can earn. */
async function readAssets(db: Queryable, customerId: string): Promise<EarningsSummary['assets']> {
  const { rows } = await db.query<EarningsSummary['assets'][number]>(
    `select a.code as asset, ${amountOf('b.available')} as available, ${amountOf('b.earning')} as total,
       ${rateOf('(earning_rate_on(b.asset_id, earning_today())).annual_ppm')} as "annualRate"
     from ledger.balances b join ledger.assets a on a.id = b.asset_id
     where b.owner_id = $1 and not a.is_practice order by b.asset_id`,
    [customerId],
  );
  return rows;
}

export interface RecordFilter {
  readonly customerId: string;
  /** Undefined: all assets. */
  readonly assetId: number | undefined;
  /** Includes days whose interest rounds down to zero. */
  readonly hasEmptyDays: boolean;
  readonly before: { readonly day: string; readonly assetId: number } | undefined;
  readonly limit: number;
}

/** Interest by day, newest first; within a day by asset. */
export async function readRecords(
  db: Queryable,
  { customerId, assetId, hasEmptyDays, before, limit }: RecordFilter,
): Promise<(EarningsRecord & { readonly id: string })[]> {
  await db.query('select earning_look($1)', [customerId]);
  const { rows } = await db.query<EarningsRecord & { readonly id: string }>(
    `select to_char(i.day, 'YYYYMMDD-') || i.asset_id as id, a.code as asset, i.day::text as date, ${amountOf('i.principal')} as principal,
       ${rateOf('i.annual_ppm')} as rate, ${amountOf('i.interest')} as interest
     from earning_interest i join ledger.assets a on a.id = i.asset_id
     where i.customer_id = $1 and ($2::smallint is null or i.asset_id = $2) and ($3 or i.interest > 0)
       and ($4::date is null or i.day < $4 or (i.day = $4 and i.asset_id > $5))
     order by i.day desc, i.asset_id limit $6`,
    [customerId, assetId, hasEmptyDays, before?.day, before?.assetId, limit],
  );
  return rows;
}
