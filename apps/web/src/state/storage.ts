/** The device's settings, which any tab may write. */
type DeviceKey = 'language' | 'dark' | 'updown';
/** Written only while the tab's session is the stored one, and cleared with it. */
type SessionKey =
  | 'userInfo'
  | 'asset'
  | 'watchlist'
  | 'hideBalance'
  | 'openOrders'
  | 'settlementNotice'
  | 'haptics'
  | 'shortcuts'
  | 'here'
  | 'zone'
  | 'worthIn'
  | 'minutes'
  | 'stakes'
  | 'owedChecked'
  | 'chart'
  | 'drawings'
  | 'lastLive';
/** Belong to a customer and stay after a logout, each as `name@customer id`. */
const OWN_KEYS = ['chatOutbox', 'chatDraft', 'pendingOrder', 'checkedReceipts', 'storageAsked'] as const;
type OwnKey = (typeof OWN_KEYS)[number];

/**
 * Reads from local storage; keys are named as the product names them. Storage can be full, forbidden or edited: reading never
 * throws, and invalid values count as absent.
 */
export function readStored(key: DeviceKey | SessionKey | 'token'): string | null {
  return read(key);
}

function read(key: string): string | null {
  // There is no storage when prerendering, and accessing it would log a warning.
  if (typeof document === 'undefined') return null;
  try {
    return localStorage.getItem(key);
  } catch {
    return null;
  }
}

/** The token that storage had when this tab last read or wrote it. Another one means that another tab logged in or out since. */
let knownToken = readStored('token');
export const isStoredSession = (): boolean => readStored('token') === knownToken;

export function takeStoredToken(): string | null {
  knownToken = readStored('token');
  return knownToken;
}

export function storeToken(token: string): void {
  write('token', token);
  takeStoredToken();
}

export function store(key: DeviceKey, value: string): void {
  write(key, value);
}

/** Stores what belongs to the session. A tab whose session is no longer the stored one writes nothing. */
export function storeInSession(key: SessionKey, value: string | null): void {
  if (isStoredSession()) write(key, value);
}

export const readOwn = (key: OwnKey, customerId: string): string | null => read(ownName(key, customerId));

export function storeOwn(key: OwnKey, customerId: string, value: string | null): void {
  write(ownName(key, customerId), value);
}

/**
 * Stores one of several values of a customer under an id of its own. No tab rewrites what another has stored.
 * @param value null removes it
 */
export function storeOwnEntry(key: OwnKey, customerId: string, id: string, value: string | null): void {
  write(`${ownName(key, customerId)}@${id}`, value);
}

export function readOwnEntries(key: OwnKey, customerId: string): string[] {
  try {
    const names = Object.keys(localStorage).filter((name) => name.startsWith(`${ownName(key, customerId)}@`));
    return names.flatMap((name) => read(name) ?? []);
  } catch {
    return [];
  }
}

const ownName = (key: OwnKey, customerId: string): string => `${key}@${customerId}`;

/** Removes all that {@link storeOwn} and {@link storeOwnEntry} have stored for a customer. */
export function clearOwn(customerId: string): void {
  for (const key of OWN_KEYS) {
    storeOwn(key, customerId, null);
    removeWhere((name) => name.startsWith(`${ownName(key, customerId)}@`));
  }
}

function write(key: string, value: string | null): void {
  try {
    if (value === null) localStorage.removeItem(key);
    else localStorage.setItem(key, value);
  } catch {
    // Storage is full or forbidden: the app works without it.
  }
}

/** Clears everything at a 401 or a logout, first the token; only what belongs to customers stays. */
export function clearStored(): void {
  write('token', null);
  removeWhere((name) => !OWN_KEYS.some((own) => name.startsWith(`${own}@`)));
  takeStoredToken();
}

function removeWhere(isRemoved: (name: string) => boolean): void {
  try {
    for (const name of Object.keys(localStorage)) if (isRemoved(name)) localStorage.removeItem(name);
  } catch {
    // Storage is forbidden, so there is nothing to remove.
  }
}
