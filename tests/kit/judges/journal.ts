import { closeSync, fdatasync, openSync, readSync, write } from 'node:fs';
import { promisify } from 'node:util';

/** The load client's record of one order that it wanted. */
export interface JournalEntry {
  readonly key: string;
  readonly account: string;
  readonly symbol: string;
  readonly direction: 'up' | 'down';
  readonly amount: string;
  /** `sent` before the request leaves; then its outcome. */
  readonly outcome: 'sent' | 'ok' | 'refused' | 'unknown';
  readonly orderId?: string;
  readonly error?: string;
}

const READ_BYTES = 1 << 20;
const [append, sync] = [promisify(write), promisify(fdatasync)];

/**
 * The client's own record: an entry counts only once it is on disk. Entries that arrive together are written and synced together,
 * asynchronously, because a busy disk would block the sending thread.
 */
export class Journal {
  readonly #file: string;
  readonly #handle: number;
  #lines: string[] = [];
  #last: Promise<void> = Promise.resolve();
  #next: Promise<void> | null = null;

  constructor(file: string) {
    this.#file = file;
    this.#handle = openSync(file, 'a');
  }

  /** Settles when the entry is on disk. */
  record(entry: JournalEntry): Promise<void> {
    this.#lines.push(`${JSON.stringify(entry)}\n`);
    this.#next ??= this.#last.then(() => {
      this.#next = null;
      this.#last = this.#flush();
      return this.#last;
    });
    return this.#next;
  }

  async #flush(): Promise<void> {
    let bytes = Buffer.from(this.#lines.join(''));
    this.#lines = [];
    while (bytes.length > 0) {
      const { bytesWritten } = await append(this.#handle, bytes);
      bytes = bytes.subarray(bytesWritten);
    }
    await sync(this.#handle);
  }

  /** The last entry of each key, read from the file. */
  read(): ReadonlyMap<string, JournalEntry> {
    const entries = new Map<string, JournalEntry>();
    // In parts: hours of load exceed a string's maximum length.
    const handle = openSync(this.#file, 'r');
    const part = Buffer.alloc(READ_BYTES);
    let rest = Buffer.alloc(0);
    for (let length = readSync(handle, part); length > 0; length = readSync(handle, part)) {
      const bytes = Buffer.concat([rest, part.subarray(0, length)]);
      const end = bytes.lastIndexOf(10) + 1;
      rest = bytes.subarray(end);
      for (const line of bytes.toString('utf8', 0, end).split('\n').filter(Boolean)) {
        const entry = JSON.parse(line) as JournalEntry;
        entries.set(entry.key, entry);
      }
    }
    closeSync(handle);
    return entries;
  }

  close(): void {
    closeSync(this.#handle);
  }
}
