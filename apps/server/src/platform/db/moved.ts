import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { UnfitDatabaseError } from './unfit-database.ts';

const fileIn = (dataDir: string): string => join(dataDir, 'moved.json');

/** @param to host and name of the new database */
export function writeMoved(dataDir: string, to: string): void {
  writeFileSync(fileIn(dataDir), `${JSON.stringify({ movedAt: new Date().toISOString(), to })}\n`, {
    flush: true,
  });
}

/** Two servers that go on from one state would write one log twice. @throws UnfitDatabaseError after a move */
export function refuseMoved(dataDir: string): void {
  const file = fileIn(dataDir);
  if (!existsSync(file)) return;
  const { movedAt, to } = JSON.parse(readFileSync(file, 'utf8')) as { movedAt: string; to: string };
  throw new UnfitDatabaseError(
    `the database of this folder was moved to ${to} at ${movedAt}: set DATABASE_URL. Delete ${file} only if the new database has never been started, or the public log would fork`,
  );
}
