import { auditedDatabase } from '@fairtick/kit/fixtures/fixtures.ts';
import {
  approveRequest,
  ask,
  contentOf,
  deposit,
  newPayee,
  type Payee,
  payByHand,
  usdt,
  withdrawal,
} from '@fairtick/kit/people/money.ts';
import { installStaff } from '@fairtick/kit/people/staff.ts';
import { beforeAll, expect, test } from 'vitest';

/** Rules that flag customers: what each finds, that two change it, and that a task changes nothing. */
const db = auditedDatabase();
let [verification, approver] = ['', ''];
beforeAll(async () => {
  [verification, approver] = [
    await installStaff(db.owner, 'verification'),
    await installStaff(db.owner, 'approver'),
  ];
});

const find = (rule: string) => ask(db, 'flag_tasks_find', [rule]);
const open = async (rule: string) =>
  (
    await db.owner.query<{ id: string; customer_id: string; facts: object }>(
      'select id, customer_id, facts from flag_tasks where rule = $1 and closed_at is null order by customer_id',
      [rule],
    )
  ).rows;
const close = (id: string | undefined) => ask(db, 'flag_task_close', [verification, id, 'a family']);
const share = (payees: readonly Payee[]) =>
  db.owner.query(
    `update crypto_addresses set address_index = (select address_index from crypto_addresses where customer_id = $1) where customer_id = any ($2)`,
    [payees[0]?.id, payees.map(({ id }) => id)],
  );

test('many accounts to one destination make a task each, once, and again only when there are more', async () => {
  const family = [await newPayee(db), await newPayee(db), await newPayee(db), await newPayee(db)];
  const rule = 'shared_destination';
  await share(family.slice(0, 2));
  expect(await find(rule)).toBe(0);
  await share(family.slice(0, 3));
  expect([await find(rule), await find(rule)]).toEqual([3, 0]);
  const tasks = await open(rule);
  expect(tasks).toMatchObject(
    family.slice(0, 3).map(({ id }) => ({ customer_id: id, facts: { accounts: 3 } })),
  );
  for (const { id } of tasks) expect(await close(id)).toBe('');
  expect(await close(tasks[0]?.id)).toBe('REQUEST_CLOSED');
  expect(await find(rule)).toBe(0);
  await share(family);
  expect(await find(rule)).toBe(4);
});

test('money that comes and goes without trading makes a task', async () => {
  const cashier = await installStaff(db.owner, 'cashier');
  const passing = async (amount: bigint) => {
    const payee = await newPayee(db);
    const paid = await deposit(db, payee, usdt(100));
    expect(await ask(db, 'deposit_find', [cashier, paid, usdt(100), `payment of ${paid}`])).not.toMatch(
      /^[A-Z]/,
    );
    const id = await withdrawal(db, payee, amount);
    await ask(db, 'withdrawal_propose', [cashier, id, '']);
    const content = await contentOf(db, 'withdrawal', id);
    expect(await approveRequest(db, 'withdrawal', [approver, id, content])).toBe('approved');
    expect(await find('pass_through')).toBe(0);
    expect(await payByHand(db, cashier, id, `reference ${id}`)).toBe('');
    return payee.id;
  };
  await passing(usdt(79));
  const ann = await passing(usdt(80));
  expect(await find('pass_through')).toBe(1);
  expect(await open('pass_through')).toMatchObject([{ customer_id: ann, facts: { percent: 80 } }]);
});

test('a name on the list makes a task, once two people have put it there', async () => {
  const ann = await newPayee(db);
  await db.owner.query(
    `with front as (
       insert into uploads (id, customer_id, purpose, file, key_id, width, height, bytes, sha256)
       values (nextval('personal_data_ids'), $1::bigint, 'id_front', lpad($1::bigint::text, 32, 'f'), '\\x00000001', 10, 10, 10, sha256('')) returning id)
     insert into verifications (id, customer_id, sealed, document_index, name_index, is_restricted_country, front_id)
     select nextval('personal_data_ids'), $1::bigint, '\\x0100000001', sha256('d'), sha256('a name'), false, id from front`,
    [ann.id],
  );
  const { rows } = await db.owner.query(`select sha256('a name') as index`);
  const propose = () =>
    ask(db, 'flag_rule_propose', [
      verification,
      'name_list',
      true,
      1,
      365,
      [rows[0].index],
      'the list of May',
    ]);
  const proposal = await propose();
  expect(await find('name_list')).toBe(0);
  expect(await ask(db, 'proposal_approve', [verification, ['flag_rule'], proposal])).toBe('ROLE_MISSING');
  expect(await ask(db, 'proposal_approve', [approver, ['flag_rule'], proposal])).toBe('done');
  expect(await find('name_list')).toBe(1);
  expect(await open('name_list')).toMatchObject([{ customer_id: ann.id, facts: {} }]);
  expect(
    await ask(db, 'session_begin', [Buffer.alloc(32, 5), ann.id, 'a browser', '198.51.100.7', true]),
  ).toBe('');
});
