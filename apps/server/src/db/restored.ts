import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** Where a recovered database stands. */
export interface RecoveredPoint {
  /** The last commit that it has, by the lost database's clock. */
  readonly lastCommit: string | null;
  readonly logSize: number;
  readonly logRoot: string;
}

/** Left in a data folder by a restore, for good. */
export interface Restored extends RecoveredPoint {
  readonly restoredAt: string;
  readonly backupDir: string;
  readonly backup: string;
  /** The moment that was asked for, or null: all that there was. */
  readonly to: string | null;
  /** Whether it has all that the lost house had committed: else what was published afterwards is not in it. */
  readonly isComplete: boolean;
  /** The name that the public log was given since, or null. */
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

/**
 * Refuses to go on where a restore may have lost the end of the public log: new entries would take the numbers of others
 * that customers, monitors and receipts know already. That is a fork, the very thing that the log must show of a cheat.
 */
export function refuseFork(dataDir: string): void {
  const restored = readRestored(dataDir);
  if (restored === null || restored.isComplete || restored.newLog !== null) return;
  throw new Error(
    `this data was restored up to ${restored.lastCommit} (log size ${restored.logSize}), and what was published after that is not in it: going on would fork the public log. Look at it with "npm run audit"; restore again with --wal if the lost house's pg_wal can be read; or give the log a new name with "npm run new-log" (docs/OPERATIONS.md, "After a restore")`,
  );
}

/**
 * Refuses to archive what follows a moment in the past into the archive that goes on behind it: the next restore would
 * take the branch for the newest history.
 */
export function refuseBranch(dataDir: string, backupDir: string): void {
  const restored = readRestored(dataDir);
  if (restored === null || restored.to === null || restored.backupDir !== backupDir) return;
  throw new Error(
    `this data was restored to ${restored.to}, and BACKUP_DIR=${backupDir} goes on behind that: give it a BACKUP_DIR of its own, or none`,
  );
}
