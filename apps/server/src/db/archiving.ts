import { chmodSync, chownSync, mkdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** What a lost disk can cost at most, besides the time to copy one file. `docs/OPERATIONS.md` states it. */
export const ARCHIVE_EVERY_S = 30;

const PROGRAMS = fileURLToPath(new URL('../backup/', import.meta.url));

/** PostgreSQL's settings that put every finished piece of WAL into `backupDir`, and end a piece after some seconds. */
export function archivingSettings(backupDir: string): Readonly<Record<string, string>> {
  return {
    archive_mode: 'on',
    archive_command: `${program('archive-wal.ts')} ${quoted(backupDir)} %p %f`,
    archive_timeout: `${ARCHIVE_EVERY_S}s`,
  };
}

/** @param lostWal the pg_wal of a lost house, for what was not archived yet */
export function restoreCommand(backupDir: string, lostWal: string | null): string {
  return `${program('fetch-wal.ts')} ${quoted(backupDir)} %f %p${lostWal === null ? '' : ` ${quoted(lostWal)}`}`;
}

/** The archive's folder, which PostgreSQL must be able to write as whoever it runs as. */
export function prepareArchive(backupDir: string, ids: { uid: number; gid: number } | null): void {
  for (const dir of [backupDir, join(backupDir, 'wal')]) {
    mkdirSync(dir, { recursive: true, mode: 0o700 });
    if (ids) chownSync(dir, ids.uid, ids.gid);
    // What is in it says everything. A folder that another user lends us is theirs to close.
    else if (statSync(dir).uid === process.getuid?.()) chmodSync(dir, 0o700);
  }
}

function program(file: string): string {
  return `${quoted(process.execPath)} ${quoted(join(PROGRAMS, file))}`;
}

/** One word for the shell in which PostgreSQL runs its commands; it puts its own values in place of %p and the like. */
function quoted(word: string): string {
  return `'${word.replaceAll("'", `'\\''`).replaceAll('%', '%%')}'`;
}
