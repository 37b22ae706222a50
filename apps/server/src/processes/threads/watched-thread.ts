import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import type { Logger } from 'pino';
import type { FromThread, ToThread } from './messages.ts';

/** Pause before a thread that has ended is restarted: doubles each time, and is reset after the thread has run for a while. */
const FIRST_PAUSE_MS = 250;
const LONGEST_PAUSE_MS = 10_000;
const WELL_AFTER_MS = 60_000;
/** No statement takes longer than 16 s; a thread that has not stopped by then hangs, and is terminated. */
const STOP_WITHIN_MS = 20_000;

export interface ThreadOptions {
  readonly name: string;
  readonly script: URL;
  /** Plain data: it is copied to the thread. */
  readonly data: unknown;
  readonly log: Logger;
  readonly onMessage?: (message: FromThread) => void;
}

/**
 * A thread with its own event loop: work that blocks the loop of this process does not delay it. A thread that ends without a
 * request is restarted; all threads end with their process, however that ends.
 */
export class WatchedThread {
  readonly #options: ThreadOptions;
  readonly #stopping = new AbortController();
  #worker: Worker | null = null;
  #running: Promise<void> | null = null;

  private constructor(options: ThreadOptions) {
    this.#options = options;
  }

  /** @throws the error that keeps the thread from starting; only a thread that has started is restarted */
  static async start(options: ThreadOptions): Promise<WatchedThread> {
    const thread = new WatchedThread(options);
    const first = Promise.withResolvers<void>();
    thread.#running = thread.#run(first);
    await first.promise;
    return thread;
  }

  post(message: ToThread): void {
    this.#worker?.postMessage(message);
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    this.post({ kind: 'stop' });
    const timer = setTimeout(() => void this.#worker?.terminate(), STOP_WITHIN_MS);
    await this.#running;
    clearTimeout(timer);
  }

  async #run(first: { resolve(): void; reject(error: unknown): void }): Promise<void> {
    const { log, name } = this.#options;
    let pauseMs = FIRST_PAUSE_MS;
    let hasStarted = false;
    for (;;) {
      const beganMs = performance.now();
      const { isDone, error } = await this.#live(() => {
        hasStarted = true;
        first.resolve();
      });
      if (!hasStarted) {
        first.reject(error ?? new Error(`the thread of the ${name} ended before it had started`));
        return;
      }
      if (isDone || this.#stopping.signal.aborted) return;
      if (performance.now() - beganMs > WELL_AFTER_MS) pauseMs = FIRST_PAUSE_MS;
      log.error({ err: error, pauseMs }, `the thread of the ${name} ended and is started again`);
      if (!(await this.#pause(pauseMs))) return;
      pauseMs = Math.min(2 * pauseMs, LONGEST_PAUSE_MS);
    }
  }

  /** Runs one thread from its start to its end. */
  async #live(onStarted: () => void): Promise<{ isDone: boolean; error: unknown }> {
    const { script, name, data, onMessage } = this.#options;
    let isDone = false;
    let error: unknown = null;
    const worker = new Worker(script, { name, workerData: data, execArgv: [] });
    this.#worker = worker;
    worker.on('error', (thrown) => {
      error = thrown;
    });
    worker.on('message', (message: FromThread) => {
      if (message.kind === 'started') onStarted();
      else if (message.kind === 'done') isDone = true;
      else onMessage?.(message);
    });
    await new Promise((resolve) => worker.once('exit', resolve));
    this.#worker = null;
    return { isDone, error };
  }

  /** @returns false when `stop` was called meanwhile */
  async #pause(ms: number): Promise<boolean> {
    const { signal } = this.#stopping;
    if (signal.aborted) return false;
    const timer = Promise.withResolvers<void>();
    const timeout = setTimeout(timer.resolve, ms);
    await Promise.race([timer.promise, once(signal, 'abort')]);
    clearTimeout(timeout);
    return !signal.aborted;
  }
}
