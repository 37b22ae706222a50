import type { OfficeData, requestOperations } from '@fairtick/protocol/office';
import { recordView } from '../../customers/personal-data/views.ts';
import { call, perform } from '../../platform/db/call.ts';
import { type Queryable, transaction } from '../../platform/db/database.ts';
import { RefusalError, refusalOf } from '../../platform/http/context.ts';
import type { OfficeHandlers } from '../../platform/office-area.ts';
import { OfficeProposals } from '../../platform/office-proposals.ts';
import { amountOf, ms, queueCondition, who } from '../../platform/office-queries.ts';
import { readPage } from '../../platform/paging.ts';
import { CLAIM, claimCase, demandText, readCase, releaseCase } from '../requests/office-cases.ts';
import { type PayoutParts, sendPayout } from './payouts.ts';

type Path = Extract<keyof typeof requestOperations, `withdrawal/${string}`>;
type Withdrawal = OfficeData<'withdrawal/queue'>['items'][number];

/** `$1`: the member of staff who asks. */
const WITHDRAWALS = `select r.id::text, r.customer_id::text as "customerId", c.account, c.level,
    c.real_status as "realStatus", a.code as asset,
    ${amountOf('r.amount')} as amount, ${amountOf('r.fee')} as fee, ${amountOf('r.amount - r.fee')} as arrives, r.status,
    ${ms('r.submitted_at')} as "submittedAt", ${CLAIM} as claim, ${who('r.edited_by')} as "editedBy", r.revision,
    case when r.status = 'sending' then json_build_object('by', ${who('r.sending_by')}, 'isMine', r.sending_by = $1,
      'time', ${ms('r.sending_at')}, 'way', r.sending_way, 'key', r.sending_key) end as sending,
    encode(s.content, 'hex') as content, s.needed, s.given::int as given, ${ms('r.decided_at')} as "decidedAt", r.reason,
    r.reason_text as "reasonText", r.instructions, r.reference,
    json_build_object('id', r.destination_id::text, 'label', r.destination_label, 'isGone', d.removed_at is not null,
      'isSeen', destination_seen($1, r)) as destination,
    ${ms('case when not h.waits then h.until end')} as "payableAt", h.waits as "waitsForClaim",
    json_build_object(
      'isFirst', not exists (select from withdrawal_requests o where o.customer_id = r.customer_id and o.status = 'success' and o.id < r.id),
      'isNewDestination', d.changed_at > r.submitted_at - interval '7 days' or not exists (select from withdrawal_requests o
        where o.destination_id = r.destination_id and o.status = 'success' and o.id < r.id),
      'lastDay', day.count, 'lastDayAmount', ${amountOf('coalesce(day.amount, 0)')},
      'deposited', ${amountOf(`(select coalesce(sum(o.found_amount - o.fee), 0) from deposit_requests o
        where o.customer_id = r.customer_id and o.asset_id = r.asset_id and o.status = 'success')`)}) as risk
  from withdrawal_requests r join customers c on c.id = r.customer_id join ledger.assets a on a.id = r.asset_id
  left join destinations d on d.id = r.destination_id
  left join lateral (select * from withdrawal_standing(r.id)) s on true
  cross join lateral (select hold_until(r.customer_id, r.destination_id) as until, claim_waits(r.customer_id) as waits) h
  cross join lateral (select count(*) as count, sum(o.amount) as amount from withdrawal_requests o
    where o.customer_id = r.customer_id and o.asset_id = r.asset_id
      and o.submitted_at > r.submitted_at - interval '1 day' and o.submitted_at <= r.submitted_at) day`;

type WithdrawalRow = Omit<Withdrawal, 'risk'> & { readonly risk: Omit<Withdrawal['risk'], 'sharedWith'> };

/** Adds accounts with the same destination, found by its blind index under every key, since a rotation takes a while. */
async function withSharing({ pool, destinations }: PayoutParts, row: WithdrawalRow): Promise<Withdrawal> {
  const indices = await destinations.indices(pool, row.customerId, row.destination.id);
  const { rows } = await pool.query<{ account: string }>(
    `select distinct c.account from destinations d join customers c on c.id = d.customer_id
     where d.content_index = any ($1) and d.customer_id <> $2 order by c.account`,
    [indices, row.customerId],
  );
  return { ...row, risk: { ...row.risk, sharedWith: rows.map(({ account }) => account) } };
}

/** Operations of staff on withdrawals. None of them makes one. */
export function withdrawalOfficeHandlers(parts: PayoutParts): OfficeHandlers<Path> {
  const { pool } = parts;
  const ends = new OfficeProposals(pool, ['payout_end']);
  return {
    'withdrawal/queue': async (filter, { session }) => {
      const { items, nextCursor } = await readPage(filter, async (limit) => {
        const values = [session.staffId, filter.cursor, limit];
        return (await pool.query<WithdrawalRow>(`${WITHDRAWALS} where ${queueCondition(filter)}`, values))
          .rows;
      });
      const shown: Withdrawal[] = [];
      for (const row of items) shown.push(await withSharing(parts, row));
      return { items: shown, nextCursor };
    },
    'withdrawal/detail': ({ id }, { session }) => readDetail(parts, session.staffId, id),
    'withdrawal/destination': ({ id }, { session }) => readDestination(parts, session.staffId, id),
    'withdrawal/claim': ({ id }, { session }) => claimCase(pool, 'withdrawal', session.staffId, id),
    'withdrawal/release': ({ id }, { session }) => releaseCase(pool, 'withdrawal', session.staffId, id),
    'withdrawal/propose': async ({ id, instructions = '' }, { session }) => {
      const values = { staff: session.staffId, id, instructions };
      return { content: (await call<Buffer>(pool, 'withdrawal_propose', values)).toString('hex') };
    },
    'withdrawal/approve': async ({ id, content }, { session }) => {
      const { customerId, destinationId } = await destinationOf(pool, id);
      await parts.destinations.demandPayable(pool, customerId, destinationId);
      const seen = { id, content: Buffer.from(content, 'hex') };
      return { status: await call(pool, 'withdrawal_approve', { staff: session.staffId, ...seen }) };
    },
    'withdrawal/send': async ({ id, way }, { session }) => ({
      status: await sendPayout(parts, { staffId: session.staffId, id, way }),
    }),
    'withdrawal/pay': async ({ id, reference }, { session }) => {
      await perform(pool, 'withdrawal_paid', { staff: session.staffId, id, reference });
      return { status: 'success' };
    },
    'withdrawal/proposeEnd': async ({ id, outcome, reference, note }, { session }) => {
      const wentOut = outcome === 'sent';
      if (wentOut && reference === undefined) throw refusalOf('FORM_INCOMPLETE', 'reference');
      return perform(pool, 'payout_end_propose', { staff: session.staffId, id, wentOut, reference, note });
    },
    'withdrawal/decideEnd': async ({ id, content, verdict }, { session }) => {
      if (verdict === 'refuse') return ends.refuse(session.staffId, id);
      await ends.approve(session.staffId, id, { content: Buffer.from(content, 'hex') });
      return null;
    },
    'withdrawal/refuse': async ({ id, reason, text }, { session }) => {
      demandText({ reason, text });
      return perform(pool, 'withdrawal_refuse', { staff: session.staffId, id, reason, text });
    },
  };
}

async function readDetail(
  parts: PayoutParts,
  staffId: string,
  id: string,
): Promise<OfficeData<'withdrawal/detail'>> {
  const { pool } = parts;
  const { rows } = await pool.query<WithdrawalRow>(`${WITHDRAWALS} where r.id = $2`, [staffId, id]);
  if (!rows[0]) throw new RefusalError('REQUEST_NOT_FOUND');
  const withdrawal = await withSharing(parts, rows[0]);
  const ends = await pool.query<NonNullable<OfficeData<'withdrawal/detail'>['end']>>(
    `select p.id::text, encode(p.content_hash, 'hex') as content, ${who('p.proposed_by')} as by, ${ms('p.proposed_at')} as time,
       (p.content -> 'wentOut')::boolean as "wentOut", p.content ->> 'reference' as reference, p.content ->> 'note' as note
     from proposals p where p.kind = 'payout_end' and p.subject = $1 and p.state = 'proposed' and p.content ->> 'key' = $2`,
    [id, withdrawal.sending?.key ?? null],
  );
  return {
    ...withdrawal,
    ...(await readCase(pool, 'withdrawal', withdrawal)),
    provider: parts.payouts?.name ?? null,
    end: ends.rows[0] ?? null,
  };
}

/** `payer`: who alone may see it; '0': nobody; null: all who decide. @throws RefusalError when there is no such withdrawal */
async function destinationOf(
  db: Queryable,
  id: string,
): Promise<{ customerId: string; destinationId: string; payer: string | null }> {
  const { rows } = await db.query<{ customerId: string; destinationId: string; payer: string | null }>(
    `select customer_id as "customerId", destination_id as "destinationId", case when status in ('approved', 'sending')
       then coalesce(case when sending_way in ('hand', 'file') then sending_by end, 0)::text end as payer
     from withdrawal_requests where id = $1`,
    [id],
  );
  if (!rows[0]) throw new RefusalError('REQUEST_NOT_FOUND');
  return rows[0];
}

/**
 * Records the view in the transaction that reads the data, before it is shown.
 * @throws RefusalError from the approval until the end of the payment, except for the cashier who took it for paying by hand
 */
async function readDestination(
  { pool, destinations }: PayoutParts,
  staffId: string,
  id: string,
): Promise<OfficeData<'withdrawal/destination'>> {
  return transaction(pool, async (client) => {
    const { customerId, destinationId: subjectId, payer } = await destinationOf(client, id);
    if (payer !== null && payer !== staffId) throw new RefusalError('PAYOUT_NOT_TAKEN');
    const opened = await destinations.read(client, customerId, subjectId);
    if (!opened) throw new RefusalError('REQUEST_NOT_FOUND');
    const what = opened.kind === 'bank' ? 'bank_card' : 'address';
    await recordView(client, { staffId, customerId, what, subjectId });
    if (opened.kind === 'crypto') return { kind: 'address', address: opened.address, bank: null };
    const isVerifiedName = await destinations.isVerifiedName(client, customerId, opened.card.holder);
    return { kind: 'bank', address: null, bank: { ...opened.card, isVerifiedName } };
  });
}
