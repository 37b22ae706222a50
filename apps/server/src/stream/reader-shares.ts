import { networkOf } from '../network.ts';

/** Messages are counted over so long. */
export const WINDOW_MS = 10_000;

/** What the readers of one address may have together. */
export interface ShareLimits {
  readonly readers: number;
  readonly topics: number;
  /** In {@link WINDOW_MS}. */
  readonly messages: number;
}

interface Counts {
  readers: number;
  topics: number;
  messages: number;
  windowMs: number;
}

/** One reader's part of what its address has. */
export interface Share {
  /** Counts a message. False: the address has sent too many lately. */
  mayAsk(): boolean;
  /** Counts a topic. False: the address has too many. */
  mayFollow(): boolean;
  unfollow(): void;
  leave(): void;
}

/** Shares of the stream by address, so that who floods it takes from neighbours at most, and not from everybody. */
export class ReaderShares {
  readonly #limits: ShareLimits;
  readonly #counts = new Map<string, Counts>();

  constructor(limits: ShareLimits) {
    this.#limits = limits;
  }

  /** A share for one more reader; null: the address has as many as it may have. */
  enter(address: string | null): Share | null {
    const group = networkOf(address);
    const counts = this.#counts.get(group) ?? {
      readers: 0,
      topics: 0,
      messages: 0,
      windowMs: performance.now(),
    };
    if (counts.readers >= this.#limits.readers) return null;
    this.#counts.set(group, counts);
    counts.readers += 1;
    return {
      mayAsk: () => {
        if (performance.now() - counts.windowMs > WINDOW_MS) {
          counts.windowMs = performance.now();
          counts.messages = 0;
        }
        counts.messages += 1;
        return counts.messages <= this.#limits.messages;
      },
      mayFollow: () => {
        if (counts.topics >= this.#limits.topics) return false;
        counts.topics += 1;
        return true;
      },
      unfollow: () => {
        counts.topics -= 1;
      },
      leave: () => {
        counts.readers -= 1;
      },
    };
  }

  /** Forgets addresses that nobody reads from; called now and then. Their messages count until the window is over. */
  tidy(): void {
    for (const [group, { readers, windowMs }] of this.#counts)
      if (readers === 0 && performance.now() - windowMs > WINDOW_MS) this.#counts.delete(group);
  }
}
