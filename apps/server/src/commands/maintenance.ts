import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import pg from 'pg';
import { openDatabase } from '../platform/db/database.ts';
import { KeyRing } from '../platform/sealing/key-ring.ts';
import { DiskStore } from '../platform/uploads/disk-store.ts';

/** Context of an operator's command, whether the server runs or not. */
export interface Installation {
  /** Logged in as the owner. */
  readonly db: pg.Client;
  readonly keyFile: string;
  readonly keys: KeyRing;
  readonly store: DiskStore;
}

/**
 * Runs `work` with the installation of DATABASE_URL, else the embedded one under DATA_DIR, and the keys of
 * ENCRYPTION_KEY_FILE.
 */
export async function withInstallation<T>(
  name: string,
  work: (installation: Installation) => Promise<T>,
): Promise<T> {
  const databaseUrl = process.env.DATABASE_URL || null;
  const dataDir = resolve(process.env.DATA_DIR || './data');
  if (databaseUrl === null && !existsSync(join(dataDir, 'postgres', 'PG_VERSION'))) {
    throw new Error(`there is no database under ${dataDir}; set DATA_DIR or DATABASE_URL`);
  }
  const keyFile = resolve(process.env.ENCRYPTION_KEY_FILE || join(dataDir, 'encryption.keys'));
  const backupDir = process.env.BACKUP_DIR ? resolve(process.env.BACKUP_DIR) : null;
  const database = await openDatabase({ databaseUrl, dataDir, backupDir }, () => {});
  const db = new pg.Client({ ...database.admin, application_name: `fairtick ${name}` });
  try {
    await db.connect();
    const keys = await KeyRing.load(db, keyFile, { mayMake: false });
    return await work({ db, keyFile, keys, store: new DiskStore(join(dataDir, 'uploads')) });
  } finally {
    await db.end();
    await database.embedded?.stop();
  }
}
