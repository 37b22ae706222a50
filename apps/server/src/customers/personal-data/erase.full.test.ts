import { join } from 'node:path';
import { get, post, type Registered, register } from '@fairtick/kit/clients/api-client.ts';
import { staffOf } from '@fairtick/kit/clients/office-client.ts';
import { forFile } from '@fairtick/kit/fixtures/fixture.ts';
import { ownClient, ownDatabase, ownOffice, temporaryFolder } from '@fairtick/kit/fixtures/fixtures.ts';
import { tellSecrets } from '@fairtick/kit/people/secrets.ts';
import { describe, expect, test } from 'vitest';
import { DiskStore } from '../../platform/uploads/disk-store.ts';
import { eraseCustomer } from './erase.ts';

/** A customer's personal data is erased on request. */
const dataDir = temporaryFolder('erasure');
const store = new DiskStore(join(dataDir, 'uploads'));

const db = ownDatabase();
const api = ownOffice(db, { dataDir });
const customer = forFile(() => tellSecrets(api.origin));
const owner = ownClient(db);

describe('an erasure', () => {
  const erase = ({ account }: Registered) => eraseCustomer(owner, store, { account, newHash: NO_PASSWORD });
  // Hash of an unknown password.
  const NO_PASSWORD =
    '$argon2id$v=19$m=19456,t=2,p=1$c29tZXNhbHRzb21lc2FsdA$X6wq0m4o0Z0Vq2p8lqg2mOaG2QpGJpHk6G5uS7v2w0M';

  test('is refused while a review is open or money is left', async () => {
    await expect(erase(customer)).rejects.toThrow(/under review/);
    const other = await register(api.origin);
    const set = (amount: number) =>
      db.owner.query('update ledger.balances set available = $2 where owner_id = $1 and asset_id = 2', [
        other.id,
        amount,
      ]);
    await set(5);
    await expect(erase(other)).rejects.toThrow(/money is left.*USDT/);
    await set(0);
    await expect(erase({ ...other, account: 'nobody_here' })).rejects.toThrow(/no customer/);
  });

  test('removes personal data and files, and keeps the records of moved money', async () => {
    const reviewer = await staffOf(db, api.officeOrigin, 'verification');
    const gone = await tellSecrets(api.origin);
    const { rows } = await db.owner.query('select id from verifications where customer_id = $1', [gone.id]);
    const { id } = rows[0];
    await reviewer.get('identity/detail', { id });
    for (const side of ['front', 'back']) await reviewer.get('identity/document', { id, side });
    expect((await reviewer.post('identity/decide', { id, verdict: 'verified' })).body.error).toBeUndefined();
    const files = await db.owner.query<{ file: string }>('select file from uploads where customer_id = $1', [
      gone.id,
    ]);
    const postings = async () =>
      (await db.owner.query('select * from ledger.postings where owner_id = $1 order by id', [gone.id])).rows;
    const before = await postings();
    expect(before.length).toBeGreaterThan(0);
    const { rows: calls } = await db.owner.query(
      `insert into recovery_requests (account, sealed) values ($1, '\\x0100000001') returning id`,
      [gone.account],
    );
    const support = await staffOf(db, api.officeOrigin, 'support');
    const proof = { id: calls[0].id, how: 'A video call with the document' };
    expect((await support.post('recovery/propose', proof)).body.error).toBeUndefined();

    expect(await erase(gone)).toEqual({ customerId: gone.id, files: 2 });

    for (const { file } of files.rows) expect(await store.read(file)).toBeNull();
    expect(await postings()).toEqual(before);
    const left = await db.owner.query(
      `select row_to_json(c)::text || (select json_agg(b)::text from bank_cards b where customer_id = c.id)
         || (select json_agg(v)::text from verifications v where customer_id = c.id)
         || (select json_agg(a)::text from crypto_addresses a where customer_id = c.id) as text
       from customers c where id = $1`,
      [gone.id],
    );
    expect(left.rows[0].text).not.toContain(gone.account);
    expect(left.rows[0].text).toContain('"sealed":null');
    expect(left.rows[0].text).not.toMatch(/"(sealed|last4|number_index|address_index|document_index)":"/);
    for (const table of [
      'sessions',
      'withdrawal_passwords',
      'recovery_codes',
      'recovery_requests',
      'proposals',
      'notices',
    ]) {
      const { rowCount } = await db.owner.query(`select from ${table} where customer_id = $1`, [gone.id]);
      expect([table, rowCount]).toEqual([table, 0]);
    }
    const detail = await reviewer.get('identity/detail', { id });
    expect([detail.body.data.identity, detail.body.data.state]).toEqual([null, 'verified']);
    expect((await post(api.origin, 'user/login', { account: gone.account, password: 'x' })).body.error).toBe(
      'LOGIN_FAILED',
    );
    const { status } = await get(api.origin, 'user/getUserInfo', {}, { token: gone.token });
    expect(status).toBe(401);
    await expect(erase(gone)).rejects.toThrow(/no customer/);
    expect((await owner.query('select * from ledger.violations()')).rows).toEqual([]);
  });
});
