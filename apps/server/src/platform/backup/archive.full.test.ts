import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { zstdDecompressSync } from 'node:zlib';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';

const FIRST = '000000010000000000000003';
const SECOND = '000000010000000000000004';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'fairtick-archive-'));
  mkdirSync(join(folder, 'backup/wal'), { recursive: true });
});
afterEach(() => rmSync(folder, { recursive: true }));

/** Runs a program as PostgreSQL does: exit code 0 means done, anything else failed. */
function run(
  program: 'archive-wal' | 'fetch-wal',
  ...args: string[]
): { status: number | null; said: string } {
  const file = join(import.meta.dirname, `${program}.ts`);
  const { status, stderr } = spawnSync(process.execPath, [file, join(folder, 'backup'), ...args], {
    encoding: 'utf8',
  });
  return { status, said: stderr };
}

function segment(systemIdentifier: bigint, fill: string): Buffer {
  const bytes = Buffer.alloc(64 * 1024, fill);
  bytes.writeBigUInt64LE(systemIdentifier, 24);
  bytes.writeUInt32LE(bytes.length, 32);
  return bytes;
}

function archive(name: string, content: Buffer | string): { status: number | null; said: string } {
  writeFileSync(join(folder, 'source'), content);
  return run('archive-wal', join(folder, 'source'), name);
}

const archived = (name: string): Buffer =>
  zstdDecompressSync(readFileSync(join(folder, 'backup/wal', `${name}.zst`)));

describe('archiving', () => {
  test('stores the whole file and no other', () => {
    expect(archive(FIRST, segment(7n, 'a'))).toEqual({ status: 0, said: '' });
    expect(archived(FIRST).equals(segment(7n, 'a'))).toBe(true);
    expect(readdirSync(join(folder, 'backup/wal'))).toEqual([`${FIRST}.zst`]);
  });

  test('accepts the same file again and does not overwrite it with another', () => {
    archive(FIRST, segment(7n, 'a'));
    expect(archive(FIRST, segment(7n, 'a')).status).toBe(0);
    const refused = archive(FIRST, segment(7n, 'b'));
    expect(refused.status).toBe(1);
    expect(refused.said).toContain('another one');
    expect(archived(FIRST).equals(segment(7n, 'a'))).toBe(true);
  });

  test('works after an earlier run was killed in the middle of a file', () => {
    writeFileSync(join(folder, 'backup/wal', `${FIRST}.zst.part`), 'half');
    expect(archive(FIRST, segment(7n, 'a')).status).toBe(0);
    expect(archived(FIRST).equals(segment(7n, 'a'))).toBe(true);
  });

  test('refuses WAL of another database', () => {
    archive(FIRST, segment(7n, 'a'));
    const refused = archive(SECOND, segment(8n, 'a'));
    expect(refused.status).toBe(1);
    expect(refused.said).toContain('another database (7, not 8)');
    expect(readdirSync(join(folder, 'backup/wal'))).toEqual([`${FIRST}.zst`]);
  });

  test('refuses a timeline that branches off before the end of the archive', () => {
    archive(FIRST, segment(7n, 'a'));
    archive(SECOND, segment(7n, 'a'));
    expect(archive('00000002.history', '1\t0/3000028\tbefore a moment\n').status).toBe(1);
    expect(archive('00000002.history', '1\t0/5000000\tno recovery target specified\n').status).toBe(0);
  });
});

describe('fetching', () => {
  const target = () => join(folder, 'target');

  test('gives back what was archived', () => {
    archive(FIRST, segment(7n, 'a'));
    expect(run('fetch-wal', FIRST, target())).toEqual({ status: 0, said: '' });
    expect(readFileSync(target()).equals(segment(7n, 'a'))).toBe(true);
  });

  test('takes a segment from the archive first, then from the lost installation', () => {
    const lost = join(folder, 'pg_wal');
    mkdirSync(lost);
    archive(FIRST, segment(7n, 'a'));
    writeFileSync(join(lost, FIRST), segment(7n, 'b'));
    writeFileSync(join(lost, SECOND), segment(7n, 'c'));
    expect(run('fetch-wal', FIRST, target(), lost).status).toBe(0);
    expect(readFileSync(target()).equals(segment(7n, 'a'))).toBe(true);
    expect(run('fetch-wal', SECOND, target(), lost).status).toBe(0);
    expect(readFileSync(target()).equals(segment(7n, 'c'))).toBe(true);
    expect(run('fetch-wal', '000000010000000000000005', target(), lost).status).toBe(1);
  });

  test('exits with 1 for a missing file, and with more than 125 for a damaged one', () => {
    expect(run('fetch-wal', FIRST, target()).status).toBe(1);
    archive(FIRST, segment(7n, 'a'));
    const file = join(folder, 'backup/wal', `${FIRST}.zst`);
    const bytes = readFileSync(file);
    writeFileSync(file, bytes.subarray(0, bytes.length - 5));
    // Above 125 PostgreSQL aborts the recovery; at 1 it would take this for the end of the archive, and lose the rest.
    expect(run('fetch-wal', FIRST, target()).status).toBeGreaterThan(125);
    // A segment that was cut off, in the archive or in the lost installation, is named as such.
    const lost = join(folder, 'pg_wal');
    mkdirSync(lost);
    writeFileSync(join(lost, SECOND), segment(7n, 'c').subarray(0, 40_000));
    const cut = run('fetch-wal', SECOND, target(), lost);
    expect(cut.status).toBeGreaterThan(125);
    expect(cut.said).toContain(`${SECOND} can't be restored: it was cut off and has 40000 bytes`);
    bytes[bytes.length >> 1] = (bytes[bytes.length >> 1] as number) ^ 1;
    writeFileSync(file, bytes);
    expect(run('fetch-wal', FIRST, target()).status).toBeGreaterThan(125);
  });
});
