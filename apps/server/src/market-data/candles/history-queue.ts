import type { Pool } from '../../db/database.ts';
import type { Products } from '../products.ts';
import type { SimulatedHistory } from './history.ts';

/** After each product the machine is left to others for so many times as long as it took: less where somebody waits. */
const REST = 15;
const REST_WHEN_WANTED = 1;
/** After a failure, the database's for instance. */
const RETRY_MS = 1_000;

export interface HistoryQueueOptions {
  readonly history: Pick<SimulatedHistory, 'ensure'>;
  readonly products: Products;
  /** Told of what is there: at first what was made before. */
  readonly onMade: (productIds: readonly number[]) => void;
}

/**
 * Makes the simulated past of all products, one after the other, each in a transaction of its own. Those that somebody waits for
 * come first. Several processes may do it at once: what they make is the same, and is written once.
 */
export class HistoryQueue {
  readonly #history: Pick<SimulatedHistory, 'ensure'>;
  readonly #products: Products;
  readonly #onMade: (productIds: readonly number[]) => void;
  readonly #left: Set<number>;
  readonly #wanted = new Set<number>();
  #isStopped = false;
  #wake: () => void = () => {};

  private constructor(options: HistoryQueueOptions & { made: ReadonlySet<number> }) {
    this.#history = options.history;
    this.#products = options.products;
    this.#onMade = options.onMade;
    this.#left = new Set(options.products.all.map(({ id }) => id).filter((id) => !options.made.has(id)));
  }

  static async open(pool: Pool, options: HistoryQueueOptions): Promise<HistoryQueue> {
    const made = await readMade(pool);
    options.onMade([...made]);
    return new HistoryQueue({ ...options, made });
  }

  /** This one next, after those that were wanted before. */
  want(productId: number): void {
    if (!this.#left.has(productId)) return;
    this.#wanted.add(productId);
    this.#wake();
  }

  stop(): void {
    this.#isStopped = true;
    this.#wake();
  }

  /** Until all are made, or it is stopped. */
  async run(): Promise<void> {
    while (!this.#isStopped) {
      const next = this.#wanted.values().next().value ?? this.#left.values().next().value;
      if (next === undefined) return;
      const beganMs = performance.now();
      try {
        await this.#history.ensure(this.#products.byId(next));
      } catch {
        // The pool's other users say that the database is away.
        await this.#rest(RETRY_MS);
        continue;
      }
      this.#wanted.delete(next);
      this.#left.delete(next);
      this.#onMade([next]);
      const tookMs = performance.now() - beganMs;
      await this.#rest((this.#wanted.size > 0 ? REST_WHEN_WANTED : REST) * tookMs);
    }
  }

  /** A rest ends early when somebody wants a product meanwhile. */
  async #rest(ms: number): Promise<void> {
    if (this.#isStopped) return;
    const timer = Promise.withResolvers<void>();
    const timeout = setTimeout(timer.resolve, ms);
    if (this.#wanted.size === 0) this.#wake = timer.resolve;
    else this.#wake = () => this.#isStopped && timer.resolve();
    await timer.promise;
    clearTimeout(timeout);
  }
}

async function readMade(pool: Pool): Promise<Set<number>> {
  const { rows } = await pool.query<{ product_id: number }>('select product_id from candle_histories');
  return new Set(rows.map((row) => row.product_id));
}
