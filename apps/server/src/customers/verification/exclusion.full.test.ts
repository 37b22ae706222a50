import { join } from 'node:path';
import { get, post, type Registered, register } from '@fairtick/kit/clients/api-client.ts';
import { submitDeposit } from '@fairtick/kit/clients/money-api.ts';
import { ownDatabase, ownOffice, ownStaff, temporaryFolder } from '@fairtick/kit/fixtures/fixtures.ts';
import { encryptionKeyFile } from '@fairtick/kit/folder.ts';
import { credit } from '@fairtick/kit/people/money.ts';
import { submitReal } from '@fairtick/kit/people/pictures.ts';
import { describe, expect, test } from 'vitest';
import { failureOf } from '../../platform/db/database.ts';
import { addKey } from '../../platform/sealing/key-file.ts';
import { KeyRing } from '../../platform/sealing/key-ring.ts';
import { DiskStore } from '../../platform/uploads/disk-store.ts';
import { eraseCustomer } from '../personal-data/erase.ts';
import { sealAnew } from '../personal-data/seal-anew.ts';

/** A self-exclusion counts for the person: for every account with the same identity document. */
const dataDir = temporaryFolder('exclusion');

const db = ownDatabase();
const api = ownOffice(db, { dataDir });
const reviewer = ownStaff(db, api, 'verification');
const cashier = ownStaff(db, api, 'cashier');

let count = 0;
const newDocument = () => `AB${count++}(9)X`;
const submit = async (customer: Registered, idNumber: string) =>
  (await submitReal(api.origin, customer.token, { idNumber })).body;
const reviewOf = async ({ id }: Registered): Promise<string> => {
  const { rows } = await db.owner.query(
    'select id from verifications where customer_id = $1 order by id desc limit 1',
    [id],
  );
  return rows[0].id;
};
async function decide(customer: Registered, fields: Record<string, string> = { verdict: 'verified' }) {
  const id = await reviewOf(customer);
  await reviewer.get('identity/detail', { id });
  for (const side of ['front', 'back']) await reviewer.get('identity/document', { id, side });
  return (await reviewer.post('identity/decide', { id, ...fields })).body;
}
async function verified(idNumber: string): Promise<Registered> {
  const customer = await register(api.origin);
  expect((await submit(customer, idNumber)).error).toBeUndefined();
  expect((await decide(customer)).error).toBeUndefined();
  return customer;
}
const exclude = async ({ token }: Registered, months = '6') =>
  expect(
    (await post(api.origin, 'protection/selfExclude', { months }, { token })).body.error,
  ).toBeUndefined();
const deposit = async ({ token }: Registered) => (await submitDeposit(api.origin, token, '50')).body;
const info = async ({ token }: Registered) =>
  (await get(api.origin, 'user/getUserInfo', { lang: 'en' }, { token })).body.data;

describe('the document of a self-excluded person', () => {
  test('is refused under a new account in any spelling, and the account stays closed until the exclusion ends', async () => {
    const document = newDocument();
    const first = await verified(document);
    await exclude(first);
    const second = await register(api.origin);
    const announced = await deposit(second);
    const refused = await submit(second, ` ${document.toLowerCase().replace('(', ' （')}`);
    expect([refused.error, refused.fields]).toEqual(['DOCUMENT_EXCLUDED', { idNumber: refused.msg }]);
    expect(refused.msg).toMatch(/self-exclusion covers every account/);
    expect((await info(second)).realStatus).toBe('none');
    // No further deposit is taken, and the one before waits.
    expect((await deposit(second)).error).toBe('SELF_EXCLUDED');
    expect((await info(second)).pause).toMatchObject({ kind: 'exclusion', until: expect.any(Number) });
    const found = await cashier.post('deposit/find', {
      id: announced.data.id,
      amount: '50',
      evidence: document,
    });
    expect(found.body.error).toBe('CUSTOMER_EXCLUDED');
    // The first account keeps its name, so that it can withdraw.
    expect((await info(first)).realStatus).toBe('verified');
    await db.owner.query(
      `update protected_customers set
         closed_until = case when closed_kind is not null then now() end,
         closed_at = case when closed_kind is not null then now() - interval '6 months' end,
         document_until = case when document_at is not null then now() end where customer_id = any ($1)`,
      [[first.id, second.id]],
    );
    expect((await deposit(second)).error).toBeUndefined();
    expect((await submit(second, document)).data).toEqual({ realStatus: 'pending' });
  });

  test('can’t be verified when the exclusion begins after the submission, and the office sees why', async () => {
    const document = newDocument();
    const first = await verified(document);
    const second = await register(api.origin);
    expect((await submit(second, document)).error).toBeUndefined();
    await exclude(first, 'forever');
    const { risk } = (await reviewer.get('identity/detail', { id: await reviewOf(second) })).body.data;
    expect(risk).toMatchObject({ isExcluded: true, sameDocument: [first.id] });
    const { error, msg } = await decide(second);
    expect([error, msg]).toEqual(['CUSTOMER_EXCLUDED', expect.stringMatching(/self-excluded under another/)]);
    expect((await decide(second, { verdict: 'failed', reason: 'duplicate' })).error).toBeUndefined();
    expect((await submit(second, document)).error).toBe('DOCUMENT_EXCLUDED');
  });

  test('closes accounts that were verified with it before, and those stay able to withdraw', async () => {
    const document = newDocument();
    const [first, second] = [await verified(document), await verified(document)];
    await exclude(first);
    expect((await deposit(second)).error).toBe('SELF_EXCLUDED');
    const { missing } = (await get(api.origin, 'withdraw/options', {}, { token: second.token })).body.data;
    expect(missing).not.toContain('realName');
    const { rows } = await db.owner.query(
      'select kind from notices where customer_id = $1 order by id desc limit 1',
      [second.id],
    );
    expect(rows).toEqual([{ kind: 'protection.exclusion' }]);
  });

  test('is verified under an account that holds money, which can then be withdrawn and not be used', async () => {
    const document = newDocument();
    await exclude(await verified(document));
    const second = await register(api.origin);
    await credit(db, second.id, 100_000_000n);
    expect((await submit(second, document)).data).toEqual({ realStatus: 'pending' });
    expect((await deposit(second)).error).toBe('SELF_EXCLUDED');
    expect((await decide(second)).error).toBeUndefined();
    expect((await deposit(second)).error).toBe('SELF_EXCLUDED');
    expect((await info(second)).realStatus).toBe('verified');
  });

  test('opens an account again that is verified with another document, after a mistyped number', async () => {
    const document = newDocument();
    await exclude(await verified(document));
    const other = await register(api.origin);
    expect((await submit(other, document)).error).toBe('DOCUMENT_EXCLUDED');
    expect((await submit(other, newDocument())).error).toBeUndefined();
    expect((await deposit(other)).error).toBe('SELF_EXCLUDED');
    expect((await decide(other)).error).toBeUndefined();
    expect((await deposit(other)).error).toBeUndefined();
  });

  test('excludes nobody while the excluded account has only claimed it', async () => {
    const document = newDocument();
    const stranger = await register(api.origin);
    expect((await submit(stranger, document)).error).toBeUndefined();
    await exclude(stranger);
    const owner = await verified(document);
    expect((await deposit(owner)).error).toBeUndefined();
    // Once the claim is verified, the exclusion counts for the document.
    expect((await decide(stranger)).error).toBeUndefined();
    expect((await deposit(owner)).error).toBe('SELF_EXCLUDED');
  });

  test('is found while a key rotation is under way, and after the excluded customer was erased', async () => {
    const document = newDocument();
    const first = await verified(document);
    await exclude(first);
    addKey(encryptionKeyFile(db), { isNext: false });
    expect((await submit(await register(api.origin), document)).error).toBe('DOCUMENT_EXCLUDED');
    const store = new DiskStore(join(dataDir, 'uploads'));
    await eraseCustomer(db.owner, store, { account: first.account, newHash: 'x' });
    expect((await submit(await register(api.origin), document)).error).toBe('DOCUMENT_EXCLUDED');
  });

  test('closes accounts that were verified under another key, once the rotation has made their indices anew', async () => {
    const document = newDocument();
    const before = await verified(document);
    addKey(encryptionKeyFile(db), { isNext: false });
    const under = await verified(document);
    await exclude(under);
    const store = new DiskStore(join(dataDir, 'uploads'));
    const keys = new KeyRing(encryptionKeyFile(db));
    await sealAnew({ db: db.owner, keys, store, say: () => {}, lateMs: 0 });
    expect((await deposit(before)).error).toBe('SELF_EXCLUDED');
    // The account with the exclusion of its own is not closed by the other one.
    const { rows } = await db.owner.query(
      'select document_until from protected_customers where customer_id = $1',
      [under.id],
    );
    expect(rows).toEqual([{ document_until: null }]);
  });

  test('binds the server’s role, too', async () => {
    const document = newDocument();
    const first = await verified(document);
    await exclude(first);
    const second = await register(api.origin);
    const { rows } = await db.owner.query('select * from verifications where customer_id = $1', [first.id]);
    const { sealed, document_index, name_index, front_id } = rows[0];
    const error = await db.server
      .query('select verification_submit(1, $1, $2, $3, $4, false, $5, null)', [
        second.id,
        ...[sealed, document_index, name_index],
        await uploadOf(second, front_id),
      ])
      .catch(failureOf);
    expect(error).toBe('DOCUMENT_EXCLUDED');
    for (const statement of [
      'update protected_customers set document_until = null',
      `select document_bind(${second.id}, null)`,
    ])
      expect([statement, await db.server.query(statement).catch(failureOf)]).toEqual([statement, '42501']);
  });
});

/** A copy of a front that belongs to the customer. */
async function uploadOf({ id }: Registered, front: string): Promise<string> {
  const { rows } = await db.owner.query(
    `insert into uploads (id, customer_id, purpose, file, key_id, width, height, bytes, sha256)
     select nextval('personal_data_ids'), $1, purpose, substr(file, 2) || left(file, 1), key_id, width, height, bytes, sha256
     from uploads where id = $2 returning id`,
    [id, front],
  );
  return rows[0].id;
}
