import { parseAmount } from '@fairtick/money';
import type { OfficeData, restrictionOperations } from '@fairtick/protocol/office';
import type { QueryConfig } from 'pg';
import { recordView } from '../../customers/personal-data/views.ts';
import { demandRequestId } from '../../money/requests/office-cases.ts';
import { NamedCall } from '../../platform/db/named-call.ts';
import { RefusalError } from '../../platform/http/context.ts';
import type { OfficeHandlers } from '../../platform/office-area.ts';
import { OfficeProposals } from '../../platform/office-proposals.ts';
import { amountOf, ms, who } from '../../platform/office-queries.ts';
import { demandCustomer } from './customer-queries.ts';
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
  const propose = async (call: QueryConfig) => {
    const { rows } = await pool.query<{ result: string }>(call);
    return { id: (rows[0] as { result: string }).result };
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
      const asset = assets.byCode(input.asset);
      if (!asset) throw new RefusalError('ASSET_NOT_ACCEPTED', { fields: { asset: 'ASSET_NOT_ACCEPTED' } });
      const amount = parseAmount(input.amount, asset.scale);
      if (amount === null) throw new RefusalError('INVALID_AMOUNT', { fields: { amount: 'INVALID_AMOUNT' } });
      demandNote(note);
      const staff = session.staffId;
      return propose(HOLD.with({ staff, customer, asset: asset.id, amount, authority, reference, note }));
    },
    'restriction/liftHold': ({ id, note }, { session }) => {
      demandNote(note);
      return propose(LIFT_HOLD.with({ staff: session.staffId, hold: demandRequestId(id), note }));
    },
    'restriction/freeze': async ({ what, reason, hours, note, ...input }, { session }) => {
      const customer = await demandCustomer(pool, input.customerId);
      demandNote(note);
      await pool.query(FREEZE.with({ staff: session.staffId, customer, what, hours, reason, note }));
      return null;
    },
    'restriction/propose': async ({ what, reason, days = null, note, ...input }, { session }) => {
      const customer = await demandCustomer(pool, input.customerId);
      demandNote(note);
      return propose(PROPOSE.with({ staff: session.staffId, customer, what, days, reason, note }));
    },
    'restriction/decide': ({ id, verdict }, { session }) =>
      proposals.decide(session.staffId, demandRequestId(id), verdict),
  };
}

const LEAST_NOTE = 5;

/** @throws RefusalError for a note that is too short to say anything */
function demandNote(note: string): void {
  if (note.length < LEAST_NOTE)
    throw new RefusalError('INVALID_VALUE', { fields: { note: 'INVALID_VALUE' } });
}

const FREEZE = new NamedCall('freeze_start', {
  staff: 'bigint',
  customer: 'bigint',
  what: 'text',
  hours: 'int',
  reason: 'text',
  note: 'text',
});

const PROPOSE = new NamedCall('freeze_propose', {
  staff: 'bigint',
  customer: 'bigint',
  what: 'text',
  days: 'int',
  reason: 'text',
  note: 'text',
});

const HOLD = new NamedCall('legal_hold_propose', {
  staff: 'bigint',
  customer: 'bigint',
  asset: 'smallint',
  amount: 'bigint',
  authority: 'text',
  reference: 'text',
  note: 'text',
});

const LIFT_HOLD = new NamedCall('legal_hold_propose_lift', { staff: 'bigint', hold: 'bigint', note: 'text' });
