import { apiPayee } from '@fairtick/kit/clients/money-api.ts';
import { dataOf, errorOf } from '@fairtick/kit/clients/read-answers.ts';
import { ownDatabase, ownOffice, ownStaff } from '@fairtick/kit/fixtures/fixtures.ts';
import { usdt } from '@fairtick/kit/people/money.ts';
import { beforeAll, expect, test } from 'vitest';

/** Lists, notes and links of customers in the office. */
const db = ownDatabase();
const api = ownOffice(db);
const support = ownStaff(db, api, 'support');
const auditor = ownStaff(db, api, 'auditor');
const content = ownStaff(db, api, 'content');
let [ann, bob, cid] = [] as unknown as Awaited<ReturnType<typeof apiPayee>>[];
beforeAll(async () => {
  [ann, bob, cid] = [
    await apiPayee(api.origin, db, usdt(500)),
    await apiPayee(api.origin, db, usdt(20)),
    await apiPayee(api.origin, db),
  ];
  await db.owner.query(`update customers set country = 'CH', real_status = 'none' where id = $1`, [bob?.id]);
  await db.owner.query(
    `update customers set country = 'CH', created_at = '2026-01-31T23:59:59Z' where id = $1`,
    [cid?.id],
  );
  // Each has been seen once, at a place of their own.
  await db.owner.query('delete from sessions');
  await db.owner.query(
    `update login_events set at = '2026-03-01T12:00:00Z', address = ('198.51.100.' || customer_id % 250)::inet where customer_id is not null`,
  );
});

const listed = async (search: Record<string, string>) => {
  const { items } = await dataOf(support.get('customer/list', search));
  return items.map(({ id }: { id: string }) => id);
};

test.each<[string, Record<string, string>, () => (string | undefined)[]]>([
  ['country', { country: 'CH' }, () => [cid?.id, bob?.id]],
  ['state of the name', { country: 'CH', realStatus: 'none' }, () => [bob?.id]],
  ['the last day of registration', { registeredTo: '2026-01-31' }, () => [cid?.id]],
  ['the day before it', { registeredTo: '2026-01-30' }, () => []],
  ['balance', { asset: 'USDT', least: '20' }, () => [bob?.id, ann?.id]],
  ['a higher balance', { asset: 'USDT', least: '20.000001' }, () => [ann?.id]],
  [
    'the last visit',
    { country: 'CH', seenFrom: '2026-03-01', seenTo: '2026-03-01' },
    () => [cid?.id, bob?.id],
  ],
  ['a later visit', { seenFrom: '2026-03-02' }, () => []],
])('customers are listed by %s', async (_by, search, ids) => {
  expect(await listed(search)).toEqual(ids());
});

test('a list goes page by page, names the balance of the chosen asset, and each customer sees that staff looked', async () => {
  const first = await dataOf(support.get('customer/list', { asset: 'USDT', limit: '2' }));
  expect(first.items).toMatchObject([
    { id: cid?.id, balance: '0.000000', flags: [] },
    { id: bob?.id, balance: '20.000000', country: 'CH' },
  ]);
  const rest = await dataOf(support.get('customer/list', { limit: '2', cursor: first.nextCursor }));
  expect(rest.items[0]).toMatchObject({ id: ann?.id, balance: null });
  const { rows } = await db.owner.query(
    `select count(*)::int as views from personal_data_views where customer_id = $1 and staff_id = $2 and what = 'search'`,
    [ann?.id, support.staffId],
  );
  expect(rows[0].views).toBeGreaterThan(0);
  expect(await errorOf(support.get('customer/list', { least: '5' }))).toBe('ASSET_NOT_ACCEPTED');
  expect(await errorOf(content.get('customer/list', {}))).toBe('ROLE_MISSING');
});

test('a member of staff keeps searches by name, 50 at most, and nobody else sees them', async () => {
  const keep = (name: string, search: Record<string, string>) =>
    support.post('customer/keepSearch', { name, ...search });
  await dataOf(keep('Swiss', { country: 'CH' }));
  await dataOf(keep('Swiss', { country: 'CH', realStatus: 'none' }));
  expect(await dataOf(support.get('customer/searches', {}))).toEqual([
    { name: 'Swiss', search: { country: 'CH', realStatus: 'none' } },
  ]);
  expect(await dataOf(auditor.get('customer/searches', {}))).toEqual([]);
  await db.owner.query(
    `insert into staff_searches (staff_id, name, filter) select $1, n::text, '{}' from generate_series(1, 49) n`,
    [support.staffId],
  );
  expect(await errorOf(keep('one more', {}))).toBe('SEARCHES_FULL');
  await dataOf(support.post('customer/removeSearch', { name: 'Swiss' }));
  await dataOf(keep('one more', {}));
});

test('notes and flags have a history, and a list finds customers by both', async () => {
  const note = (fields: Record<string, string>) =>
    support.post('customer/note', { id: ann?.id ?? '', ...fields });
  await dataOf(note({ text: 'called about a payment' }));
  await dataOf(note({ text: 'asked for quiet', flag: 'vulnerable', isSet: 'true' }));
  expect(await errorOf(note({ text: 'again', flag: 'vulnerable', isSet: 'true' }))).toBe('NOTHING_NEW');
  expect(await errorOf(note({ text: 'half', flag: 'vulnerable' }))).toBe('INVALID_VALUE');
  expect(await listed({ flag: 'vulnerable' })).toEqual([ann?.id]);
  expect(await listed({ note: 'PAYMENT' })).toEqual([ann?.id]);
  expect((await dataOf(support.get('customer/detail', { id: ann?.id ?? '' }))).flags).toEqual(['vulnerable']);
  await dataOf(note({ text: 'is well', flag: 'vulnerable', isSet: 'false' }));
  expect(await listed({ flag: 'vulnerable' })).toEqual([]);
  const { items } = await dataOf(auditor.get('customer/notes', { id: ann?.id ?? '' }));
  expect(items).toMatchObject([
    { flag: 'vulnerable', isSet: false, text: 'is well', by: { id: support.staffId } },
    { flag: 'vulnerable', isSet: true },
    { flag: null, isSet: null, text: 'called about a payment' },
  ]);
});

test('accounts with the same destination, device or network are named as facts, and their holders see who looked', async () => {
  const links = async () =>
    (await dataOf(support.get('customer/links', { id: ann?.id ?? '' }))).map(
      ({ what, id }: { what: string; id: string }) => [what, id],
    );
  await db.owner.query('update crypto_addresses set address_index = sha256(customer_id::text::bytea)');
  await db.owner.query('update bank_cards set number_index = sha256(customer_id::text::bytea)');
  expect(await links()).toEqual([]);
  await db.owner.query(
    `update crypto_addresses set address_index = (select address_index from crypto_addresses where customer_id = $1 limit 1) where customer_id = $2`,
    [ann?.id, bob?.id],
  );
  await db.owner.query(
    `update login_events set at = now(), address = '203.0.113.9',
       user_agent = case customer_id when $3 then 'another' else 'the same' end where customer_id in ($1, $2, $3)`,
    [ann?.id, bob?.id, cid?.id],
  );
  expect(await links()).toEqual([
    ['destination', bob?.id],
    ['device', bob?.id],
    ['network', cid?.id],
  ]);
  const { rows } = await db.owner.query(
    `select what from personal_data_views where customer_id = $1 order by id desc limit 1`,
    [cid?.id],
  );
  expect(rows).toEqual([{ what: 'search' }]);
});
