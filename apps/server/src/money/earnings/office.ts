import { formatDecimal } from '@fairtick/money';
import type { earningOperations, OfficeData } from '@fairtick/protocol/office';
import type { Asset, Assets } from '../../platform/assets.ts';
import type { Pool } from '../../platform/db/database.ts';
import { RefusalError } from '../../platform/http/context.ts';
import type { OfficeHandlers } from '../../platform/office-area.ts';
import { ms, pageOfQueue, queueStart, who } from '../../platform/office-queries.ts';
import { demandRequestId } from '../requests/office-cases.ts';
import { parseRate, rateText } from './rate-text.ts';

type Path = keyof typeof earningOperations;
type Change = OfficeData<'earning/changes'>['items'][number];
type Rate = OfficeData<'earning/rates'>[number];
const DEFAULT_LIMIT = 20;

/** The rate table and totals of earnings. Functions of the database decide who may act and how many must agree. */
export function earningOfficeHandlers({
  pool,
  assets,
}: {
  readonly pool: Pool;
  readonly assets: Assets;
}): OfficeHandlers<Path> {
  return {
    'earning/rates': () => readRates(pool),
    'earning/totals': () => readTotals(pool, assets),
    'earning/changes': async (filter) => {
      const limit = filter.limit ?? DEFAULT_LIMIT;
      return pageOfQueue(await readChanges(pool, queueStart(filter), limit + 1), limit);
    },
    'earning/propose': async (input, { session }) => {
      const asset = assetOf(assets, input.asset);
      const ppm = parseRate(input.annualRate);
      if (ppm === null)
        throw new RefusalError('RATE_OUT_OF_BOUNDS', { fields: { annualRate: 'RATE_OUT_OF_BOUNDS' } });
      const { rows } = await pool.query<{ id: string }>(
        'select earning_rate_propose($1, $2::smallint, $3::int, $4::date, $5) as id',
        [session.staffId, asset.id, ppm, input.from, input.note],
      );
      return { id: (rows[0] as { id: string }).id };
    },
    'earning/decide': async ({ id, verdict }, { session }) => {
      const { rows } = await pool.query<{ status: Change['status'] }>(
        'select earning_rate_decide($1, $2, $3) as status',
        [session.staffId, demandRequestId(id), verdict === 'agree'],
      );
      return { status: (rows[0] as { status: Change['status'] }).status };
    },
  };
}

/** @throws RefusalError */
function assetOf(assets: Assets, code: string): Asset {
  const asset = assets.byCode(code);
  if (!asset || asset.isPractice)
    throw new RefusalError('ASSET_NOT_ACCEPTED', { fields: { asset: 'ASSET_NOT_ACCEPTED' } });
  return asset;
}

async function readRates(pool: Pool): Promise<Rate[]> {
  const { rows } = await pool.query<Omit<Rate, 'annualRate'> & { ppm: number }>(
    `select a.code as asset, r.from_day::text as from, r.annual_ppm as ppm, r.change_id::text as "changeId",
       r.change_id is null as "isSample",
       case when r.from_day > earning_today() then 'coming'
         when r.from_day = (earning_rate_on(r.asset_id, earning_today())).from_day then 'current' else 'past' end as state
     from earning_rates r join ledger.assets a on a.id = r.asset_id order by a.id, r.from_day desc limit 1000`,
  );
  return rows.map(({ ppm, ...rate }) => ({ ...rate, annualRate: rateText(ppm) }));
}

async function readTotals(pool: Pool, assets: Assets): Promise<OfficeData<'earning/totals'>> {
  const head = await pool.query<{ day: string; up_to_date: boolean }>(
    'select day::text, day >= earning_today() as up_to_date from earning_head',
  );
  const { rows } = await pool.query<{ id: number; accounts: string; owed: string; paid: string }>(
    `select a.id, coalesce(e.accounts, 0) as accounts, coalesce(e.owed, 0) as owed, coalesce(-m.paid, 0) as paid
     from ledger.assets a
     left join (
       select b.asset_id, count(*) as accounts, sum(b.earning) as owed
       from earning_accounts e join ledger.balances b on b.owner_id = e.customer_id and b.asset_id = e.asset_id
       where b.earning > 0 group by 1
     ) e on e.asset_id = a.id
     left join (
       select asset_id, sum(amount) as paid from ledger.house_movements where account = ledger.earnings_account() group by 1
     ) m on m.asset_id = a.id
     where not a.is_practice order by a.id`,
  );
  const { day, up_to_date: isUpToDate } = head.rows[0] as { day: string; up_to_date: boolean };
  return {
    day,
    isUpToDate,
    totals: rows.map((row) => {
      const { code, scale } = assets.byId(row.id);
      const text = (value: string) => formatDecimal(BigInt(value), scale);
      return { asset: code, accounts: Number(row.accounts), owed: text(row.owed), paid: text(row.paid) };
    }),
  };
}

async function readChanges(pool: Pool, before: string | null, limit: number): Promise<Change[]> {
  type Row = Omit<Change, 'annualRate' | 'before'> & { ppm: number; before_ppm: number | null };
  const { rows } = await pool.query<Row>(
    `select r.id::text, a.code as asset, r.from_day::text as from, r.annual_ppm as ppm,
       (earning_rate_on(r.asset_id, r.from_day - 1)).annual_ppm as before_ppm, r.note, r.status,
       ${who('r.proposed_by')} as "proposedBy", ${ms('r.proposed_at')} as "proposedAt",
       ${who('r.decided_by')} as "decidedBy", ${ms('r.decided_at')} as "decidedAt"
     from earning_rate_changes r join ledger.assets a on a.id = r.asset_id
     where $1::bigint is null or r.id < $1 order by r.id desc limit $2`,
    [before, limit],
  );
  return rows.map(({ ppm, before_ppm: beforePpm, ...change }) => ({
    ...change,
    annualRate: rateText(ppm),
    before: beforePpm === null ? null : rateText(beforePpm),
  }));
}
