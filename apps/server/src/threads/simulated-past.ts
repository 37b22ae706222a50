import type pg from 'pg';
import type { Logger } from 'pino';
import type { LoopDelay } from '../loop-delay.ts';
import type { HistoryOptions } from './history-thread.ts';
import { WatchedThread } from './watched-thread.ts';

/** How long who looks at a product waits for a past that is being made. After that there is what there is. */
const WAIT_MS = 2_000;

interface Waiting {
  readonly made: Promise<void>;
  readonly resolve: () => void;
}

/** The simulated past, which a thread makes: nothing of it is reckoned where requests are answered. */
export class SimulatedPast {
  readonly #made = new Set<number>();
  readonly #waiting = new Map<number, Waiting>();
  #thread: WatchedThread | null = null;

  /** Starts the thread. The periods under way and the days that lists show are there then, the rest comes by and by. */
  static async start(
    server: pg.ClientConfig,
    { log, onDelay }: { log: Logger; onDelay: (delay: LoopDelay) => void },
  ): Promise<SimulatedPast> {
    const past = new SimulatedPast();
    const data: HistoryOptions = { server };
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

  /** Until the product's whole past is there, or a moment has gone by. */
  async ensure({ id }: { readonly id: number }): Promise<void> {
    if (this.#made.has(id)) return;
    let waiting = this.#waiting.get(id);
    if (!waiting) {
      const { promise, resolve } = Promise.withResolvers<void>();
      waiting = { made: promise, resolve };
      this.#waiting.set(id, waiting);
      this.#thread?.post({ kind: 'wanted', productId: id });
    }
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, WAIT_MS);
    });
    await Promise.race([waiting.made, late]);
    clearTimeout(timer);
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
