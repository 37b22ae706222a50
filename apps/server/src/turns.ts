/** How long work for strangers may go on before timers and sockets have their turn. */
const SLICE_MS = 8;
/** How many pieces of work one turn of the event loop takes up at most. */
const PIECES = 64;

/**
 * Lets work that anybody may ask for wait for its turn of the event loop. However many ask at once, timers, sockets and whoever
 * does not wait here are held up by one slice at most.
 */
export class Turns {
  readonly #waiting: (() => void)[] = [];
  #isUnderWay = false;
  #endsMs = 0;

  /** Resolves when the caller may work, for some milliseconds at most. */
  take(): Promise<void> {
    return new Promise((resolve) => {
      this.#waiting.push(resolve);
      if (!this.#isUnderWay) this.#plan();
    });
  }

  /** Each piece is an immediate of its own: what follows from one is done before the next looks at the clock. */
  #plan(): void {
    this.#isUnderWay = true;
    setImmediate(() => {
      this.#endsMs = performance.now() + SLICE_MS;
    });
    for (let piece = Math.min(PIECES, this.#waiting.length); piece > 0; piece -= 1) {
      setImmediate(() => {
        if (performance.now() < this.#endsMs) this.#waiting.shift()?.();
      });
    }
    setImmediate(() => {
      if (this.#waiting.length > 0) this.#plan();
      else this.#isUnderWay = false;
    });
  }
}
