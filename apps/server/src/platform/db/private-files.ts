import { chmodSync, chownSync, lstatSync, mkdirSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import type { Disguise } from './embedded-binaries.ts';

/** Permission bits of group and others. */
const OTHERS = 0o077;

/** Creates the data folder, or removes the rights of other users from it. @throws Error in one line when that fails */
export function keepFolderPrivate(folder: string): void {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  takeFromOthers(folder, 0o700);
}

/** Makes a key or log file private to this user. @throws Error in one line when it is open to others and can't be closed */
export function keepFilePrivate(file: string): void {
  takeFromOthers(file, 0o600);
}

function takeFromOthers(path: string, mode: number): void {
  const { mode: found, uid } = statSync(path);
  if ((found & OTHERS) === 0) return;
  try {
    chmodSync(path, mode);
  } catch {
    throw new Error(
      `${path} is open to other users (mode ${octal(found)}) and belongs to user ${uid}, so it can't be closed: chmod ${octal(mode)} it`,
    );
  }
}

/** The system's limit of a socket's path, in bytes. */
const MAX_SOCKET_PATH = process.platform === 'darwin' ? 103 : 107;
const SOCKET_NAME = '/.s.PGSQL.5432';

/**
 * Creates the folder of the database's socket. Everybody on this machine can work out its name, so an existing one is
 * used only if it is a folder of this user that others can't enter; otherwise another process could answer in the
 * database's place.
 * @throws Error in one line that says what is in the way
 */
export function prepareSocketDir(socketDir: string, { ids }: Disguise): void {
  if (Buffer.byteLength(socketDir + SOCKET_NAME) > MAX_SOCKET_PATH)
    throw new Error(
      `the socket's path ${socketDir}${SOCKET_NAME} is too long: set TMPDIR to a shorter folder`,
    );
  const parent = statSync(dirname(socketDir));
  if ((parent.mode & 0o022) !== 0 && (parent.mode & 0o1000) === 0)
    throw new Error(
      `${dirname(socketDir)} lets others remove what is ours: set TMPDIR to a folder of your own`,
    );
  makeFolder(socketDir, ids);
  const found = lstatSync(socketDir);
  const owner = ids?.uid ?? process.getuid?.() ?? found.uid;
  const wrong = !found.isDirectory()
    ? 'is no folder'
    : found.uid !== owner
      ? `belongs to user ${found.uid}, not ${owner}`
      : (found.mode & OTHERS) !== 0
        ? `is open to other users (mode ${octal(found.mode)})`
        : null;
  if (wrong !== null)
    throw new Error(
      `the database's socket can't be in ${socketDir}, which ${wrong}: remove it, or set TMPDIR`,
    );
}

function makeFolder(folder: string, ids: Disguise['ids']): void {
  try {
    mkdirSync(folder, { mode: 0o700 });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    return;
  }
  if (ids) chownSync(folder, ids.uid, ids.gid);
}

const octal = (mode: number): string => (mode & 0o7777).toString(8).padStart(4, '0');
