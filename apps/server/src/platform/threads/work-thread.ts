import { Worker } from 'node:worker_threads';
import type { AnyErrorCode } from '@fairtick/protocol';
import { BOUNDS, type LineBounds } from '../fairness/bounds.ts';
import { Line } from '../fairness/line.ts';
import { OverloadError } from '../fairness/overload-error.ts';
import { RefusalError } from '../http/context.ts';

/** The functions that a thread's script offers. Arguments and results are plain data. */
// biome-ignore lint/suspicious/noExplicitAny: the parameters of any function
export type Work = Readonly<Record<string, (...given: any[]) => unknown>>;

export interface Call {
  readonly name: string;
  readonly given: readonly unknown[];
}

export type Answer =
  | { readonly made: unknown }
  | { readonly error: string }
  | {
      readonly code: AnyErrorCode;
      readonly parameters: RefusalError['parameters'];
      readonly fields: RefusalError['fields'];
    };

/** The work took too long: its text is made to be slow, or the machine is busy. */
export class LateWorkError extends OverloadError {}

/** With the start of the thread, on a busy machine too. */
const TIME_MS = 10_000;
const LIMITS = { maxOldGenerationSizeMb: 256 };

/** For text of strangers, which may be made to be slow: a call that exceeds its time ends with the thread. */
export class WorkThread<W extends Work> {
  readonly #script: URL;
  readonly #timeMs: number;
  readonly #line: Line;
  #worker: Worker | null = null;

  constructor(script: URL, { timeMs = TIME_MS, bounds = BOUNDS.outsideTexts as LineBounds } = {}) {
    this.#script = script;
    this.#timeMs = timeMs;
    this.#line = new Line(bounds);
  }

  /** @throws RefusalError as the work does, LateWorkError, and OverloadError when too many calls wait */
  async run<N extends keyof W & string>(
    name: N,
    ...given: Parameters<W[N]>
  ): Promise<Awaited<ReturnType<W[N]>>> {
    const answer = await this.#line.take({ kind: 'anyone', who: 'all calls' }, () =>
      this.#ask({ name, given }),
    );
    if ('made' in answer) return answer.made as Awaited<ReturnType<W[N]>>;
    throw 'code' in answer ? new RefusalError(answer.code, answer) : new Error(answer.error);
  }

  async stop(): Promise<void> {
    await this.#worker?.terminate();
  }

  async #ask(call: Call): Promise<Answer> {
    const worker = this.#worker ?? this.#begin();
    const { promise, resolve, reject } = Promise.withResolvers<Answer>();
    const late = () => {
      reject(new LateWorkError(`${call.name} took more than ${this.#timeMs} ms`));
      void worker.terminate();
    };
    const timer = setTimeout(late, this.#timeMs);
    const ended = () => reject(new Error('the thread has ended'));
    worker.ref();
    worker.once('message', resolve).once('error', reject).once('exit', ended);
    try {
      worker.postMessage(call);
      return await promise;
    } catch (error) {
      // The thread may still be at work: its answer must not become that of the next call.
      this.#worker = null;
      void worker.terminate();
      throw error;
    } finally {
      clearTimeout(timer);
      worker.off('message', resolve).off('error', reject).off('exit', ended);
      worker.unref();
    }
  }

  #begin(): Worker {
    const worker = new Worker(this.#script, { resourceLimits: LIMITS });
    this.#worker = worker;
    // Without a listener an error of an idle thread would end the process.
    worker.on('error', () => {});
    worker.once('exit', () => {
      if (this.#worker === worker) this.#worker = null;
    });
    return worker;
  }
}
