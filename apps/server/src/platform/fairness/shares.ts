/** One caller's largest part of the places left. */
const PART = 1 / 4;

/**
 * Counts places by caller. A caller may hold at most a quarter of the places left: one who takes all they can gets a
 * fifth, and after eleven such callers in turn a twelfth is still left for others.
 */
export class Shares {
  readonly #places: number;
  readonly #of = new Map<string, number>();
  #taken = 0;

  constructor(places: number) {
    this.#places = places;
  }

  hasRoom(who: string): boolean {
    const own = this.#of.get(who) ?? 0;
    const left = this.#places - this.#taken;
    return left > 0 && own < Math.max(1, left * PART);
  }

  /** Takes places for `who`, at most these many beyond their share. False: their share is used up. */
  take(who: string, count = 1): boolean {
    if (!this.hasRoom(who)) return false;
    this.#of.set(who, (this.#of.get(who) ?? 0) + count);
    this.#taken += count;
    return true;
  }

  giveBack(who: string, count = 1): void {
    const left = (this.#of.get(who) ?? 0) - count;
    if (left > 0) this.#of.set(who, left);
    else this.#of.delete(who);
    this.#taken -= count;
  }
}
