import { existsSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import { readDatabaseUrl } from '../config/config.ts';
import { listBaseBackups } from '../platform/backup/backup-folder.ts';
import { type KeyFile, pruneBackups, takeBaseBackup } from '../platform/backup/base-backup.ts';
import { copyPictures, prunePictures } from '../platform/backup/picture-copies.ts';
import { openDatabase } from '../platform/db/database.ts';
import type { Arguments, Command } from './command.ts';
import { keyFilesOf } from './installation.ts';

export const BACKUP: Command = {
  name: 'backup',
  options: { keep: { type: 'string' } },
  usage: '[--keep N]',
  does: 'Makes a base backup of the embedded database under DATA_DIR in BACKUP_DIR, whether the server runs or not',
  help: '--keep deletes all but the newest N base backups, and the WAL that only they needed.',
  failure: 'There is no new backup',
  run,
};

async function run({ values }: Arguments): Promise<number> {
  const keep = typeof values.keep === 'string' ? values.keep : undefined;
  if (keep !== undefined && !/^[1-9]\d{0,3}$/.test(keep))
    throw new Error(`--keep must be a number from 1 to 9999, not "${keep}"`);
  if (readDatabaseUrl('DATABASE_URL', process.env) !== null) {
    throw new Error(
      'this is for the embedded database; for a server of your own see docs/OPERATIONS.md, "pgBackRest"',
    );
  }
  if (!process.env.BACKUP_DIR) throw new Error('set BACKUP_DIR to the folder that the server archives into');
  const backupDir = resolve(process.env.BACKUP_DIR);
  const dataDir = resolve(process.env.DATA_DIR || './data');
  const cluster = join(dataDir, 'postgres');
  if (!existsSync(join(cluster, 'PG_VERSION'))) {
    throw new Error(`there is no database under ${dataDir}; set DATA_DIR`);
  }
  const keyFiles = keyFilesOf(dataDir);
  const all: readonly KeyFile[] = [
    { name: 'signing.key', path: keyFiles.signingKeyFile },
    { name: 'encryption.keys', path: keyFiles.encryptionKeyFile },
  ];
  const missing = all.find(({ path }) => !existsSync(path));
  if (missing !== undefined) {
    throw new Error(
      `there is no ${missing.path}: a backup without the ${missing.name} could not go on after a restore. Put it back, or set ${missing.name === 'signing.key' ? 'SIGNING_KEY_FILE' : 'ENCRYPTION_KEY_FILE'}`,
    );
  }
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
  if (keep === undefined) return 0;
  const { backups, segments } = pruneBackups(backupDir, Number(keep));
  const oldest = listBaseBackups(backupDir)[0];
  if (oldest) prunePictures(dataDir, backupDir, oldest.manifest.startedMs);
  if (backups.length > 0) console.log(`gone: ${backups.join(', ')}, and ${segments} pieces of WAL`);
  return 0;
}
