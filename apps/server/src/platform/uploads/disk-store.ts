import { mkdir, open, opendir, readFile, rename, rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { StoreError } from '../http/store-error.ts';
import { FILE_NAME, type FileStore } from './file-store.ts';

/** Files in a local or shared folder, spread over subfolders by their first two letters. */
export class DiskStore implements FileStore {
  readonly #root: string;

  constructor(root: string) {
    this.#root = root;
  }

  async write(name: string, bytes: Uint8Array): Promise<void> {
    const path = this.#pathOf(name);
    const draft = `${path}.new`;
    try {
      await mkdir(dirname(path), { recursive: true, mode: 0o700 });
      await writeNew(draft, bytes);
      await rename(draft, path);
    } catch (error) {
      // On a failing disk the draft may stay; the first error is the one to report.
      await rm(draft, { force: true }).catch(() => {});
      throw new StoreError(error);
    }
  }

  async read(name: string): Promise<Buffer | null> {
    return readFile(this.#pathOf(name)).catch(absent);
  }

  async remove(name: string): Promise<void> {
    await rm(this.#pathOf(name), { force: true });
  }

  async *writtenBefore(timeMs: number): AsyncIterable<string> {
    const folders = await opendir(this.#root).catch(absent);
    if (!folders) return;
    for await (const folder of folders) {
      if (!folder.isDirectory()) continue;
      for await (const { name } of await opendir(join(this.#root, folder.name))) {
        const written = await stat(join(this.#root, folder.name, name)).catch(absent);
        if (written && written.mtimeMs < timeMs) yield name;
      }
    }
  }

  #pathOf(name: string): string {
    // Names are made by the server, not by callers; this check guards against a mistake.
    if (!FILE_NAME.test(name.replace(/\.new$/, ''))) throw new Error('not the name of a stored file');
    return join(this.#root, name.slice(0, 2), name);
  }
}

/** Writes a file that does not exist yet, and waits until it is on disk. */
async function writeNew(path: string, bytes: Uint8Array): Promise<void> {
  const file = await open(path, 'wx', 0o600);
  try {
    await file.writeFile(bytes);
    await file.sync();
  } finally {
    await file.close();
  }
}

function absent(error: NodeJS.ErrnoException): null {
  if (error.code === 'ENOENT') return null;
  throw error;
}
