import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ownDatabase } from '@fairtick/kit/fixtures/fixtures.ts';
import pg from 'pg';
import { describe, expect, test } from 'vitest';
import { failureOf, openDatabase } from './database.ts';
import { startEmbedded } from './embedded.ts';
import { giveServerLogin, serverAddressOf } from './server-login.ts';

/** With an external database the server logs in as its own role, and can't become the owner. */
const db = ownDatabase();

const urlOf = () =>
  `postgres:///${db.name}?host=${encodeURIComponent(String(db.ownerAddress.host))}&user=${db.ownerAddress.user}`;

test('the server logs in under its own role and can’t switch to the owner’s', async () => {
  const { admin, server } = await openDatabase(
    { databaseUrl: urlOf(), dataDir: '/nowhere', backupDir: null },
    () => {},
  );
  await giveServerLogin(admin, server);
  const client = new pg.Client(server);
  await client.connect();
  try {
    await client.query('set role none');
    const { rows } = await client.query('select session_user::text as login, current_user::text as role');
    expect(rows).toEqual([{ login: 'fairtick_server', role: 'fairtick_server' }]);
    for (const way of [
      'set role fairtick_owner',
      'set session authorization fairtick_owner',
      'reset session authorization; update ledger.balances set available = 1',
    ]) {
      const refusal = await client.query(way).then(() => null, failureOf);
      expect([way, refusal]).toEqual([way, '42501']);
    }
  } finally {
    await client.end();
  }
});

test('with password authentication, the owner gives the server’s role a password, and a new one when the owner’s changes', async () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'fairtick-login-'));
  const settings = mkdtempSync(join(tmpdir(), 'fairtick-hba-'));
  chmodSync(settings, 0o755);
  const hba = join(settings, 'pg_hba.conf');
  writeFileSync(hba, 'local all postgres trust\nlocal all all scram-sha-256\n');
  const postgres = await startEmbedded(dataDir, () => {}, { hba_file: hba, fsync: 'off' });
  const run = async (address: pg.ClientConfig, ...statements: string[]): Promise<string> => {
    const client = new pg.Client(address);
    try {
      await client.connect();
      for (const statement of statements) await client.query(statement);
      const { rows } = await client.query<{ name: string }>('select session_user::text as name');
      return rows[0]?.name ?? '';
    } catch (error) {
      return failureOf(error) ?? String(error);
    } finally {
      await client.end();
    }
  };
  const owner = (password: string) =>
    `postgres://fairtick_owner:${password}@localhost/fairtick?host=${encodeURIComponent(postgres.socketDir)}`;
  const give = (password: string) =>
    giveServerLogin({ connectionString: owner(password) }, serverAddressOf(owner(password)));
  try {
    const admin = { host: postgres.socketDir, user: 'postgres', database: 'postgres' };
    await run(
      admin,
      `create role fairtick_owner login createrole password 'one'`,
      'create database fairtick owner fairtick_owner',
    );
    await run({ connectionString: owner('one') }, 'create role fairtick_server login');
    expect(await run(serverAddressOf(owner('one')))).toBe('28P01');
    await give('one');
    expect(await run(serverAddressOf(owner('one')))).toBe('fairtick_server');
    await run(admin, `alter role fairtick_owner password 'two'`);
    await give('two');
    expect(await run(serverAddressOf(owner('two')))).toBe('fairtick_server');
    expect(await run(serverAddressOf(owner('one')))).toBe('28P01');
    // Passwords of other roles are not set here.
    const stranger = { connectionString: owner('one').replace('fairtick_owner', 'stranger') };
    await expect(giveServerLogin({ connectionString: owner('two') }, stranger)).rejects.toThrow(
      /can't log in .*DATABASE_SERVER_URL/,
    );
  } finally {
    await postgres.stop();
    for (const folder of [dataDir, settings]) rmSync(folder, { recursive: true, force: true });
  }
});

describe('the server’s address', () => {
  const parts = (address: pg.ClientConfig) => {
    const { user, host, port, database, password } = new pg.Client(address);
    return { user, host, port, database, password };
  };

  test('is the owner’s address with another user and a password derived from the owner’s', () => {
    const one = parts(
      serverAddressOf('postgres://fairtick_owner:s3cret@db.invalid:5433/fairtick?sslmode=disable'),
    );
    expect(one).toMatchObject({
      user: 'fairtick_server',
      host: 'db.invalid',
      port: 5433,
      database: 'fairtick',
    });
    expect(one.password).toMatch(/^[\w-]{43}$/);
    expect(parts(serverAddressOf('postgres://o:s3cret@other.invalid/x')).password).toBe(one.password);
    expect(parts(serverAddressOf('postgres://o:s3cret2@db.invalid/x')).password).not.toBe(one.password);
    expect(JSON.stringify(serverAddressOf('postgres://o:s3cret@db.invalid/x'))).not.toContain('s3cret@');
  });

  test('is used as it is given, with or without an owner’s address', async () => {
    const options = {
      dataDir: '/nowhere',
      backupDir: null,
      databaseServerUrl: 'postgres://s:p@db.invalid/x',
    };
    const alone = await openDatabase({ ...options, databaseUrl: null }, () => {});
    expect(alone).toMatchObject({
      admin: alone.server,
      server: { connectionString: options.databaseServerUrl },
    });
    const both = await openDatabase({ ...options, databaseUrl: urlOf() }, () => {});
    expect(both).toMatchObject({ admin: { connectionString: urlOf() }, server: alone.server });
  });
});
