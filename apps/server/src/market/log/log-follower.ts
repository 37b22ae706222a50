import type { Logger } from 'pino';
import type { Queryable } from '../../platform/db/database.ts';
import { type LogHead, readLogHead } from './log-head.ts';
import { ENTRY_COLUMNS, type EntryRow, type IndexedEntry, type LogReader } from './log-reader.ts';

export interface LogNews {
  readonly entries: readonly IndexedEntry[];
  /** The head, read after these entries: it covers at least them. */
  readonly head: LogHead;
}

const MAX_ROWS = 5_000;

/**
 * Reads the log as it grows, from the database and so only committed entries: no price is visible that could still be lost. Wakes
 * at notifications, and reads again while rows keep coming.
 */
export class LogFollower {
  readonly #db: Queryable;
  readonly #reader: LogReader;
  readonly #log: Logger;
  readonly #handlers: ((news: LogNews) => void)[] = [];
  #next: number;
  #reading: Promise<void> | null = null;
  #isAgain = false;
  #isStopped = false;

  constructor(db: Queryable, reader: LogReader, options: { fromIndex: number; log: Logger }) {
    this.#db = db;
    this.#reader = reader;
    this.#next = options.fromIndex;
    this.#log = options.log;
  }

  /** Handlers run one after the other, in the order in which they were added. */
  onNews(handler: (news: LogNews) => void): void {
    this.#handlers.push(handler);
  }

  /** Reads new entries; call it when entries were appended. */
  wake(): void {
    if (this.#isStopped) return;
    if (this.#reading) {
      this.#isAgain = true;
      return;
    }
    this.#reading = this.#read()
      .catch((error: unknown) => this.#log.warn({ err: error }, 'the log could not be read'))
      .finally(() => {
        this.#reading = null;
        if (this.#isAgain) {
          this.#isAgain = false;
          this.wake();
        }
      });
  }

  async idle(): Promise<void> {
    while (this.#reading) await this.#reading;
  }

  /** Stops reading the database; later notifications are ignored. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    await this.idle();
  }

  async #read(): Promise<void> {
    for (;;) {
      const { rows } = await this.#db.query<EntryRow>({
        name: 'log-follow',
        text: `select ${ENTRY_COLUMNS} from log_entries where index >= $1 order by index limit ${MAX_ROWS}`,
        values: [this.#next],
      });
      const entries = await this.#reader.symbolEntries(rows);
      const head = await readLogHead(this.#db);
      // Advance only now: after a failed statement above, the next look must read the same rows again.
      const last = rows.at(-1);
      if (last) this.#next = Number(last.index) + 1;
      for (const handler of this.#handlers) handler({ entries, head });
      if (rows.length < MAX_ROWS) return;
    }
  }
}
