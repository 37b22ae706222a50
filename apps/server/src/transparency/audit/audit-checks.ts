import pg from 'pg';
import { EARNINGS_CHECKS } from './audit-earnings-checks.ts';
import { MONEY_CHECKS } from './audit-money-checks.ts';
import { ORDER_CHECKS } from './audit-order-checks.ts';
import { RECORD_CHECKS } from './audit-record-checks.ts';
import { SESSION_CHECKS } from './audit-session-checks.ts';

/**
 * Invariants of the database besides its constraints, as plain SQL that shares nothing with the code which wrote the
 * rows. Each check returns one row for each violation; no row means that it holds.
 */
export interface AuditCheck {
  readonly name: string;
  readonly sql: string;
}

export interface Finding {
  readonly name: string;
  readonly count: number;
  /** The first few findings. */
  readonly details: readonly string[];
  /** A human judges it: the books are right, and chance does not explain what is in them. */
  readonly isForJudgement: boolean;
}

/**
 * A posting's `ref` is an order's id in transfers with these key prefixes: `orders:` holds stakes, `settle:` ends them, and `close:` pays
 * what the close of a fix adds.
 */
const HELD = `select t.idempotency_key as key, p.ref, p.owner_id, p.asset_id, count(*) as count, sum(p.amount) as amount
  from ledger.postings p join ledger.transfers t on t.id = p.transfer_id
  where t.idempotency_key like 'orders:%' and p.debit = p.owner_id * 4 and p.credit = p.owner_id * 4 + 1
  group by 1, 2, 3, 4`;
const PAID = `select p.ref, p.owner_id, p.asset_id, count(distinct p.transfer_id) filter (where t.kind = 'resolve') as count,
    coalesce(sum(p.amount) filter (where p.credit = p.owner_id * 4), 0) as returned,
    coalesce(sum(p.amount) filter (where p.debit = p.owner_id * 4 + 1), 0) as released
  from ledger.postings p join ledger.transfers t on t.id = p.transfer_id
  where t.idempotency_key ~ '^(settle|close):' group by 1, 2, 3`;

export const AUDIT_CHECKS: readonly AuditCheck[] = [
  {
    name: 'the ledger adds up',
    sql: `select rule || ': ' || detail as detail from ledger.violations()`,
  },
  {
    name: 'each order has exactly one posting that holds its stake, and each such posting its order',
    sql: `select format('order %s of customer %s: stake %s, held %s in %s postings', coalesce(o.id, h.ref),
        coalesce(o.customer_id, h.owner_id), o.stake, h.amount, h.count) as detail
      from orders o full join (${HELD}) h on h.ref = o.id and h.owner_id = o.customer_id and h.asset_id = o.asset_id
      where o.id is null or h.count is distinct from 1 or h.amount is distinct from o.stake
        or h.key <> 'orders:' || batch_of(o.id)`,
  },
  {
    name: 'each settled order was paid once, exactly what it says; no other was',
    sql: `select format('order %s of customer %s: credited %s of a stake of %s, paid %s for %s in %s transfers',
        coalesce(o.id, p.ref), coalesce(o.customer_id, p.owner_id), o.credited, o.stake, p.returned, p.released, p.count) as detail
      from (select * from orders_and_results where settled_at_ms is not null) o
      full join (${PAID}) p on p.ref = o.id and p.owner_id = o.customer_id and p.asset_id = o.asset_id
      where o.id is null or p.count is distinct from 1 or p.returned <> o.credited or p.released <> o.stake`,
  },
  {
    name: 'each transfer has a key of its kind',
    sql: `select format('transfer %s of kind %s has the key %s', t.id, t.kind, t.idempotency_key) as detail
      from ledger.transfers t where t.idempotency_key !~ case t.kind
        when 'reserve' then '^orders:\\d+$' when 'resolve' then '^settle:\\d+$' when 'amend' then '^close:\\d+:\\d+$' when 'practice' then '^practice:\\d+:'
        when 'capital' then '^capital:' when 'deposit' then '^deposit:\\d+$' when 'hold' then '^withdrawal:\\d+$'
        when 'release' then '^withdrawal:\\d+:end$' when 'payout' then '^withdrawal:\\d+:end$'
        when 'legal_hold' then '^legal:\\d+$' when 'legal_release' then '^legal:\\d+:end$'
        when 'correction' then '^correction:\\d+$' when 'revert' then '^chain:\\d+:\\d+$' when 'interest' then '^interest:' else '^earn:' end`,
  },
  ...MONEY_CHECKS,
  ...EARNINGS_CHECKS,
  ...SESSION_CHECKS,
  ...ORDER_CHECKS,
  ...RECORD_CHECKS,
  {
    name: 'the house has its capital and the results of orders, and nothing else',
    sql: `select format('asset %s: has %s, capital %s and results %s', a.id, coalesce(m.amount, 0), coalesce(c.amount, 0),
        coalesce(o.amount, 0)) as detail
      from ledger.assets a
      left join (select asset_id, sum(amount) as amount from ledger.house_movements
        where account = ledger.trading_account() group by 1) m on m.asset_id = a.id
      left join (select p.asset_id, sum(case when p.credit = ledger.trading_account() then p.amount else -p.amount end) as amount
        from ledger.postings p join ledger.transfers t on t.id = p.transfer_id
        where t.kind = 'capital' group by 1) c on c.asset_id = a.id
      left join (select asset_id, sum(stake - credited) as amount from orders_and_results where settled_at_ms is not null group by 1) o
        on o.asset_id = a.id
      where coalesce(m.amount, 0) <> coalesce(c.amount, 0) + coalesce(o.amount, 0)`,
  },
  {
    name: 'promised income is that of all orders, and of the settled ones what was given up',
    sql: `select format('asset %s: promised %s and given up %s (%s of it counted), orders say %s and %s', i.asset_id, i.amount,
        coalesce(g.amount, 0), s.amount, coalesce(o.promised, 0), coalesce(o.ended, 0)) as detail
      from promised_income i
      join settled_income s using (asset_id)
      left join (select asset_id, sum(amount) as amount from settled_promises group by 1) g using (asset_id)
      left join (select asset_id, sum(income) as promised, sum(income) filter (where settled_at_ms is not null) as ended
        from orders_and_results group by 1) o using (asset_id)
      where i.amount <> coalesce(o.promised, 0) or coalesce(g.amount, 0) <> coalesce(o.ended, 0)
        or s.amount <> (select coalesce(sum(p.amount), 0) from settled_promises p
          where p.asset_id = i.asset_id and p.xid < s.xid)`,
  },
  {
    name: 'the days of who has a limit on stakes or losses are what their orders say',
    sql: `with limited as (select distinct customer_id, asset_id from customer_limits where kind <> 'deposit'),
        today as (select date_trunc('day', to_timestamp(time_ms / 1000.0) at time zone 'UTC') as day from log_head),
        since as (select extract(epoch from least(date_trunc('week', day), date_trunc('month', day)) at time zone 'UTC')::bigint * 1000
          as from_ms from today),
        days as (select * from traded_days join limited using (customer_id, asset_id) join since on day_ms >= from_ms)
      select format('customer %s asset %s day %s: %s and %s, orders say %s and %s', coalesce(d.customer_id, o.customer_id),
        coalesce(d.asset_id, o.asset_id), coalesce(d.day_ms, o.day_ms), d.staked, d.credited, o.staked, o.credited) as detail
      from days d full join (
        select customer_id, asset_id, accepted_at_ms - accepted_at_ms % 86400000 as day_ms, sum(stake) as staked,
          coalesce(sum(credited), 0) as credited
        from orders_and_results join limited using (customer_id, asset_id) join since on accepted_at_ms >= from_ms group by 1, 2, 3
      ) o using (customer_id, asset_id, day_ms)
      where (d.staked, d.credited) is distinct from (o.staked, o.credited)`,
  },
  {
    name: 'batches are numbered without holes, and each has the orders that it says, of its own time',
    sql: `select format('batch %s: %s accepted, %s orders', coalesce(b.number, o.batch), b.accepted, o.count) as detail
      from (select *, lag(number, 1, 0::bigint) over (order by number) as before from order_batches) b
      full join (select batch_of(id) as batch, count(*) as count, min(id) as first, max(id) as last,
          min(accepted_at_ms) as earliest, max(accepted_at_ms) as latest from orders group by 1) o on o.batch = b.number
      where b.number is null or b.number <> b.before + 1 or b.accepted <> coalesce(o.count, 0)
        or (o.batch is not null and (o.first <> first_order(b.number) or o.last <> o.first + o.count - 1
          or o.earliest <> b.accepted_at_ms or o.latest <> b.accepted_at_ms))
        or b.number >= (select next_batch from placement_head)`,
  },
  {
    name: 'orders belong to customers, products, assets and rules that there are',
    sql: `select format('order %s', o.id) as detail from orders o
      left join customers c on c.id = o.customer_id
      left join ledger.assets a on a.id = o.asset_id
      left join rules r on r.id = o.rules_id and r.product_id = o.product_id
      where num_nulls(c.id, a.id, r.id) > 0
      union all
      select format('order %s has a result, but there is no such order', r.order_id) from order_results r
      where not exists (select from orders o where o.id = r.order_id)`,
  },
  {
    name: 'real names are verified or failed as staff decided, and the audit log says who',
    sql: `select format('customer %s is %s, the last submission %s', c.id, c.real_status, coalesce(v.state, 'none')) as detail
      from customers c
      left join lateral (select state from verifications v where v.customer_id = c.id order by v.id desc limit 1) v on true
      where c.real_status <> coalesce(v.state, 'none')
      union all
      select format('verification %s is %s by staff %s, and no entry says so', v.id, v.state, v.decided_by)
      from verifications v
      where v.state <> 'pending' and not exists (select from audit_log a where a.subject = 'verification:' || v.id
        and a.action = 'verification.' || v.state and a.staff_id = v.decided_by)`,
  },
  {
    name: 'nothing that counts as settled is unsettled',
    sql: `select format('order %s settles at %s', o.id, o.settles_at_ms) as detail
      from orders_and_results o cross join settlement_head s where o.settled_at_ms is null and o.settles_at_ms < s.settled_before_ms`,
  },
  {
    name: 'the prices of settled orders stand in the log where they say',
    sql: `select format('order %s, %s: index %s', o.id, t.what, t.index) as detail
      from orders_and_results o
      cross join lateral (values ('opening', o.open_index, o.opens_at_ms, o.open_price),
        ('settlement', o.settle_index, o.settles_at_ms, o.settle_price)) as t (what, index, fix_ms, price)
      left join log_entries l on l.index = t.index
      where t.index >= (select min(index) from log_entries)
        and (l.kind in (log_kind('fix'), log_kind('close')) and l.product_id = o.product_id and split_part(l.body, '|', 6) = t.fix_ms::text
          and replace(split_part(l.body, '|', 7), '.', '')::bigint = t.price) is not true
      union all
      select format('order %s, won without a price', o.id) from orders_and_results o
      join logged_fixes f on f.product_id = o.product_id and f.fix_ms = o.opens_at_ms
      join logged_fixes s on s.product_id = o.product_id and s.fix_ms = o.settles_at_ms
      where o.result is not null and o.void_reason is null and o.open_index is null`,
  },
  {
    name: 'fixes are known as the log’s entries have them, and closes have done what they do',
    sql: `select format('product %s at %s: %s', f.product_id, f.fix_ms, e.what) as detail
      from logged_fixes f
      cross join lateral (values ('fix', f.index, f.price), ('close', f.close_index, f.close_price)) as e (what, index, price)
      left join log_entries l on l.index = e.index
      where e.index >= (select min(index) from log_entries)
        and (l.kind = log_kind(e.what) and l.product_id = f.product_id and l.n = f.n and split_part(l.body, '|', 6) = f.fix_ms::text
          and replace(split_part(l.body, '|', 7), '.', '')::bigint = e.price) is not true
      union all
      select format('the entry at %s of product %s is of no fix', l.index, l.product_id) from log_entries l
      where l.kind in (log_kind('fix'), log_kind('close')) and not exists (
        select from logged_fixes f where f.product_id = l.product_id and f.n = l.n and l.index in (f.index, f.close_index))
      union all
      select format('product %s at %s: the close at %s was not looked at', f.product_id, f.fix_ms, f.close_index)
      from logged_fixes f join log_entries l on l.index = f.close_index cross join log_head h
      where f.close_price <> f.price and not f.is_corrected and l.time_ms < h.time_ms - 60000`,
  },
  {
    name: 'the log has no hole, from its first entry to its head',
    sql: `select format('%s entries from %s to %s, the head is at %s', l.count, l.first, l.last, h.size) as detail
      from log_head h cross join (select count(*) as count, min(index) as first, max(index) as last from log_entries) l
      where l.count <> coalesce(l.last - l.first + 1, 0) or coalesce(l.last + 1, 0) <> h.size
      union all
      select format('%s bundles up to %s, but rows only from %s', b.count, b.last, l.first)
      from (select count(*) as count, max(number) as last from log_bundles) b
      cross join (select min(index) as first from log_entries) l
      where b.count <> coalesce(b.last + 1, 0) or b.count * 256 < l.first`,
  },
  {
    name: 'each product’s numbers rise by one, and its times rise on the grid',
    sql: `select format('product %s: n %s of %s at index %s after n %s of %s', product_id, n, time_ms, index, n_before, time_before) as detail
      from (select product_id, index, n, time_ms, lag(n) over w as n_before, lag(time_ms) over w as time_before
        from log_entries where kind <= log_kind('gap') window w as (partition by product_id order by index)) e
      where n <> n_before + 1 or time_ms <= time_before or time_ms % 250 <> 0
      union all
      select format('product %s stands at n %s, its last entry says %s', s.product_id, s.last_n, l.n)
      from product_states s
      join (select product_id, max(n) as n from log_entries where kind <= log_kind('gap') group by 1) l using (product_id)
      where s.last_n <> l.n`,
  },
  {
    name: 'every batch below the log’s last is in one orders entry, and no other is',
    sql: `select format('batches %s to %s at index %s, after %s', first_batch, last_batch, entry_index, before) as detail
      from (select *, lag(last_batch, 1, 0::bigint) over (order by first_batch) as before from logged_batches) b
      where first_batch <> before + 1
        or (entry_index >= (select min(index) from log_entries) and not exists (
          select from log_entries l where l.index = b.entry_index and l.kind = log_kind('orders') and l.time_ms = b.time_ms
            and l.body like format('orders|4|%s|%s|%s|%%', l.time_ms, b.first_batch, b.last_batch)))
      union all
      select format('the head says %s', h.last_batch) from log_head h
      where h.last_batch <> coalesce((select max(last_batch) from logged_batches), 0)`,
  },
  {
    name: 'the office’s audit log is one chain up to its head',
    sql: `select format('entry %s: %s', seq, problem) as detail from audit_verify()`,
  },
  {
    name: 'the heads of ledger and audit log that were made public are in today’s chains',
    sql: 'select detail from heads_verify()',
  },
];

const SHOWN = 10;

/** A check that SQL alone can't make. */
export interface CodeCheck {
  readonly name: string;
  readonly isForJudgement?: true;
  /** @returns one text for each violation */
  run(client: pg.ClientBase): Promise<readonly string[]>;
}

/** Runs every check on one snapshot, so that a running installation can be audited. */
export async function audit(client: pg.ClientBase, further: readonly CodeCheck[] = []): Promise<Finding[]> {
  await client.query('begin isolation level repeatable read read only');
  try {
    return await runChecks(client, further);
  } finally {
    await client.query('rollback');
  }
}

/** Runs every check in the current transaction. */
export async function runChecks(
  client: pg.ClientBase,
  further: readonly CodeCheck[] = [],
): Promise<Finding[]> {
  const findings: Finding[] = [];
  for (const check of [...AUDIT_CHECKS.map(codeCheckOf), ...further])
    findings.push(await runCheck(client, check));
  return findings;
}

const codeCheckOf = ({ name, sql }: AuditCheck): CodeCheck => ({
  name,
  run: async (client) => (await client.query<{ detail: string }>(sql)).rows.map(({ detail }) => detail),
});

/**
 * Runs one check. A check that fails is a finding itself, because a row that makes it fail may be what somebody changed; the other
 * checks go on. An error that no row causes, such as a lost connection or a timeout, is thrown.
 */
export async function runCheck(
  client: pg.ClientBase,
  { name, run, isForJudgement }: CodeCheck,
): Promise<Finding> {
  await client.query('savepoint audit_check');
  try {
    const found = await run(client);
    return {
      name,
      count: found.length,
      details: found.slice(0, SHOWN),
      isForJudgement: isForJudgement === true,
    };
  } catch (error) {
    const detail = failureByRows(error);
    await client.query('rollback to savepoint audit_check');
    return { name, count: 1, details: [detail], isForJudgement: false };
  } finally {
    await client.query('release savepoint audit_check').catch(() => {});
  }
}

/**
 * The finding of a check that failed.
 * @throws the error itself, if rows can't be its cause: a lost connection, a timeout, a lack of resources
 */
export function failureByRows(error: unknown): string {
  if (error instanceof pg.DatabaseError && /^(08|53|57|58)/.test(error.code ?? '')) throw error;
  return `the check failed: ${error instanceof Error ? error.message : String(error)}`;
}
