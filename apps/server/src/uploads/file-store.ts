/**
 * Where files are kept. Names are random and made by {@link Uploads}; what is stored is sealed, so a store need not be
 * trusted with more than keeping it.
 */
export interface FileStore {
  /** Whole or not at all, and on the disk when it returns. */
  write(name: string, bytes: Uint8Array): Promise<void>;
  /** Null: there is no such file. */
  read(name: string): Promise<Buffer | null>;
  /** Nothing happens when it is gone already. */
  remove(name: string): Promise<void>;
  /** Names of the files that were written before this time. */
  writtenBefore(timeMs: number): AsyncIterable<string>;
}

export const FILE_NAME = /^[A-Za-z0-9_-]{32}$/;
