import { rmSync } from 'node:fs';
import pg from 'pg';
import { seed } from '../../../apps/server/src/commands/seed.ts';
import { startEmbedded } from '../../../apps/server/src/platform/db/embedded.ts';
import { migrate } from '../../../apps/server/src/platform/db/migrate.ts';
import { testFolder } from '../folder.ts';

/** One PostgreSQL for all test files; each file works in a clone of a migrated and seeded template. */
export default async function setup(): Promise<() => Promise<void>> {
  const dataDir = testFolder('test');
  // No test here simulates a power cut, so nothing needs to wait for the disk.
  const postgres = await startEmbedded(dataDir, () => {}, {
    fsync: 'off',
    full_page_writes: 'off',
    wal_level: 'minimal',
    max_wal_senders: '0',
    max_wal_size: '512MB',
    max_connections: '200',
    // Tests count transactions, and no table lives long enough to need it.
    autovacuum: 'off',
  });
  const admin = { host: postgres.socketDir, user: 'postgres' };
  const client = new pg.Client({ ...admin, database: 'postgres' });
  await client.connect();
  await client.query('create role fairtick_owner login createrole');
  await client.query('create database fairtick_template owner fairtick_owner');
  const template = { host: postgres.socketDir, user: 'fairtick_owner', database: 'fairtick_template' };
  await migrate(template);
  await seed(template, 'demo');
  await client.end();
  process.env.FAIRTICK_TEST_SOCKET = postgres.socketDir;
  return async () => {
    await postgres.stop();
    rmSync(dataDir, { recursive: true, force: true });
  };
}
