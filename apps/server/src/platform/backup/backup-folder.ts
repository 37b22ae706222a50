import {
  closeSync,
  existsSync,
  fsyncSync,
  openSync,
  readdirSync,
  readFileSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';

/**
 * Content of a backup folder:
 *   system-identifier         the cluster whose backups these are
 *   wal/NAME.zst              archived WAL
 *   base/TIME/manifest.json   a base backup, complete because it has this name; `cluster/` beside it, and the keys
 *   uploads/                  customers' pictures, one copy for all base backups
 *   base/TIME.partial         a backup in progress, or an abandoned one
 */
export interface Manifest {
  readonly systemIdentifier: string;
  /** Beginning and end of the backup by the database's clock, Unix ms: a restore can reach any moment from the end on. */
  readonly startedMs: number;
  readonly endedMs: number;
  readonly firstSegment: string;
  readonly directories: readonly string[];
  readonly files: readonly { readonly path: string; readonly bytes: number; readonly sha256: string }[];
}

export interface BaseBackup {
  readonly name: string;
  readonly dir: string;
  readonly manifest: Manifest;
}

export const KEY_NAMES = ['signing.key', 'encryption.keys'] as const;
export type KeyName = (typeof KEY_NAMES)[number];

export const walDir = (backupDir: string): string => join(backupDir, 'wal');
export const baseDir = (backupDir: string): string => join(backupDir, 'base');
export const ARCHIVED = '.zst';

export function listBaseBackups(backupDir: string): BaseBackup[] {
  return listBaseNames(backupDir).map((name) => {
    const dir = join(baseDir(backupDir), name);
    return {
      name,
      dir,
      manifest: JSON.parse(readFileSync(join(dir, 'manifest.json'), 'utf8')) as Manifest,
    };
  });
}

/** By its name, Unix ms; -Infinity: there is none. */
export function lastBackupMs(backupDir: string): number {
  const newest = listBaseNames(backupDir).at(-1);
  if (newest === undefined) return Number.NEGATIVE_INFINITY;
  return Date.parse(newest.replace(/T(\d\d)-(\d\d)-(\d\d)Z/, 'T$1:$2:$3Z'));
}

export function lastBackup(
  { dataDir, backupDir }: { readonly dataDir: string; readonly backupDir: string | null },
  isOwnServer: boolean,
): number | null {
  // The operator's own backup touches this file.
  const own = join(dataDir, 'last-backup');
  if (isOwnServer) return statSync(own, { throwIfNoEntry: false })?.mtimeMs ?? Number.NEGATIVE_INFINITY;
  return backupDir === null ? null : lastBackupMs(backupDir);
}

function listBaseNames(backupDir: string): string[] {
  if (!existsSync(baseDir(backupDir))) return [];
  return readdirSync(baseDir(backupDir))
    .filter((name) => /^\d{4}-[\dT-]+Z$/.test(name))
    .sort();
}

export function listArchived(backupDir: string): string[] {
  if (!existsSync(walDir(backupDir))) return [];
  return readdirSync(walDir(backupDir))
    .filter((name) => name.endsWith(ARCHIVED))
    .map((name) => name.slice(0, -ARCHIVED.length));
}

/** @throws Error when the folder belongs to another cluster */
export function claimFolder(backupDir: string, systemIdentifier: string): void {
  const file = join(backupDir, 'system-identifier');
  try {
    writeFileSync(file, systemIdentifier, { flag: 'wx', flush: true });
    syncPath(backupDir);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    const owner = readFileSync(file, 'utf8').trim();
    if (owner !== systemIdentifier) {
      throw new Error(`${backupDir} has the backups of another database (${owner}, not ${systemIdentifier})`);
    }
  }
}

/** A new name is durable only after its folder is synced. */
export function syncPath(path: string): void {
  const handle = openSync(path, 'r');
  try {
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
}
