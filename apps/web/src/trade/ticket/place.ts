import type { Order } from '@fairtick/protocol';
import { LOGGED_BEFORE_MS } from '@fairtick/trading';
import { newKey, newNonce } from '@fairtick/ui/keys';
import { askTime } from '../../api/ask-time.ts';
import { NetworkError, post, RefusedError } from '../../api/client.ts';
import { serverClock } from '../../api/server-clock.ts';
import { seenLog, serverNow } from '../../live/clock.ts';
import { demandAbsent, LoggedError } from './in-the-log.ts';
import { openingTime } from './opening-time.ts';
import {
  askByKey,
  isRefusedForGood,
  type PendingOrder,
  type PlacedOrder,
  removePending,
  storePending,
} from './pending-order.ts';

/** The order confirmed by the second tap. */
export interface Placement {
  readonly symbol: string;
  readonly direction: 'up' | 'down';
  readonly minutes: number;
  readonly amount: string;
  readonly asset: string;
}

const TRIES = 3;
const PAUSE_MS = 800;

/** A placement in progress: every retry has the same key and the same fields, the opening time among them. */
export class PlacementAttempt {
  readonly #placement: Placement;
  readonly #delayMs: number;
  #pending: PendingOrder | null = null;
  #isUnknown = false;
  #sending: Promise<PlacedOrder> | null = null;

  /** @param delayMs D of the product */
  constructor(placement: Placement, delayMs: number) {
    this.#placement = placement;
    this.#delayMs = delayMs;
  }

  /** Whether an answer was lost and none since tells whether the order was placed. */
  get isUnknown(): boolean {
    return this.#isUnknown;
  }

  /** The order as it is sent; null before the first try. */
  get pending(): PendingOrder | null {
    return this.#pending;
  }

  /**
   * Places the order, once at a time. Without an answer it is unknown whether the order was accepted, so it retries with the same key,
   * which places nothing twice.
   * @throws NetworkError when there was no answer to any try; RefusedError, see {@link isUnknown}
   */
  send(): Promise<PlacedOrder> {
    this.#sending ??= this.#send().finally(() => {
      this.#sending = null;
    });
    return this.#sending;
  }

  async #send(): Promise<PlacedOrder> {
    // Without the server's time no opening can be named.
    if (serverClock.errorMs === null) await askTime();
    this.#pending ??= this.#prepare(await seenLog());
    const pending = this.#pending;
    storePending(pending);
    for (let attempt = 1; ; attempt += 1) {
      try {
        return this.#placed(pending, await timedPost(pending));
      } catch (error) {
        if (error instanceof RefusedError) return this.#refused(pending, error);
        if (!(error instanceof NetworkError)) throw error;
        this.#isUnknown = true;
        if (attempt >= TRIES) throw error;
        await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
      }
    }
  }

  #prepare(seen: { size: number; root: string }): PendingOrder {
    const opensAt = openingTime(serverNow(), { delayMs: this.#delayMs, marginMs: serverClock.marginMs });
    return {
      key: newKey(),
      fields: {
        ...this.#placement,
        opensAt,
        nonce: newNonce(),
        seenSize: seen.size,
        seenRoot: seen.root,
      },
    };
  }

  #placed(pending: PendingOrder, order: Order): PlacedOrder {
    this.#isUnknown = false;
    removePending(pending);
    serverClock.narrow();
    return { order, sent: pending.fields };
  }

  /**
   * A refusal is the outcome if it comes before the order could open; the log is read behind it all the same. If it comes later, or after a lost
   * answer, the key and the log tell.
   */
  async #refused(pending: PendingOrder, error: RefusedError): Promise<PlacedOrder> {
    if (error.code === 'LATE') serverClock.widen();
    if (serverNow() > pending.fields.opensAt - LOGGED_BEFORE_MS) this.#isUnknown = true;
    if (error.code === 'NOT_READY') this.#isUnknown = true;
    else if (!this.#isUnknown) {
      removePending(pending);
      if (isRefusedForGood(error)) demandAbsent(pending, error).catch(() => {});
    } else {
      try {
        return this.#placed(pending, await askByKey(pending));
      } catch (later) {
        if (isRefusedForGood(later) || later instanceof LoggedError) this.#isUnknown = false;
        throw later;
      }
    }
    throw error;
  }
}

/** Sends the order; its round trip counts for the next one, because it is that of an order. */
async function timedPost({ key, fields }: PendingOrder): Promise<Order> {
  const sentMs = performance.now();
  try {
    return await post('order/create', { ...fields }, { idempotencyKey: key });
  } finally {
    serverClock.takeTrip(performance.now() - sentMs);
  }
}
