/** A source that can't be asked for so long is left out of all fixes. Longer than what a venue takes to restart: a fix can wait. */
const AWAY_AFTER_MS = 15 * 60_000;

/**
 * Watches which sources can be asked for their records. One is left out only while at least half of them can: where most are out of reach it
 * is our own line, and the fixes wait for it.
 */
export class Absences {
  readonly #afterMs: number;
  readonly #sinceMs = new Map<string, number>();

  constructor(afterMs = AWAY_AFTER_MS) {
    this.#afterMs = afterMs;
  }

  /**
   * @param answers whether each source that settles can be asked; null: it was not tried
   * @param nowMs of the process's clock
   * @returns the sources that are to be left out (true) and those that can be asked (false); the others stay as they are
   */
  look(answers: ReadonlyMap<string, boolean | null>, nowMs: number): ReadonlyMap<string, boolean> {
    const isOurs = [...answers.values()].filter((can) => can === true).length * 2 < answers.size;
    const found = new Map<string, boolean>();
    for (const [source, can] of answers) {
      if (can === true) found.set(source, false);
      if (can !== false || isOurs) {
        this.#sinceMs.delete(source);
        continue;
      }
      const sinceMs = this.#sinceMs.get(source) ?? nowMs;
      this.#sinceMs.set(source, sinceMs);
      if (nowMs - sinceMs >= this.#afterMs) found.set(source, true);
    }
    return found;
  }
}
