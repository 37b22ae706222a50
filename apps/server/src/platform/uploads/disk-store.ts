import { mkdir, opendir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { StoreError } from '../http/store-error.ts';

const FILE_NAME = /^[A-Za-z0-9_-]{32}$/;

/** Sealed files under random names, spread over subfolders by their first two letters. */
export class DiskStore {
  readonly #root: string;

  constructor(root: string) {
    this.#root = root;
  }

  /** The whole file is on disk when the promise resolves; a failed write leaves none. @throws StoreError */
  async write(name: string, bytes: Uint8Array): Promise<void> {
    const path = this.#pathOf(name);
    const draft = `${path}.new`;
    try {
      await mkdir(dirname(path), { recursive: true, mode: 0o700 });
      await writeFile(draft, bytes, { flag: 'wx', mode: 0o600, flush: true });
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

  /** Names of the files that were written before this time, in Unix ms. */
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

function absent(error: NodeJS.ErrnoException): null {
  if (error.code === 'ENOENT') return null;
  throw error;
}
