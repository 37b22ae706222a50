import { create } from 'zustand';
import { post } from '../../api/client.ts';
import { isLoggedIn, useSession } from '../../state/session.ts';
import { onSessionEnd } from '../../state/session-lifecycle.ts';
import { readStored, storeInSession } from '../../state/storage.ts';

/** The default watchlist: the largest markets of each kind. */
const STARTERS: readonly string[] = [
  'EUR/USD',
  'XAU/USD',
  'USOIL',
  'USD/JPY',
  'BTC/USDT',
  'ETH/USDT',
  'GBP/USD',
  'NAS100',
];

/** A visitor's list is kept on this device; a customer's is part of the user info. */
const useVisitorList = create<{ symbols: readonly string[] | null }>()(() => ({
  symbols: readVisitorList(),
}));
onSessionEnd(() => useVisitorList.setState({ symbols: null }));

function readVisitorList(): readonly string[] | null {
  const stored = readStored('watchlist');
  return stored === null ? null : stored.split(',').filter(Boolean);
}

/** Before the name of a group, which stands among the symbols and before those of its group. */
export const GROUP = '#';

/** The watched symbols in the reader's order, new ones last, and names of groups; the defaults until the first change. */
export function useWatchlist(): readonly string[] {
  const visitor = useVisitorList((state) => state.symbols);
  const own = useSession((state) => state.userInfo?.watchlist);
  return own ?? visitor ?? STARTERS;
}

/** Whether the reader has chosen the watchlist; until then it is a selection of markets. */
export function useIsOwnWatchlist(): boolean {
  const visitor = useVisitorList((state) => state.symbols);
  const own = useSession((state) => state.userInfo?.watchlist);
  return (own ?? visitor) !== null;
}

/** The symbols of each group, first those without one. */
export function groupsOf(
  list: readonly string[],
): readonly { readonly name: string; readonly symbols: readonly string[] }[] {
  const groups = [{ name: '', symbols: [] as string[] }];
  for (const entry of list) {
    if (entry.startsWith(GROUP)) groups.push({ name: entry.slice(GROUP.length), symbols: [] });
    else groups.at(-1)?.symbols.push(entry);
  }
  return groups.filter(({ name, symbols }) => name !== '' || symbols.length > 0);
}

/** Adds or removes a product; see {@link setWatched}. */
export const toggleWatched = (symbol: string, watched: readonly string[]): Promise<void> =>
  setWatched(watched.includes(symbol) ? watched.filter((other) => other !== symbol) : [...watched, symbol]);

/**
 * Replaces the watchlist. The screen changes at once.
 * @throws the error of the call, after undoing the change
 */
export async function setWatched(next: readonly string[]): Promise<void> {
  const session = useSession.getState();
  if (!isLoggedIn(session) || !session.userInfo) {
    storeInSession('watchlist', next.join(','));
    useVisitorList.setState({ symbols: next });
    return;
  }
  const { watchlist } = session.userInfo;
  session.change({ watchlist: [...next] });
  try {
    await post('user/setWatchlist', { symbols: next.join(',') }, { isSilent: true });
  } catch (error) {
    session.change({ watchlist });
    throw error;
  }
}
