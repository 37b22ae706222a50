/** How long public requests may be processed before timers and sockets get a turn. */
const SLICE_MS = 8;
/** Most pieces of work in one turn of the event loop. */
const PIECES = 64;

/**
 * Queues public requests for turns of the event loop. However many there are, timers, sockets and work that is not
 * queued here are delayed by at most one slice.
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

  /** Each piece has its own immediate, so that its continuations run before the next piece checks the clock. */
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
