import { asSuperuser } from '@fairtick/kit/database/database.ts';
import { forFile } from '@fairtick/kit/fixtures/fixture.ts';
import { ownDatabase } from '@fairtick/kit/fixtures/fixtures.ts';
import { tradedHouse } from '@fairtick/kit/fixtures/houses.ts';
import { afterChanges } from '@fairtick/kit/judges/planted-changes.ts';
import { installStaff } from '@fairtick/kit/people/staff.ts';
import { beforeAll, describe, expect, test } from 'vitest';
import { SEEDED_CHECK } from '../../commands/audit-seeded.ts';
import { auditLog } from '../../market/log/log-audit.ts';
import { describeSchema } from '../../platform/db/describe-schema.ts';
import { runChecks } from './audit-checks.ts';
import { REPLAY_CHECK } from './audit-replay-check.ts';
import { SCHEMA_LIST, schemaCheck, schemaLines } from './audit-schema-check.ts';

/** A superuser changes a row, a function or a right of a house at work; the audit names each by the check that it belongs to. */
const still = forFile(() => tradedHouse());
const fresh = ownDatabase();
beforeAll(async () => {
  const { owner, server } = still.house.db;
  // A superuser's changes fire no trigger.
  await asSuperuser(
    still.house.db.ownerAddress.host as string,
    'grant set on parameter session_replication_role to fairtick_owner',
  );
  await installStaff(owner, 'approver');
  await still.leapTo(still.nowMs + 120_000);
  await still.settle();
  await server.query('select statistics_advance()');
  // As the schema has it: a still house lets its log lead the clock.
  await owner.query(
    `create or replace function log_tolerance() returns bigint immutable language sql as 'select 3000::bigint'`,
  );
});

const LOG = { name: 'the log', run: auditLog };
const foundAfter = (change: string) =>
  afterChanges(still.house.db.owner, ['set session_replication_role = replica', change], async (client) => {
    await client.query('set session_replication_role = origin');
    const findings = await runChecks(client, [REPLAY_CHECK, SEEDED_CHECK, schemaCheck(), LOG]);
    return findings.flatMap(({ name, details }) => details.map((detail) => `${name}: ${detail}`));
  });

const SCHEMA = 'functions, triggers, rights and tables of the database are those of this version';
const STATISTICS = 'published statistics of orders are what the orders say';
const ROWS: readonly (readonly [what: string, change: string, check: string])[] = [
  [
    'a role is granted',
    `insert into staff_roles (staff_id, role, usable_from) select min(id), 'cashier', now() from staff`,
    'staff have the roles',
  ],
  ['a role is taken away', `delete from staff_roles`, 'staff have the roles'],
  ['an account is turned off', `update staff set is_active = false`, 'staff have the roles'],
  [
    'a customer is linked',
    `insert into staff_customers (person, customer_id, declared_by) select 'x', (select min(id) from customers), min(id) from staff`,
    'staff are linked',
  ],
  [
    'a customer is frozen without a record',
    `insert into protected_customers (customer_id, orders_frozen_until) select min(id), now() + interval '1 day' from customers on conflict (customer_id) do update set orders_frozen_until = excluded.orders_frozen_until`,
    'customers are frozen as',
  ],
  [
    'a freeze is recorded that nobody began',
    `insert into account_freezes (customer_id, what, until, reason, note, staff_id) select min(id), 'login', clock_timestamp() + interval '1 hour', 'review', 'a note', 1 from customers`,
    'customers are frozen as',
  ],
  [
    'a hold of an authority is invented',
    `insert into legal_holds (id, customer_id, asset_id, amount, authority, reference, transfer_id) select 1, min(id), 2, 5, 'a court', '1', 1 from customers`,
    'each hold of an authority',
  ],
  [
    'an exclusion is shortened',
    `with e as (insert into protection_events (customer_id, what, facts) select min(id), 'exclusion', '{"until":"infinity"}' from customers returning customer_id) insert into protected_customers (customer_id, closed_kind, closed_at, closed_until) select customer_id, 'exclusion', now(), now() + interval '1 hour' from e on conflict (customer_id) do update set closed_kind = 'exclusion', closed_at = now(), closed_until = now() + interval '1 hour'`,
    'breaks, self-exclusions',
  ],
  [
    'an exclusion is removed',
    `insert into protection_events (customer_id, what, facts) select min(id), 'exclusion', '{"until":"infinity"}' from customers`,
    'breaks, self-exclusions',
  ],
  ['a limit is raised', `update customer_limits set amount = amount * 2`, 'customers have the limits'],
  ['a limit is removed', `delete from customer_limits`, 'customers have the limits'],
  [
    'terms of rules are raised',
    `update rule_terms set rate = rate + 1 where ctid = (select min(ctid) from rule_terms)`,
    'rules are what the log says',
  ],
  [
    'stakes of rules are raised',
    `update rule_terms set max_stakes = '{"bronze": 1e15}' where ctid = (select min(ctid) from rule_terms)`,
    'rules are what the log says',
  ],
  [
    'terms of rules are removed',
    `delete from rule_terms where ctid = (select min(ctid) from rule_terms)`,
    'rules are what the log says',
  ],
  [
    'a current price is changed',
    `update product_states set tick_price = tick_price + 1 where tick_price is not null`,
    'products stand where the log says',
  ],
  [
    'a halt is ended',
    `insert into trading_halts (reason, halted_by) select 'x', min(id) from staff`,
    'halts are those of the log',
  ],
  [
    'a session is written',
    `insert into sessions (token_hash, customer_id, fresh_until, user_agent) select sha256('x'), min(id), now(), '' from customers`,
    'each live session is on record',
  ],
  [
    'a checkpoint’s note is changed',
    `update log_checkpoints set note = replace(note, size::text, (size + 1)::text)`,
    'kept checkpoints say',
  ],
  [
    'a checkpoint’s root is changed',
    `update log_checkpoints set root = sha256('x') where size = (select min(size) from log_checkpoints)`,
    'kept checkpoints say',
  ],
  [
    'a kept checkpoint is not kept any more',
    `update log_checkpoints set is_kept = false where is_kept`,
    'kept checkpoints say',
  ],
  [
    'settlement is put ahead',
    `update settlement_head set settled_before_ms = settled_before_ms + 86400000`,
    'settlement is not ahead',
  ],
  ['statistics are changed', `update order_statistics set lost = lost + 1`, STATISTICS],
  ['statistics are removed', `delete from order_statistics`, STATISTICS],
  [
    'a customer’s result is changed',
    `update customer_results set result = result + 1`,
    'published statistics of voids',
  ],
  ['a row of the log is deleted', `delete from log_entries where index = 40`, 'the log has no hole'],
  [
    'a row of the log is deleted, by its hash',
    `delete from log_entries where index = 40`,
    'the log: bundle 0 has',
  ],
  [
    'a row of the log is changed',
    `update log_entries set body = body || ' ' where index = (select min(index) from log_entries where kind = 4)`,
    'the log: ',
  ],
  [
    'a bundle is changed',
    `insert into log_bundles (number, body) values (0, 'x')`,
    'the log: the archived bundle 0',
  ],
  [
    'a function is replaced',
    `create or replace function staff_may(_staff bigint, _role text) returns boolean language sql as 'select true'`,
    `${SCHEMA}: function public.staff_may(bigint,text): changed`,
  ],
  [
    'a trigger is dropped',
    `drop trigger withdrawal_requests_guard on withdrawal_requests`,
    `${SCHEMA}: trigger withdrawal_requests_guard on public.withdrawal_requests: missing`,
  ],
  [
    'a trigger is disabled',
    `alter table withdrawal_requests disable trigger withdrawal_requests_guard`,
    `${SCHEMA}: trigger withdrawal_requests_guard on public.withdrawal_requests: changed`,
  ],
  [
    'rights are granted',
    `grant update (available) on ledger.balances to fairtick_server`,
    `${SCHEMA}: rights of fairtick_server on ledger.balances: changed`,
  ],
  [
    'keys of a partition need not be unique',
    `do $$ begin execute (select 'drop index ' || indexrelid::regclass from pg_index where indrelid = 'orders_1'::regclass and indisunique and not indisprimary); end $$`,
    `${SCHEMA}: partitions of public.orders: changed`,
  ],
  [
    'rights are granted on a partition',
    `grant update (amount) on ledger.postings_1 to fairtick_server`,
    `${SCHEMA}: rights of fairtick_server on ledger.postings_1: added`,
  ],
  [
    'rights are granted to all',
    `grant insert on orders to public`,
    `${SCHEMA}: rights of everybody on public.orders: added`,
  ],
  [
    'a constraint is dropped',
    `alter table withdrawal_requests drop constraint withdrawal_requests_check`,
    `${SCHEMA}: constraints of public.withdrawal_requests: changed`,
  ],
  [
    'a policy is dropped',
    `drop policy login_events_failed on login_events`,
    `${SCHEMA}: policy login_events_failed on public.login_events: missing`,
  ],
  [
    'four eyes become two',
    `update four_eyes_rules set needed = 0 where kind = 'withdrawal'`,
    `${SCHEMA}: rows of public.four_eyes_rules: changed`,
  ],
  [
    'the house may lose more',
    'update promised_income set product_limit = product_limit * 10 where asset_id = 2',
    'assets, products and what',
  ],
  [
    'the role gets settings',
    `alter role fairtick_server set statement_timeout = 1`,
    `${SCHEMA}: settings of role fairtick_server: added`,
  ],
];

describe('the audit', () => {
  test('knows this version’s schema by a list, which `vitest -u` writes anew', async () => {
    await afterChanges(fresh.owner, ['select 1'], async (client) => {
      await expect(schemaLines(await describeSchema(client))).toMatchFileSnapshot(SCHEMA_LIST);
    });
  });

  test('finds nothing in what the functions wrote', async () => {
    expect(await foundAfter('select 1')).toEqual([]);
  });

  test.each(ROWS)('names it when %s', async (_what, change, check) => {
    const found = await foundAfter(change);
    expect(
      found.filter((line) => line.startsWith(check)),
      found.join('\n'),
    ).not.toEqual([]);
  });

  test('goes on after a check that fails, and names that check', async () => {
    const found = await foundAfter(`delete from log_entries where index = 40`);
    expect(found.filter((line) => line.startsWith(REPLAY_CHECK.name)).join()).toContain('the check failed: ');
  });
});
