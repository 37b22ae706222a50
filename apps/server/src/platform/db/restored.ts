import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { UnfitDatabaseError } from './unfit-database.ts';

export interface RecoveredPoint {
  readonly lastCommit: string | null;
  readonly logSize: number;
  readonly logRoot: string;
}

export interface Restored extends RecoveredPoint {
  readonly restoredAt: string;
  readonly backupDir: string;
  readonly backup: string;
  readonly to: string | null;
  /** Whether it has all commits of the lost database; else it lacks what was published afterwards. */
  readonly isComplete: boolean;
  readonly newLog: string | null;
}

const FILE = 'restored.json';

export function writeRestored(dataDir: string, restored: Restored): void {
  const file = join(dataDir, FILE);
  writeFileSync(`${file}.new`, `${JSON.stringify(restored, null, 2)}\n`, { flush: true });
  renameSync(`${file}.new`, file);
}

export function readRestored(dataDir: string): Restored | null {
  const file = join(dataDir, FILE);
  return existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as Restored) : null;
}

/** New entries would reuse numbers of the public log that customers already know, which would be a fork. */
export function refuseFork(dataDir: string): void {
  const restored = readRestored(dataDir);
  if (restored === null || restored.isComplete || restored.newLog !== null) return;
  throw new UnfitDatabaseError(
    `this data was restored up to ${restored.lastCommit} (log size ${restored.logSize}), and what was published after that is not in it: going on would fork the public log. Look at it with "npm run admin -- audit"; restore again with --wal if the lost house's pg_wal can be read; or give the log a new name with "npm run admin -- new-log --yes" (docs/OPERATIONS.md, "After a restore")`,
  );
}

/** Refuses to archive a branch from the past: the next restore would take it for the newest history. */
export function refuseBranch(dataDir: string, backupDir: string): void {
  const restored = readRestored(dataDir);
  if (restored === null || restored.to === null || restored.backupDir !== backupDir) return;
  throw new UnfitDatabaseError(
    `this data was restored to ${restored.to}, and BACKUP_DIR=${backupDir} goes on behind that: give it a BACKUP_DIR of its own, or none`,
  );
}
