import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createPool, type DatabaseAddress, openDatabase, type Pool } from '../apps/server/src/db/database.ts';
import { migrate } from '../apps/server/src/db/migrate.ts';
import { seed } from '../apps/server/src/db/seed.ts';

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
}

export async function openInstallation(): Promise<BenchInstallation> {
  const dataDir = mkdtempSync(join(tmpdir(), 'fairtick-bench-'));
  const address = await openDatabase({ databaseUrl: null, dataDir, backupDir: null }, () => {});
  await migrate(address.admin);
  await seed(address.admin, 'demo');
  const server = createPool(address.server, { max: 16, name: 'bench' });
  const owner = createPool({ ...address.admin }, { max: 4, name: 'bench owner' });
  await server.query('select log_begin($1)', ['bench.invalid/api/transparency']);
  return {
    dataDir,
    address,
    server,
    owner,
    postmaster: Number.parseInt(readFileSync(join(dataDir, 'postgres/postmaster.pid'), 'utf8'), 10),
    close: async () => {
      await server.end();
      await owner.end();
      await address.embedded?.stop();
      rmSync(dataDir, { recursive: true, force: true });
    },
  };
}
