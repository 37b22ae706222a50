import type { OfficeData } from '@fairtick/protocol/office';
import type { Queryable } from '../db/database.ts';
import { amountOf, ms } from '../recharge/office-cases.ts';

type Transfer = OfficeData<'ledger/transfers'>['items'][number];

/** An account's number as people read it; house owners have one bucket only. */
const accountName = (column: string) => `case ${column} when ledger.external_account() then 'external'
  when ledger.trading_account() then 'trading' when ledger.fees_account() then 'fees'
  else 'customer ' || ${column} / 4 || ' ' || (array['available', 'held', 'earning', '?'])[(${column} % 4)::int + 1] end`;

const CAUSE = `case t.kind when 'reserve' then 'order:' || p.ref when 'resolve' then 'order:' || p.ref when 'deposit' then 'deposit:' || p.ref
  when 'hold' then 'withdrawal:' || p.ref when 'release' then 'withdrawal:' || p.ref when 'payout' then 'withdrawal:' || p.ref
  when 'correction' then 'correction:' || p.ref end`;

/** A batch of orders is one transfer of a thousand postings: so many of each are shown. */
const POSTINGS_SHOWN = 100;

/** Newest first. A customer's postings are found by their owner, all others by their transfer. */
export async function readTransfers(
  db: Queryable,
  filter: { customerId: string | null; kind: string | null; before: string | null; limit: number },
): Promise<Transfer[]> {
  const { rows } = await db.query<Transfer>(
    `with wanted as (
       select t.id, t.created_at, t.kind, t.idempotency_key from ledger.transfers t
       where ($2::text is null or t.kind = $2) and ($3::bigint is null or t.id < $3)
         and ($1::bigint is null or t.id in (select p.transfer_id from ledger.postings p where p.owner_id = $1))
       order by t.id desc limit $4
     )
     select t.id::text, ${ms('t.created_at')} as time, t.kind, t.idempotency_key as key, (
       select coalesce(json_agg(json_build_object('asset', l.code, 'from', l.from, 'to', l.to, 'amount', l.amount,
         'availableAfter', l.after, 'cause', l.cause) order by l.id), '[]')
       from (
         select p.id, a.code, ${accountName('p.debit')} as from, ${accountName('p.credit')} as to, ${amountOf('p.amount')} as amount,
           ${amountOf('p.available_after')} as after, ${CAUSE} as cause
         from ledger.postings p join ledger.assets a on a.id = p.asset_id
         where p.transfer_id = t.id and ($1::bigint is null or p.owner_id = $1) order by p.id limit ${POSTINGS_SHOWN}
       ) l
     ) as postings
     from wanted t order by t.id desc`,
    [filter.customerId, filter.kind, filter.before, filter.limit],
  );
  return rows;
}

/** Of every account together. */
export const TRIAL_BALANCE = `select a.code as asset, b.account, ${amountOf('b.balance')} as balance
  from trial_balance() b join ledger.assets a on a.id = b.asset_id`;
