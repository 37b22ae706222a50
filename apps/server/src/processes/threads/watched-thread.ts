import { setTimeout as sleep } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import type { Logger } from 'pino';
import type { FromThread, ToThread } from './messages.ts';

/** Doubles each time, and is reset after the thread has run for a while. */
const FIRST_PAUSE_MS = 250;
const LONGEST_PAUSE_MS = 10_000;
const WELL_AFTER_MS = 60_000;
/** Longer than any statement: the thread hangs, and is terminated. */
const STOP_WITHIN_MS = 20_000;

export interface ThreadOptions {
  readonly name: string;
  readonly script: URL;
  readonly data: unknown;
  readonly log: Logger;
  readonly onMessage?: (message: FromThread) => void;
}

/** A thread with its own event loop. One that ends without a request is restarted; all end with their process. */
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
      await sleep(pauseMs, undefined, { signal: this.#stopping.signal }).catch(() => {});
      if (this.#stopping.signal.aborted) return;
      pauseMs = Math.min(2 * pauseMs, LONGEST_PAUSE_MS);
    }
  }

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
}
