import type { earningOperations, OfficeData } from '@fairtick/protocol/office';
import type { Assets } from '../../platform/assets.ts';
import { call } from '../../platform/db/call.ts';
import type { Pool } from '../../platform/db/database.ts';
import { refusalOf } from '../../platform/http/context.ts';
import type { OfficeHandlers } from '../../platform/office-area.ts';
import { OfficeProposals } from '../../platform/office-proposals.ts';
import { amountOf } from '../../platform/office-queries.ts';
import { parseRate, rateOf } from './rate-text.ts';

type Change = OfficeData<'earning/changes'>['items'][number];

const CHANGES = {
  columns: `r.state as status, a.code as asset, r.content ->> 'from' as from, ${rateOf(`(r.content ->> 'ppm')::int`)} as "annualRate",
    r.content ->> 'note' as note, ${rateOf(`(earning_rate_on(a.id, (r.content ->> 'from')::date - 1)).annual_ppm`)} as before`,
  joins: `join ledger.assets a on a.id = (r.content ->> 'asset')::smallint`,
};

/** The rate table and totals of earnings. Functions of the database decide who may act and how many must agree. */
export function earningOfficeHandlers({
  pool,
  assets,
}: {
  readonly pool: Pool;
  readonly assets: Assets;
}): OfficeHandlers<keyof typeof earningOperations> {
  const proposals = new OfficeProposals<Change>(pool, ['earning_rate'], CHANGES);
  return {
    'earning/rates': async () => (await pool.query<OfficeData<'earning/rates'>[number]>(RATES)).rows,
    'earning/totals': () => readTotals(pool),
    'earning/changes': (filter) => proposals.list(filter),
    'earning/propose': async ({ from, note, annualRate, ...input }, { session }) => {
      const asset = assets.real(input.asset).id;
      const ppm = parseRate(annualRate);
      if (ppm === null) throw refusalOf('RATE_OUT_OF_BOUNDS', 'annualRate');
      const staff = session.staffId;
      return { id: await call(pool, 'earning_rate_propose', { staff, asset, ppm, from, note }) };
    },
    'earning/decide': ({ id, verdict }, { session }) => proposals.decide(session.staffId, id, verdict),
  };
}

const RATES = `select a.code as asset, r.from_day::text as from, ${rateOf('r.annual_ppm')} as "annualRate", r.proposal_id::text as "changeId",
    r.proposal_id is null as "isSample",
    case when r.from_day > earning_today() then 'coming'
      when r.from_day = (earning_rate_on(r.asset_id, earning_today())).from_day then 'current' else 'past' end as state
  from earning_rates r join ledger.assets a on a.id = r.asset_id order by a.id, r.from_day desc limit 1000`;

async function readTotals(pool: Pool): Promise<OfficeData<'earning/totals'>> {
  const { rows: heads } = await pool.query<Omit<OfficeData<'earning/totals'>, 'totals'>>(
    'select day::text, day >= earning_today() as "isUpToDate" from earning_head',
  );
  const { rows: totals } = await pool.query<OfficeData<'earning/totals'>['totals'][number]>(
    `select a.code as asset, coalesce(e.accounts, 0)::int as accounts, ${amountOf('coalesce(e.owed, 0)')} as owed,
       ${amountOf('coalesce(-m.paid, 0)')} as paid
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
  return { ...(heads[0] as (typeof heads)[number]), totals };
}
