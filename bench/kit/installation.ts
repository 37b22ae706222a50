import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { seed } from '../../apps/server/src/commands/seed.ts';
import {
  createPool,
  type DatabaseAddress,
  openDatabase,
  type Pool,
} from '../../apps/server/src/platform/db/database.ts';
import { startEmbedded } from '../../apps/server/src/platform/db/embedded.ts';
import { migrate } from '../../apps/server/src/platform/db/migrate.ts';
import { giveServerLogin } from '../../apps/server/src/platform/db/server-login.ts';

/** The origin of a benchmark's log. */
export const LOG_ORIGIN = 'bench.invalid/api/transparency';

/** A prepared database, with pools, and the data folder of the processes that use it. */
export interface BenchDatabase {
  readonly dataDir: string;
  readonly address: DatabaseAddress;
  /** Pools with the server's role, and with the schema owner's. */
  readonly server: Pool;
  readonly owner: Pool;
  close(): Promise<void>;
  /** Stops it, if it is the embedded one, keeps the folder and returns its path. */
  leave(): Promise<string>;
}

/** A database as `npm start` makes it, with fsync and synchronous_commit on, in its own folder. */
export interface BenchInstallation extends BenchDatabase {
  /** Process id of the database, for its CPU and memory. */
  readonly postmaster: number;
}

/** @param settings of the database, in addition to those of `npm start` */
export async function openInstallation(
  settings: Readonly<Record<string, string>> = {},
): Promise<BenchInstallation> {
  const dataDir = newFolder();
  // Starts with these settings; openDatabase then joins the running server.
  await startEmbedded(dataDir, () => {}, settings);
  const database = await openAt(dataDir, null);
  return {
    ...database,
    postmaster: Number.parseInt(readFileSync(join(dataDir, 'postgres/postmaster.pid'), 'utf8'), 10),
  };
}

/** @param databaseUrl an empty database of a server that runs with its own settings, as in `DATABASE_URL` */
export const openOwnDatabase = (databaseUrl: string): Promise<BenchDatabase> =>
  openAt(newFolder(), databaseUrl);

/** A pool with the server's role, of another process on the same embedded database. */
export async function joinInstallation(dataDir: string): Promise<Pool> {
  const address = await openDatabase({ databaseUrl: null, dataDir, backupDir: null }, () => {});
  return createPool(address.server, { max: 24, name: 'bench' });
}

const newFolder = (): string => mkdtempSync(join(tmpdir(), 'fairtick-bench-'));

async function openAt(dataDir: string, databaseUrl: string | null): Promise<BenchDatabase> {
  const address = await openDatabase({ databaseUrl, dataDir, backupDir: null }, () => {});
  await migrate(address.admin);
  await giveServerLogin(address.admin, address.server);
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
  const close = async () => rmSync(await leave(), { recursive: true, force: true });
  return { dataDir, address, server, owner, leave, close };
}
