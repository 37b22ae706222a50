/**
 * Keys in local storage, named as the product names them. Storage can be full, forbidden or edited: reading
 * never throws, and invalid values count as absent.
 */
type Key =
  | 'token'
  | 'userInfo'
  | 'language'
  | 'dark'
  | 'updown'
  | 'asset'
  | 'watchlist'
  | 'hideBalance'
  | 'openOrders'
  | 'settlementNotice'
  | 'here'
  | 'zone'
  | 'worthIn'
  | 'minutes'
  | 'chatOutbox'
  | 'chart'
  | 'drawings'
  | 'owedChecked';

export function readStored(key: Key): string | null {
  // There is no storage when prerendering, and accessing it would log a warning.
  if (typeof document === 'undefined') return null;
  try {
    return localStorage.getItem(key);
  } catch {
    return null;
  }
}

export function store(key: Key, value: string | null): void {
  try {
    if (value === null) localStorage.removeItem(key);
    else localStorage.setItem(key, value);
  } catch {
    // Storage is full or forbidden: the app works without it.
  }
}

/** Clears everything, at a 401 or a logout. */
export function clearStored(): void {
  try {
    localStorage.clear();
  } catch {
    // Storage is forbidden, so there is nothing to clear.
  }
}
