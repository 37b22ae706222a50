import { OverloadError } from './http/overload-error.ts';

/** Maximum number of waiting requests per customer; later ones get an {@link OverloadError}. */
const MAX_WAITING = 200;

/** Runs a customer's requests one after the other in this process. */
export class Turns {
  readonly #last = new Map<string, { promise: Promise<unknown>; waiting: number }>();

  async take<T>(customerId: string, work: () => Promise<T>): Promise<T> {
    const before = this.#last.get(customerId);
    if ((before?.waiting ?? 0) >= MAX_WAITING) throw new OverloadError();
    const promise = (before?.promise ?? Promise.resolve()).then(work, work);
    const turn = { promise, waiting: (before?.waiting ?? 0) + 1 };
    this.#last.set(customerId, turn);
    try {
      return await promise;
    } finally {
      const last = this.#last.get(customerId);
      if (last) last.waiting -= 1;
      if (last === turn) this.#last.delete(customerId);
    }
  }
}
