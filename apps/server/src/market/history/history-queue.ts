import type { Pool } from '../../platform/db/database.ts';
import type { Products } from '../products.ts';
import type { SimulatedHistory } from './simulated-history.ts';

/** Pause after each product, as a multiple of the time it took; shorter while a client waits for a product. */
const REST = 15;
const REST_WHEN_WANTED = 1;
/** Pause after a failure, for instance of the database. */
const RETRY_MS = 1_000;

export interface HistoryQueueOptions {
  readonly history: Pick<SimulatedHistory, 'ensure'>;
  readonly products: Products;
  /** Receives the products whose past exists: the first call has those made before. */
  readonly onMade: (productIds: readonly number[]) => void;
}

/**
 * Makes the simulated past of all products, one after the other, each in its own transaction. Products that clients wait for come
 * first. Several processes may run this at once: their results are the same, and are stored once.
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

  /** Makes this product next, after those wanted earlier. */
  want(productId: number): void {
    if (!this.#left.has(productId)) return;
    this.#wanted.add(productId);
    this.#wake();
  }

  stop(): void {
    this.#isStopped = true;
    this.#wake();
  }

  /** Runs until all products are made, or until it is stopped. */
  async run(): Promise<void> {
    while (!this.#isStopped) {
      const next = this.#wanted.values().next().value ?? this.#left.values().next().value;
      if (next === undefined) return;
      const beganMs = performance.now();
      try {
        await this.#history.ensure(this.#products.byId(next));
      } catch {
        // The error is not logged here: the pool's other users report a lost database.
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

  /** Pauses; ends early when a product is wanted. */
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
