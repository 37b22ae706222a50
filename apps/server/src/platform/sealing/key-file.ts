import { hkdfSync, randomBytes } from 'node:crypto';
import { linkSync, mkdirSync, readFileSync, renameSync, statSync, unlinkSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { keepFilePrivate } from '../db/private-files.ts';

export interface DataKey {
  /** Four bytes that identify the key and reveal nothing of it. */
  readonly id: Buffer;
  readonly seal: Buffer;
  readonly index: Buffer;
}

/** All keys of a file, oldest first. `active` seals new values; the others still open old ones. */
export interface DataKeys {
  readonly all: readonly DataKey[];
  readonly active: DataKey;
}

const LINE = /^(next )?fairtick-data-key-1 ([A-Za-z0-9_-]{43})$/;
const HEAD =
  '# Keys of personal data, oldest first. Without them it is lost: keep a copy, and never with the database.';

const newLine = (): string => `fairtick-data-key-1 ${randomBytes(32).toString('base64url')}`;

const derive = (key: Buffer, what: string, length: number): Buffer =>
  Buffer.from(hkdfSync('sha256', key, Buffer.alloc(0), `fairtick ${what}`, length));

/** @throws Error when the file can't be read or holds no key to seal with; the message never contains key material */
export function readKeyFile(file: string): DataKeys {
  keepFilePrivate(file);
  const lines = linesOf(file).map((line, place) => {
    const match = LINE.exec(line);
    if (!match) throw new Error(`${file} must hold one key a line; line ${place + 1} is none`);
    const key = Buffer.from(match[2] as string, 'base64url');
    const dataKey = {
      id: derive(key, 'id', 4),
      seal: derive(key, 'seal', 32),
      index: derive(key, 'index', 32),
    };
    return { dataKey, isNext: match[1] !== undefined };
  });
  // A prepared key already opens values, so that every process can read what another one seals with it later.
  const active = lines.findLast(({ isNext }) => !isNext)?.dataKey;
  if (!active) throw new Error(`${file} holds no key to seal with`);
  return { all: lines.map(({ dataKey }) => dataKey), active };
}

const linesOf = (file: string): string[] =>
  readFileSync(file, 'utf8')
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'));

/** Several processes may start at once: the first to link its draft wins. */
export function makeKeyFile(file: string): void {
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  const draft = `${file}.${process.pid}.${randomBytes(4).toString('hex')}`;
  writeFileSync(draft, `${HEAD}\n${newLine()}\n`, { mode: 0o600, flag: 'wx', flush: true });
  try {
    linkSync(draft, file);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  } finally {
    unlinkSync(draft);
  }
}

/** @param options `isNext`: only prepared, so that the file can be copied to every machine first */
export function addKey(file: string, { isNext }: { isNext: boolean }): void {
  rewrite(file, (lines) => [...lines, `${isNext ? 'next ' : ''}${newLine()}`]);
}

/** False: there is no prepared key. */
export function promoteKey(file: string): boolean {
  if (!linesOf(file).some((line) => line.startsWith('next '))) return false;
  rewrite(file, (lines) => lines.map((line) => line.replace(/^next /, '')));
  return true;
}

/** Atomically. */
function rewrite(file: string, change: (lines: string[]) => string[]): void {
  const draft = `${file}.${process.pid}.${randomBytes(4).toString('hex')}`;
  const text = [HEAD, ...change(linesOf(file))].join('\n');
  writeFileSync(draft, `${text}\n`, { mode: 0o600, flag: 'wx', flush: true });
  renameSync(draft, file);
}

/** Shows whether the file has changed since it was read. */
export function signOf(file: string): string {
  const { ino, size, mtimeMs } = statSync(file);
  return `${ino}:${size}:${mtimeMs}`;
}
