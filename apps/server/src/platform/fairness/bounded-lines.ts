import { OverloadError } from './overload-error.ts';

interface Line {
  running: number;
  readonly waiting: (() => void)[];
}

/** Runs few tasks of one owner at a time, in order of arrival. A bounded number of them wait. */
export class BoundedLines {
  readonly #atOnce: number;
  readonly #maxWaiting: number;
  readonly #of = new Map<string, Line>();

  constructor({ atOnce = 1, maxWaiting = 200 } = {}) {
    this.#atOnce = atOnce;
    this.#maxWaiting = maxWaiting;
  }

  /** @throws OverloadError when too many tasks of this owner wait */
  async take<T>(owner: string, work: () => Promise<T>): Promise<T> {
    const line = this.#of.get(owner) ?? { running: 0, waiting: [] };
    if (line.running < this.#atOnce) line.running += 1;
    else if (line.waiting.length >= this.#maxWaiting) throw new OverloadError('too many wait in line');
    else await new Promise<void>((resolve) => line.waiting.push(resolve));
    this.#of.set(owner, line);
    try {
      return await work();
    } finally {
      // A finished task hands its place on directly, so that a newcomer can't take it.
      const next = line.waiting.shift();
      if (next) next();
      else line.running -= 1;
      if (line.running === 0) this.#of.delete(owner);
    }
  }
}
