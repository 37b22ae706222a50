import { randomBytes } from 'node:crypto';
import { forFile } from '@fairtick/kit/fixtures/fixture.ts';
import { tradedHouse } from '@fairtick/kit/fixtures/houses.ts';
import { signingKeyFile } from '@fairtick/kit/folder.ts';
import { ORIGIN } from '@fairtick/kit/installation/house.ts';
import { afterChanges, foundAfter } from '@fairtick/kit/judges/planted-changes.ts';
import { generateNoteKey, nobleSigner, signNote, splitNoteText } from '@fairtick/proof';
import { beforeAll, describe, expect, test } from 'vitest';
import { wronglySigned } from './audit-batch-check.ts';
import { AUDIT_CHECKS, audit, type Finding } from './audit-checks.ts';
import { EARNINGS_CHECKS } from './audit-earnings-checks.ts';
import { MONEY_CHECKS } from './audit-money-checks.ts';
import { RECORD_CHECKS } from './audit-record-checks.ts';
import { SESSION_CHECKS } from './audit-session-checks.ts';

const still = forFile(() => tradedHouse());
/** Ids of a won, a lost, a void and an open order. */
let ids: number[];
beforeAll(async () => {
  const { rows } = await still.house.db.owner.query<{ id: string }>('select id from orders order by id');
  ids = rows.map(({ id }) => Number(id));
});

/** The names of the checks that find something. */
async function found(): Promise<string[]> {
  const client = await still.house.db.server.connect();
  try {
    return namesOf(await audit(client));
  } finally {
    client.release();
  }
}

/** The same after a change that is rolled back. */
const foundIn = (change: string) => foundAfter(still.house.db.owner, [change]);
/** The findings about signatures after a change that is rolled back. */
const signedWronglyAfter = (change: string) =>
  afterChanges(still.house.db.owner, [change], (client) =>
    wronglySigned(client, signingKeyFile(still.house.db)),
  );

const namesOf = (findings: readonly Finding[]) =>
  findings.filter(({ count }) => count > 0).map(({ name }) => name);

const nameOf = (start: string): string => {
  const matching = AUDIT_CHECKS.filter(({ name }) => name.startsWith(start));
  if (matching.length !== 1) throw new Error(`${matching.length} checks start with ${start}`);
  return matching[0]?.name as string;
};

/**
 * Each defect: its name, the statement, made with the owner's rights, and the check that finds it. `$won`, `$lost`,
 * `$void` and `$open` are orders.
 */
const PLANTED: readonly [string, string, string][] = [
  [
    'a balance without a posting',
    'update ledger.balances set available = available + 1 where asset_id = 2',
    'the ledger adds up',
  ],
  [
    'a stake posted twice',
    `with t as (insert into ledger.transfers (idempotency_key, input_hash, kind) values ('orders:999', sha256(''), 'reserve') returning id)
     insert into ledger.postings (transfer_id, owner_id, asset_id, debit, credit, amount, available_after, ref)
     select t.id, p.owner_id, asset_id, debit, credit, amount, available_after, ref from ledger.postings p, t where ref = $open`,
    'each order has exactly one posting',
  ],
  [
    'an order without a stake',
    'delete from ledger.postings where ref = $open',
    'each order has exactly one posting',
  ],
  ['a stake without an order', 'delete from orders where id = $open', 'each order has exactly one posting'],
  [
    'a stake of another amount',
    'update orders set stake = stake + 10000, income = income + 8500 where id = $open',
    'each order has exactly one posting',
  ],
  [
    'a settled order that was not paid',
    `delete from ledger.postings where ref = $won and debit = owner_id * 4 + 1`,
    'each settled order was paid',
  ],
  [
    'an order that was paid twice',
    `with t as (insert into ledger.transfers (idempotency_key, input_hash, kind) values ('settle:77', sha256(''), 'resolve') returning id)
     insert into ledger.postings (transfer_id, owner_id, asset_id, debit, credit, amount, available_after, ref)
     select t.id, p.owner_id, asset_id, debit, credit, amount, available_after, ref from ledger.postings p, t where ref = $won and p.debit = p.owner_id * 4 + 1`,
    'each settled order was paid',
  ],
  [
    'a transfer under a key of another kind',
    `update ledger.transfers set idempotency_key = 'deposit:77' where id = (select max(id) from ledger.transfers where kind = 'practice')`,
    'each transfer has a key of its kind',
  ],
  [
    'an unsettled order that was paid',
    'delete from order_results where order_id = $lost',
    'each settled order was paid',
  ],
  [
    'an outcome reversed',
    `with o as (update orders set direction = 1 where id = $lost returning stake + income as won)
     update order_results set result = 1, credited = o.won from o where order_id = $lost`,
    'each settled order was paid',
  ],
  [
    'an order that got more than it says',
    `with t as (insert into ledger.transfers (idempotency_key, input_hash, kind) values ('close:7:77', sha256(''), 'amend') returning id)
     insert into ledger.postings (transfer_id, owner_id, asset_id, debit, credit, amount, available_after, ref)
     select t.id, customer_id, asset_id, 8, customer_id * 4, 5, 5, o.id from orders o, t where o.id = $lost`,
    'each settled order was paid',
  ],
  [
    'an order marked void without its money',
    `insert into order_results (order_id, settled_at_ms, credited, result, void_reason)
     select id, settles_at_ms, stake, 0, 'no_price' from orders where id = $open`,
    'what is held',
  ],
  [
    'capital that nobody posted',
    'update ledger.house_movements set amount = amount + 5 where account = 8 and asset_id = 1',
    'the house has its capital',
  ],
  ['a name verified by hand', `update customers set real_status = 'verified'`, 'real names are'],
  [
    'a name decided without a trace',
    `with s as (select staff_install('somebody', 'Somebody', 'x', 'verification', true) as id),
       u as (insert into uploads (id, customer_id, purpose, file, key_id, width, height, bytes, sha256)
         select 1, min(id), 'id_front', repeat('a', 32), '\\x00000000', 1, 1, 1, sha256('') from customers returning id, customer_id),
       c as (update customers set real_status = 'failed' where id = (select customer_id from u))
     insert into verifications (id, customer_id, state, is_restricted_country, front_id, back_id, decided_at, decided_by, reason)
       select 1, u.customer_id, 'failed', false, u.id, u.id, now(), s.id, 'expired' from u, s`,
    'real names are',
  ],
  ['a promise forgotten', 'update promised_income set amount = amount - 1', 'promised income'],
  [
    'a promise given up twice',
    'insert into settled_promises (asset_id, amount) values (1, 5)',
    'promised income',
  ],
  ['a promise counted twice', 'update settled_income set amount = amount + 5', 'promised income'],
  ['a stake missing from the limits', 'update traded_days set staked = staked - 1', 'the days of who has'],
  [
    'a win that a limit counted twice',
    'update traded_days set credited = 2 * credited',
    'the days of who has',
  ],
  ['a day that a limit forgot', 'delete from traded_days', 'the days of who has'],
  ['a batch removed', 'delete from order_batches where number = 1', 'batches are numbered'],
  [
    'a batch that says one order too many',
    `update order_batches set accepted = accepted + 1, leaves = leaves || sha256(''), sessions = sessions || 0::bigint where number = 1`,
    'batches are numbered',
  ],
  [
    'an order accepted at another time than its batch',
    'update order_batches set accepted_at_ms = accepted_at_ms + 1',
    'batches are numbered',
  ],
  [
    'an order at a rate of its own',
    'update orders set payout_rate_bps = 9300, income = stake / 10000 * 9300 where id = $open',
    'orders have the payout rate',
  ],
  ['an order of nobody', 'update orders set customer_id = 77 where id = $open', 'orders belong to'],
  [
    'an order under the rules of another product',
    `update orders set rules_id = (select id from rules where product_id <> orders.product_id limit 1) where id = $open`,
    'orders belong to',
  ],
  [
    'a mark that passed an order',
    'update settlement_head set settled_before_ms = settled_before_ms + 3600000',
    'nothing that counts as settled',
  ],
  [
    'a settlement price that is not in the log',
    'update order_results set settle_price = settle_price + 1 where order_id = $won',
    'the prices of settled orders',
  ],
  [
    'an opening at another entry',
    'update order_results set open_index = open_index - 1 where order_id = $won',
    'the prices of settled orders',
  ],
  [
    'a price changed in the log',
    `update log_entries set body = replace(body, '|1.08428|', '|1.08429|') where index = (select settle_index from orders_and_results where id = $won)`,
    'the prices of settled orders',
  ],
  [
    'a win for want of fixes that are there',
    `update order_results set settled_at_ms = opens_at_ms + 86400001, open_index = null, open_price = null,
     settle_index = null, settle_price = null from orders where id = order_id and id = $won`,
    'the prices of settled orders',
  ],
  ['a fix that is forgotten', 'delete from logged_fixes where n = 1', 'fixes are known'],
  ['a fix with another price', 'update logged_fixes set price = price + 1 where n = 1', 'fixes are known'],
  [
    'a close that nobody looked at',
    `update logged_fixes set is_open = true, close_index = (select min(index) from log_entries where kind = log_kind('tick')), close_price = price + 1`,
    'fixes are known',
  ],
  ['an entry removed from the log', 'delete from log_entries where index = 10', 'the log has no hole'],
  [
    'the log cut off',
    'delete from log_entries where index = (select size - 1 from log_head)',
    'the log has no hole',
  ],
  [
    'a number skipped',
    "update log_entries set n = n + 1 where index = (select max(index) - 5 from log_entries where kind = log_kind('tick'))",
    'each product’s numbers',
  ],
  [
    'a time set back',
    "update log_entries set time_ms = time_ms - 600000 where index = (select max(index) from log_entries where kind = log_kind('tick') and product_id = 1)",
    'each product’s numbers',
  ],
  [
    'a product state with a wrong last number',
    'update product_states set last_n = last_n + 1',
    'each product’s numbers',
  ],
  [
    'a batch that the log does not carry',
    'delete from logged_batches where first_batch = 1',
    'every batch below',
  ],
  [
    'a batch assigned to another entry',
    'update logged_batches set entry_index = entry_index - 1',
    'every batch below',
  ],
  [
    'an entry with another time than its batches state',
    'update logged_batches set time_ms = time_ms + 250',
    'every batch below',
  ],
  ['a head that claims more batches', 'update log_head set last_batch = last_batch + 1', 'every batch below'],
  [
    'a ledger that is not the one whose head was made public',
    `insert into public_heads (number, upto, ledger_head, audit_size, audit_head)
     values (1, pg_snapshot_xmin(pg_current_snapshot()), sha256('another'), 0, decode(repeat('00', 32), 'hex'))`,
    'the heads of ledger',
  ],
  [
    'an order above the greatest stake',
    'update rule_terms set max_stakes = \'{"bronze": 1}\'',
    'orders keep within',
  ],
  ['an order below the least stake', 'update rule_terms set min_stake = 1e12', 'orders keep within'],
  [
    'an order of a length that is not offered',
    'delete from rule_terms where minutes = 1',
    'orders keep within',
  ],
  [
    'a minute that could cost more than it may',
    'update promised_income set product_limit = 80000000 where asset_id = 1',
    'no settlement minute promises',
  ],
  [
    'a customer with more than a tenth of a group’s minute',
    'update promised_income set group_limit = 500000000 where asset_id = 1',
    'no settlement minute promises',
  ],
  [
    'an order that was accepted during a halt',
    `with someone as (
       insert into staff (account, display_name, person, password_hash) values ('someone', 'x', 'x', '') returning id
     ), halt as (insert into trading_halts (reason, halted_by) select 'why', id from someone returning id)
     insert into log_halts (n, halt_id, is_on, time_ms, entry_index)
     select 1, h.id, true, (select accepted_at_ms - 251 from orders where id = $open), 1 from halt h`,
    'no order was accepted during',
  ],
  [
    'an order that was accepted during a break',
    `insert into protected_customers (customer_id, closed_kind, closed_at, closed_until)
     select customer_id, 'break', to_timestamp(accepted_at_ms / 1000.0 - 120), 'infinity' from orders where id = $open`,
    'no order was accepted during',
  ],
  [
    'an order without a session',
    'update order_batches set sessions = null where number = 2',
    'each order was placed',
  ],
  [
    'an order under a session of another customer',
    'update order_batches set sessions = (select sessions[2:2] || sessions[1:1] || sessions[3:3] from order_batches where number = 1) where number = 1',
    'each order was placed',
  ],
  [
    'a coming minute whose incomes are forgotten',
    'update minute_incomes set incomes = array_fill(0::bigint, array[cardinality(incomes)])',
    'what the house may lose',
  ],
  ['an audit log that lost its end', 'update audit_head set size = size + 1', 'the office’s audit log'],
];

describe('the audit', () => {
  test('finds nothing in a consistent house with won, lost, void and open orders', async () => {
    const orders = await still.orders(ids);
    expect(orders.map(({ result, voidReason }) => voidReason ?? result)).toEqual([
      'profit',
      'loss',
      'no_price',
      null,
    ]);
    expect(await found()).toEqual([]);
  });

  test.each(PLANTED)('finds %s', async (_what, statement, start) => {
    const sql = ['won', 'lost', 'void', 'open'].reduce(
      (text, name, place) => text.replaceAll(`$${name}`, String(ids[place])),
      statement,
    );
    expect(await foundIn(sql)).toContain(nameOf(start));
  });

  test.each([
    ['no signature', `signed = ''`],
    ['the signature of another batch', 'signed = (select signed from order_batches where number = 2)'],
    ['another root', `root = sha256('another')`],
    ['another acceptance', `leaves = sha256('another') || substring(leaves from 33)`],
  ])('finds a batch with %s', async (_what, change) => {
    expect(await signedWronglyAfter(`update order_batches set ${change} where number = 1`)).toHaveLength(1);
  });

  test('finds a batch that is signed by a key of the right name that is not the log’s', async () => {
    const name = `${ORIGIN}/acceptances`;
    const signer = nobleSigner(generateNoteKey(name, randomBytes(32)).signerKey);
    const { rows } = await still.house.db.owner.query('select signed from order_batches where number = 1');
    const text = splitNoteText(rows[0].signed);
    if (!signer || text === null) throw new Error('no note');
    const forged = signNote(text, signer).replaceAll("'", "''");
    expect(
      await signedWronglyAfter(`update order_batches set signed = '${forged}' where number = 1`),
    ).toEqual(['batch 1: no key of the log signed it']);
  });

  test('every check has a test in which it finds something', () => {
    // Defects for the checks of money, earnings and sessions are in audit-money.test.ts, audit-earnings.test.ts,
    // tests/security/mint.test.ts and tests/security/mint-orders.test.ts, those for the checks of records in audit-tampering.full.test.ts.
    const proven = new Set([
      ...PLANTED.map(([, , start]) => nameOf(start)),
      ...[...MONEY_CHECKS, ...EARNINGS_CHECKS, ...SESSION_CHECKS, ...RECORD_CHECKS].map(({ name }) => name),
    ]);
    expect([...proven].sort()).toEqual(AUDIT_CHECKS.map(({ name }) => name).sort());
  });

  test('reads one snapshot, so that it finds nothing wrong in a house at work', async () => {
    const customers = await still.customers(40);
    await still.tick('EUR/USD', '1.08400');
    let isDone = false;
    const auditing = (async () => {
      const seen: string[] = [];
      while (!isDone) seen.push(...(await found()));
      return seen;
    })();
    for (const customer of customers) await still.buy(customer, { symbol: 'EUR/USD', amount: '10' });
    await still.tick('EUR/USD', '1.08410');
    await still.leapTo(still.nowMs + 62_000);
    await still.settle();
    await still.house.db.server.query('select roll_up_house()');
    isDone = true;
    expect(await auditing).toEqual([]);
    expect(await found()).toEqual([]);
  });
});
