import type { UserInfo } from '@fairtick/protocol';
import { create } from 'zustand';
import { readStored, store } from './storage.ts';

/** The session: token and user info. Both are needed to be logged in. */
interface SessionStore {
  readonly token: string | null;
  readonly userInfo: UserInfo | null;
  begin(session: { token: string; userInfo: UserInfo }): void;
  setUserInfo(userInfo: UserInfo): void;
  /** Takes fields that are newer than answers still on their way: from the stream, or after a change that the customer made. */
  change(fields: Partial<UserInfo>): void;
  /** The fields of the last call of `change`. */
  readonly changed: Partial<UserInfo>;
  /** The server ended the session; true until the next login. */
  readonly hasLapsed: boolean;
  end(how: { hasLapsed: boolean }): void;
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
    set({ token, userInfo, hasLapsed: false });
  },
  setUserInfo(userInfo) {
    store('userInfo', JSON.stringify(userInfo));
    set({ userInfo });
  },
  change(changed) {
    const { userInfo, setUserInfo } = get();
    if (userInfo) setUserInfo({ ...userInfo, ...changed });
    set({ changed });
  },
  changed: {},
  hasLapsed: false,
  end: ({ hasLapsed }) => set({ token: null, userInfo: null, hasLapsed }),
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
