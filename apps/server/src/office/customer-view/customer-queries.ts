import type { OfficeData } from '@fairtick/protocol/office';
import type { Queryable } from '../../platform/db/database.ts';
import { RefusalError } from '../../platform/http/context.ts';
import { amountOf, ms, who } from '../../platform/office-queries.ts';
import { LAST_SEEN } from './customer-list.ts';

type Customer = OfficeData<'customer/detail'>;
type Order = OfficeData<'customer/orders'>['items'][number];
type Note = OfficeData<'customer/notes'>['items'][number];

const list = (query: string) => `(select coalesce(json_agg(l), '[]') from (${query}) l)`;
const request = (
  kind: string,
) => `select '${kind}' as kind, r.id::text, a.code as asset, ${amountOf('r.amount')} as amount,
    r.status, r.reason, ${ms('r.submitted_at')} as "submittedAt"
  from ${kind}_requests r join ledger.assets a on a.id = r.asset_id where r.customer_id = c.id`;

const REQUESTS_SHOWN = 50;

/** Opens no sealed data: cards and accounts show their last digits, addresses their network. */
const CUSTOMER = `select c.id::text, c.account, c.nickname, c.level, c.real_status as "realStatus", c.country, c.language,
    ${ms('c.created_at')} as "createdAt", ${ms('c.erased_at')} as "erasedAt",
    ${ms(LAST_SEEN)} as "lastSeenAt", flags_of(c.id) as flags,
    ${list(`select a.code as asset, ${amountOf('b.available')} as available, ${amountOf('b.held')} as held,
      ${amountOf('b.earning')} as earning
      from ledger.balances b join ledger.assets a on a.id = b.asset_id where b.owner_id = c.id order by a.id`)} as balances,
    ${list(`select a.code as asset, ${amountOf('t.min')} as min, ${amountOf('withdrawal_max(t, c.level)')} as max,
      ${amountOf('t.fee')} as fee
      from withdrawal_terms t join ledger.assets a on a.id = t.asset_id order by a.id`)} as limits,
    ${list(`select v.id::text, v.state, ${ms('v.submitted_at')} as "submittedAt", ${ms('v.decided_at')} as "decidedAt", v.reason
      from verifications v where v.customer_id = c.id order by v.id desc limit ${REQUESTS_SHOWN}`)} as documents,
    ${list(`select d.id::text, case when d.country is not null then 'account' when d.kind = 'bank' then 'bank' else 'address' end as kind, d.asset,
      coalesce(d.network, concat_ws(' ', d.country, '•••• ' || d.last4)) as label, ${ms('d.changed_at')} as "changedAt", d.removed_at is not null as "isRemoved"
      from destinations d where d.customer_id = c.id order by d.removed_at is not null, d.id desc limit ${REQUESTS_SHOWN}`)} as destinations,
    ${list(`select * from (${request('deposit')} union all ${request('withdrawal')}) r
      order by r."submittedAt" desc limit ${REQUESTS_SHOWN}`)} as requests
  from customers c where c.id = $1`;

export async function readCustomer(db: Queryable, customerId: string): Promise<Customer> {
  const { rows } = await db.query<Customer>(CUSTOMER, [customerId]);
  return rows[0] as Customer;
}

interface Rows {
  readonly customerId: string;
  readonly cursor?: string | undefined;
  readonly limit: number;
}

/** Notes about a customer and changes of flags, newest first. */
export async function readNotes(db: Queryable, { customerId, cursor, limit }: Rows): Promise<Note[]> {
  const { rows } = await db.query<Note>(
    `select n.id::text, ${ms('n.at')} as at, ${who('n.staff_id')} as by, n.flag, n.is_set as "isSet", n.text
     from customer_notes n where n.customer_id = $1 and ($2::bigint is null or n.id < $2) order by n.id desc limit $3`,
    [customerId, cursor, limit],
  );
  return rows;
}

/** A customer's orders and their outcomes, newest first. */
export async function readOrders(db: Queryable, { customerId, cursor, limit }: Rows): Promise<Order[]> {
  const { rows } = await db.query<Order>(
    `select r.id::text, r.accepted_at_ms::float8 as "acceptedAt", r.settles_at_ms::float8 as "settlesAt", p.symbol,
       case r.direction when 1 then 'up' else 'down' end as direction, r.minutes, a.code as asset, ${amountOf('r.stake')} as amount,
       case r.result when 1 then 'profit' when -1 then 'loss' when 0 then 'none' end as result, ${amountOf('r.credited')} as credited
     from orders_and_results r join products p on p.id = r.product_id join ledger.assets a on a.id = r.asset_id
     where r.customer_id = $1 and ($2::bigint is null or r.id < $2) order by r.id desc limit $3`,
    [customerId, cursor, limit],
  );
  return rows;
}

/** @throws RefusalError */
export async function demandCustomer(db: Queryable, id: string): Promise<string> {
  const { rows } = await db.query<{ id: string }>('select id from customers where id = $1', [id]);
  if (!rows[0]) throw new RefusalError('CUSTOMER_NOT_FOUND');
  return rows[0].id;
}
