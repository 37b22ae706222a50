/** Waiting items by owner. The next item is the oldest one of the owner whose last turn is longest ago. */
export class RoundRobin<T> {
  /** The first owner is next. */
  readonly #of = new Map<string, T[]>();
  #size = 0;

  get size(): number {
    return this.#size;
  }

  add(owner: string, item: T): void {
    const own = this.#of.get(owner);
    if (own) own.push(item);
    else this.#of.set(owner, [item]);
    this.#size += 1;
  }

  /** Takes the next item; its owner goes to the end. @returns null when none waits */
  next(): { readonly owner: string; readonly item: T } | null {
    const [first] = this.#of;
    if (!first) return null;
    const [owner, own] = first;
    const item = own.shift() as T;
    this.#size -= 1;
    this.#of.delete(owner);
    if (own.length > 0) this.#of.set(owner, own);
    return { owner, item };
  }
}
