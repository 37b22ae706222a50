import type { EarningsRecord, EarningsSummary, Language } from '@fairtick/protocol';
import { amountText } from '../../platform/amounts.ts';
import type { Asset, Assets } from '../../platform/assets.ts';
import type { Queryable } from '../../platform/db/database.ts';
import { introText } from './intro.ts';
import { rateText } from './rate-text.ts';

/** Rows of the rate table that are returned: future rates, and the newest past ones. */
const MOST_RATES = 20;

interface SummaryRow {
  readonly available: string;
  readonly earning: string;
  readonly accumulated: string;
  readonly yesterday: string;
  readonly counts: string;
  readonly next_ms: string;
  readonly rates: readonly { from: string; ppm: number; is_coming: boolean; is_sample: boolean }[];
}

/** A customer's earnings in one asset, in wire format. Books first what is due since midnight. */
export async function readSummary(
  db: Queryable,
  assets: Assets,
  { customerId, asset, language }: { customerId: string; asset: Asset; language: Language },
): Promise<EarningsSummary> {
  await db.query('select earning_look($1)', [customerId]);
  const { rows } = await db.query<SummaryRow>(
    `with today as materialized (select earning_today() as day)
     select b.available, b.earning, coalesce(e.accumulated, 0) as accumulated,
       coalesce((select i.interest from earning_interest i
         where i.customer_id = $1 and i.asset_id = $2 and i.day = t.day - 1), 0) as yesterday,
       case when e.low_day >= t.day then e.low else b.earning end as counts,
       extract(epoch from t.day + 1)::bigint * 1000 as next_ms,
       (select coalesce(json_agg(r order by r.from desc), '[]') from (
         select r.from_day::text as from, r.annual_ppm as ppm, r.from_day > t.day as is_coming, r.proposal_id is null as is_sample
         from earning_rates r
         where r.asset_id = $2 and (r.proposal_id is not null or (select mode from house_settings) = 'demo')
         order by r.from_day desc limit ${MOST_RATES}
       ) r) as rates
     from ledger.balances b cross join today t
     left join earning_accounts e on e.customer_id = b.owner_id and e.asset_id = b.asset_id
     where b.owner_id = $1 and b.asset_id = $2`,
    [customerId, asset.id],
  );
  const row = rows[0];
  if (!row) throw new Error(`customer ${customerId} has no balance of ${asset.code}`);
  const current = row.rates.find(({ is_coming }) => !is_coming);
  const next = row.rates.findLast(({ is_coming }) => is_coming);
  const isSample = current?.is_sample === true;
  return {
    asset: asset.code,
    total: amountText(row.earning, asset),
    available: amountText(row.available, asset),
    yesterdayInterest: amountText(row.yesterday, asset),
    accumulated: amountText(row.accumulated, asset),
    annualRate: current ? rateText(current.ppm) : null,
    nextRate: next ? { annualRate: rateText(next.ppm), from: next.from } : null,
    rates: row.rates.map(({ from, ppm }) => ({ from, annualRate: rateText(ppm) })),
    isSample,
    countsToday: amountText(row.counts, asset),
    nextAccrualAt: Number(row.next_ms),
    intro: introText(language, isSample),
    assets: await readAssets(db, assets, customerId),
  };
}

/** A short summary of each asset that can earn. */
async function readAssets(
  db: Queryable,
  assets: Assets,
  customerId: string,
): Promise<EarningsSummary['assets']> {
  const { rows } = await db.query<{
    asset_id: number;
    available: string;
    earning: string;
    ppm: number | null;
  }>(
    `select b.asset_id, b.available, b.earning, (earning_rate_on(b.asset_id, earning_today())).annual_ppm as ppm
     from ledger.balances b join ledger.assets a on a.id = b.asset_id
     where b.owner_id = $1 and not a.is_practice order by b.asset_id`,
    [customerId],
  );
  return rows.map((row) => {
    const asset = assets.byId(row.asset_id);
    return {
      asset: asset.code,
      available: amountText(row.available, asset),
      total: amountText(row.earning, asset),
      annualRate: row.ppm === null ? null : rateText(row.ppm),
    };
  });
}

export interface RecordFilter {
  readonly customerId: string;
  /** Null: all assets. */
  readonly assetId: number | null;
  /** Includes days whose interest rounds down to zero. */
  readonly hasEmptyDays: boolean;
  readonly before: { readonly day: string; readonly assetId: number } | null;
  readonly limit: number;
}

/** Interest by day, newest first; within a day by asset. */
export async function readRecords(
  db: Queryable,
  assets: Assets,
  filter: RecordFilter,
): Promise<(EarningsRecord & { readonly id: string })[]> {
  await db.query('select earning_look($1)', [filter.customerId]);
  const { rows } = await db.query<{
    asset_id: number;
    date: string;
    principal: string;
    annual_ppm: number;
    interest: string;
  }>(
    `select asset_id, day::text as date, principal, annual_ppm, interest from earning_interest
     where customer_id = $1 and ($2::smallint is null or asset_id = $2) and ($3 or interest > 0)
       and ($4::date is null or day < $4 or (day = $4 and asset_id > $5))
     order by day desc, asset_id limit $6`,
    [
      filter.customerId,
      filter.assetId,
      filter.hasEmptyDays,
      filter.before?.day ?? null,
      filter.before?.assetId ?? null,
      filter.limit,
    ],
  );
  return rows.map((row) => {
    const asset = assets.byId(row.asset_id);
    return {
      id: `${row.date.replaceAll('-', '')}-${row.asset_id}`,
      asset: asset.code,
      date: row.date,
      principal: amountText(row.principal, asset),
      rate: rateText(row.annual_ppm),
      interest: amountText(row.interest, asset),
    };
  });
}
