/**
 * What the app keeps in local storage, under the names that the product gives them. Storage can be full, forbidden or
 * edited by hand: reading never throws, and what does not fit is treated as absent.
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
  | 'chatOutbox'
  | 'owedChecked';

export function readStored(key: Key): string | null {
  // Where pages are prerendered there is no storage, and asking for it is warned about.
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
    // Full or forbidden: the app goes on without.
  }
}

/** A 401 and a logout leave nothing behind. */
export function clearStored(): void {
  try {
    localStorage.clear();
  } catch {
    // Forbidden: then there is nothing in it either.
  }
}
