import type { Order } from '@fairtick/protocol';
import { post, RefusedError } from '../../api/client.ts';
import { serverNow } from '../../state/clock.ts';
import { customerNow } from '../../state/session.ts';
import { readOwn, storeOwn } from '../../state/storage.ts';

/** An order that was sent and has no answer yet: the fields and the key of its request. */
export interface PendingOrder {
  readonly key: string;
  readonly fields: Readonly<Record<string, string | number>> & { readonly notAfter: number };
}

/** How long after the order's deadline the request is repeated: the server's clock then refuses an order that it never received. */
const AFTER_DEADLINE_MS = 1_000;

/** Remembers an order on the device until its answer, so that a reload finds it. Null: it is answered. */
export const storePending = (pending: PendingOrder | null): void =>
  storeOwn('pendingOrder', customerNow(), pending && JSON.stringify(pending));

function readPending(): PendingOrder | null {
  try {
    const pending: unknown = JSON.parse(readOwn('pendingOrder', customerNow()) ?? 'null');
    const isOne = typeof pending === 'object' && pending !== null && 'key' in pending && 'fields' in pending;
    return isOne ? (pending as PendingOrder) : null;
  } catch {
    return null;
  }
}

/**
 * Finds the order that was sent before a reload, by repeating its request once its deadline has passed: an order that the server has
 * taken is answered by its key, and any other is refused as too late, so that none is placed now.
 * @returns null if there is none to ask for; `order` is null if it was not placed
 * @throws NetworkError, RefusedError when the answer does not tell; the next start asks again
 */
export async function findPending(): Promise<{ readonly order: Order | null } | null> {
  const pending = readPending();
  if (pending === null || customerNow() === null) return null;
  const waitMs = pending.fields.notAfter + AFTER_DEADLINE_MS - serverNow();
  if (waitMs > 0) await new Promise((resolve) => setTimeout(resolve, waitMs));
  try {
    const order = await post('order/create', pending.fields, { idempotencyKey: pending.key, isSilent: true });
    storePending(null);
    return { order };
  } catch (error) {
    // Other refusals come before the key is looked up, and say nothing of the order.
    if (!(error instanceof RefusedError) || error.code !== 'EXPIRED') throw error;
    storePending(null);
    return { order: null };
  }
}
