import { existsSync, mkdirSync, readdirSync, renameSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { copyFile, forEach } from './copy-file.ts';

/** A stored file never changes and its name is never reused, so one copy serves all base backups. */
const STORED = /^[A-Za-z0-9_-]{32}$/;
const picturesOf = (folder: string) => join(folder, 'uploads');

function stored(folder: string): string[] {
  const root = picturesOf(folder);
  if (!existsSync(root)) return [];
  return readdirSync(root, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .flatMap(({ name }) => readdirSync(join(root, name)).map((file) => join(name, file)))
    .filter((path) => STORED.test(path.slice(path.length - 32)));
}

export async function copyPictures(from: string, to: string): Promise<number> {
  const known = new Set(stored(to));
  const missing = stored(from).filter((path) => !known.has(path));
  await forEach(missing, async (path) => {
    const target = join(picturesOf(to), path);
    mkdirSync(join(target, '..'), { recursive: true, mode: 0o700 });
    const draft = `${target}.new`;
    rmSync(draft, { force: true });
    try {
      await copyFile(join(picturesOf(from), path), draft, { isSynced: true });
    } catch (error) {
      // Deleted since it was listed: erased, or sealed anew under another name.
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return;
      throw error;
    }
    renameSync(draft, target);
  });
  return missing.length;
}

/** Deletes copies that the data folder no longer has and no kept backup needs. @returns how many */
export function prunePictures(dataDir: string, backupDir: string, oldestMs: number): number {
  const present = new Set(stored(dataDir));
  const gone = stored(backupDir).filter(
    (path) => !present.has(path) && statSync(join(picturesOf(backupDir), path)).mtimeMs < oldestMs,
  );
  for (const path of gone) rmSync(join(picturesOf(backupDir), path));
  return gone.length;
}
