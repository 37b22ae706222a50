import { copyFileSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { zstdDecompressSync } from 'node:zlib';
import { ARCHIVED, walDir } from './backup-folder.ts';

/**
 * PostgreSQL's restore_command: `node fetch-wal.ts BACKUP_DIR %f %p [PG_WAL]`; PG_WAL is the pg_wal of the lost server,
 * for segments that it had not archived. PostgreSQL takes exit code 1 for the end of the archive and continues from
 * there, so a file that exists but can't be read needs a code above 125, which aborts the recovery.
 */
const NOT_THERE = 1;
const BROKEN = 200;
const [backupDir, name, path, lostWal] = process.argv.slice(2) as [string, string, string, string?];

try {
  process.exitCode = fetchFile();
} catch (error) {
  console.error(`${name} can't be restored: ${error instanceof Error ? error.message : String(error)}`);
  process.exitCode = BROKEN;
}

function fetchFile(): number {
  const archived = join(walDir(backupDir), name + ARCHIVED);
  if (existsSync(archived)) {
    writeFileSync(path, zstdDecompressSync(readFileSync(archived)));
    return 0;
  }
  const lost = lostWal && join(lostWal, name);
  if (!lost || !existsSync(lost)) return NOT_THERE;
  copyFileSync(lost, path);
  return 0;
}
