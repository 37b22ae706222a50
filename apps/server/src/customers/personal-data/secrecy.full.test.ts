import { spawn } from 'node:child_process';
import { readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { post, register } from '@fairtick/kit/clients/api-client.ts';
import { createTestDatabase } from '@fairtick/kit/database/database.ts';
import { forFile } from '@fairtick/kit/fixtures/fixture.ts';
import { ownDatabase, ownOffice, temporaryFolder } from '@fairtick/kit/fixtures/fixtures.ts';
import { encryptionKeyFile } from '@fairtick/kit/folder.ts';
import { startApi } from '@fairtick/kit/installation/running-api.ts';
import { submitReal } from '@fairtick/kit/people/pictures.ts';
import { SECRETS, tellSecrets } from '@fairtick/kit/people/secrets.ts';
import { seen } from '@fairtick/kit/waiting/until.ts';
import { describe, expect, test } from 'vitest';
import { KeyRing, SealError } from '../../platform/sealing/key-ring.ts';

const dataDir = temporaryFolder('secrets');

const db = ownDatabase();
const keyFile = () => encryptionKeyFile(db);
const api = ownOffice(db, { dataDir });
const customer = forFile(() => tellSecrets(api.origin));

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
      // The withdrawal password is skipped: its six digits can occur in any long number.
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
  const ring = () => new KeyRing(keyFile());

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
