import { closeSync, fdatasync, openSync, readFileSync, writeSync } from 'node:fs';
import { promisify } from 'node:util';

/** What the load client knows of one order that it wanted. */
export interface JournalEntry {
  readonly key: string;
  readonly account: string;
  readonly symbol: string;
  readonly direction: 'up' | 'down';
  readonly amount: string;
  /** `sent` before the request leaves; then what came of it. */
  readonly outcome: 'sent' | 'ok' | 'refused' | 'unknown';
  readonly orderId?: string;
  readonly error?: string;
}

const sync = promisify(fdatasync);

/** The client's own record, on disk before anything in it counts. Entries that come together are synced together. */
export class Journal {
  readonly #file: string;
  readonly #handle: number;
  #syncing: Promise<void> | null = null;
  #next: Promise<void> | null = null;

  constructor(file: string) {
    this.#file = file;
    this.#handle = openSync(file, 'a');
  }

  /** Settles when the entry is on disk. */
  async record(entry: JournalEntry): Promise<void> {
    writeSync(this.#handle, `${JSON.stringify(entry)}\n`);
    if (!this.#syncing) {
      this.#syncing = this.#sync();
      return this.#syncing;
    }
    // A sync that is under way may have begun before this entry was written: the next one has it for certain.
    this.#next ??= this.#syncing.then(() => {
      this.#next = null;
      this.#syncing = this.#sync();
      return this.#syncing;
    });
    return this.#next;
  }

  async #sync(): Promise<void> {
    await sync(this.#handle);
    if (!this.#next) this.#syncing = null;
  }

  /** The last that is known of each key, as the file says it. */
  read(): ReadonlyMap<string, JournalEntry> {
    const entries = new Map<string, JournalEntry>();
    for (const line of readFileSync(this.#file, 'utf8').split('\n').filter(Boolean)) {
      const entry = JSON.parse(line) as JournalEntry;
      entries.set(entry.key, entry);
    }
    return entries;
  }

  close(): void {
    closeSync(this.#handle);
  }
}
