import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type pg from 'pg';
import { readDatabaseUrl } from '../config/config.ts';
import { readLogHead } from '../market/log/log-head.ts';
import { type DatabaseAddress, openDatabase, type Queryable } from '../platform/db/database.ts';
import { waitForLease } from '../platform/db/lease.ts';
import { refuseOtherVersions } from '../platform/db/migrate.ts';
import { withClient } from '../platform/db/with-client.ts';
import { KeyRing } from '../platform/sealing/key-ring.ts';
import { DiskStore } from '../platform/uploads/disk-store.ts';

export interface Installation {
  readonly database: DatabaseAddress;
  readonly dataDir: string;
  readonly signingKeyFile: string;
  readonly encryptionKeyFile: string;
}

/** @throws Error when there is no database; UnfitDatabaseError when it is of another version */
export async function withInstallation<T>(work: (installation: Installation) => Promise<T>): Promise<T> {
  const databaseUrl = readDatabaseUrl('DATABASE_URL', process.env);
  const dataDir = resolve(process.env.DATA_DIR || './data');
  if (databaseUrl === null && !existsSync(join(dataDir, 'postgres', 'PG_VERSION')))
    throw new Error(`there is no database under ${dataDir}; set DATA_DIR or DATABASE_URL`);
  const backupDir = process.env.BACKUP_DIR ? resolve(process.env.BACKUP_DIR) : null;
  const database = await openDatabase({ databaseUrl, dataDir, backupDir }, () => {});
  try {
    await refuseOtherVersions(database.admin);
    return await work({ database, dataDir, ...keyFilesOf(dataDir) });
  } finally {
    await database.embedded?.stop();
  }
}

/** A dead writer's beat stands still for this long. */
const WRITER_MS = 6_000;

/** The lease of a log that no process writes. @throws Error while one does: it would go on with the old name and keys */
export async function stoppedWriter(
  db: Queryable,
): Promise<{ readonly epoch: number; readonly beat: number }> {
  const deadline = performance.now() + WRITER_MS;
  const sight = await waitForLease(
    () => readLogHead(db),
    () => performance.now() > deadline,
  );
  if (sight) return sight;
  throw new Error('a process writes this log: stop every process of the installation first');
}

export const keyFilesOf = (dataDir: string) => ({
  signingKeyFile: resolve(process.env.SIGNING_KEY_FILE || join(dataDir, 'signing.key')),
  encryptionKeyFile: resolve(process.env.ENCRYPTION_KEY_FILE || join(dataDir, 'encryption.keys')),
});

export interface PersonalData {
  /** Logged in as the owner. */
  readonly db: pg.Client;
  readonly keyFile: string;
  readonly keys: KeyRing;
  readonly store: DiskStore;
}

export function withPersonalData<T>(command: string, work: (data: PersonalData) => Promise<T>): Promise<T> {
  return withInstallation(({ database, dataDir, encryptionKeyFile }) =>
    withClient(database.admin, command, async (db) => {
      const keys = await KeyRing.load(db, encryptionKeyFile, { mayMake: false });
      return work({ db, keyFile: encryptionKeyFile, keys, store: new DiskStore(join(dataDir, 'uploads')) });
    }),
  );
}
