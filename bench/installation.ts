import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { createPool, type DatabaseAddress, openDatabase, type Pool } from '../apps/server/src/db/database.ts';
import { startEmbedded } from '../apps/server/src/db/embedded.ts';
import { migrate } from '../apps/server/src/db/migrate.ts';
import { seed } from '../apps/server/src/db/seed.ts';

/** What the log of a bench is named after. */
export const LOG_ORIGIN = 'bench.invalid/api/transparency';

/** A database as `npm start` makes it, fsync and synchronous_commit on, in a folder of its own. */
export interface BenchInstallation {
  readonly dataDir: string;
  readonly address: DatabaseAddress;
  /** As the server, and as the owner of the schema. */
  readonly server: Pool;
  readonly owner: Pool;
  /** Process id of the database, for its CPU and memory. */
  readonly postmaster: number;
  close(): Promise<void>;
  /** Stops it and leaves the folder, which is returned. */
  leave(): Promise<string>;
}

/** @param settings of the database, beside what `npm start` gives it */
export async function openInstallation(
  settings: Readonly<Record<string, string>> = {},
): Promise<BenchInstallation> {
  const dataDir = mkdtempSync(join(tmpdir(), 'fairtick-bench-'));
  // Started with these settings; opening it then joins it.
  await startEmbedded(dataDir, () => {}, settings);
  const address = await openDatabase({ databaseUrl: null, dataDir, backupDir: null }, () => {});
  await migrate(address.admin);
  await seed(address.admin, 'demo');
  const server = createPool(address.server, { max: 24, name: 'bench' });
  // Without the server's bounds on a statement: filling a table takes as long as it takes.
  const owner = new pg.Pool({ ...address.admin, max: 4 });
  owner.on('error', () => {});
  await server.query('select log_begin($1)', [LOG_ORIGIN]);
  const leave = async () => {
    await server.end();
    await owner.end();
    await address.embedded?.stop();
    return dataDir;
  };
  return {
    dataDir,
    address,
    server,
    owner,
    postmaster: Number.parseInt(readFileSync(join(dataDir, 'postgres/postmaster.pid'), 'utf8'), 10),
    leave,
    close: async () => rmSync(await leave(), { recursive: true, force: true }),
  };
}
