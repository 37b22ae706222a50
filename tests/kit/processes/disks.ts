import { execFileSync, spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import pg from 'pg';

/** A disk that can be made to fail and be repaired. */
export interface Disk {
  /** Environment variables for the process that starts PostgreSQL. */
  readonly environment: Readonly<Record<string, string>>;
  spoil(): void | Promise<void>;
  mend(): void;
  close(): void;
}

/** A small in-memory file system at `folder`; when spoilt, it is completely full. Needs root. */
export function smallDisk(folder: string, megabytes: number): Disk {
  mkdirSync(folder, { recursive: true });
  execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${megabytes}m,mode=0700`, 'tmpfs', folder]);
  const ballast = join(folder, 'ballast');
  return {
    environment: {},
    // `dd` ends with an error, because it writes until there is no space left.
    spoil: () => void spawnSync('dd', ['if=/dev/zero', `of=${ballast}`, 'bs=8k']),
    mend: () => rmSync(ballast, { force: true }),
    close: () => void execFileSync('umount', ['--lazy', folder]),
  };
}

/**
 * Moves the write-ahead log of a stopped cluster to another folder.
 * @throws Error when it runs: a server would go on writing into the removed file
 */
export function moveLog(cluster: string, folder: string): void {
  if (existsSync(join(cluster, 'postmaster.pid'))) throw new Error('the database still runs');
  const log = join(cluster, 'pg_wal');
  cpSync(log, folder, { recursive: true, preserveTimestamps: true });
  rmSync(log, { recursive: true });
  symlinkSync(folder, log);
}

/**
 * Uses up the write-ahead log segments that a server already has: up to 128 MB, enough for minutes on a full disk. Skips segment
 * after segment until the server fails.
 * @throws Error when it does not fail
 */
export async function skipLogInReserve(address: pg.ClientConfig): Promise<void> {
  const db = new pg.Pool({ ...address, max: 1 });
  db.on('error', () => {});
  try {
    for (let skipped = 0; skipped < MAX_SEGMENTS; skipped++) {
      // Every segment has records to switch away from: the feed writes all the time.
      const isThere = await db.query('select pg_switch_wal()').then(
        () => true,
        () => false,
      );
      if (!isThere) return;
      await sleep(100);
    }
  } finally {
    await db.end();
  }
  throw new Error('the log has not come to its end');
}
const MAX_SEGMENTS = 60;

/**
 * The disk of the write-ahead log: when spoilt, each fsync on it fails with EIO, and with `all` each write too. Needs a C
 * compiler.
 */
export function failingDisk(folder: string, fails: 'fsync' | 'all'): Disk {
  const library = join(folder, 'failing-disk.so');
  const flag = join(folder, 'disk-fails');
  const source = join(dirname(fileURLToPath(import.meta.url)), 'failing-disk.c');
  execFileSync('gcc', ['-shared', '-fPIC', '-O1', '-o', library, source, '-ldl']);
  return {
    environment: {
      LD_PRELOAD: library,
      FAIL_WHILE: flag,
      ...(fails === 'all' ? { FAIL_WRITES: '1' } : {}),
    },
    spoil: () => writeFileSync(flag, ''),
    mend: () => rmSync(flag, { force: true }),
    close: () => {
      if (existsSync(library)) rmSync(library);
    },
  };
}
