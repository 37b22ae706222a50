import { createHash } from 'node:crypto';
import type pg from 'pg';
import type { JournalEntry } from './journal.ts';

/**
 * Checks with SQL of its own; each statement finds rows that must not exist. Accounts are numbered owner × 4 + bucket (0
 * available, 1 held, 2 earning), and an order's id is the `ref` of its postings.
 */
const NEVER: Readonly<Record<string, string>> = {
  'a key used for two orders':
    'select customer_id from orders group by customer_id, key_hash having count(*) > 1',
  'a stake that was not held exactly once': `
    select o.id from orders o left join ledger.postings p
      on p.ref = o.id and p.owner_id = o.customer_id and p.debit = o.customer_id * 4 and p.credit = o.customer_id * 4 + 1
    group by o.id, o.stake having count(p.id) <> 1 or sum(p.amount) <> o.stake`,
  'a settlement in two transfers': `
    select p.ref from ledger.postings p join ledger.transfers t on t.id = p.transfer_id
    where t.kind = 'resolve' group by p.ref having count(distinct p.transfer_id) <> 1`,
  'an outcome that its prices do not give': `
    select id from orders_and_results where void_reason is null
      and result <> coalesce(sign(settle_price - open_price) * direction, 1)`,
  'an order that opened or settled by an entry that is no fix of its time': `
    select o.id from orders_and_results o
    left join logged_fixes f on f.product_id = o.product_id and f.fix_ms = o.opens_at_ms and o.open_index in (f.index, f.close_index)
    left join logged_fixes s on s.product_id = o.product_id and s.fix_ms = o.settles_at_ms and o.settle_index in (s.index, s.close_index)
    where o.open_index is not null and num_nulls(f.index, s.index) > 0`,
  'an order that won without a price, and the log has both of its fixes': `
    select o.id from orders_and_results o join logged_fixes f on f.product_id = o.product_id and f.fix_ms = o.opens_at_ms
    join logged_fixes s on s.product_id = o.product_id and s.fix_ms = o.settles_at_ms
    where o.result is not null and o.void_reason is null and o.open_index is null`,
  'a balance that is not the sum of its postings': `
    with leg as (
      select debit as account, asset_id, -amount::numeric as amount from ledger.postings
      union all select credit, asset_id, amount from ledger.postings
    ), stands as (
      select owner_id * 4 as account, asset_id, available::numeric as amount from ledger.balances
      union all select owner_id * 4 + 1, asset_id, held from ledger.balances
      union all select owner_id * 4 + 2, asset_id, earning from ledger.balances
      union all select account, asset_id, sum(amount) from ledger.house_movements group by 1, 2
    ), compared as (
      select account, asset_id, amount from stands union all select account, asset_id, -amount from leg
    )
    select account from compared group by account, asset_id having sum(amount) <> 0`,
  'an asset whose accounts do not sum up to nothing': `
    select asset_id from (
      select asset_id, (available + held + earning)::numeric as amount from ledger.balances
      union all select asset_id, amount from ledger.house_movements
    ) a group by asset_id having sum(amount) <> 0`,
  'a day of a limit that its orders do not give': `
    select customer_id from (select * from traded_days
      where (customer_id, asset_id) in (select customer_id, asset_id from customer_limits where kind <> 'deposit')) d
    full join (
      select customer_id, asset_id, accepted_at_ms / 86400000 * 86400000 as day_ms, sum(stake) as staked, coalesce(sum(credited), 0) as credited
      from orders_and_results where (customer_id, asset_id) in (select customer_id, asset_id from customer_limits where kind <> 'deposit') group by 1, 2, 3
    ) o using (customer_id, asset_id, day_ms)
    where (d.staked, d.credited) is distinct from (o.staked, o.credited)`,
  'a negative balance': 'select owner_id from ledger.balances where available < 0 or held < 0 or earning < 0',
};

/** Rows that must not exist once every order is settled. */
const NOT_IN_THE_END: Readonly<Record<string, string>> = {
  'an order that is not settled': 'select id from orders_and_results where settled_at_ms is null',
  'a held stake that did not leave exactly once': `
    select o.id from orders o left join ledger.postings p
      on p.ref = o.id and p.owner_id = o.customer_id and p.debit = o.customer_id * 4 + 1
    group by o.id, o.stake having sum(p.amount) is distinct from o.stake`,
  'a customer who was credited anything but the outcome': `
    select o.id from orders_and_results o left join ledger.postings p
      on p.ref = o.id and p.owner_id = o.customer_id and p.credit = o.customer_id * 4
    group by o.id, o.result, o.stake, o.income, o.void_reason
    having coalesce(sum(p.amount), 0) <> case o.result when 1 then o.stake + o.income
      when 0 then o.stake + case when o.void_reason = 'not_logged' then o.stake / 10 else 0 end else 0 end`,
  'money held for nothing': 'select owner_id from ledger.balances where held <> 0',
  'a batch of acceptances that the log does not carry': `
    select number from order_batches b where not exists (
      select from logged_batches l where b.number between l.first_batch and l.last_batch)`,
};

/**
 * All faults once everything is settled; an empty list means none.
 * @param mayBeUnknown whether some orders have an unknown outcome: they may be missing, but must not differ from the request
 */
export async function judge(
  db: pg.Pool,
  journal: ReadonlyMap<string, JournalEntry>,
  { mayBeUnknown = false } = {},
): Promise<string[]> {
  const wrong = await findAny(db, { ...NEVER, ...NOT_IN_THE_END });
  const rows = await readOrders(db);
  const stored = new Map(rows.map((row) => [row.key, row]));
  const faults = Map.groupBy(journal.values(), (entry) =>
    faultOf(entry, stored.get(hashed(entry.key)), mayBeUnknown),
  );
  for (const [fault, entries] of faults) {
    if (fault !== null) wrong.push(`${entries.length} × ${fault}, such as ${JSON.stringify(entries[0])}`);
  }
  const wanted = new Set([...journal.keys()].map(hashed));
  for (const { key, id } of rows) if (!wanted.has(key)) wrong.push(`order ${id} was wanted by nobody`);
  return wrong;
}

/**
 * All faults of an installation's state at one moment, in the middle of its work.
 * @param acknowledged orders acknowledged by then: all of them must exist
 * @param sent all orders ever sent: no others may exist
 */
export async function judgeMoment(
  db: pg.Pool,
  { acknowledged, sent }: Record<'acknowledged' | 'sent', ReadonlyMap<string, JournalEntry>>,
): Promise<string[]> {
  const wrong = await findAny(db, NEVER);
  const rows = await readOrders(db);
  const stored = new Map(rows.map((row) => [row.key, row]));
  const said = [...acknowledged.values()].filter(({ outcome }) => outcome === 'ok');
  const lost = said.filter(({ key }) => !stored.has(hashed(key)));
  if (lost.length > 0) wrong.push(`${lost.length} of ${said.length} × acknowledged and lost`);
  const wanted = new Map([...sent.values()].map((entry) => [hashed(entry.key), entry]));
  for (const row of rows) {
    const entry = wanted.get(row.key);
    if (!entry) wrong.push(`order ${row.id} was wanted by nobody`);
    else if (entry.outcome === 'refused') wrong.push(`order ${row.id} was refused and done`);
    else if (entry.outcome === 'ok' && !isSame(entry, row)) wrong.push(`order ${row.id} is another one`);
  }
  return wrong;
}

async function findAny(db: pg.Pool, statements: Readonly<Record<string, string>>): Promise<string[]> {
  const wrong: string[] = [];
  for (const [what, statement] of Object.entries(statements)) {
    const { rowCount } = await db.query(statement);
    if (rowCount) wrong.push(`${rowCount} × ${what}`);
  }
  return wrong;
}

/** A key as `orders` keep it. */
const hashed = (key: string): string => createHash('sha256').update(key).digest('hex').slice(0, 16);

async function readOrders(db: pg.Pool): Promise<StoredOrder[]> {
  const { rows } = await db.query<StoredOrder>(
    `select o.id::text, c.account, encode(o.key_hash, 'hex') as key, o.stake::text, o.direction, p.symbol
     from orders o join customers c on c.id = o.customer_id join products p on p.id = o.product_id`,
  );
  return rows;
}

interface StoredOrder {
  readonly id: string;
  readonly account: string;
  readonly key: string;
  readonly stake: string;
  readonly direction: number;
  readonly symbol: string;
}

function faultOf(entry: JournalEntry, found: StoredOrder | undefined, mayBeUnknown: boolean): string | null {
  switch (entry.outcome) {
    case 'ok':
      if (!found) return 'acknowledged and lost';
      return isSame(entry, found) ? null : 'acknowledged and another one';
    case 'refused':
      return found ? 'refused and done' : null;
    default:
      if (!mayBeUnknown) return 'still unknown';
      return !found || isWanted(entry, found) ? null : 'unknown and another one';
  }
}

const isSame = (entry: JournalEntry, found: StoredOrder): boolean =>
  found.id === entry.orderId && isWanted(entry, found);

function isWanted(entry: JournalEntry, found: StoredOrder): boolean {
  return (
    found.account === entry.account &&
    found.symbol === entry.symbol &&
    found.stake === entry.amount.replace('.', '') &&
    found.direction === (entry.direction === 'up' ? 1 : -1)
  );
}
