import type { KeyInTime } from '@fairtick/proof';
import type { Order } from '@fairtick/protocol';

/**
 * Evidence of orders and of the log in IndexedDB. It survives a logout and a session's end, because it belongs to the customer
 * and not to the session.
 */
const NAME = 'fairtick-evidence';
const VERSION = 1;
const ACCEPTANCES = 'acceptances';
const LOGS = 'logs';

/** The log as this device knows it: its keys since the first look, and the newest checked state. */
export interface KeptLog {
  readonly origin: string;
  readonly checkpointKey: string;
  readonly acceptanceKey: string;
  readonly checkpoint: { readonly size: number; readonly root: string } | null;
  /** All keys since the first ones, each with its range, as far as this device has verified the hand-overs. */
  readonly keys?: { readonly log: readonly KeyInTime[]; readonly acceptances: readonly KeyInTime[] };
}

/** Keeps an acceptance with the order's terms. The first copy stays, because an acceptance never changes. */
export async function keepAcceptance(customerId: string, order: Order): Promise<void> {
  const { id, acceptance, symbol, direction, minutes, asset, amount } = order;
  const kept = {
    key: `${customerId}/${id}`,
    acceptance,
    terms: { symbol, direction, minutes, asset, amount },
  };
  await within(ACCEPTANCES, 'readwrite', async (store) => {
    if ((await settled(store.get(kept.key))) === undefined) await settled(store.put(kept));
  });
}

/** The kept text of an acceptance; null for an order placed on another device. */
export async function keptAcceptance(customerId: string, orderId: string): Promise<string | null> {
  const kept = await within(ACCEPTANCES, 'readonly', (store) =>
    settled(store.get(`${customerId}/${orderId}`)),
  );
  return (kept as { acceptance: { text: string } } | undefined)?.acceptance.text ?? null;
}

export async function keptLog(origin: string): Promise<KeptLog | null> {
  return (
    ((await within(LOGS, 'readonly', (store) => settled(store.get(origin)))) as KeptLog | undefined) ?? null
  );
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
    opening.result.createObjectStore(ACCEPTANCES, { keyPath: 'key' });
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
