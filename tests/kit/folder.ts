import { accessSync, constants, mkdtempSync, statfsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** `scripts/verify.ts` makes a folder for the run and removes it at the end. */
const MEMORY = process.env.TEST_MEMORY ?? '/dev/shm';
/** Upper bound of the size of a run's databases, with room to spare. */
const ROOM_BYTES = 3 * 1024 ** 3;

/** A new folder for a test's data: in memory where there is room, because no test here needs a durable disk. */
export function testFolder(name: string): string {
  return mkdtempSync(join(hasRoomInMemory() ? MEMORY : tmpdir(), `fairtick-${name}-`));
}

function hasRoomInMemory(): boolean {
  try {
    accessSync(MEMORY, constants.W_OK);
    const { bavail, bsize } = statfsSync(MEMORY);
    return bavail * bsize > ROOM_BYTES;
  } catch {
    return false;
  }
}

/** The file of the keys that sign the log of a test's database. */
export const signingKeyFile = ({ name }: { readonly name: string }): string => join(tmpdir(), `${name}.key`);

/** The file of the keys that encrypt personal data of a test's database. */
export const encryptionKeyFile = ({ name }: { readonly name: string }): string =>
  join(tmpdir(), `${name}.keys`);
