import { createHash } from 'node:crypto';
import { open } from 'node:fs/promises';

const CHUNK_BYTES = 1 << 20;

/** Files copied at once: a disk syncs many files in hardly more time than one. */
const AT_ONCE = 16;

export async function forEach<T>(items: readonly T[], work: (item: T) => Promise<void>): Promise<void> {
  const waiting = items.values();
  await Promise.all(
    Array.from({ length: AT_ONCE }, async () => {
      for (const item of waiting) await work(item);
    }),
  );
}

/** Copies a file that may grow or shrink meanwhile. @returns the size and hash of what was written */
export async function copyFile(
  from: string,
  to: string,
  { isSynced }: { isSynced: boolean },
): Promise<{ bytes: number; sha256: string }> {
  const source = await open(from, 'r');
  try {
    const target = await open(to, 'wx', 0o600);
    try {
      const hash = createHash('sha256');
      const chunk = Buffer.alloc(CHUNK_BYTES);
      let bytes = 0;
      for (;;) {
        const { bytesRead } = await source.read(chunk, 0, CHUNK_BYTES, bytes);
        if (bytesRead === 0) break;
        hash.update(chunk.subarray(0, bytesRead));
        await target.writeFile(chunk.subarray(0, bytesRead));
        bytes += bytesRead;
      }
      if (isSynced) await target.sync();
      return { bytes, sha256: hash.digest('hex') };
    } finally {
      await target.close();
    }
  } finally {
    await source.close();
  }
}
