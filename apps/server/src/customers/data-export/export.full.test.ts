import { get, post, type Registered, register } from '@fairtick/kit/clients/api-client.ts';
import { ownApi, ownDatabase } from '@fairtick/kit/fixtures/fixtures.ts';
import { IDENTITY, submitReal } from '@fairtick/kit/people/pictures.ts';
import { installStaff } from '@fairtick/kit/people/staff.ts';
import { strFromU8, unzipSync } from 'fflate';
import { expect, test } from 'vitest';
import { EXPORTED, NOT_EXPORTED } from './contents.ts';

const db = ownDatabase();
const api = ownApi(db);

const CARD = { holder: 'Mauersegler', bank: 'A bank', branch: 'A branch', cardNumber: '6222029876543210987' };

async function exported(who: Registered) {
  const response = await fetch(`${api.origin}/api/user/exportData?lang=en`, {
    headers: { token: who.token },
  });
  expect([response.status, response.headers.get('content-type')]).toEqual([200, 'application/zip']);
  expect(response.headers.get('content-disposition')).toMatch(/fairtick-data-[\d-]+\.zip/);
  const files = unzipSync(new Uint8Array(await response.arrayBuffer()));
  return { files, content: JSON.parse(strFromU8(files['data.json'] as Uint8Array)) };
}

test('an export has everything stored about its customer, unsealed, with the pictures, and nothing of other customers', async () => {
  const who = await register(api.origin);
  const stranger = await register(api.origin);
  expect((await submitReal(api.origin, who.token)).body.code).toBe(1);
  for (const [path, fields] of Object.entries({
    setBank: CARD,
    setAddress: { ETH: '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed' },
    setPayWord: { payWord: '135790' },
  })) {
    expect((await post(api.origin, `user/${path}`, fields, { token: who.token })).body.error).toBeUndefined();
  }
  const call = { account: who.account, contact: 'by phone', text: 'The old number is lost' };
  expect((await post(api.origin, 'user/recoverRequest', call)).body.error).toBeUndefined();
  // A call names an account; it is the account's once support has taken it for that.
  await db.owner.query(
    `select recovery_propose($1, (select max(id) from recovery_requests), 'a video call with the document', sha256(''), false)`,
    [await installStaff(db.owner, 'support')],
  );
  const { files, content } = await exported(who);
  const { data } = content;
  expect(data.recovery_requests.rows).toMatchObject([
    { contact: 'by phone', text: 'The old number is lost' },
  ]);
  expect(data.customers.rows).toMatchObject([{ account: who.account }]);
  expect(data.verifications.rows).toMatchObject([
    { realName: IDENTITY.realName, idNumber: IDENTITY.idNumber },
  ]);
  expect(data.bank_cards.rows).toMatchObject([{ holder: CARD.holder, last4: '0987' }]);
  expect(data.crypto_addresses.rows).toMatchObject([
    { address: '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed' },
  ]);
  expect(data['ledger.postings'].rows.length).toBeGreaterThan(0);
  expect(data.data_exports.rows).toHaveLength(1);
  expect(Object.keys(files).filter((name) => /^pictures\/\d+-id_(front|back)\.jpg$/.test(name))).toHaveLength(
    2,
  );
  const text = JSON.stringify(content);
  for (const secret of [CARD.cardNumber, who.token, stranger.account, '$argon2', ...who.recoveryCodes])
    expect([secret, text.includes(secret)]).toEqual([secret, false]);
});

test('an export is recorded, sends a notice, and is made at most five times a day', async () => {
  const who = await register(api.origin);
  const ask = () => get(api.origin, 'user/exportData', {}, { token: who.token });
  for (let time = 0; time < 5; time += 1) await exported(who);
  expect((await ask()).body).toMatchObject({ code: 0, error: 'EXPORT_TOO_OFTEN' });
  const { items } = (await get(api.origin, 'notice/list', {}, { token: who.token })).body.data;
  expect(items.filter(({ kind }: { kind: string }) => kind === 'security.export')).toHaveLength(5);
  await db.owner.query(`update data_exports set at = at - interval '1 day' where customer_id = $1`, [who.id]);
  await exported(who);
});

test('an export needs a fresh session', async () => {
  const who = await register(api.origin);
  await db.owner.query('update sessions set fresh_until = now() where customer_id = $1', [who.id]);
  expect((await get(api.origin, 'user/exportData', {}, { token: who.token })).body.error).toBe(
    'REAUTH_REQUIRED',
  );
});

test('every table with rows of a customer is exported, or is listed with the reason why not', async () => {
  const { rows } = await db.owner.query<{ name: string }>(
    `select case when n.nspname = 'public' then c.relname else n.nspname || '.' || c.relname end as name
     from pg_class c join pg_namespace n on n.oid = c.relnamespace join pg_attribute a on a.attrelid = c.oid
     where n.nspname in ('public', 'ledger') and c.relkind in ('r', 'p') and not c.relispartition and a.attname in ('customer_id', 'owner_id')`,
  );
  const known = [...EXPORTED.map(({ table }) => table), ...Object.keys(NOT_EXPORTED)];
  expect([...new Set([...rows.map(({ name }) => name), 'customers'])].sort()).toEqual(known.sort());
});
