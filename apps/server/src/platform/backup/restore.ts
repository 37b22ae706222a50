import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
} from 'node:fs';
import { join } from 'node:path';
import { type Restored, writeRestored } from '../db/restored.ts';
import {
  type BaseBackup,
  KEY_NAMES,
  listArchived,
  listBaseBackups,
  type Manifest,
  syncPath,
} from './backup-folder.ts';
import { copyFile, forEach } from './copy-file.ts';
import { copyPictures } from './picture-copies.ts';
import { recover } from './recovery.ts';

import { firstHole, formatSegment, newestOf, parseSegment, systemIdentifierOf } from './wal-name.ts';

export interface RestoreOptions {
  readonly backupDir: string;
  /** Must contain no database yet. */
  readonly dataDir: string;
  readonly toMs: number | null;
  /** The pg_wal of the lost server, if it can still be read; with it no commit is lost. */
  readonly lostWal: string | null;
}

/** @throws Error in one line that says what is missing, broken or in the way */
export async function restore(options: RestoreOptions, say: (text: string) => void): Promise<Restored> {
  const { backupDir, dataDir, toMs, lostWal } = options;
  const cluster = join(dataDir, 'postgres');
  if (existsSync(cluster)) throw new Error(`${cluster} is there already: a restore overwrites nothing`);
  const backup = chooseBackup(backupDir, toMs);
  refuseOthersBackup(backup.dir);
  checkArchive(options, backup);
  const keys = checkKeys(backup, dataDir);
  const draft = join(dataDir, 'postgres.restoring');
  rmSync(draft, { recursive: true, force: true });
  mkdirSync(draft, { recursive: true, mode: 0o700 });
  say(`copying the backup ${backup.name}`);
  await copyBack(backup, draft);
  say('replaying the archive');
  const point = await recover({ dataDir, cluster: draft, backupDir, toMs, lostWal });
  await copyPictures(backupDir, dataDir);
  for (const name of keys) {
    copyFileSync(join(backup.dir, name), join(dataDir, name));
    syncPath(join(dataDir, name));
  }
  const restored: Restored = {
    restoredAt: new Date().toISOString(),
    backupDir,
    backup: backup.name,
    to: toMs === null ? null : new Date(toMs).toISOString(),
    ...point,
    isComplete: lostWal !== null,
    newLog: null,
  };
  // Written before the database gets its name, so that no start finds the database without it.
  writeRestored(dataDir, restored);
  renameSync(draft, cluster);
  syncPath(dataDir);
  return restored;
}

/** PostgreSQL never runs with root's rights, so started by root it could not read the archive of another user. */
function refuseOthersBackup(dir: string): void {
  const { uid } = statSync(dir);
  if (process.getuid?.() === 0 && uid !== 0)
    throw new Error(`${dir} belongs to user ${uid}: run this as that user, who then owns what is restored`);
}

function chooseBackup(backupDir: string, toMs: number | null): BaseBackup {
  const all = listBaseBackups(backupDir);
  const oldest = all[0];
  if (!oldest) throw new Error(`there is no base backup in ${backupDir}`);
  const chosen = all.filter(({ manifest }) => toMs === null || manifest.endedMs <= toMs).at(-1);
  if (!chosen) {
    throw new Error(
      `the oldest backup is of ${new Date(oldest.manifest.endedMs).toISOString()}: nothing before it can be restored`,
    );
  }
  return chosen;
}

function checkArchive({ backupDir, toMs, lostWal }: RestoreOptions, { manifest }: BaseBackup): void {
  const first = parseSegment(manifest.firstSegment)?.number as number;
  const archived = listArchived(backupDir);
  const lost = lostWal === null ? [] : readLostWal(lostWal, manifest);
  const hole = firstHole([...archived, ...lost], first);
  // With a moment given, PostgreSQL itself reports that it can't be reached.
  if (hole !== null && toMs === null) {
    const name = formatSegment({
      timeline: parseSegment(manifest.firstSegment)?.timeline as number,
      number: hole,
    });
    throw new Error(
      `the archive has a hole at ${name}: nothing behind it can be restored. Give --to a time before that`,
    );
  }
  if (lostWal === null) return;
  if ((newestOf(lost) ?? 0) < (newestOf(archived) ?? 0)) {
    throw new Error(
      `${lostWal} ends before the archive does: it is not the last WAL of the lost installation`,
    );
  }
}

function readLostWal(lostWal: string, manifest: Manifest): string[] {
  const names = readdirSync(lostWal).filter((name) => parseSegment(name));
  for (const name of names) {
    const identifier = systemIdentifierOf(readFileSync(join(lostWal, name)));
    // Preallocated segments that were never used have no identifier.
    if (identifier !== '0' && identifier !== manifest.systemIdentifier) {
      throw new Error(`${lostWal} is of another database (${identifier}, not ${manifest.systemIdentifier})`);
    }
  }
  if (names.length === 0) throw new Error(`${lostWal} has no WAL`);
  return names;
}

/** @returns names of the backup's keys that must be restored */
function checkKeys(backup: BaseBackup, dataDir: string): string[] {
  return KEY_NAMES.filter((name) => {
    const [kept, present] = [join(backup.dir, name), join(dataDir, name)];
    if (!existsSync(kept)) return false;
    if (!existsSync(present)) return true;
    if (!readFileSync(kept).equals(readFileSync(present))) {
      throw new Error(`${present} is there already, and is another key than the backup's`);
    }
    return false;
  });
}

async function copyBack({ dir, manifest }: BaseBackup, to: string): Promise<void> {
  for (const directory of manifest.directories) {
    mkdirSync(join(to, directory), { recursive: true, mode: 0o700 });
  }
  // PostgreSQL syncs all files itself before it recovers.
  await forEach(manifest.files, async ({ path, bytes, sha256 }) => {
    const source = join(dir, 'cluster', path);
    const copied = await copyFile(source, join(to, path), { isSynced: false });
    if (copied.bytes !== bytes || copied.sha256 !== sha256) {
      throw new Error(`${source} is not what was backed up: restore another backup`);
    }
  });
}
