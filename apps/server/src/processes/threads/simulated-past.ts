import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { Product } from '../../market/products.ts';
import type { LoopDelay } from '../../platform/loop-delay.ts';
import type { HistoryOptions } from './history-thread.ts';
import { WatchedThread } from './watched-thread.ts';

/** After this time a client gets the candles that exist. */
const WAIT_MS = 2_000;

/** Made in a thread, so that the event loop that answers requests computes none of it. */
export class SimulatedPast {
  readonly #made = new Set<number>();
  readonly #waiting = new Map<number, PromiseWithResolvers<void>>();
  #thread: WatchedThread | null = null;

  /** When this resolves, the current periods and the days for lists exist. */
  static async start(
    data: HistoryOptions,
    { log, onDelay }: { log: Logger; onDelay: (delay: LoopDelay) => void },
  ): Promise<SimulatedPast> {
    const past = new SimulatedPast();
    past.#thread = await WatchedThread.start({
      name: 'history',
      script: new URL('./history-thread.ts', import.meta.url),
      data,
      log,
      onMessage: (message) => {
        if (message.kind === 'made') for (const id of message.productIds) past.#take(id);
        if (message.kind === 'loop') onDelay(message.delay);
      },
    });
    return past;
  }

  /** The past of an added product begins with the log's prices. */
  async ensure({ id, isAdded }: Pick<Product, 'id' | 'isAdded'>): Promise<void> {
    if (isAdded || this.#made.has(id)) return;
    let waiting = this.#waiting.get(id);
    if (!waiting) {
      waiting = Promise.withResolvers();
      this.#waiting.set(id, waiting);
      this.#thread?.post({ kind: 'wanted', productId: id });
    }
    await Promise.race([waiting.promise, sleep(WAIT_MS, undefined, { ref: false })]);
  }

  async stop(): Promise<void> {
    await this.#thread?.stop();
  }

  #take(id: number): void {
    this.#made.add(id);
    this.#waiting.get(id)?.resolve();
    this.#waiting.delete(id);
  }
}
