/**
 * Storage of files. Names are random and made by {@link Uploads}; contents are sealed, so a store need not be trusted
 * with their secrecy.
 */
export interface FileStore {
  /**
   * Writes atomically; the file is on disk when the promise resolves. A failed write leaves no file.
   * @throws StoreError
   */
  write(name: string, bytes: Uint8Array): Promise<void>;
  /** Null: there is no such file. */
  read(name: string): Promise<Buffer | null>;
  /** Does nothing when the file is already gone. */
  remove(name: string): Promise<void>;
  /** Names of the files that were written before this time, in Unix ms. */
  writtenBefore(timeMs: number): AsyncIterable<string>;
}

export const FILE_NAME = /^[A-Za-z0-9_-]{32}$/;
