import type { OfficeData, screeningOperations } from '@fairtick/protocol/office';
import { call } from '../../platform/db/call.ts';
import type { Pool } from '../../platform/db/database.ts';
import { refusalOf } from '../../platform/http/context.ts';
import type { OfficeHandlers } from '../../platform/office-area.ts';
import { OfficeProposals } from '../../platform/office-proposals.ts';
import { ms, type QueueFilter, who } from '../../platform/office-queries.ts';
import { readPage } from '../../platform/paging.ts';

type Hit = OfficeData<'screening/list'>['items'][number];
type Asked = OfficeData<'screening/inquiries'>['items'][number];

const hits = ({
  state = 'open',
}: QueueFilter) => `select h.id::text, h.customer_id::text as "customerId", c.account, h.kind, h.list,
    h.reference, h.listed, h.score, case when h.inquiry_id is not null then json_build_object('finding', split_part(h.listed, ' ', 1),
      'code', nullif(split_part(h.listed, ' ', 2), '')) end as vendor, ${ms('h.found_at')} as "foundAt", h.state, (
      select json_build_object('id', p.id::text, 'status', p.state, 'verdict', p.content ->> 'verdict', 'note', p.content ->> 'note',
        'proposedBy', ${who('p.proposed_by')}, 'proposedAt', ${ms('p.proposed_at')}, 'decidedBy', ${who('p.decided_by')},
        'decidedAt', ${ms('p.decided_at')})
      from proposals p where p.kind = 'screening' and p.subject = h.id::text order by p.id desc limit 1) as proposal
  from screening_hits h join customers c on c.id = h.customer_id where ${
    state === 'open'
      ? `h.state <> 'cleared' and ($1::bigint is null or h.id > $1) order by h.id`
      : `h.state = 'cleared' and ($1::bigint is null or h.id < $1) order by h.id desc`
  } limit $2`;

const INQUIRIES = `select i.id::text, i.customer_id::text as "customerId", c.account, i.vendor, i.kind, i.state, i.code,
    i.reference, i.vendor_case as "case", ${ms('i.created_at')} as "askedAt", ${ms('i.answered_at')} as "answeredAt"
  from vendor_inquiries i join customers c on c.id = i.customer_id
  where ($1::bigint is null or i.customer_id = $1) and ($2::bigint is null or i.id < $2) order by i.id desc limit $3`;

/** Matches with sanctions lists, which two people clear or confirm (`schema/customers/screening.sql`). */
export function screeningHandlers({
  pool,
}: {
  readonly pool: Pool;
}): OfficeHandlers<keyof typeof screeningOperations> {
  const proposals = new OfficeProposals(pool, ['screening']);
  return {
    'screening/list': (filter) =>
      readPage(filter, async (limit) => (await pool.query<Hit>(hits(filter), [filter.cursor, limit])).rows),
    'screening/inquiries': ({ customerId = null, ...filter }) =>
      readPage(
        filter,
        async (limit) => (await pool.query<Asked>(INQUIRIES, [customerId, filter.cursor, limit])).rows,
      ),
    'screening/propose': async ({ id, verdict, note }, { session }) => {
      if (note.length < 5) throw refusalOf('FORM_INCOMPLETE', 'note');
      return {
        id: await call(pool, 'screening_propose', { staff: session.staffId, hit: id, verdict, note }),
      };
    },
    'screening/decide': ({ id, verdict }, { session }) => proposals.decide(session.staffId, id, verdict),
  };
}
