import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Journal } from '@fairtick/kit/judges/journal.ts';
import { judge } from '@fairtick/kit/judges/judgement.ts';
import { LoadClient } from '@fairtick/kit/load/load-client.ts';
import { NOT_OF_A_DAY, OfficeDay } from '@fairtick/kit/people/office-day.ts';
import { DebianPostgres } from '@fairtick/kit/processes/debian-postgres.ts';
import { PayingHouse } from '@fairtick/kit/processes/paying-house.ts';
import { Installation } from '@fairtick/kit/processes/server-process.ts';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { migrate } from '../../apps/server/src/platform/db/migrate.ts';
import { initialTables } from '../../apps/server/src/platform/db/schema-files.ts';
import { audit } from '../../apps/server/src/transparency/audit/audit-checks.ts';

/** The oldest supported PostgreSQL: all other tests run on the embedded 18. */
describe('a server with its own PostgreSQL 15', () => {
  const installation = new Installation();
  let postgres: DebianPostgres;
  let house: PayingHouse;
  beforeAll(async () => {
    postgres = await DebianPostgres.create();
    // A server that watches a chain asks for more than the default.
    postgres.start({ max_connections: '240' });
    const admin = new pg.Client(postgres.admin);
    await admin.connect();
    await admin.query('create role fairtick_owner login createrole');
    await admin.query('create database fairtick owner fairtick_owner');
    await admin.end();
    house = await PayingHouse.start(installation, { DATABASE_URL: postgres.url });
  });
  afterAll(async () => {
    await installation.close();
    await house?.stop();
    postgres?.close();
  });

  test('runs on version 15 with its migrations applied, and accepts a second run of them', async () => {
    const client = new pg.Client(postgres.address);
    await client.connect();
    try {
      const { rows } = await client.query<{ server_version_num: string }>('show server_version_num');
      expect(rows[0]?.server_version_num).toMatch(/^15\d{4}$/);
      await migrate(postgres.address);
      const { rows: done } = await client.query('select name from migrations.applied');
      expect(done.map(({ name }) => name)).toEqual([initialTables().name]);
    } finally {
      await client.end();
    }
  });

  test('has every function that a function of the schema calls', async () => {
    const client = new pg.Client(postgres.address);
    await client.connect();
    try {
      const { rows } = await client.query(
        `select distinct p.oid::regprocedure || ' calls ' || m[1] as calls
         from pg_proc p cross join regexp_matches(
           regexp_replace(p.prosrc, $$--[^\\n]*|'[^']*'$$, '', 'g'), '\\m([a-z_][a-z_0-9]*)\\(', 'g') m
         where p.pronamespace::regnamespace::text in ('public', 'ledger')
           and not exists (select from pg_proc c where c.proname = m[1])
           and not exists (select from pg_type t where t.typname = m[1])
           and m[1] not in (select word from pg_get_keywords())`,
      );
      expect(rows).toEqual([]);
    } finally {
      await client.end();
    }
  });

  test('accepts and settles orders of many customers at once, and its ledger is correct', async () => {
    const journal = new Journal(join(installation.dataDir, 'journal.jsonl'));
    const client = new LoadClient(house.server.origin, journal);
    const db = new pg.Pool({ ...postgres.address, max: 2 });
    try {
      await client.register(24);
      const stop = new AbortController();
      const trading = client.trade(['BTC/USDT', 'ETH/USDT'], stop.signal);
      await sleep(5_000);
      stop.abort();
      await trading;
      expect([...journal.read().values()].filter(({ outcome }) => outcome === 'ok').length).toBeGreaterThan(
        100,
      );
      await expect
        .poll(
          async () => (await db.query('select from orders_and_results where settled_at_ms is null')).rowCount,
          {
            timeout: 90_000,
            interval: 500,
          },
        )
        .toBe(0);
      expect(await judge(db, journal.read())).toEqual([]);
      const look = await db.connect();
      const findings = await audit(look);
      look.release();
      expect(findings.filter(({ count }) => count > 0)).toEqual([]);
    } finally {
      client.close();
      journal.close();
      await db.end();
    }
  });

  // Last, because the judge of orders knows only those of the load.
  test('passes a day of the office, in which every operation is called', async () => {
    const day = await OfficeDay.open(house);
    await day.pass(house);
    expect(day.notDone().sort()).toEqual(NOT_OF_A_DAY);
  }, 300_000);
});
