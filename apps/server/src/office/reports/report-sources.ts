import type { ReportName } from '@fairtick/protocol/office';

/** How a column is written: `amount` in its row's asset, `asset` by its code, `number` with all digits, `time` in the report's zone. */
type ColumnKind = 'text' | 'number' | 'time' | 'asset' | 'amount';

/** A column of the query's name. An amount is in smallest units; the total of one with `total` has to equal the ledger's. */
export type ReportColumn = readonly [name: string, kind: ColumnKind, total?: 'total'];

export interface ReportSource {
  readonly columns: readonly ReportColumn[];
  /** The rows from `$1` to before `$2`, days in the zone `$3`. */
  readonly rows: string;
  /** The columns that sort the rows. No two rows share them, so the same report has the same bytes. */
  readonly order: readonly string[];
  /** The totals by `asset`, read from the ledger in another way than the rows. */
  readonly totals?: string;
}

/** The postings of the period's transfers, found by the index of the postings' transfers. */
const POSTED = `moved as materialized (
    select id, kind, created_at from ledger.transfers where created_at >= $1 and created_at < $2
  ), posted as (
    select p.*, t.kind, t.created_at from moved t join ledger.postings p on p.transfer_id = t.id
    where p.transfer_id between (select min(id) from moved) and (select max(id) from moved)
  )`;

const account = (name: string) => `ledger.${name}_account()`;
/** The account of a leg in words. */
const nameOf = (
  leg: string,
) => `case ${leg} when ${account('external')} then 'external' when ${account('trading')} then 'trading'
    when ${account('fees')} then 'fees' when ${account('earnings')} then 'earnings'
    else 'customer ' || (array['available', 'held', 'earning'])[(${leg} % 4)::int + 1] end`;
/** What a posting adds to accounts of a condition. */
const added = (condition: (leg: string) => string) =>
  `p.amount * ((${condition('p.credit')})::int - (${condition('p.debit')})::int)`;
const to = (name: string) => added((leg) => `${leg} = ${account(name)}`);
/** What the period's transfers added to an account of the house, as the house's own movements have it. */
const moved = (name: string) => `sum(m.amount) filter (where m.account = ${account(name)})`;
const HOUSE = 'from ledger.house_movements m join moved t on t.id = m.transfer_id';

const CUSTOMER = [
  ['customer', 'number'],
  ['account', 'text'],
] as const;
/** The account's name of a column with a customer's number. */
const withAccount = (rows: string) =>
  `select r.*, c.account from (${rows}) r left join customers c on c.id = r.customer`;

const MOVED = ['customers', 'trading', 'fees', 'earnings', 'external'] as const;

/** A request counts when its money moved, and one whose money did not move counts when it was submitted. */
const requestRows = (kind: 'deposit' | 'withdrawal', columns: string) =>
  withAccount(`select coalesce(t.created_at, q.submitted_at) as time, q.id as request, q.customer_id as customer, q.asset_id as asset,
    q.amount as asked, q.status, q.reason, q.submitted_at as submitted, q.decided_at as decided, ${columns}
  from ${kind}_requests q left join ledger.transfers t on t.id = q.transfer_id and q.status = 'success'
  where coalesce(t.created_at, q.submitted_at) >= $1 and coalesce(t.created_at, q.submitted_at) < $2`);
const REQUEST_COLUMNS = [
  ['time', 'time'],
  ['request', 'number'],
  ...CUSTOMER,
  ['status', 'text'],
  ['reason', 'text'],
  ['asset', 'asset'],
  ['asked', 'amount'],
] as const;
const REQUEST_TIMES = [
  ['submitted', 'time'],
  ['decided', 'time'],
] as const;

/** What transfers from `$2` on moved, of customers' balances by their kind and of the house. */
const LATER = `later as materialized (select id from ledger.transfers where created_at >= $2), undone as (
    select p.owner_id, p.asset_id, ${[0, 1, 2]
      .map((bucket) => `sum(${added((leg) => `${leg} = p.owner_id * 4 + ${bucket}`)}) as b${bucket}`)
      .join(', ')}
    from later t join ledger.postings p on p.transfer_id = t.id
    where p.owner_id >= 1000 and p.transfer_id between (select min(id) from later) and (select max(id) from later) group by 1, 2
  )`;
const BALANCES = ['available', 'held', 'earning'] as const;

/**
 * All reports of {@link ReportName}. Everything about money is dated by its transfer, so that the same period has the same money in each
 * of them.
 */
export const REPORT_SOURCES: Readonly<Record<ReportName, ReportSource>> = {
  movements: {
    columns: [
      ['time', 'time'],
      ['transfer', 'number'],
      ['posting', 'number'],
      ['kind', 'text'],
      ...CUSTOMER,
      ['cause', 'number'],
      ['asset', 'asset'],
      ['from', 'text'],
      ['to', 'text'],
      ['amount', 'amount'],
      ...MOVED.map((name): ReportColumn => [name, 'amount', 'total']),
      ['available', 'amount'],
    ],
    rows: withAccount(`with ${POSTED} select p.created_at as time, p.transfer_id as transfer, p.id as posting, p.kind,
        case when p.owner_id >= 1000 then p.owner_id end as customer, nullif(p.ref, 0) as cause, p.asset_id as asset, ${nameOf('p.debit')} as "from",
        ${nameOf('p.credit')} as "to", p.amount, ${added((leg) => `${leg} >= 4000`)} as customers,
        ${MOVED.slice(1)
          .map((name) => `${to(name)} as ${name}`)
          .join(', ')}, p.available_after as available
      from posted p`),
    order: ['transfer', 'posting'],
    totals: `with ${POSTED} select m.asset_id as asset, -sum(m.amount) as customers, ${MOVED.slice(1)
      .map((name) => `${moved(name)} as ${name}`)
      .join(', ')} ${HOUSE} group by 1`,
  },
  orders: {
    columns: [
      ['time', 'time'],
      ['order', 'number'],
      ...CUSTOMER,
      ['product', 'text'],
      ['direction', 'text'],
      ['minutes', 'number'],
      ['payoutRate', 'number'],
      ['asset', 'asset'],
      ['stake', 'amount', 'total'],
      ['opens', 'time'],
      ['settles', 'time'],
      ['settled', 'time'],
      ['openPrice', 'number'],
      ['settlePrice', 'number'],
      ['result', 'text'],
      ['voidReason', 'text'],
      ['credited', 'amount', 'total'],
    ],
    rows: withAccount(`with ${POSTED} select p.created_at as time, o.id as "order", o.customer_id as customer, s.symbol as product,
        case o.direction when 1 then 'up' else 'down' end as direction, o.minutes, round(o.payout_rate_bps / 10000.0, 4) as "payoutRate",
        o.asset_id as asset, o.stake, ${['opens', 'settles', 'settled']
          .map((name) => `to_timestamp(o.${name}_at_ms / 1000.0) as ${name}`)
          .join(', ')}, ${['open', 'settle']
          .map((name) => `round(o.${name}_price / 10::numeric ^ s.decimals, s.decimals) as "${name}Price"`)
          .join(', ')},
        case o.result when 1 then 'profit' when -1 then 'loss' when 0 then 'none' end as result, o.void_reason as "voidReason", o.credited
      from posted p join orders_and_results o on o.id = p.ref and o.customer_id = p.owner_id join products s on s.id = o.product_id
      where p.kind = 'reserve'`),
    order: ['order'],
    // An order may settle after the period.
    totals: `with ${POSTED}, placed as (select p.asset_id, p.owner_id, p.ref, p.amount from posted p where p.kind = 'reserve'), paid as (
        select q.asset_id, sum(q.amount) as amount from ledger.postings q join ledger.transfers t on t.id = q.transfer_id
        where q.transfer_id >= (select min(id) from moved) and t.kind in ('resolve', 'amend') and q.credit = q.owner_id * 4
          and (q.owner_id, q.ref) in (select owner_id, ref from placed) group by 1
      )
      select s.asset_id as asset, s.stake, coalesce(d.amount, 0) as credited
      from (select asset_id, sum(amount) as stake from placed group by 1) s left join paid d using (asset_id)`,
  },
  deposits: {
    columns: [
      ...REQUEST_COLUMNS,
      ['credited', 'amount', 'total'],
      ['fee', 'amount', 'total'],
      ...REQUEST_TIMES,
    ],
    rows: requestRows(
      'deposit',
      `case when q.status = 'success' then q.found_amount - q.fee end as credited, case when q.status = 'success' then q.fee end as fee`,
    ),
    order: ['time', 'request'],
    totals: `with ${POSTED} select p.asset_id as asset, sum(${added((leg) => `${leg} = p.owner_id * 4`)}) as credited, sum(${to('fees')}) as fee
      from posted p where p.kind = 'deposit' group by 1`,
  },
  withdrawals: {
    columns: [...REQUEST_COLUMNS, ['sent', 'amount', 'total'], ['fee', 'amount', 'total'], ...REQUEST_TIMES],
    rows: requestRows(
      'withdrawal',
      `case when q.status = 'success' then q.amount - q.fee end as sent, case when q.status = 'success' then q.fee end as fee`,
    ),
    order: ['time', 'request'],
    totals: `with ${POSTED} select p.asset_id as asset, sum(${to('external')}) as sent, sum(${to('fees')}) as fee
      from posted p where p.kind = 'payout' group by 1`,
  },
  balances: {
    columns: [
      ...CUSTOMER,
      ['asset', 'asset'],
      ...[...BALANCES, 'total'].map((name): ReportColumn => [name, 'amount', 'total']),
    ],
    rows: withAccount(`with ${LATER}, standing as (
        select b.owner_id as customer, b.asset_id as asset, ${BALANCES.map(
          (name, bucket) => `b.${name} - coalesce(u.b${bucket}, 0) as ${name}`,
        ).join(', ')} from ledger.balances b left join undone u using (owner_id, asset_id)
      )
      select *, ${BALANCES.join(' + ')} as total from standing where (${BALANCES.join(', ')}) <> (0, 0, 0)`),
    order: ['customer', 'asset'],
    // The customers' sum is also what the house's accounts lack, as each asset sums to zero.
    totals: `with ${LATER}, past as (
        select u.asset_id, sum(u.b0) as b0, sum(u.b1) as b1, sum(u.b2) as b2 from undone u group by 1
      ), house as (
        select m.asset_id, sum(m.amount) as amount from ledger.house_movements m join later t on t.id = m.transfer_id group by 1
      )
      select b.asset_id as asset, ${BALANCES.map(
        (name, bucket) =>
          `coalesce(sum(b.balance) filter (where b.account = 'customers ${name}'), 0) - coalesce(max(p.b${bucket}), 0) as ${name}`,
      ).join(', ')},
        coalesce(max(h.amount), 0) - coalesce(sum(b.balance) filter (where b.account not like 'customers %'), 0) as total
      from trial_balance() b left join past p using (asset_id) left join house h using (asset_id) group by 1`,
  },
  turnover: {
    columns: [
      ['day', 'text'],
      ['product', 'text'],
      ['asset', 'asset'],
      ['orders', 'number'],
      ['stakes', 'amount', 'total'],
      ['settled', 'number'],
      ['ended', 'amount', 'total'],
      ['paid', 'amount', 'total'],
      ['result', 'amount', 'total'],
    ],
    rows: `with ${POSTED} select (p.created_at at time zone $3)::date::text as day, s.symbol as product, p.asset_id as asset,
        count(*) filter (where p.kind = 'reserve') as orders, coalesce(sum(p.amount) filter (where p.kind = 'reserve'), 0) as stakes,
        count(distinct p.ref) filter (where p.kind = 'resolve') as settled,
        coalesce(sum(p.amount) filter (where p.kind = 'resolve' and p.debit = p.owner_id * 4 + 1), 0) as ended,
        coalesce(sum(p.amount) filter (where p.kind <> 'reserve' and p.credit = p.owner_id * 4), 0) as paid, sum(${to('trading')}) as result
      from posted p join orders o on o.id = p.ref join products s on s.id = o.product_id
      where p.kind in ('reserve', 'resolve', 'amend') group by 1, 2, 3`,
    order: ['day', 'product', 'asset'],
    totals: `with ${POSTED}, house as (
        select m.asset_id, ${moved('trading')} as result ${HOUSE} where t.kind in ('resolve', 'amend') group by 1
      )
      select p.asset_id as asset, coalesce(sum(p.amount) filter (where p.kind = 'reserve'), 0) as stakes,
        coalesce(-sum(${added((leg) => `${leg} = p.owner_id * 4 + 1`)}) filter (where p.kind = 'resolve'), 0) as ended,
        coalesce(sum(${added((leg) => `${leg} = p.owner_id * 4`)}) filter (where p.kind <> 'reserve'), 0) as paid,
        coalesce(max(h.result), 0) as result
      from posted p left join house h using (asset_id) where p.kind in ('reserve', 'resolve', 'amend') group by 1`,
  },
  fees: {
    columns: [
      ['time', 'time'],
      ['transfer', 'number'],
      ['kind', 'text'],
      ['request', 'number'],
      ...CUSTOMER,
      ['asset', 'asset'],
      ['fee', 'amount', 'total'],
    ],
    rows: withAccount(`with ${POSTED} select p.created_at as time, p.transfer_id as transfer, p.kind, p.ref as request, p.owner_id as customer,
        p.asset_id as asset, ${to('fees')} as fee from posted p where ${account('fees')} in (p.debit, p.credit)`),
    order: ['transfer', 'customer'],
    totals: `with ${POSTED} select m.asset_id as asset, sum(m.amount) as fee ${HOUSE} where m.account = ${account('fees')} group by 1`,
  },
  interest: {
    columns: [
      ['time', 'time'],
      ['day', 'text'],
      ...CUSTOMER,
      ['asset', 'asset'],
      ['interest', 'amount', 'total'],
    ],
    rows: withAccount(`with ${POSTED} select p.created_at as time, to_date(p.ref::text, 'YYYYMMDD')::text as day, p.owner_id as customer,
        p.asset_id as asset, p.amount as interest, p.id as posting from posted p where p.kind = 'interest'`),
    order: ['posting'],
    totals: `with ${POSTED} select m.asset_id as asset, -sum(m.amount) as interest ${HOUSE} where t.kind = 'interest' group by 1`,
  },
  protection: {
    columns: [['time', 'time'], ['event', 'number'], ...CUSTOMER, ['what', 'text'], ['facts', 'text']],
    rows: withAccount(`select e.at as time, e.id as event, e.customer_id as customer, e.what, e.facts::text as facts
      from protection_events e where e.at >= $1 and e.at < $2`),
    order: ['event'],
  },
  audit: {
    columns: [
      ['entry', 'number'],
      ['time', 'time'],
      ['staff', 'number'],
      ['account', 'text'],
      ['action', 'text'],
      ['subject', 'text'],
      ['facts', 'text'],
      ['hash', 'text'],
    ],
    rows: `select l.seq as entry, to_timestamp(l.at_ms / 1000.0) as time, l.staff_id as staff, f.account, l.action, l.subject,
        (l.entry::jsonb -> 'facts')::text as facts, encode(l.hash, 'hex') as hash
      from audit_log l left join staff f on f.id = l.staff_id
      where l.at_ms >= extract(epoch from $1::timestamptz) * 1000 and l.at_ms < extract(epoch from $2::timestamptz) * 1000`,
    order: ['entry'],
  },
};
