import type { Order } from '@fairtick/protocol';
import { NetworkError, post, RefusedError } from '../../api/client.ts';
import { seenLog, serverNow } from '../../state/clock.ts';
import { askByKey, type PendingOrder, removePending, storePending } from './pending-order.ts';

/** The order confirmed by the second tap. */
export interface Placement {
  readonly symbol: string;
  readonly direction: 'up' | 'down';
  readonly minutes: number;
  readonly amount: string;
  readonly asset: string;
}

/** Time after which the server must not accept the order any more, so that nobody can delay it and wait for the price. */
const PATIENCE_MS = 4_000;
const TRIES = 3;
const PAUSE_MS = 800;

/** A placement in progress: every retry has the same key and the same fields. */
export class PlacementAttempt {
  readonly #pending: PendingOrder;
  #isUnknown = false;

  constructor(placement: Placement, key: string) {
    const seen = seenLog();
    const fields = {
      ...placement,
      notAfter: Math.round(serverNow()) + PATIENCE_MS,
      ...(seen ? { seenSize: seen.size, seenRoot: seen.root } : {}),
    };
    this.#pending = { key, fields };
  }

  /** Whether an answer was lost and none since tells whether the order was placed. */
  get isUnknown(): boolean {
    return this.#isUnknown;
  }

  /**
   * Places the order. Without an answer it is unknown whether the order was accepted, so it retries with the same key, which
   * places nothing twice.
   * @throws NetworkError when there was no answer to any try; RefusedError, see {@link isUnknown}
   */
  async send(): Promise<Order> {
    storePending(this.#pending);
    for (let attempt = 1; ; attempt += 1) {
      try {
        return this.#placed(await this.#post());
      } catch (error) {
        if (error instanceof RefusedError) return this.#refused(error);
        if (!(error instanceof NetworkError)) throw error;
        this.#isUnknown = true;
        if (attempt >= TRIES) throw error;
        await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
      }
    }
  }

  #post(): Promise<Order> {
    return post('order/create', this.#pending.fields, { idempotencyKey: this.#pending.key });
  }

  #placed(order: Order): Order {
    this.#isUnknown = false;
    removePending(this.#pending);
    return order;
  }

  /** A refusal is the outcome, unless an earlier answer was lost: then the key tells, after the deadline. */
  async #refused(error: RefusedError): Promise<Order> {
    if (error.code === 'NOT_READY') this.#isUnknown = true;
    else if (!this.#isUnknown || error.code === 'EXPIRED') {
      this.#isUnknown = false;
      removePending(this.#pending);
    } else {
      try {
        return this.#placed(await askByKey(this.#pending));
      } catch (later) {
        if (later instanceof RefusedError && later.code === 'EXPIRED') this.#isUnknown = false;
        throw later;
      }
    }
    throw error;
  }
}
