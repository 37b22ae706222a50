import { formatDecimal } from '@fairtick/money';
import type { earningOperations, OfficeData } from '@fairtick/protocol/office';
import type { Asset, Assets } from '../../platform/assets.ts';
import type { Pool } from '../../platform/db/database.ts';
import { NamedCall } from '../../platform/db/named-call.ts';
import { RefusalError } from '../../platform/http/context.ts';
import type { OfficeHandlers } from '../../platform/office-area.ts';
import { OfficeProposals } from '../../platform/office-proposals.ts';
import { demandRequestId } from '../requests/office-cases.ts';
import { parseRate, rateText } from './rate-text.ts';

type Path = keyof typeof earningOperations;
type Change = OfficeData<'earning/changes'>['items'][number];
type Rate = OfficeData<'earning/rates'>[number];

type ChangeRow = Omit<Change, 'annualRate' | 'before'> & { ppm: number; before_ppm: number | null };
const CHANGES = {
  columns: `r.state as status, a.code as asset, r.content ->> 'from' as from, (r.content ->> 'ppm')::int as ppm, r.content ->> 'note' as note,
    (earning_rate_on(a.id, (r.content ->> 'from')::date - 1)).annual_ppm as before_ppm`,
  joins: `join ledger.assets a on a.id = (r.content ->> 'asset')::smallint`,
};

/** The rate table and totals of earnings. Functions of the database decide who may act and how many must agree. */
export function earningOfficeHandlers({
  pool,
  assets,
}: {
  readonly pool: Pool;
  readonly assets: Assets;
}): OfficeHandlers<Path> {
  const proposals = new OfficeProposals<ChangeRow>(pool, ['earning_rate'], CHANGES);
  return {
    'earning/rates': () => readRates(pool),
    'earning/totals': () => readTotals(pool, assets),
    'earning/changes': async (filter) => {
      const { items, nextCursor } = await proposals.list(filter);
      return { items: items.map(changeOf), nextCursor };
    },
    'earning/propose': async (input, { session }) => {
      const asset = assetOf(assets, input.asset);
      const ppm = parseRate(input.annualRate);
      if (ppm === null)
        throw new RefusalError('RATE_OUT_OF_BOUNDS', { fields: { annualRate: 'RATE_OUT_OF_BOUNDS' } });
      const { from, note } = input;
      const { rows } = await pool.query<{ result: string }>(
        PROPOSE.with({ staff: session.staffId, asset: asset.id, ppm, from, note }),
      );
      return { id: (rows[0] as { result: string }).result };
    },
    'earning/decide': ({ id, verdict }, { session }) =>
      proposals.decide(session.staffId, demandRequestId(id), verdict),
  };
}

const PROPOSE = new NamedCall('earning_rate_propose', {
  staff: 'bigint',
  asset: 'smallint',
  ppm: 'int',
  from: 'date',
  note: 'text',
});

/** @throws RefusalError */
function assetOf(assets: Assets, code: string): Asset {
  const asset = assets.byCode(code);
  if (!asset || asset.isPractice)
    throw new RefusalError('ASSET_NOT_ACCEPTED', { fields: { asset: 'ASSET_NOT_ACCEPTED' } });
  return asset;
}

async function readRates(pool: Pool): Promise<Rate[]> {
  const { rows } = await pool.query<Omit<Rate, 'annualRate'> & { ppm: number }>(
    `select a.code as asset, r.from_day::text as from, r.annual_ppm as ppm, r.proposal_id::text as "changeId",
       r.proposal_id is null as "isSample",
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

const changeOf = ({ ppm, before_ppm: beforePpm, ...change }: ChangeRow): Change => ({
  ...change,
  annualRate: rateText(ppm),
  before: beforePpm === null ? null : rateText(beforePpm),
});
