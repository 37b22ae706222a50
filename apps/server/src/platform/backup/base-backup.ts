import { createHash } from 'node:crypto';
import { copyFileSync, existsSync, mkdirSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type pg from 'pg';
import { superuserOf, withClient } from '../db/with-client.ts';
import {
  ARCHIVED,
  baseDir,
  claimFolder,
  type KeyName,
  listArchived,
  listBaseBackups,
  type Manifest,
  syncPath,
  walDir,
} from './backup-folder.ts';
import { copyFile, forEach } from './copy-file.ts';
import { parseSegment } from './wal-name.ts';

const ARCHIVED_WITHIN_MS = 120_000;

const EMPTY = /^(pg_wal|pg_replslot|pg_dynshmem|pg_notify|pg_serial|pg_snapshots|pg_stat_tmp|pg_subtrans)$/;
const LEFT_OUT = /^(postmaster\.(pid|opts)|pg_internal\.init.*|pgsql_tmp.*|current_logfiles)$/;

export interface BaseBackupOptions {
  readonly socketDir: string;
  readonly cluster: string;
  readonly backupDir: string;
  /** Files that are kept elsewhere on purpose are left out. */
  readonly keyFiles: readonly KeyFile[];
}

export interface KeyFile {
  readonly name: KeyName;
  readonly path: string;
}

/**
 * Copies a cluster while it runs. Changes during the copy are repaired at the restore by the WAL from the backup's start to its end, which is
 * archived when this returns. @returns the name of the backup
 * @throws Error when the cluster archives no WAL
 */
export async function takeBaseBackup(options: BaseBackupOptions): Promise<string> {
  const { socketDir, cluster, backupDir, keyFiles } = options;
  // The end of the session aborts an unfinished backup.
  return withClient(superuserOf(socketDir), 'backup', async (client) => {
    const systemIdentifier = await expectArchiving(client);
    claimFolder(backupDir, systemIdentifier);
    const startedMs = await clockOf(client);
    const { rows } = await client.query<{ first: string }>(
      `select pg_walfile_name(pg_backup_start('fairtick', fast => true)) as first`,
    );
    const name = new Date(startedMs)
      .toISOString()
      .replace(/\.\d+Z$/, 'Z')
      .replaceAll(':', '-');
    const draft = join(baseDir(backupDir), `${name}.partial`);
    rmSync(draft, { recursive: true, force: true });
    mkdirSync(join(draft, 'cluster'), { recursive: true, mode: 0o700 });
    const copied = await copyCluster(cluster, join(draft, 'cluster'));
    const label = await stopBackup(client, join(draft, 'cluster'));
    const manifest: Manifest = {
      systemIdentifier,
      startedMs,
      endedMs: await clockOf(client),
      firstSegment: rows[0]?.first as string,
      directories: copied.directories,
      files: [...copied.files, label],
    };
    for (const { name: keyName, path } of keyFiles) {
      if (!existsSync(path)) continue;
      copyFileSync(path, join(draft, keyName));
      syncPath(join(draft, keyName));
    }
    writeFileSync(join(draft, 'manifest.json'), JSON.stringify(manifest), { flush: true });
    for (const dir of ['', 'cluster', ...manifest.directories.map((each) => join('cluster', each))]) {
      syncPath(join(draft, dir));
    }
    renameSync(draft, join(baseDir(backupDir), name));
    syncPath(baseDir(backupDir));
    return name;
  });
}

async function expectArchiving(client: pg.Client): Promise<string> {
  const { rows } = await client.query<{ mode: string; tablespaces: number; id: string }>(
    `select current_setting('archive_mode') as mode, (select count(*)::int from pg_tablespace) as tablespaces,
       (select system_identifier::text from pg_control_system()) as id`,
  );
  const row = rows[0];
  if (row?.mode !== 'on') throw new Error('the server runs without BACKUP_DIR: start it with that first');
  if (row.tablespaces !== 2)
    throw new Error('a cluster with tablespaces of its own is not backed up by this');
  return row.id;
}

async function clockOf(client: pg.Client): Promise<number> {
  const { rows } = await client.query<{ ms: number }>(
    'select (extract(epoch from clock_timestamp()) * 1000)::float8 as ms',
  );
  return Math.ceil(rows[0]?.ms as number);
}

type CopiedFile = Manifest['files'][number];

async function copyCluster(
  from: string,
  to: string,
): Promise<{ directories: string[]; files: CopiedFile[] }> {
  const directories: string[] = [];
  const found: string[] = [];
  const visit = (folder: string): void => {
    for (const entry of readdirSync(join(from, folder), { withFileTypes: true })) {
      const path = join(folder, entry.name);
      if (LEFT_OUT.test(entry.name)) continue;
      if (entry.isFile()) found.push(path);
      if (!entry.isDirectory()) continue;
      directories.push(path);
      mkdirSync(join(to, path), { mode: 0o700 });
      if (!EMPTY.test(path)) visit(path);
    }
  };
  visit('');
  const files: CopiedFile[] = [];
  await forEach(found, async (path) => {
    const copied = await copyIfThere(join(from, path), join(to, path));
    if (copied) files.push({ path, ...copied });
  });
  return { directories, files };
}

/** Null for a file that has been deleted meanwhile: its table was dropped, which is in the WAL. */
async function copyIfThere(from: string, to: string): Promise<Omit<CopiedFile, 'path'> | null> {
  try {
    return await copyFile(from, to, { isSynced: true });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  }
}

/** Without the backup label the copy would be taken for a crashed cluster. */
async function stopBackup(client: pg.Client, copy: string): Promise<CopiedFile> {
  await client.query(`set statement_timeout = ${ARCHIVED_WITHIN_MS}`);
  const { rows } = await client.query<{ label: string }>(
    'select labelfile as label from pg_backup_stop(wait_for_archive => true)',
  );
  const label = rows[0]?.label as string;
  writeFileSync(join(copy, 'backup_label'), label, { flag: 'wx', mode: 0o600, flush: true });
  return {
    path: 'backup_label',
    bytes: Buffer.byteLength(label),
    sha256: createHash('sha256').update(label).digest('hex'),
  };
}

export function pruneBackups(backupDir: string, keep: number): { backups: string[]; segments: number } {
  const all = listBaseBackups(backupDir);
  const kept = all.slice(-keep);
  const gone = all.slice(0, -keep);
  const first = parseSegment(kept[0]?.manifest.firstSegment ?? '')?.number;
  if (first === undefined) return { backups: [], segments: 0 };
  for (const { dir } of gone) {
    // Renamed first, so that a half-deleted backup does not look complete.
    renameSync(dir, `${dir}.partial`);
    rmSync(`${dir}.partial`, { recursive: true });
  }
  syncPath(dirname(kept[0]?.dir as string));
  const old = listArchived(backupDir).filter((name) => {
    const segment = parseSegment(name);
    return segment !== null && segment.number < first;
  });
  for (const name of old) rmSync(join(walDir(backupDir), name + ARCHIVED));
  return { backups: gone.map(({ name }) => name), segments: old.length };
}
