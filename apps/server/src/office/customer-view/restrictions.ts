import type { OfficeData, restrictionOperations } from '@fairtick/protocol/office';
import { recordView } from '../../customers/personal-data/views.ts';
import type { Pool } from '../../platform/db/database.ts';
import { NamedCall } from '../../platform/db/named-call.ts';
import { RefusalError } from '../../platform/http/context.ts';
import type { OfficeHandlers } from '../../platform/office-area.ts';
import { OfficeProposals } from '../../platform/office-proposals.ts';
import { ms, who } from '../../platform/office-queries.ts';
import { demandCustomer } from './customer-queries.ts';

type Path = keyof typeof restrictionOperations;
type Change = OfficeData<'restriction/list'>['items'][number];
type Freeze = OfficeData<'restriction/freezes'>[number];

const CHANGES = {
  columns: `r.state as status, r.kind, r.customer_id::text as "customerId", c.account, r.content ->> 'what' as what,
    ${ms(`(r.content ->> 'until')::timestamptz`)} as until, r.content ->> 'freezeReason' as reason, r.content ->> 'note' as note`,
  joins: 'join customers c on c.id = r.customer_id',
};

const FREEZES = `select f.id::text, f.what, ${ms('f.at')} as at, ${ms('f.until')} as until, f.reason, f.note,
    f.until > now() and not exists (select from account_freezes l where l.customer_id = f.customer_id and l.what = f.what and l.id > f.id)
      as "isRunning",
    ${who('coalesce(p.proposed_by, f.staff_id)')} as by, ${who('p.decided_by')} as "approvedBy"
  from account_freezes f left join proposals p on p.id = f.proposal_id where f.customer_id = $1 order by f.id desc limit 50`;

/** What staff close for one customer. The database decides who may, for how long, and how many must agree (`schema/customers/freezes.sql`). */
export function restrictionHandlers({ pool }: { readonly pool: Pool }): OfficeHandlers<Path> {
  const proposals = new OfficeProposals<Change>(pool, ['freeze'], CHANGES);
  return {
    'restriction/list': async ({ customerId, ...filter }) =>
      proposals.list(
        filter,
        customerId === undefined ? 'true' : `r.customer_id = ${await demandCustomer(pool, customerId)}`,
      ),
    'restriction/freezes': async (input, { session }) => {
      const customerId = await demandCustomer(pool, input.customerId);
      await recordView(pool, { staffId: session.staffId, customerId, what: 'account' });
      return (await pool.query<Freeze>(FREEZES, [customerId])).rows;
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
      const { rows } = await pool.query<{ result: string }>(
        PROPOSE.with({ staff: session.staffId, customer, what, days, reason, note }),
      );
      return { id: (rows[0] as { result: string }).result };
    },
    'restriction/decide': ({ id, verdict }, { session }) => {
      if (!/^\d{1,18}$/.test(id)) throw new RefusalError('REQUEST_NOT_FOUND');
      return proposals.decide(session.staffId, id, verdict);
    },
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
