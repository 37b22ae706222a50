import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { get, PASSWORD, post, type Registered, register } from '@fairtick/kit/clients/api-client.ts';
import { staffOf } from '@fairtick/kit/clients/office-client.ts';
import { forFile } from '@fairtick/kit/fixtures/fixture.ts';
import { ownClient, ownDatabase, ownOffice, temporaryFolder } from '@fairtick/kit/fixtures/fixtures.ts';
import { encryptionKeyFile } from '@fairtick/kit/folder.ts';
import { SECRETS, tellSecrets } from '@fairtick/kit/people/secrets.ts';
import { codeOf } from '@fairtick/kit/people/totp.ts';
import type pg from 'pg';
import { describe, expect, test } from 'vitest';
import { SeedBook, utcDate } from '../../market/simulated/seed-book.ts';
import { addKey, promoteKey } from '../../platform/sealing/key-file.ts';
import { KeyRing } from '../../platform/sealing/key-ring.ts';
import { DiskStore } from '../../platform/uploads/disk-store.ts';
import { countOld, sealAnew } from './seal-anew.ts';

/** Keys of sealed values are replaced while customers are active. */
const dataDir = temporaryFolder('rotation');
const store = new DiskStore(join(dataDir, 'uploads'));

const db = ownDatabase();
const keyFile = () => encryptionKeyFile(db);
const api = ownOffice(db, { dataDir });
const customer = forFile(() => tellSecrets(api.origin));
const owner = ownClient(db);

describe('a rotation', () => {
  const rotation = () => ({ db: owner, keys: new KeyRing(keyFile()), store, say: () => {}, lateMs: 50 });
  const bound = async (who: Registered) => {
    const { body } = await get(api.origin, 'user/getUserInfo', {}, { token: who.token });
    return [body.data.addresses.ETH, body.data.banks[0]?.last4];
  };
  const all = [SECRETS.ETH, '1881'];

  test('seals every value again while customers are active, and every value opens before, during and after', async () => {
    const others: Registered[] = [];
    for (let n = 0; n < 4; n += 1) others.push(await tellSecrets(api.origin));
    addKey(keyFile(), { isNext: true });
    expect(promoteKey(keyFile())).toBe(true);
    const old = await countOld(rotation());
    expect(old).toBeGreaterThanOrEqual(5 * 6);
    let isOver = false;
    const meanwhile = (async () => {
      let looks = 0;
      while (!isOver) {
        expect(await bound(others[looks % 4] as Registered)).toEqual(all);
        others.push(await tellSecrets(api.origin));
        looks += 1;
      }
    })();
    expect(await sealAnew(rotation())).toBeGreaterThanOrEqual(old);
    isOver = true;
    await meanwhile;
    expect(await countOld(rotation())).toBe(0);
    for (const other of [customer, ...others]) {
      expect(await bound(other)).toEqual(all);
      const { documents } = (await get(api.origin, 'user/realInfo', {}, { token: other.token })).body.data;
      const { status, headers } = await fetch(`${api.origin}/api/user/document?id=${documents[0].id}`, {
        headers: { token: other.token },
      });
      expect([status, headers.get('content-type')]).toEqual([200, 'image/jpeg']);
    }
    // Searches still find the records.
    const support = await staffOf(db, api.officeOrigin, 'support');
    const found = await support.post('customer/find', { by: 'card', text: SECRETS.cardNumber });
    expect(found.body.data.length).toBe(others.length + 1);
    const { rows } = await db.owner.query(
      'select count(*)::int as open from data_keys where retired_at is null',
    );
    expect(rows).toEqual([{ open: 1 }]);
  }, 120_000);

  test('includes customers’ second factors, messages to support, notes, calls for help, and secrets of simulated prices', async () => {
    const open = () => new SeedBook(db.server, new KeyRing(keyFile()), Date.now());
    const today = utcDate(Date.now());
    const seeds = open();
    await seeds.load(Date.now());
    const who = await register(api.origin);
    const send = async (path: string, fields: Record<string, string> = {}) => {
      const { body } = await post(api.origin, path, fields, { token: who.token });
      expect(body.error).toBeUndefined();
      return body.data;
    };
    const { id, secret } = await send('user/beginTotp');
    await send('user/confirmTotp', { id, otp: await codeOf(secret) });
    await send('chat/send', { text: 'said before' });
    await send('user/recoverRequest', { account: who.account, contact: 'by phone', text: 'called before' });
    const support = await staffOf(db, api.officeOrigin, 'support');
    await support.post('chat/claim', { id: who.id });
    expect((await support.post('chat/note', { id: who.id, key: 'n', text: 'noted before' })).body.code).toBe(
      1,
    );
    addKey(keyFile(), { isNext: false });
    const { activeKey } = new KeyRing(keyFile());
    const sealedBy = async () =>
      (
        await db.owner.query(
          `select substring(sealed_secret from 2 for 4) as key from customer_second_factors where customer_id = $1
           union all select key_id from chat_messages where customer_id = $1
           union all select key_id from chat_notes where customer_id = $1
           union all select key_id from recovery_requests where account = $3
           union all select substring(sealed_secret from 2 for 4) from feed_seeds where date = $2`,
          [who.id, today, who.account],
        )
      ).rows.map(({ key }) => activeKey.equals(key));
    expect(await sealedBy()).toEqual([false, false, false, false, false]);
    await sealAnew(rotation());
    expect(await sealedBy()).toEqual([true, true, true, true, true]);
    const after = open();
    await after.load(Date.now());
    expect(after.seedOf(today)).toEqual(seeds.seedOf(today));
    const { items } = (await get(api.origin, 'chat/history', {}, { token: who.token })).body.data;
    expect(items.map(({ text }: { text: string }) => text)).toEqual(['said before']);
    const conversation = await support.get('chat/conversation', { id: who.id });
    expect(JSON.stringify(conversation.body.data)).toContain('noted before');
    const [call] = (await support.get('recovery/queue')).body.data.items;
    expect((await support.get('recovery/detail', { id: call.id })).body.data).toMatchObject({
      contact: 'by phone',
      text: 'called before',
    });
    const form = { account: who.account, password: PASSWORD, otp: await codeOf(secret, 1) };
    expect((await post(api.origin, 'user/login', form)).body.code).toBe(1);
  }, 120_000);

  test('continues after an interruption', async () => {
    addKey(keyFile(), { isNext: false });
    const before = await countOld(rotation());
    let queries = 0;
    const failing = new Proxy(owner, {
      get: (target, name) =>
        name === 'query'
          ? (...args: Parameters<typeof owner.query>) => {
              queries += 1;
              if (queries > 25) throw new Error('the power is gone');
              return target.query(...args);
            }
          : Reflect.get(target, name),
    });
    await expect(sealAnew({ ...rotation(), db: failing as unknown as pg.Client })).rejects.toThrow('power');
    await owner.query('rollback');
    expect(await bound(customer)).toEqual(all);
    expect(await sealAnew(rotation())).toBeLessThanOrEqual(before);
    expect(await countOld(rotation())).toBe(0);
    expect(await bound(customer)).toEqual(all);
  }, 120_000);

  test('does not allow a card to be bound twice under two keys', async () => {
    const { holder, bank, branch, cardNumber } = SECRETS;
    const { token } = await tellSecrets(api.origin);
    const setBank = async (fields: { id?: string }) =>
      (await post(api.origin, 'user/setBank', { holder, bank, branch, cardNumber, ...fields }, { token }))
        .body;
    addKey(keyFile(), { isNext: false });
    expect((await setBank({})).error).toBe('CARD_BOUND');
    const { banks } = (await get(api.origin, 'user/getUserInfo', {}, { token })).body.data;
    expect(banks).toHaveLength(1);
    expect((await setBank({ id: banks[0].id })).data).toEqual({ id: banks[0].id });
    await sealAnew(rotation());
    expect(await countOld(rotation())).toBe(0);
  }, 120_000);

  test('names a missing file, seals all others, and completes when the file is back', async () => {
    const first = await tellSecrets(api.origin);
    const second = await tellSecrets(api.origin);
    const { rows } = await db.owner.query<{ id: string; file: string }>(
      'select id, file from uploads where customer_id = any($1) order by id',
      [[first.id, second.id]],
    );
    const lost = rows[0] as { id: string; file: string };
    const bytes = (await store.read(lost.file)) as Buffer;
    await store.remove(lost.file);
    addKey(keyFile(), { isNext: false });
    await expect(sealAnew(rotation())).rejects.toThrow(`files that are gone: 1 (uploads ${lost.id})`);
    expect(await countOld(rotation())).toBe(1);
    await store.write(lost.file, bytes);
    expect(await sealAnew(rotation())).toBe(1);
    expect(await countOld(rotation())).toBe(0);
  }, 120_000);

  test('gives up exactly the lost pictures that the operator counts, and the audit log names them', async () => {
    const who = await tellSecrets(api.origin);
    const { rows } = await db.owner.query<{ id: string; file: string }>(
      'select id, file from uploads where customer_id = $1 order by id limit 1',
      [who.id],
    );
    const lost = rows[0] as { id: string; file: string };
    await store.remove(lost.file);
    addKey(keyFile(), { isNext: false });
    await expect(sealAnew(rotation())).rejects.toThrow('give them up with --lost 1');
    await expect(sealAnew({ ...rotation(), lost: 2 })).rejects.toThrow('files that are gone: 1');
    await sealAnew({ ...rotation(), lost: 1 });
    expect(await countOld(rotation())).toBe(0);
    const { rows: noted } = await db.owner.query(
      `select subject, entry::jsonb -> 'facts' as facts from audit_log where action = 'picture.lost'`,
    );
    expect(noted).toEqual([{ subject: `upload:${lost.id}`, facts: { customer: who.id } }]);
    expect((await db.owner.query('select * from audit_verify()')).rows).toEqual([]);
  }, 120_000);

  test('starts to seal with a prepared key only after its promotion', () => {
    const before = new KeyRing(keyFile()).activeKey;
    addKey(keyFile(), { isNext: true });
    expect(new KeyRing(keyFile()).activeKey).toEqual(before);
    promoteKey(keyFile());
    expect(new KeyRing(keyFile()).activeKey).not.toEqual(before);
  });
});

test('the command rotate-keys rotates the keys of a database', async () => {
  const script = join(import.meta.dirname, '../../commands/admin.ts');
  const { host, user, database } = db.ownerAddress;
  const address = `postgres:///${database}?host=${encodeURIComponent(String(host))}&user=${user}`;
  const { stdout } = await promisify(execFile)(process.execPath, [script, 'rotate-keys', '--yes'], {
    env: { ...process.env, DATABASE_URL: address, DATA_DIR: dataDir, ENCRYPTION_KEY_FILE: keyFile() },
  });
  expect(stdout).toMatch(/values are under the key [0-9a-f]{8}, and none under another/);
}, 120_000);
