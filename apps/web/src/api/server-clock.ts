/** A request and its answer: two times of this device's monotonic clock, and the server's time in between. All in ms. */
export interface Exchange {
  readonly sentMs: number;
  readonly receivedMs: number;
  readonly serverMs: number;
}

/** Exchanges that count: on the stream, those of the last ten seconds. */
const RECENT = 10;
/** Time that the server may take to accept an order that has arrived. */
const WORK_MS = 250;
/** A longer round trip than any recent one is expected to be at most this much longer. */
const SPREAD = 1.1;
/** The server refuses an opening more than 10 s after the earliest one; the rest is for errors of the measurement. */
const MOST_MARGIN_MS = 8_000;
const LEAST_EXTRA_MS = 500;
const MOST_EXTRA_MS = 4_000;

/**
 * The server's clock as this device can know it. The device's own clock takes no part: each exchange shows that the difference between
 * the server's clock and the monotonic one is within a range as wide as its round trip.
 */
export class ServerClock {
  #exchanges: Exchange[] = [];
  #tripsMs: number[] = [];
  #range: { readonly from: number; readonly to: number } | null = null;
  #extraMs = 0;
  /** The difference until the first exchange. */
  #firstMs: number;

  constructor(firstMs: number) {
    this.#firstMs = firstMs;
  }

  /** The server's time minus the monotonic time: the middle of what the exchanges allow. */
  get offsetMs(): number {
    return this.#range ? (this.#range.from + this.#range.to) / 2 : this.#firstMs;
  }

  /** How much {@link offsetMs} may be wrong; null before the first exchange. */
  get errorMs(): number | null {
    return this.#range && (this.#range.to - this.#range.from) / 2;
  }

  /** Takes a time that came with the page, until there is an exchange. */
  begin(serverMs: number, receivedMs: number): void {
    this.#firstMs = serverMs - receivedMs;
  }

  take(exchange: Exchange): void {
    this.takeTrip(exchange.receivedMs - exchange.sentMs);
    const all = [...this.#exchanges, exchange].slice(-RECENT);
    const range = rangeOf(all);
    // No difference fits all: the device slept, or a clock was set.
    this.#exchanges = range ? all : [exchange];
    this.#range = range ?? rangeOf([exchange]);
  }

  takeTrip(ms: number): void {
    this.#tripsMs = [...this.#tripsMs, ms].slice(-RECENT);
  }

  /**
   * How long after {@link offsetMs}'s present an order that is sent now may be accepted at the latest: the longest recent round trip,
   * less the half of the shortest one that the offset contains already, and time for the server's work.
   */
  get marginMs(): number {
    const [longest, shortest] = [Math.max(0, ...this.#tripsMs), Math.min(...this.#tripsMs, Infinity)];
    const tripMs = longest === 0 ? 0 : longest * SPREAD - shortest / 2;
    return Math.min(tripMs + WORK_MS + this.#extraMs, MOST_MARGIN_MS);
  }

  /** An order came too late for its opening time: the next one gets more time. */
  widen(): void {
    const moreMs = Math.max(LEAST_EXTRA_MS, ...this.#tripsMs);
    this.#extraMs = Math.min(this.#extraMs + moreMs, MOST_EXTRA_MS);
  }

  /** An order was in time. */
  narrow(): void {
    this.#extraMs = this.#extraMs < LEAST_EXTRA_MS ? 0 : this.#extraMs / 2;
  }
}

/** The differences between server and monotonic clock that all exchanges allow; null: none. */
function rangeOf(exchanges: readonly Exchange[]): { readonly from: number; readonly to: number } | null {
  const from = Math.max(...exchanges.map(({ serverMs, receivedMs }) => serverMs - receivedMs));
  const to = Math.min(...exchanges.map(({ serverMs, sentMs }) => serverMs - sentMs));
  return from <= to ? { from, to } : null;
}

export const serverClock = new ServerClock(Date.now() - performance.now());
