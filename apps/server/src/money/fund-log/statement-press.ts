import { Worker } from 'node:worker_threads';
import type { Language } from '@fairtick/protocol';
import { RefusalError } from '../../platform/http/context.ts';
import type { Statement } from './statement.ts';
import type { StatementDone, StatementJob } from './statement-worker.ts';

/** Maximum number of waiting statements. */
const MAX_WAITING = 20;
/** Enough for a few statements' fonts and pages. */
const LIMITS = { maxOldGenerationSizeMb: 256 };

type Waiting = PromiseWithResolvers<Uint8Array>;

/** Sets statements in a worker thread, which starts with the first statement and ends with the process. */
export class StatementPress {
  #worker: Worker | null = null;
  #lastId = 0;
  readonly #waiting = new Map<number, Waiting>();

  /** @throws RefusalError NOT_READY when too many wait */
  async print(statement: Statement, language: Language): Promise<Uint8Array> {
    if (this.#waiting.size >= MAX_WAITING) throw new RefusalError('NOT_READY');
    this.#lastId += 1;
    const job: StatementJob = { id: this.#lastId, statement, language };
    const waiting = Promise.withResolvers<Uint8Array>();
    this.#waiting.set(job.id, waiting);
    this.#worker ??= this.#begin();
    this.#worker.ref();
    this.#worker.postMessage(job);
    return waiting.promise;
  }

  #begin(): Worker {
    const worker = new Worker(new URL('./statement-worker.ts', import.meta.url), { resourceLimits: LIMITS });
    worker.on('message', (done: StatementDone) => {
      const waiting = this.#waiting.get(done.id);
      this.#waiting.delete(done.id);
      if ('bytes' in done) waiting?.resolve(done.bytes);
      else waiting?.reject(new Error(done.error));
      // An idle thread does not keep the process alive.
      if (this.#waiting.size === 0) worker.unref();
    });
    worker.on('error', (error) => this.#end(error));
    worker.on('exit', () => this.#end(new Error('the thread that sets statements has ended')));
    return worker;
  }

  /** Rejects all waiting statements; the next statement starts another thread. */
  #end(error: unknown): void {
    this.#worker = null;
    for (const { reject } of this.#waiting.values()) reject(error);
    this.#waiting.clear();
  }
}
