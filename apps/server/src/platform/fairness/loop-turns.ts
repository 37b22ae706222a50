import { Turns } from './line.ts';

/**
 * How long public requests may be processed before timers and sockets get a turn: as long as these took the last time,
 * within these bounds. With a fixed slice, requests would starve where each pass of the loop has much other work.
 */
const LEAST_SLICE_MS = 8;
const LONGEST_SLICE_MS = 16;
/** Most pieces of work in one turn of the event loop. */
const PIECES = 128;

/** Queues public requests for turns of the event loop: all other work is delayed by at most one slice. Networks take turns. */
export class LoopTurns {
  readonly #waiting = new Turns<() => void>();
  #isUnderWay = false;
  #endsMs = 0;
  #endedMs = 0;

  /** Resolves when the caller may work, for some milliseconds at most. */
  take(network: string): Promise<void> {
    return new Promise((resolve) => {
      this.#waiting.add(network, resolve);
      if (!this.#isUnderWay) this.#plan();
    });
  }

  /** Each piece has its own immediate, so that its continuations run before the next piece checks the clock. */
  #plan(): void {
    this.#isUnderWay = true;
    setImmediate(() => {
      const nowMs = performance.now();
      const othersMs = nowMs - this.#endedMs;
      this.#endsMs = nowMs + Math.max(LEAST_SLICE_MS, Math.min(othersMs, LONGEST_SLICE_MS));
    });
    for (let piece = Math.min(PIECES, this.#waiting.size); piece > 0; piece -= 1) {
      setImmediate(() => {
        if (performance.now() < this.#endsMs) this.#waiting.next()?.item();
      });
    }
    setImmediate(() => {
      this.#endedMs = performance.now();
      if (this.#waiting.size > 0) this.#plan();
      else this.#isUnderWay = false;
    });
  }
}
