import type { KeyInTime, LoggedAnswer } from '@fairtick/proof';
import type { Order } from '@fairtick/protocol';
import { type Asked, isAsAsked } from './asked.ts';

/**
 * Evidence of orders and of the log in IndexedDB. It belongs to the customer and not to the session, so it survives the session's
 * end; at a logout the customer may ask to remove it.
 */
const NAME = 'fairtick-held';
const VERSION = 1;
const ORDERS = 'orders';
const LOGS = 'logs';
/** Orders kept for each customer: the newest. */
const MOST = 500;

/** The log as this device knows it: its keys since the first look, and the newest checked state. */
export interface KeptLog {
  readonly origin: string;
  readonly checkpointKey: string;
  readonly acceptanceKey: string;
  readonly checkpoint: { readonly size: number; readonly root: string } | null;
  /** All keys since the first ones, each with its range, as far as this device has verified the hand-overs. */
  readonly keys?: { readonly log: readonly KeyInTime[]; readonly acceptances: readonly KeyInTime[] };
}

export interface HeldOrder {
  readonly customerId: string;
  readonly number: number;
  readonly acceptance: Order['acceptance'];
  readonly terms: Pick<Order, 'symbol' | 'direction' | 'minutes' | 'asset' | 'amount' | 'opensAt'>;
  /** What this device asked for, with its nonce; null for an order that it did not place. */
  readonly asked: Asked | null;
  /** The first answer that the order is in the log, and why it does not hold (null: it does); null while there is none. */
  readonly logged: { readonly answer: LoggedAnswer; readonly fault: string | null } | null;
}

export function heldOf(customerId: string, order: Order, asked: Asked | null = null): HeldOrder {
  const { id, acceptance, symbol, direction, minutes, asset, amount, opensAt } = order;
  const terms = { symbol, direction, minutes, asset, amount, opensAt };
  return { customerId, number: Number(id), acceptance, terms, asked, logged: null };
}

export const documentOf = ({ asked, acceptance, logged }: HeldOrder) => ({
  asked,
  acceptance,
  logged: logged?.answer ?? null,
});

/** Whether what is held of an order is what this device asked for; true if it asked for none. */
export const isHeldAsAsked = ({ asked, terms, acceptance }: HeldOrder): boolean =>
  asked === null || isAsAsked(asked, { opensAt: terms.opensAt, acceptance });

/**
 * Keeps an order's acceptance. The first copy stays, because an acceptance never changes, and gains what was asked for, which the
 * stream does not tell. Beyond {@link MOST} the oldest orders of the customer are forgotten.
 * @returns what is kept
 */
export function keepOrder(held: HeldOrder): Promise<HeldOrder> {
  return within(ORDERS, 'readwrite', async (store) => {
    const known = (await settled(store.get(keyOf(held)))) as HeldOrder | undefined;
    if (known !== undefined && (known.asked ?? held.asked) === known.asked) return known;
    if (known !== undefined) {
      const asked = { ...known, asked: held.asked };
      await settled(store.put(asked));
      return asked;
    }
    await settled(store.put(held));
    const keys = await settled(store.getAllKeys(allOf(held.customerId)));
    for (const key of keys.slice(0, -MOST)) await settled(store.delete(key));
    return held;
  });
}

/** Keeps the answer that an order is in the log; one that holds is never replaced. */
export function keepLogged(held: HeldOrder, logged: NonNullable<HeldOrder['logged']>): Promise<void> {
  return within(ORDERS, 'readwrite', async (store) => {
    const known = (await settled(store.get(keyOf(held)))) as HeldOrder | undefined;
    if (known?.logged?.fault !== null) await settled(store.put({ ...held, ...known, logged }));
  });
}

/** Null for an order that this device has not seen open. */
export async function heldOrder(customerId: string, orderId: string): Promise<HeldOrder | null> {
  const key = keyOf({ customerId, number: Number(orderId) });
  const held = await within(ORDERS, 'readonly', (store) => settled(store.get(key)));
  return (held as HeldOrder | undefined) ?? null;
}

export async function heldOrders(customerId: string): Promise<HeldOrder[]> {
  return (await within(ORDERS, 'readonly', (store) =>
    settled(store.getAll(allOf(customerId))),
  )) as HeldOrder[];
}

export function forgetOrders(customerId: string): Promise<void> {
  return within(ORDERS, 'readwrite', async (store) => {
    await settled(store.delete(allOf(customerId)));
  });
}

const keyOf = ({ customerId, number }: Pick<HeldOrder, 'customerId' | 'number'>) => [customerId, number];
/** In the order of keys, every list comes after every number. */
const allOf = (customerId: string) => IDBKeyRange.bound([customerId], [customerId, []]);

export async function keptLog(origin: string): Promise<KeptLog | null> {
  return (
    ((await within(LOGS, 'readonly', (store) => settled(store.get(origin)))) as KeptLog | undefined) ?? null
  );
}

/** All logs that this device knows: its server's, and those of a server that had another name or a log before. */
export async function keptLogs(): Promise<KeptLog[]> {
  return (await within(LOGS, 'readonly', (store) => settled(store.getAll()))) as KeptLog[];
}

export async function keepLog(log: KeptLog): Promise<void> {
  await within(LOGS, 'readwrite', (store) => settled(store.put(log)));
}

async function within<T>(
  name: string,
  mode: IDBTransactionMode,
  work: (store: IDBObjectStore) => Promise<T>,
): Promise<T> {
  const opening = indexedDB.open(NAME, VERSION);
  opening.onupgradeneeded = () => {
    opening.result.createObjectStore(ORDERS, { keyPath: ['customerId', 'number'] });
    opening.result.createObjectStore(LOGS, { keyPath: 'origin' });
  };
  const database = await settled(opening);
  try {
    return await work(database.transaction(name, mode).objectStore(name));
  } finally {
    database.close();
  }
}

function settled<T>(request: IDBRequest<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
  });
}
