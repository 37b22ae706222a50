import {
  closeSync,
  existsSync,
  fsyncSync,
  linkSync,
  openSync,
  readFileSync,
  unlinkSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import { constants, zstdCompressSync, zstdDecompressSync } from 'node:zlib';
import { ARCHIVED, claimFolder, listArchived, syncPath, walDir } from './backup-folder.ts';
import { newestOf, parseSegment, segmentOfBranch, systemIdentifierOf } from './wal-name.ts';

/**
 * PostgreSQL's archive_command: `node archive-wal.ts BACKUP_DIR %p %f`. Ends with 0 only when the file is in the archive,
 * on disk and whole, under its own name; never overwrites one. PostgreSQL keeps what was refused and tries again for ever.
 */
const [backupDir, path, name] = process.argv.slice(2) as [string, string, string];

const content = readFileSync(path);
if (parseSegment(name)) claimFolder(backupDir, systemIdentifierOf(content));
if (name.endsWith('.history')) refuseBranch(content.toString());
const target = join(walDir(backupDir), name + ARCHIVED);
if (existsSync(target)) {
  // Archived before, and the server died before it took note of that: then it is the same.
  if (!zstdDecompressSync(readFileSync(target)).equals(content)) {
    throw new Error(`${target} is there already, and is another one`);
  }
} else {
  const draft = `${target}.part`;
  write(draft, zstdCompressSync(content, { params: { [constants.ZSTD_c_checksumFlag]: 1 } }));
  // Unlike a rename, a link fails where somebody else was faster.
  linkSync(draft, target);
  unlinkSync(draft);
}
syncPath(walDir(backupDir));

/**
 * A timeline that leaves another one before the archive's end is a restore to the past. PostgreSQL archives its history
 * before its segments, and none of them without it.
 */
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

function write(file: string, bytes: Buffer): void {
  const handle = openSync(file, 'w', 0o600);
  try {
    for (let at = 0; at < bytes.length; ) at += writeSync(handle, bytes, at);
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
}
