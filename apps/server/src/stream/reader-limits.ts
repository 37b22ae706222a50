import { customerKey } from '../platform/http/request-queue.ts';
import { networkOf } from '../platform/network.ts';
import type { StreamLimits } from '../platform/stream-limits.ts';

export const WINDOW_MS = 10_000;

interface Counts {
  readers: number;
  topics: number;
  messages: number;
  windowMs: number;
}

export class ReaderLimits {
  readonly #limits: StreamLimits;
  readonly #counts = new Map<string, Counts>();

  constructor(limits: StreamLimits) {
    this.#limits = limits;
  }

  /** Null: the address has its maximum. */
  enter(address: string | null): Share | null {
    const share = new Share(this.#limits, (who) => this.#countsOf(who));
    return share.enter(networkOf(address)) ? share : null;
  }

  #countsOf(who: string): Counts {
    const counts = this.#counts.get(who) ?? {
      readers: 0,
      topics: 0,
      messages: 0,
      windowMs: performance.now(),
    };
    this.#counts.set(who, counts);
    if (performance.now() - counts.windowMs > WINDOW_MS)
      Object.assign(counts, { messages: 0, windowMs: performance.now() });
    return counts;
  }

  /** Messages count until their window is over. */
  tidy(): void {
    for (const [who, { readers, windowMs }] of this.#counts)
      if (readers === 0 && performance.now() - windowMs > WINDOW_MS) this.#counts.delete(who);
  }
}

export class Share {
  readonly #limits: StreamLimits;
  readonly #countsOf: (who: string) => Counts;
  /** With whom this reader is counted. */
  who = '';
  #topics = 0;
  /** Messages of this reader in the window of the counts that began at `#windowMs`. */
  #messages = 0;
  #windowMs = 0;

  constructor(limits: StreamLimits, countsOf: (who: string) => Counts) {
    this.#limits = limits;
    this.#countsOf = countsOf;
  }

  enter(who: string): boolean {
    const counts = this.#countsOf(who);
    if (counts.readers >= this.#limits.readers) return false;
    this.who = who;
    counts.readers += 1;
    return true;
  }

  /** Counts this reader for a customer, and no longer for the address, which thousands may share. False: the customer has their maximum. */
  countFor(customerId: string): boolean {
    const [before, who] = [this.who, customerKey(customerId)];
    if (who === before) return true;
    if (!this.enter(who)) return false;
    const [old, counts] = [this.#countsOf(before), this.#countsOf(who)];
    old.readers -= 1;
    old.topics -= this.#topics;
    counts.topics += this.#topics;
    if (old.windowMs !== this.#windowMs) this.#messages = 0;
    old.messages -= this.#messages;
    counts.messages += this.#messages;
    this.#windowMs = counts.windowMs;
    return true;
  }

  mayAsk(): boolean {
    const counts = this.#countsOf(this.who);
    if (counts.windowMs !== this.#windowMs) [this.#windowMs, this.#messages] = [counts.windowMs, 0];
    this.#messages += 1;
    counts.messages += 1;
    return counts.messages <= this.#limits.messages;
  }

  mayFollow(): boolean {
    const counts = this.#countsOf(this.who);
    if (counts.topics >= this.#limits.topics) return false;
    counts.topics += 1;
    this.#topics += 1;
    return true;
  }

  unfollow(): void {
    this.#countsOf(this.who).topics -= 1;
    this.#topics -= 1;
  }

  leave(): void {
    this.#countsOf(this.who).readers -= 1;
  }
}
