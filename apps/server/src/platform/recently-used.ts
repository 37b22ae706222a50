/** Caches the most recently used values, up to a number of them, and makes the others again. */
export class RecentlyUsed<Key, Value extends object> {
  readonly #make: (key: Key) => Value;
  readonly #limit: number;
  readonly #values = new Map<Key, Value>();
  #newest: { readonly key: Key; readonly value: Value } | null = null;

  constructor(limit: number, make: (key: Key) => Value) {
    this.#limit = limit;
    this.#make = make;
  }

  get(key: Key): Value {
    if (this.#newest?.key === key) return this.#newest.value;
    const kept = this.#values.get(key);
    const value = kept ?? this.#make(key);
    // A map lists its keys in insertion order, so setting a key again makes it the newest.
    this.#values.delete(key);
    this.#values.set(key, value);
    this.#newest = { key, value };
    if (this.#values.size > this.#limit) this.#values.delete(this.#values.keys().next().value as Key);
    return value;
  }
}
