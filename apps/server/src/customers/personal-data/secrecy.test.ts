import { execFile, spawn } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { get, PASSWORD, post, type Registered, register } from '@fairtick/kit/clients/api-client.ts';
import { staffOf, startOffice } from '@fairtick/kit/clients/office-client.ts';
import { createTestDatabase, type TestDatabase } from '@fairtick/kit/database/database.ts';
import { encryptionKeyFile } from '@fairtick/kit/folder.ts';
import { type RunningApi, startApi } from '@fairtick/kit/installation/running-api.ts';
import { submitReal } from '@fairtick/kit/people/pictures.ts';
import { codeOf } from '@fairtick/kit/people/totp.ts';
import { seen } from '@fairtick/kit/waiting/until.ts';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { addKey, promoteKey } from '../../platform/sealing/key-file.ts';
import { KeyRing, SealError } from '../../platform/sealing/key-ring.ts';
import { DiskStore } from '../../platform/uploads/disk-store.ts';
import { eraseCustomer } from './erase.ts';
import { countOld, sealAnew } from './rotate.ts';

/** A customer's secrets, in words that occur nowhere else. */
const SECRETS = {
  realName: 'Schwarzspecht Ännchen',
  idNumber: 'KX99ROTKEHLCHEN',
  idAddress: 'Nachtigallenweg 7',
  currentAddress: 'Gimpelgasse 9',
  holder: 'Mauersegler',
  bank: 'Dompfaffbank',
  branch: 'Zeisigfiliale',
  cardNumber: '4012888888881881',
  ETH: '0xfB6916095ca1df60bB79Ce92cE3Ea74c37c5d359',
  payWord: '918273',
};
const dataDir = mkdtempSync(join(tmpdir(), 'fairtick-secrets-'));

let db: TestDatabase;
let api: RunningApi & { officeOrigin: string };
let customer: Registered;
let keyFile: string;
let owner: pg.Client;
const store = new DiskStore(join(dataDir, 'uploads'));

beforeAll(async () => {
  db = await createTestDatabase();
  keyFile = encryptionKeyFile(db);
  api = await startOffice(db, { dataDir });
  customer = await tellSecrets(api.origin);
  owner = new pg.Client(db.ownerAddress);
  await owner.connect();
});
afterAll(async () => {
  await owner?.end();
  await api?.stop();
  await db?.drop();
  rmSync(dataDir, { recursive: true, force: true });
});

async function tellSecrets(origin: string): Promise<Registered> {
  const told = await register(origin);
  const { token } = told;
  const { realName, idNumber, idAddress, currentAddress, ETH, payWord, ...card } = SECRETS;
  const answers = [
    await submitReal(origin, token, { realName, idNumber, idAddress, currentAddress }),
    await post(origin, 'user/setBank', card, { token }),
    await post(origin, 'user/setAddress', { ETH }, { token }),
    await post(origin, 'user/setPayWord', { payWord }, { token }),
  ];
  expect(answers.map(({ body }) => body.error)).toEqual([undefined, undefined, undefined, undefined]);
  return told;
}

/** Every row of every table as text; bytea as hex. */
async function dump(): Promise<string> {
  const { rows: tables } = await db.owner.query<{ name: string }>(
    `select format('%I.%I', schemaname, tablename) as name from pg_tables where schemaname in ('public', 'ledger')`,
  );
  const parts: string[] = [];
  for (const { name } of tables) {
    const { rows } = await db.owner.query<{ row: string }>(`select t::text as row from ${name} t`);
    parts.push(name, ...rows.map(({ row }) => row));
  }
  return parts.join('\n');
}

/** Fields whose secret occurs in a text as it is, in hex, or in base64 at any of its three alignments. */
function traces(text: string): string[] {
  return Object.entries(SECRETS)
    .filter(([field, secret]) => {
      const bytes = Buffer.from(secret);
      const forms = [
        secret,
        bytes.toString('hex'),
        ...[0, 1, 2].map((skip) =>
          bytes
            .subarray(skip)
            .toString('base64')
            .replace(/..?=*$/, ''),
        ),
      ];
      // The pay word is skipped: its six digits can occur in any long number.
      return field !== 'payWord' && forms.some((form) => text.toLowerCase().includes(form.toLowerCase()));
    })
    .map(([field]) => field);
}

describe('customers’ personal data', () => {
  test('is nowhere in the database in clear', async () => {
    const text = await dump();
    expect(text).toContain(customer.account.toLowerCase());
    expect(traces(`${text} ${SECRETS.bank}`)).toEqual(['bank']);
    expect(traces(text)).toEqual([]);
  });

  test('is nowhere on the disk in clear', () => {
    for (const entry of readdirSync(dataDir, { recursive: true, withFileTypes: true })) {
      if (entry.isFile())
        expect(traces(readFileSync(join(entry.parentPath, entry.name), 'latin1'))).toEqual([]);
    }
  });

  test('is in no line of the server’s log, also after unexpected errors', async () => {
    const { name, ownerAddress, serverAddress } = db;
    const script = join(import.meta.dirname, '../../../../../tests/kit/installation/loud-api.ts');
    const process_ = spawn(process.execPath, [
      script,
      JSON.stringify({ name, ownerAddress, serverAddress }),
      dataDir,
    ]);
    let lines = '';
    for (const stream of [process_.stdout, process_.stderr]) {
      stream.on('data', (chunk: Buffer) => {
        lines += chunk.toString();
      });
    }
    try {
      const origin = await seen(() => /^serving (\S+)/m.exec(lines)?.[1], {
        withinMs: 60_000,
        what: 'an origin',
      });
      const { realName, idNumber, holder, bank, branch, cardNumber } = SECRETS;
      const { token } = await register(origin);
      await db.owner.query('alter table bank_cards rename column last4 to gone');
      const card = await post(origin, 'user/setBank', { holder, bank, branch, cardNumber }, { token });
      await db.owner.query('alter table bank_cards rename column gone to last4');
      await db.owner.query('alter table verifications add constraint none check (false) not valid');
      const name_ = await submitReal(origin, token, { realName, idNumber });
      await db.owner.query('alter table verifications drop constraint none');
      expect([card.body.code, name_.body.code]).toEqual([500, 500]);
      await seen(() => lines.split('unforeseen').length > 2);
    } finally {
      const ended = new Promise((resolve) => process_.once('exit', resolve));
      process_.kill('SIGKILL');
      await ended;
    }
    expect(traces(lines)).toEqual([]);
  }, 120_000);
});

describe('a sealed value', () => {
  const binding = { table: 'bank_cards', record: '1', customer: '1000' } as const;
  const ring = () => KeyRing.open(keyFile);

  test('opens only unchanged, and only for its own table, record and customer', () => {
    const sealed = ring().seal(Buffer.from('x'), binding);
    expect(ring().open(sealed, binding).toString()).toBe('x');
    for (const other of [
      { ...binding, table: 'crypto_addresses' as const },
      { ...binding, record: '2' },
      { ...binding, customer: '1001' },
    ]) {
      expect(() => ring().open(sealed, other)).toThrow(SealError);
    }
    for (let at = 0; at < sealed.length; at += 1) {
      const changed = Buffer.from(sealed);
      changed[at] = (changed[at] as number) ^ 1;
      expect(() => ring().open(changed, binding)).toThrow(SealError);
    }
    expect(() => ring().open(sealed.subarray(0, 20), binding)).toThrow(SealError);
  });

  test('differs each time that the same text is sealed', () => {
    const sealed = Array.from({ length: 100 }, () => ring().seal(Buffer.from('x'), binding).toString('hex'));
    expect(new Set(sealed).size).toBe(100);
  });

  test('needs its key: a missing key file stops the start, and no new key is made in its place', async () => {
    const elsewhere = join(dataDir, 'no.keys');
    await expect(startApi(db, { dataDir, encryptionKeyFile: elsewhere })).rejects.toThrow(
      /missing.*bring it back/,
    );
    const other = await createTestDatabase();
    try {
      await expect(KeyRing.load(other.server, elsewhere, { mayMake: false })).rejects.toThrow(/missing/);
      await KeyRing.load(other.server, elsewhere, { mayMake: true });
      await expect(KeyRing.load(db.server, elsewhere, { mayMake: true })).rejects.toThrow(/lacks keys/);
    } finally {
      await other.drop();
      rmSync(elsewhere, { force: true });
    }
  });
});

describe('a rotation', () => {
  const rotation = () => ({ db: owner, keys: KeyRing.open(keyFile), store, say: () => {}, lateMs: 50 });
  const bound = async (who: Registered) => {
    const { body } = await get(api.origin, 'user/getUserInfo', {}, { token: who.token });
    return [body.data.addresses.ETH, body.data.banks[0]?.last4];
  };
  const all = [SECRETS.ETH, '1881'];

  test('seals every value again while customers are active, and every value opens before, during and after', async () => {
    const others: Registered[] = [];
    for (let n = 0; n < 4; n += 1) others.push(await tellSecrets(api.origin));
    addKey(keyFile, { isNext: true });
    expect(promoteKey(keyFile)).toBe(true);
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

  test('includes customers’ second factors, messages to support, and notes', async () => {
    const who = await register(api.origin);
    const send = async (path: string, fields: Record<string, string> = {}) => {
      const { body } = await post(api.origin, path, fields, { token: who.token });
      expect(body.error).toBeUndefined();
      return body.data;
    };
    const { id, secret } = await send('user/beginTotp');
    await send('user/confirmTotp', { id, otp: await codeOf(secret) });
    await send('chat/send', { text: 'said before' });
    const support = await staffOf(db, api.officeOrigin, 'support');
    await support.post('chat/claim', { id: who.id });
    expect((await support.post('chat/note', { id: who.id, key: 'n', text: 'noted before' })).body.code).toBe(
      1,
    );
    addKey(keyFile, { isNext: false });
    const { activeKey } = KeyRing.open(keyFile);
    const sealedBy = async () =>
      (
        await db.owner.query(
          `select substring(sealed_secret from 2 for 4) as key from customer_second_factors where customer_id = $1
           union all select key_id from chat_messages where customer_id = $1
           union all select key_id from chat_notes where customer_id = $1`,
          [who.id],
        )
      ).rows.map(({ key }) => activeKey.equals(key));
    expect(await sealedBy()).toEqual([false, false, false]);
    await sealAnew(rotation());
    expect(await sealedBy()).toEqual([true, true, true]);
    const { items } = (await get(api.origin, 'chat/history', {}, { token: who.token })).body.data;
    expect(items.map(({ text }: { text: string }) => text)).toEqual(['said before']);
    const conversation = await support.get('chat/conversation', { id: who.id });
    expect(JSON.stringify(conversation.body.data)).toContain('noted before');
    const form = { account: who.account, password: PASSWORD, otp: await codeOf(secret, 1) };
    expect((await post(api.origin, 'user/login', form)).body.code).toBe(1);
  }, 120_000);

  test('continues after an interruption', async () => {
    addKey(keyFile, { isNext: false });
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
    addKey(keyFile, { isNext: false });
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
    addKey(keyFile, { isNext: false });
    await expect(sealAnew(rotation())).rejects.toThrow(`files that are gone: 1 (uploads ${lost.id})`);
    expect(await countOld(rotation())).toBe(1);
    await store.write(lost.file, bytes);
    expect(await sealAnew(rotation())).toBe(1);
    expect(await countOld(rotation())).toBe(0);
  }, 120_000);

  test('starts to seal with a prepared key only after its promotion', () => {
    const before = KeyRing.open(keyFile).activeKey;
    addKey(keyFile, { isNext: true });
    expect(KeyRing.open(keyFile).activeKey).toEqual(before);
    promoteKey(keyFile);
    expect(KeyRing.open(keyFile).activeKey).not.toEqual(before);
  });
});

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
      `insert into recovery_requests (account, contact, text) values ($1, 'by phone', 'help') returning id`,
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
      'pay_words',
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

test('the command rotate-keys rotates the keys of a database', async () => {
  const script = join(import.meta.dirname, '../../commands/admin.ts');
  const { host, user, database } = db.ownerAddress;
  const address = `postgres:///${database}?host=${encodeURIComponent(String(host))}&user=${user}`;
  const { stdout } = await promisify(execFile)(process.execPath, [script, 'rotate-keys', '--yes'], {
    env: { ...process.env, DATABASE_URL: address, DATA_DIR: dataDir, ENCRYPTION_KEY_FILE: keyFile },
  });
  expect(stdout).toMatch(/values are under the key [0-9a-f]{8}, and none under another/);
}, 120_000);
