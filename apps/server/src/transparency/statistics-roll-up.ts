import type { Logger } from 'pino';
import type { Pool } from '../db/database.ts';

const EVERY_MS = 15_000;
/** Steps in one go: after a long pause the rest comes with the next. */
const MOST_STEPS = 50;

/** Counts what the public statistics say, a little at a time; of several processes the database lets one at a time do it. */
export class StatisticsRollUp {
  readonly #pool: Pool;
  readonly #log: Logger;
  #timer: NodeJS.Timeout | null = null;
  #running: Promise<unknown> | null = null;
  #isStopped = false;

  constructor(pool: Pool, log: Logger) {
    this.#pool = pool;
    this.#log = log;
  }

  start(): void {
    const advance = () => {
      this.#running ??= this.run()
        .catch((error: unknown) => this.#log.warn({ err: error }, 'the public statistics were not counted'))
        .finally(() => {
          this.#running = null;
        });
    };
    this.#timer = setInterval(advance, EVERY_MS);
    advance();
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    if (this.#timer) clearInterval(this.#timer);
    await this.#running;
  }

  async run(): Promise<void> {
    for (let step = 0; step < MOST_STEPS && !this.#isStopped; step += 1) {
      const { rows } = await this.#pool.query<{ more: boolean }>('select statistics_advance() as more');
      if (!rows[0]?.more) return;
    }
  }
}
