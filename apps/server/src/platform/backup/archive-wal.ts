import { existsSync, linkSync, readFileSync, unlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { constants, zstdCompressSync, zstdDecompressSync } from 'node:zlib';
import { ARCHIVED, claimFolder, listArchived, syncPath, walDir } from './backup-folder.ts';
import { newestOf, parseSegment, segmentOfBranch, systemIdentifierOf } from './wal-name.ts';

/**
 * PostgreSQL's archive_command: `node archive-wal.ts BACKUP_DIR %p %f`. Exits with 0 only when the whole file is in the
 * archive, on disk, under its own name; never overwrites a file. PostgreSQL keeps a refused file and retries for ever.
 */
const [backupDir, path, name] = process.argv.slice(2) as [string, string, string];

const content = readFileSync(path);
if (parseSegment(name)) claimFolder(backupDir, systemIdentifierOf(content));
if (name.endsWith('.history')) refuseBranch(content.toString());
const target = join(walDir(backupDir), name + ARCHIVED);
if (existsSync(target)) {
  // Archived before the server crashed and lost the record of that; the content must be the same.
  if (!zstdDecompressSync(readFileSync(target)).equals(content)) {
    throw new Error(`${target} is there already, and is another one`);
  }
} else {
  const draft = `${target}.part`;
  const packed = zstdCompressSync(content, { params: { [constants.ZSTD_c_checksumFlag]: 1 } });
  writeFileSync(draft, packed, { mode: 0o600, flush: true });
  // Unlike a rename, a link fails when another process was first.
  linkSync(draft, target);
  unlinkSync(draft);
}
syncPath(walDir(backupDir));

/** Refuses a branch from the past. PostgreSQL archives no segment of a timeline whose history file is refused. */
function refuseBranch(history: string): void {
  const newest = newestOf(listArchived(backupDir));
  const left = segmentOfBranch(history);
  if (
    left !== null &&
    newest !== null &&
    left < newest &&
    !existsSync(join(walDir(backupDir), name + ARCHIVED))
  ) {
    throw new Error(`${name} leaves the history at segment ${left}, and the archive goes on to ${newest}`);
  }
}
