import type { UserInfo } from '@fairtick/protocol';
import { create } from 'zustand';
import { readStored, store } from './storage.ts';

/** The session: token and user info. Both are needed to be logged in. */
interface SessionStore {
  readonly token: string | null;
  readonly userInfo: UserInfo | null;
  begin(session: { token: string; userInfo: UserInfo }): void;
  setUserInfo(userInfo: UserInfo): void;
  /** Balances that came on their own, over the stream or with the answer of a movement. */
  setBalances(balances: UserInfo['balances']): void;
  /** How often balances came on their own. */
  readonly balanceNews: number;
  end(): void;
}

function readUserInfo(): UserInfo | null {
  try {
    const value: unknown = JSON.parse(readStored('userInfo') ?? 'null');
    const isComplete = typeof value === 'object' && value !== null && 'id' in value && 'balances' in value;
    return isComplete ? (value as UserInfo) : null;
  } catch {
    return null;
  }
}

export const useSession = create<SessionStore>()((set, get) => ({
  token: readStored('token'),
  userInfo: readUserInfo(),
  begin({ token, userInfo }) {
    store('token', token);
    store('userInfo', JSON.stringify(userInfo));
    set({ token, userInfo });
  },
  setUserInfo(userInfo) {
    store('userInfo', JSON.stringify(userInfo));
    set({ userInfo });
  },
  setBalances(balances) {
    const { userInfo, balanceNews } = get();
    if (userInfo) get().setUserInfo({ ...userInfo, balances });
    set({ balanceNews: balanceNews + 1 });
  },
  balanceNews: 0,
  end: () => set({ token: null, userInfo: null }),
}));

/** Both token and user info are required. */
export const isLoggedIn = ({
  token,
  userInfo,
}: {
  token: string | null;
  userInfo: UserInfo | null;
}): boolean => token !== null && userInfo !== null;
export const useIsLoggedIn = (): boolean => useSession(isLoggedIn);
