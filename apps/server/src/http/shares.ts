/**
 * A number of places, and who has them. Nobody has more than are left: one who takes all that they can get has a half, two have a third
 * each, and there is always room for who has none, until there are as many takers as places.
 */
export class Shares {
  readonly #places: number;
  readonly #of = new Map<string, number>();
  #taken = 0;

  constructor(places: number) {
    this.#places = places;
  }

  hasRoom(who: string): boolean {
    return (this.#of.get(who) ?? 0) < this.#places - this.#taken;
  }

  /** Takes a place for `who`. False: their share is used up. */
  take(who: string): boolean {
    if (!this.hasRoom(who)) return false;
    this.#of.set(who, (this.#of.get(who) ?? 0) + 1);
    this.#taken += 1;
    return true;
  }

  giveBack(who: string): void {
    const left = (this.#of.get(who) ?? 0) - 1;
    if (left > 0) this.#of.set(who, left);
    else this.#of.delete(who);
    this.#taken -= 1;
  }
}
