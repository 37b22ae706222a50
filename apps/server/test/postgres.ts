import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { startEmbedded } from '../src/db/embedded.ts';
import { migrate } from '../src/db/migrate.ts';
import { seed } from '../src/db/seed.ts';

/** One PostgreSQL for all test files; each file works in a clone of a migrated and seeded template. */
export default async function setup(): Promise<() => Promise<void>> {
  const dataDir = mkdtempSync(join(tmpdir(), 'fairtick-test-'));
  // What a power cut does is not tested here, so nothing waits for the disk.
  const postgres = await startEmbedded(dataDir, () => {}, { fsync: 'off', max_connections: '200' });
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
