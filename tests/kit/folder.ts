import { accessSync, constants, mkdtempSync, statfsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const MEMORY = '/dev/shm';
/** What databases of a run take at most, with room to spare. */
const ROOM_BYTES = 3 * 1024 ** 3;

/** A new folder for a test's data: in memory where the system has room there, because no test here needs a disk that lasts. */
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
