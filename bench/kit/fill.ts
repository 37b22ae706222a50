import { readFileSync } from 'node:fs';
import { points } from '@fairtick/money';
import pg from 'pg';
import { seed } from '../../apps/server/src/commands/seed.ts';
import { packQuotes } from '../../apps/server/src/market/quote-codec.ts';
import { SOURCES } from '../../apps/server/src/market/simulated/sources.ts';
import { createPool } from '../../apps/server/src/platform/db/database.ts';
import { migrate } from '../../apps/server/src/platform/db/migrate.ts';
import { openBusyWriter } from './busy-writer.ts';
import { LOG_ORIGIN } from './installation.ts';

/** The end of what is filled in. */
export const NOW_MS = Math.floor(Date.now() / 60_000) * 60_000;
/** Settings for fast filling; the measurement runs with the product's own settings. */
export const FILLING = {
  fsync: 'off',
  synchronous_commit: 'off',
  full_page_writes: 'off',
  autovacuum: 'off',
  max_wal_size: '8GB',
  shared_buffers: '1GB',
  work_mem: '256MB',
};

/** Makes a database of a large installation beside the others of a server that runs with {@link FILLING}. */
export async function fill(
  admin: pg.ClientConfig,
  name: string,
  { orders, ticks, dataDir }: { orders: number; ticks: number; dataDir: string },
): Promise<void> {
  const superuser = { ...admin, user: 'postgres', database: 'postgres' };
  await run(superuser, `create database ${name} owner fairtick_owner`);
  const owner = { ...admin, database: name };
  await migrate(owner);
  await seed(owner, 'demo');
  const pool = createPool(owner, { max: 4, name: 'bench' });
  await pool.query('select log_begin($1)', [LOG_ORIGIN]);
  // The log needs its rules before the first tick.
  await openBusyWriter({ server: pool, dataDir }, NOW_MS - 40 * 86_400_000);
  await pool.end();
  const sql = readFileSync(new URL('fill.sql', import.meta.url), 'utf8')
    .replaceAll('$ORDERS', String(orders))
    .replaceAll('$TICKS', String(ticks))
    .replaceAll('$NOW_MS', String(NOW_MS))
    .replaceAll('$QUOTES', packedQuotes());
  await run({ ...superuser, database: name }, sql);
  await run({ ...superuser, database: name }, 'vacuum (analyze)');
}

/** Three sources' quotes as the log packs them, in hex, relative to their tick. */
function packedQuotes(): string {
  const [price, timeMs] = [points(100_000n), NOW_MS];
  const quotes = SOURCES.map((source, place) => ({
    source,
    price: points(price + BigInt(place)),
    sourceMs: timeMs - 60 - place,
    sourceSeq: 800_000_000n,
    receivedMs: timeMs - 20 - place,
    use: 'use' as const,
  }));
  return packQuotes(quotes, { sources: SOURCES, price, timeMs }).toString('hex');
}

/** Runs statements as one script. */
async function run(address: pg.ClientConfig, script: string): Promise<void> {
  const client = new pg.Client(address);
  await client.connect();
  try {
    await client.query(script);
  } finally {
    await client.end();
  }
}
