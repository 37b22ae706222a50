import type { Order } from '@fairtick/protocol';
import { MIN_DELAY_MS, PLACEMENT_REFUSALS } from '@fairtick/trading';
import { post, RefusedError } from '../../api/client.ts';
import { serverNow } from '../../live/clock.ts';
import { customerNow } from '../../state/session.ts';
import { readOwnEntries, storeOwnEntry } from '../../state/storage.ts';
import { demandAbsent, isInTheOpen, LoggedError } from './in-the-log.ts';

/** The fields of an order's request. */
export interface SentOrder {
  readonly symbol: string;
  readonly direction: 'up' | 'down';
  readonly minutes: number;
  readonly asset: string;
  readonly amount: string;
  /** When the order opens, Unix ms. The server accepts it at least D before that, or never. */
  readonly opensAt: number;
  readonly nonce: string;
  readonly seenSize: number;
  readonly seenRoot: string;
}

/** An order as it was sent, and as the server answered it. */
export interface PlacedOrder {
  readonly order: Order;
  readonly sent: SentOrder;
}

/** An order that was sent and whose outcome is not known yet: the fields and the key of its request. */
export interface PendingOrder {
  readonly key: string;
  readonly fields: SentOrder;
}

/**
 * How long after the order's deadline, which is D before it opens, the request is repeated: the server's clock then refuses an order
 * that it never received.
 */
const AFTER_DEADLINE_MS = 1_000;
/** Orders of a customer that may be without an outcome at once. None is forgotten for a new one, which is not sent instead. */
const MOST = 20;

export const mayAddPending = (): boolean => readPending().length < MOST;

/** Remembers an order on the device until its outcome is known, so that a reload or another tab finds it. */
export function storePending(pending: PendingOrder): void {
  const customer = customerNow();
  if (customer !== null) storeOwnEntry('pendingOrder', customer, pending.key, JSON.stringify(pending));
}

/** Forgets an order whose outcome is known. */
export function removePending({ key }: Pick<PendingOrder, 'key'>): void {
  const customer = customerNow();
  if (customer !== null) storeOwnEntry('pendingOrder', customer, key, null);
}

/** The customer's orders without a known outcome, of all tabs; the earliest deadline first. */
function readPending(): PendingOrder[] {
  const customer = customerNow();
  if (customer === null) return [];
  return readOwnEntries('pendingOrder', customer)
    .flatMap((text) => parse(text) ?? [])
    .sort((a, b) => a.fields.opensAt - b.fields.opensAt);
}

function parse(text: string): PendingOrder | null {
  try {
    const pending: unknown = JSON.parse(text);
    const isOne = typeof pending === 'object' && pending !== null && 'key' in pending && 'fields' in pending;
    const { fields } = isOne ? (pending as PendingOrder) : { fields: null };
    return typeof fields?.opensAt === 'number' && typeof fields.seenSize === 'number'
      ? (pending as PendingOrder)
      : null;
  } catch {
    return null;
  }
}

const isPending = ({ key }: PendingOrder) => readPending().some((other) => other.key === key);

/**
 * Finds out what became of an order, by repeating its request once its deadline has passed: an order that the server has taken is
 * answered by its key, and any other is refused as too late, so that none is placed now. A refusal is an outcome only once the public log
 * has been read up to the order's opening time.
 * @throws RefusedError, NetworkError: see {@link isRefusedForGood}; if it is not, the order stays pending
 * @throws LoggedError where the log carries it
 */
export async function askByKey(pending: PendingOrder): Promise<Order> {
  await untilDeadline(pending);
  try {
    const order = await post(
      'order/create',
      { ...pending.fields },
      {
        idempotencyKey: pending.key,
        isSilent: true,
      },
    );
    removePending(pending);
    return order;
  } catch (error) {
    if (isRefusedForGood(error)) {
      await demandAbsent(pending, error);
      removePending(pending);
    }
    throw error;
  }
}

const FINAL: ReadonlySet<string> = new Set(PLACEMENT_REFUSALS);

/**
 * Whether an answer to {@link askByKey} tells that the order was not placed and will not be. The server looks the key up before it
 * judges an order; other refusals come before that and do not tell.
 */
export const isRefusedForGood = (error: unknown): error is RefusedError =>
  error instanceof RefusedError && FINAL.has(error.code);

async function untilDeadline({ fields }: PendingOrder): Promise<void> {
  const waitMs = fields.opensAt - MIN_DELAY_MS + AFTER_DEADLINE_MS - serverNow();
  if (waitMs > 0) await new Promise((resolve) => setTimeout(resolve, waitMs));
}

/**
 * An order that was pending, and the order itself. Null if it was refused, which `refusal` tells then, or if it has no answer and the
 * public log carries it (no refusal).
 */
export interface Found {
  readonly pending: PendingOrder;
  readonly order: Order | null;
  readonly refusal: unknown;
}

/** The orders that a ticket waits for, by their keys. */
const awaited = new Map<string, { readonly pending: PendingOrder; readonly take: (found: Found) => void }>();

/** Lets a ticket take the outcome of its order, too, when the app learns it; returns how to end that. */
export function awaitFound(pending: PendingOrder, take: (found: Found) => void): () => void {
  awaited.set(pending.key, { pending, take });
  return () => awaited.delete(pending.key);
}

/** Tells the ticket that waits for an order what became of it. */
export const tellFound = (found: Found): void => awaited.get(found.pending.key)?.take(found);

/** The pending orders, and those that a ticket waits for after another tab had the answer. */
export function toFind(): PendingOrder[] {
  const stored = readPending();
  const others = [...awaited.values()].map(({ pending }) => pending);
  return [...stored, ...others.filter(({ key }) => !stored.some((pending) => pending.key === key))];
}

/** Asks for the outcome of each of these orders. Those that no answer tells of stay pending. */
export async function findPending(): Promise<Found[]> {
  return (await Promise.all(toFind().map(find))).flatMap((found) => found ?? []);
}

async function find(pending: PendingOrder): Promise<Found | null> {
  await untilDeadline(pending);
  // Meanwhile the tab that sent it, or another, may have had the answer.
  if (!isPending(pending) && !awaited.has(pending.key)) return null;
  try {
    return { pending, order: await askByKey(pending), refusal: null };
  } catch (error) {
    if (isRefusedForGood(error) || error instanceof LoggedError)
      return { pending, order: null, refusal: error };
    return (await isInTheOpen(pending)) ? { pending, order: null, refusal: null } : null;
  }
}
