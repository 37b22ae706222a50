import type { Order } from '@fairtick/protocol';
import { NetworkError, post } from '../../api/client.ts';
import { seenLog, serverNow } from '../../state/clock.ts';

/** What was agreed to with the second tap. */
export interface Placement {
  readonly symbol: string;
  readonly direction: 'up' | 'down';
  readonly minutes: number;
  readonly amount: string;
  readonly asset: string;
}

/** An order that is not accepted by then is not wanted any more: nobody can wait and choose. */
const PATIENCE_MS = 4_000;
const TRIES = 3;
const PAUSE_MS = 800;

/** A placement under way: the same key and the same fields however often it has to be asked. */
export class PlacementAttempt {
  readonly #fields: Readonly<Record<string, string | number>>;
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
   * Places the order. Without an answer nobody knows whether it was taken: the same key is asked again, which places
   * nothing twice.
   * @throws NetworkError when there was no answer to any try; RefusedError
   */
  async send(): Promise<Order> {
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await post('orderCreate', this.#fields, { idempotencyKey: this.#key });
      } catch (error) {
        if (!(error instanceof NetworkError) || attempt >= TRIES) throw error;
        await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
      }
    }
  }
}
