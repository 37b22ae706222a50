import type { OfficeData, restrictionOperations } from '@fairtick/protocol/office';
import { recordView } from '../../customers/personal-data/views.ts';
import { readAmount } from '../../platform/amounts.ts';
import { call, perform } from '../../platform/db/call.ts';
import type { OfficeHandlers } from '../../platform/office-area.ts';
import { OfficeProposals } from '../../platform/office-proposals.ts';
import { amountOf, ms, who } from '../../platform/office-queries.ts';
import { demandCustomer } from './customer-queries.ts';
import { demandNote } from './demand-note.ts';
import type { CustomerViewParts } from './office.ts';

type Path = keyof typeof restrictionOperations;
type Change = OfficeData<'restriction/list'>['items'][number];
type Freeze = OfficeData<'restriction/freezes'>[number];
type Hold = OfficeData<'restriction/holds'>[number];

const CHANGES = {
  columns: `r.state as status, r.customer_id::text as "customerId", c.account, r.content ->> 'what' as what,
    r.content ->> 'freezeReason' as reason, ${ms(`(r.content ->> 'until')::timestamptz`)} as until, r.content ->> 'note' as note,
    case r.kind when 'freeze' then not r.content ? 'until' else r.content ? 'hold' end as "isLift",
    case r.kind when 'legal_hold' then json_build_object('asset', a.code, 'amount', ${amountOf(`r.content ->> 'amount'`)},
      'authority', r.content ->> 'authority', 'reference', r.content ->> 'reference') end as hold`,
  joins: `join customers c on c.id = r.customer_id left join ledger.assets a on a.id = (r.content ->> 'asset')::smallint`,
};

const HOLDS = `select h.id::text, a.code as asset, ${amountOf('h.amount')} as amount, h.authority, h.reference, ${ms('p.decided_at')} as at,
    ${ms('l.decided_at')} as "liftedAt"
  from legal_holds h join ledger.assets a on a.id = h.asset_id join proposals p on p.id = h.id left join proposals l on l.id = h.lift_id
  where h.customer_id = $1 order by h.id desc limit 50`;

const FREEZES = `select r.id::text, r.what, ${ms('r.at')} as at, ${ms('r.until')} as until, r.reason, r.note,
    r.until > now() and not exists (select from account_freezes l where l.customer_id = r.customer_id and l.what = r.what and l.id > r.id)
      as "isRunning",
    ${who('coalesce(p.proposed_by, r.staff_id)')} as by, ${who('p.decided_by')} as "approvedBy"
  from account_freezes r left join proposals p on p.id = r.proposal_id where r.customer_id = $1 order by r.id desc limit 50`;

/** The freezes of one customer. The database decides who may, for how long, and how many must agree (`schema/customers/freezes.sql`). */
export function restrictionHandlers({ pool, assets }: CustomerViewParts): OfficeHandlers<Path> {
  const proposals = new OfficeProposals<Change>(pool, ['freeze', 'legal_hold'], CHANGES);
  /** The rows about a customer; the view is recorded first. */
  const look = async <Row extends object>(query: string, id: string, staffId: string): Promise<Row[]> => {
    const customerId = await demandCustomer(pool, id);
    await recordView(pool, { staffId, customerId, what: 'account' });
    return (await pool.query<Row>(query, [customerId])).rows;
  };
  return {
    'restriction/list': async ({ customerId, ...filter }) =>
      proposals.list(
        filter,
        customerId === undefined ? 'true' : `r.customer_id = ${await demandCustomer(pool, customerId)}`,
      ),
    'restriction/freezes': ({ customerId }, { session }) =>
      look<Freeze>(FREEZES, customerId, session.staffId),
    'restriction/holds': ({ customerId }, { session }) => look<Hold>(HOLDS, customerId, session.staffId),
    'restriction/hold': async ({ authority, reference, note, ...input }, { session }) => {
      const customer = await demandCustomer(pool, input.customerId);
      const asset = assets.named(input.asset);
      const amount = readAmount(input.amount, asset);
      demandNote(note);
      const held = { asset: asset.id, amount, authority, reference };
      const values = { staff: session.staffId, customer, ...held, note };
      return { id: await call(pool, 'legal_hold_propose', values) };
    },
    'restriction/liftHold': async ({ id: hold, note }, { session }) => {
      demandNote(note);
      return { id: await call(pool, 'legal_hold_propose_lift', { staff: session.staffId, hold, note }) };
    },
    'restriction/freeze': async ({ what, reason, hours, note, ...input }, { session }) => {
      const customer = await demandCustomer(pool, input.customerId);
      demandNote(note);
      return perform(pool, 'freeze_start', { staff: session.staffId, customer, what, hours, reason, note });
    },
    'restriction/propose': async ({ what, reason, days, note, ...input }, { session }) => {
      const customer = await demandCustomer(pool, input.customerId);
      demandNote(note);
      const values = { staff: session.staffId, customer, what, days, reason, note };
      return { id: await call(pool, 'freeze_propose', values) };
    },
    'restriction/decide': ({ id, verdict }, { session }) => proposals.decide(session.staffId, id, verdict),
  };
}
