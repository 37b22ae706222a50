import { existsSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { listBaseBackups } from '../platform/backup/backup-folder.ts';
import { type KeyFile, pruneBackups, takeBaseBackup } from '../platform/backup/base-backup.ts';
import { copyPictures, prunePictures } from '../platform/backup/picture-copies.ts';
import { openDatabase } from '../platform/db/database.ts';

/**
 * `npm run backup [-- --keep N]`: makes a base backup of the embedded database under DATA_DIR in BACKUP_DIR, whether the
 * server runs or not. With `--keep` it deletes all but the newest N, and the WAL that only they needed.
 */
try {
  await run();
} catch (error) {
  console.error(`There is no new backup: ${error instanceof Error ? error.message : String(error)}`);
  process.exitCode = 1;
}

async function run(): Promise<void> {
  const { values } = parseArgs({ options: { keep: { type: 'string' } } });
  if (values.keep !== undefined && !/^[1-9]\d{0,3}$/.test(values.keep)) {
    throw new Error(`--keep must be a number from 1 to 9999, not "${values.keep}"`);
  }
  if (process.env.DATABASE_URL) {
    throw new Error(
      'this is for the embedded database; for a server of your own see docs/OPERATIONS.md, "pgBackRest"',
    );
  }
  if (!process.env.BACKUP_DIR) throw new Error('set BACKUP_DIR to the folder that the house archives into');
  const backupDir = resolve(process.env.BACKUP_DIR);
  const dataDir = resolve(process.env.DATA_DIR || './data');
  const cluster = join(dataDir, 'postgres');
  if (!existsSync(join(cluster, 'PG_VERSION'))) {
    throw new Error(`there is no database under ${dataDir}; set DATA_DIR`);
  }
  const all: readonly KeyFile[] = [
    { name: 'signing.key', path: resolve(process.env.SIGNING_KEY_FILE || join(dataDir, 'signing.key')) },
    {
      name: 'encryption.keys',
      path: resolve(process.env.ENCRYPTION_KEY_FILE || join(dataDir, 'encryption.keys')),
    },
  ];
  // A key that the operator keeps outside the data folder is not copied into the backup.
  const isKeptElsewhere = ({ path }: KeyFile) => relative(dataDir, path).startsWith('..');
  const { embedded } = await openDatabase({ databaseUrl: null, dataDir, backupDir }, () => {});
  if (embedded === null) throw new Error('there is no embedded database');
  try {
    const name = await takeBaseBackup({
      socketDir: embedded.socketDir,
      cluster,
      backupDir,
      keyFiles: all.filter((key) => !isKeptElsewhere(key)),
    });
    console.log(`backup ${name} is in ${backupDir}`);
    const pictures = await copyPictures(dataDir, backupDir);
    if (pictures > 0) console.log(`${pictures} new pictures are beside it`);
    for (const key of all) {
      console.log(
        isKeptElsewhere(key)
          ? `${key.name} is not in it: keep a copy of ${key.path} yourself`
          : `${key.name} is in it: keep the folder as secret as the data folder`,
      );
    }
  } finally {
    await embedded.stop();
  }
  if (values.keep === undefined) return;
  const { backups, segments } = pruneBackups(backupDir, Number(values.keep));
  const oldest = listBaseBackups(backupDir)[0];
  if (oldest) prunePictures(dataDir, backupDir, oldest.manifest.startedMs);
  if (backups.length > 0) console.log(`gone: ${backups.join(', ')}, and ${segments} pieces of WAL`);
}
