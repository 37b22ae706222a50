import { networkOf } from '../platform/network.ts';

/** Length of the window in which messages are counted. */
export const WINDOW_MS = 10_000;

/** Limits for all readers of one address together. */
export interface ShareLimits {
  readonly readers: number;
  readonly topics: number;
  /** Per {@link WINDOW_MS}. */
  readonly messages: number;
}

interface Counts {
  readers: number;
  topics: number;
  messages: number;
  windowMs: number;
}

/** One reader's handle on the counts of its address. */
export interface Share {
  /** Counts a message. False: the address has sent too many lately. */
  mayAsk(): boolean;
  /** Counts a topic. False: the address has too many. */
  mayFollow(): boolean;
  unfollow(): void;
  leave(): void;
}

/** Limits of the stream per address, so that a flood affects only readers of the same address. */
export class ReaderShares {
  readonly #limits: ShareLimits;
  readonly #counts = new Map<string, Counts>();

  constructor(limits: ShareLimits) {
    this.#limits = limits;
  }

  /** A share for one more reader; null when the address has its maximum. */
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

  /** Removes addresses without readers; called periodically. Their messages count until the window is over. */
  tidy(): void {
    for (const [group, { readers, windowMs }] of this.#counts)
      if (readers === 0 && performance.now() - windowMs > WINDOW_MS) this.#counts.delete(group);
  }
}
