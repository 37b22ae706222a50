import type { Logger } from 'pino';
import type { Queryable } from '../../platform/db/database.ts';
import { readLogHead } from './log-head.ts';
import { ENTRY_COLUMNS, type EntryRow, type LogReader } from './log-reader.ts';
import { type LogNews, newsOf, type ReadyStep } from './ready-step.ts';

const MAX_ROWS = 5_000;

/**
 * Reads the log as it grows: committed entries alone, so no price is visible that could still be lost. They come as the writer's ready
 * steps, or from the database: at a notice of entries that no step brought, and again while rows keep coming.
 */
export class LogFollower {
  readonly #db: Queryable;
  readonly #reader: LogReader;
  readonly #log: Logger;
  readonly #handlers: ((news: LogNews) => void)[] = [];
  #next: number;
  #reading: Promise<void> | null = null;
  #isAgain = false;
  #newsMs = 0;
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

  /** Takes a step that goes on where this follower is; of another one the notice that follows it makes it read. */
  take({ first, ...news }: ReadyStep): void {
    if (this.#isStopped || this.#reading || first !== this.#next) return;
    this.#next = news.head.size;
    this.#tell(news);
  }

  /** Reads if there were no news for a while: notices may be lost. */
  look(afterMs: number): void {
    if (performance.now() - this.#newsMs >= afterMs) this.wake();
  }

  /** Reads new entries. @param size of the log, where it is known */
  wake(size: number | null = null): void {
    if (this.#isStopped || (size !== null && size <= this.#next)) return;
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
      this.#tell({ entries: entries.map(newsOf), head, quotes: null });
      if (rows.length < MAX_ROWS) return;
    }
  }

  #tell(news: LogNews): void {
    this.#newsMs = performance.now();
    for (const handler of this.#handlers) handler(news);
  }
}
