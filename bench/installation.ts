import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { seed } from '../apps/server/src/commands/seed.ts';
import {
  createPool,
  type DatabaseAddress,
  openDatabase,
  type Pool,
} from '../apps/server/src/platform/db/database.ts';
import { startEmbedded } from '../apps/server/src/platform/db/embedded.ts';
import { migrate } from '../apps/server/src/platform/db/migrate.ts';

/** The origin of a benchmark's log. */
export const LOG_ORIGIN = 'bench.invalid/api/transparency';

/** A database as `npm start` makes it, with fsync and synchronous_commit on, in its own folder. */
export interface BenchInstallation {
  readonly dataDir: string;
  readonly address: DatabaseAddress;
  /** Pools with the server's role, and with the schema owner's. */
  readonly server: Pool;
  readonly owner: Pool;
  /** Process id of the database, for its CPU and memory. */
  readonly postmaster: number;
  close(): Promise<void>;
  /** Stops it, keeps the folder and returns its path. */
  leave(): Promise<string>;
}

/** @param settings of the database, in addition to those of `npm start` */
export async function openInstallation(
  settings: Readonly<Record<string, string>> = {},
): Promise<BenchInstallation> {
  const dataDir = mkdtempSync(join(tmpdir(), 'fairtick-bench-'));
  // Starts with these settings; openDatabase then joins the running server.
  await startEmbedded(dataDir, () => {}, settings);
  const address = await openDatabase({ databaseUrl: null, dataDir, backupDir: null }, () => {});
  await migrate(address.admin);
  await seed(address.admin, 'demo');
  const server = createPool(address.server, { max: 24, name: 'bench' });
  // Without the server's statement timeout, because filling a table takes long.
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
