import { chmodSync, chownSync, mkdirSync, statSync } from 'node:fs';
import type { Disguise } from './embedded-binaries.ts';

const OTHERS = 0o077;

/** @throws Error in one line when the folder can't be made private */
export function keepFolderPrivate(folder: string): void {
  makeFolder(folder);
  takeFromOthers(folder, 0o700);
}

export function makeFolder(folder: string): void {
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
  } catch (error) {
    throw new Error(
      `${folder} can't be made (${(error as NodeJS.ErrnoException).code}): set DATA_DIR to a folder that this user may write to`,
    );
  }
}

/** @throws Error in one line when the file is open to others and can't be closed */
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

const MAX_SOCKET_PATH = process.platform === 'darwin' ? 103 : 107;
const SOCKET_NAME = '/.s.PGSQL.5432';

/** @throws Error in one line when the path is too long */
export function prepareSocketDir(socketDir: string, { ids }: Disguise): void {
  const bytes = Buffer.byteLength(socketDir + SOCKET_NAME);
  if (bytes > MAX_SOCKET_PATH) {
    throw new Error(
      `the path of the database's socket, ${socketDir}${SOCKET_NAME}, has ${bytes} bytes, and the system allows ${MAX_SOCKET_PATH}: set DATA_DIR to a shorter path`,
    );
  }
  if (ids === null) {
    keepFolderPrivate(socketDir);
  } else {
    mkdirSync(socketDir, { recursive: true, mode: 0o700 });
    chownSync(socketDir, ids.uid, ids.gid);
  }
}

const octal = (mode: number): string => (mode & 0o7777).toString(8).padStart(4, '0');
