import type { Order } from '@fairtick/protocol';
import { NetworkError, post, RefusedError } from '../../api/client.ts';
import { seenLog, serverNow } from '../../state/clock.ts';
import { type PendingOrder, storePending } from './pending-order.ts';

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
  readonly #fields: PendingOrder['fields'];
  readonly #key: string;

  constructor(placement: Placement, key: string) {
    const seen = seenLog();
    this.#key = key;
    this.#fields = {
      ...placement,
      notAfter: Math.round(serverNow()) + PATIENCE_MS,
      ...(seen ? { seenSize: seen.size, seenRoot: seen.root } : {}),
    };
  }

  /**
   * Places the order. Without an answer it is unknown whether the order was accepted, so it retries with the same key, which
   * places nothing twice.
   * @throws NetworkError when there was no answer to any try; RefusedError
   */
  async send(): Promise<Order> {
    storePending({ key: this.#key, fields: this.#fields });
    for (let attempt = 1; ; attempt += 1) {
      try {
        const order = await post('order/create', this.#fields, { idempotencyKey: this.#key });
        storePending(null);
        return order;
      } catch (error) {
        if (error instanceof RefusedError && error.code !== 'NOT_READY') storePending(null);
        if (!(error instanceof NetworkError) || attempt >= TRIES) throw error;
        await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
      }
    }
  }
}
