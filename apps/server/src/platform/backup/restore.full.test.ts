import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { refuseBranch, refuseFork, writeRestored } from '../db/restored.ts';
import { lastBackupMs, listArchived, listBaseBackups, type Manifest } from './backup-folder.ts';
import { pruneBackups } from './base-backup.ts';
import { restore } from './restore.ts';
import { formatSegment } from './wal-name.ts';

/** Restores that are refused before PostgreSQL starts; tests/processes has restores that succeed. */
let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'fairtick-restore-'));
  mkdirSync(join(folder, 'backup/wal'), { recursive: true });
});
afterEach(() => rmSync(folder, { recursive: true }));

const DAY = { first: Date.UTC(2026, 5, 1), second: Date.UTC(2026, 5, 2) };
const name = (number: number) => formatSegment({ timeline: 1, number });

function addBackup(startedMs: number, firstNumber: number, content = 'what was there'): string {
  const dir = join(
    folder,
    'backup/base',
    new Date(startedMs)
      .toISOString()
      .replace(/\.\d+Z$/, 'Z')
      .replaceAll(':', '-'),
  );
  mkdirSync(join(dir, 'cluster/base'), { recursive: true });
  writeFileSync(join(dir, 'cluster/base/1'), content);
  writeFileSync(join(dir, 'signing.key'), 'the key');
  const manifest: Manifest = {
    systemIdentifier: '7',
    startedMs,
    endedMs: startedMs + 60_000,
    firstSegment: name(firstNumber),
    directories: ['base'],
    files: [
      {
        path: 'base/1',
        bytes: 14,
        sha256: createHash('sha256').update('what was there').digest('hex'),
      },
    ],
  };
  writeFileSync(join(dir, 'manifest.json'), JSON.stringify(manifest));
  return dir;
}

function addWal(...numbers: number[]): void {
  for (const number of numbers) writeFileSync(join(folder, 'backup/wal', `${name(number)}.zst`), '');
}

const attempt = (toMs: number | null = null, lostWal: string | null = null) =>
  restore({ backupDir: join(folder, 'backup'), dataDir: join(folder, 'data'), toMs, lostWal }, () => {});

describe('a restore is refused', () => {
  test('over an existing database', async () => {
    addBackup(DAY.first, 1);
    mkdirSync(join(folder, 'data/postgres'), { recursive: true });
    await expect(attempt()).rejects.toThrow('overwrites nothing');
  });

  test('without a backup, and to a moment before the oldest backup was complete', async () => {
    await expect(attempt()).rejects.toThrow('no base backup');
    addBackup(DAY.first, 1);
    await expect(attempt(DAY.first + 59_999)).rejects.toThrow(
      'the oldest backup is of 2026-06-01T00:01:00.000Z',
    );
  });

  test('to a day that does not exist', () => {
    const command = join(import.meta.dirname, '../../commands/admin.ts');
    const args = [command, 'restore', join(folder, 'backup'), '--data', join(folder, 'data'), '--yes'];
    const told = (to: string) => spawnSync(process.execPath, [...args, '--to', to], { encoding: 'utf8' });
    expect(told('2026-02-31T12:00:00Z').stderr).toContain('--to must be a time with its zone');
    expect(told('2026-02-28T12:00:00Z').stderr).toContain('no base backup');
  });

  test('if the archive has a hole after the backup', async () => {
    addBackup(DAY.first, 2);
    addWal(2, 3, 5);
    await expect(attempt()).rejects.toThrow(`a hole at ${name(4)}`);
  });

  test('from a backup that was changed, and leaves no database', async () => {
    addBackup(DAY.first, 2, 'what was their');
    addWal(2, 3);
    await expect(attempt()).rejects.toThrow(/base\/1 is not what was backed up/);
    expect(existsSync(join(folder, 'data/postgres'))).toBe(false);
  });

  test('with WAL of another database, or older than the archive', async () => {
    addBackup(DAY.first, 2);
    addWal(2, 3, 4);
    const lost = join(folder, 'pg_wal');
    mkdirSync(lost);
    await expect(attempt(null, lost)).rejects.toThrow('has no WAL');
    const bytes = Buffer.alloc(64);
    bytes.writeBigUInt64LE(7n, 24);
    writeFileSync(join(lost, name(3)), bytes);
    await expect(attempt(null, lost)).rejects.toThrow('ends before the archive does');
    bytes.writeBigUInt64LE(8n, 24);
    writeFileSync(join(lost, name(5)), bytes);
    await expect(attempt(null, lost)).rejects.toThrow('of another database (8, not 7)');
  });

  test('if the data folder has another signing key', async () => {
    addBackup(DAY.first, 2);
    mkdirSync(join(folder, 'data'));
    writeFileSync(join(folder, 'data/signing.key'), 'another key');
    await expect(attempt()).rejects.toThrow('another key than the backup');
  });
});

describe('backups', () => {
  test('are removed with the WAL that only they needed, except the newest one', () => {
    addBackup(DAY.first, 2);
    addBackup(DAY.second, 5);
    addWal(1, 2, 3, 4, 5, 6);
    writeFileSync(join(folder, 'backup/wal/00000002.history.zst'), '');
    const backupDir = join(folder, 'backup');
    expect(lastBackupMs(backupDir)).toBe(DAY.second);
    expect(pruneBackups(backupDir, 2).backups).toEqual([]);
    expect(listArchived(backupDir).sort()).toEqual(['00000002.history', ...[2, 3, 4, 5, 6].map(name)].sort());
    expect(pruneBackups(backupDir, 1)).toEqual({ backups: ['2026-06-01T00-00-00Z'], segments: 3 });
    expect(listBaseBackups(backupDir).map((backup) => backup.name)).toEqual(['2026-06-02T00-00-00Z']);
    expect(listArchived(backupDir).sort()).toEqual(['00000002.history', name(5), name(6)].sort());
  });

  test('are an empty list before the first backup', () => {
    expect(lastBackupMs(join(folder, 'backup'))).toBe(Number.NEGATIVE_INFINITY);
    expect(pruneBackups(join(folder, 'backup'), 1)).toEqual({ backups: [], segments: 0 });
  });
});

describe('a restored house', () => {
  const restored = {
    restoredAt: '2026-06-02T00:00:00.000Z',
    backupDir: '/backup',
    backup: 'x',
    to: null,
    lastCommit: '2026-06-01T23:59:00.000Z',
    logSize: 12,
    logRoot: '00',
    isComplete: true,
    newLog: null,
  };

  test('may start if it is complete or its log has a new name', () => {
    refuseFork(folder);
    writeRestored(folder, restored);
    refuseFork(folder);
    writeRestored(folder, { ...restored, isComplete: false });
    expect(() => refuseFork(folder)).toThrow(/log size 12.*fork.*new-log/);
    writeRestored(folder, { ...restored, isComplete: false, newLog: 'another' });
    refuseFork(folder);
  });

  test('at a past moment needs a BACKUP_DIR of its own', () => {
    writeRestored(folder, restored);
    refuseBranch(folder, '/backup');
    writeRestored(folder, { ...restored, to: restored.lastCommit });
    refuseBranch(folder, '/another');
    expect(() => refuseBranch(folder, '/backup')).toThrow('BACKUP_DIR of its own');
  });
});
