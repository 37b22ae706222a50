import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import pg from 'pg';
import { type DatabaseAddress, openDatabase } from '../platform/db/database.ts';
import { refuseOtherVersions } from '../platform/db/migrate.ts';
import { KeyRing } from '../platform/sealing/key-ring.ts';
import { DiskStore } from '../platform/uploads/disk-store.ts';

/** The installation that a command works on, whether its server runs or not. */
export interface Installation {
  readonly database: DatabaseAddress;
  readonly dataDir: string;
  readonly signingKeyFile: string;
  readonly encryptionKeyFile: string;
}

/**
 * Runs `work` with the installation of DATABASE_URL, else the embedded one under DATA_DIR.
 * @throws Error when there is no database, because opening would create one; UnfitDatabaseError when it is of another version
 */
export async function withInstallation<T>(work: (installation: Installation) => Promise<T>): Promise<T> {
  const databaseUrl = process.env.DATABASE_URL || null;
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

export const keyFilesOf = (dataDir: string) => ({
  signingKeyFile: resolve(process.env.SIGNING_KEY_FILE || join(dataDir, 'signing.key')),
  encryptionKeyFile: resolve(process.env.ENCRYPTION_KEY_FILE || join(dataDir, 'encryption.keys')),
});

/** Runs `work` with a connection as one of the database's roles. */
export async function withClient<T>(
  address: pg.ClientConfig,
  command: string,
  work: (client: pg.Client) => Promise<T>,
): Promise<T> {
  const client = new pg.Client({ ...address, application_name: `fairtick ${command}` });
  try {
    await client.connect();
    return await work(client);
  } finally {
    await client.end();
  }
}

/** What a command on personal data works with. */
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
