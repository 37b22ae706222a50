import type { Pool } from '../../platform/db/database.ts';
import type { Products } from '../products.ts';
import type { SimulatedHistory } from './simulated-history.ts';

/** Pause after each product, as a multiple of the time it took; shorter while a client waits for a product. */
const REST = 30;
const REST_WHEN_WANTED = 1;
/** Pause after a failure, for instance of the database. */
const RETRY_MS = 1_000;

export type HistoryQueue = Awaited<ReturnType<typeof openHistoryQueue>>;

/**
 * Makes the simulated past of all products, one after the other, each in its own transaction. Products that clients wait for come
 * first. Several processes may run this at once: their results are the same, and are stored once.
 * @param onMade receives the products whose past exists: the first call has those made before
 */
export async function openHistoryQueue(
  pool: Pool,
  {
    history,
    products,
    onMade,
  }: {
    history: Pick<SimulatedHistory, 'ensure'>;
    products: Products;
    onMade: (productIds: readonly number[]) => void;
  },
) {
  const { rows } = await pool.query<{ id: number }>('select product_id as id from candle_histories');
  const made = new Set(rows.map(({ id }) => id));
  onMade([...made]);
  const left = new Set(products.all.map(({ id }) => id).filter((id) => !made.has(id)));
  const wanted = new Set<number>();
  let isStopped = false;
  let wake: () => void = () => {};

  /** Pauses; ends early when a product is wanted. */
  async function rest(ms: number): Promise<void> {
    if (isStopped) return;
    const timer = Promise.withResolvers<void>();
    const timeout = setTimeout(timer.resolve, ms);
    wake = wanted.size === 0 ? timer.resolve : () => isStopped && timer.resolve();
    await timer.promise;
    clearTimeout(timeout);
  }

  return {
    /** Makes this product next, after those wanted earlier. */
    want(productId: number): void {
      if (!left.has(productId)) return;
      wanted.add(productId);
      wake();
    },
    stop(): void {
      isStopped = true;
      wake();
    },
    /** Runs until all products are made, or until it is stopped. */
    async run(): Promise<void> {
      while (!isStopped) {
        const next = wanted.values().next().value ?? left.values().next().value;
        if (next === undefined) return;
        const beganMs = performance.now();
        try {
          await history.ensure(products.byId(next));
        } catch {
          // The error is not logged here: the pool's other users report a lost database.
          await rest(RETRY_MS);
          continue;
        }
        wanted.delete(next);
        left.delete(next);
        onMade([next]);
        await rest((wanted.size > 0 ? REST_WHEN_WANTED : REST) * (performance.now() - beganMs));
      }
    },
  };
}
