import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { zstdDecompressSync } from 'node:zlib';
import { ARCHIVED, walDir } from './backup-folder.ts';
import { parseSegment } from './wal-name.ts';

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
  const lost = lostWal && join(lostWal, name);
  if (existsSync(archived)) writeFileSync(path, whole(zstdDecompressSync(readFileSync(archived))));
  else if (lost && existsSync(lost)) writeFileSync(path, whole(readFileSync(lost)));
  else return NOT_THERE;
  return 0;
}

/**
 * The bytes, if they are a whole segment or a file of another kind. A segment's header has its size at byte 32
 * (XLogLongPageHeaderData.xlp_seg_size).
 * @throws Error for a segment that was cut off, which PostgreSQL would take for a broken archive
 */
function whole(bytes: Buffer): Buffer {
  if (parseSegment(name) === null) return bytes;
  const size = bytes.length < 36 ? null : bytes.readUInt32LE(32);
  if (size === bytes.length) return bytes;
  throw new Error(
    `it was cut off and has ${bytes.length} bytes: find a whole copy, or restore to a moment before it with --to`,
  );
}
