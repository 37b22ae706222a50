import { type Asker, FairLine } from '../fairness/fair-line.ts';
import type { Context, Handlers } from './context.ts';

/** Requests in one group that may wait; a network has a share of them ({@link FairLine}). */
const MAX_WAITING = 1_000;

/**
 * Lets requests that anybody may make read the database in turns by customer or network. PostgreSQL's pool alone would
 * serve them in order of arrival, so one flood would delay everybody's reads.
 */
export class ReadQueue {
  readonly #line: FairLine;

  /** @param atOnce the number of connections of the pool that these requests read from */
  constructor(atOnce: number) {
    this.#line = new FairLine({ atOnce, waiting: MAX_WAITING });
  }

  /** @throws OverloadError when the asker's share of the line is used up */
  take<T>(asker: Asker, work: () => Promise<T>): Promise<T> {
    return this.#line.take(asker, work);
  }

  /** Wraps handlers so that each call takes a turn in the line. */
  wrap<H extends Partial<Handlers>>(handlers: H): H {
    const wrapped = Object.entries(handlers).map(([name, handler]) => [
      name,
      (input: never, context: Context) =>
        this.take(context.asker, () =>
          (handler as (i: never, c: Context) => Promise<unknown>)(input, context),
        ),
    ]);
    return Object.fromEntries(wrapped) as H;
  }
}
