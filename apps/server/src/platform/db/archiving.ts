import { chmodSync, chownSync, mkdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The most seconds of data that a lost disk costs (`docs/OPERATIONS.md`). */
const ARCHIVE_EVERY_S = 30;

const PROGRAMS = fileURLToPath(new URL('../backup/', import.meta.url));

export function archivingSettings(backupDir: string): Readonly<Record<string, string>> {
  return {
    archive_mode: 'on',
    archive_command: `${program('archive-wal.ts')} ${quoted(backupDir)} %p %f`,
    archive_timeout: `${ARCHIVE_EVERY_S}s`,
  };
}

/** @param lostWal the pg_wal of the lost server, for segments that were not archived yet */
export function restoreCommand(backupDir: string, lostWal: string | null): string {
  return `${program('fetch-wal.ts')} ${quoted(backupDir)} %f %p${lostWal === null ? '' : ` ${quoted(lostWal)}`}`;
}

export function prepareArchive(backupDir: string, ids: { uid: number; gid: number } | null): void {
  for (const dir of [backupDir, join(backupDir, 'wal')]) {
    mkdirSync(dir, { recursive: true, mode: 0o700 });
    if (ids) chownSync(dir, ids.uid, ids.gid);
    // The archive holds all data, so it is private. A folder of another user can't be changed here.
    else if (statSync(dir).uid === process.getuid?.()) chmodSync(dir, 0o700);
  }
}

function program(file: string): string {
  return `${quoted(process.execPath)} ${quoted(join(PROGRAMS, file))}`;
}

/** PostgreSQL replaces %p and the like, so % is doubled. */
function quoted(word: string): string {
  return `'${word.replaceAll("'", `'\\''`).replaceAll('%', '%%')}'`;
}
