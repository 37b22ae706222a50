import type { UserInfo } from '@fairtick/protocol';
import { create } from 'zustand';
import { readStored, storeInSession, storeToken, takeStoredToken } from './storage.ts';

/** Token and user info. Both are needed to be logged in. */
interface Session {
  readonly token: string | null;
  readonly userInfo: UserInfo | null;
}

/** This tab's session. `session-lifecycle.ts` follows the other tabs, which share the stored one. */
interface SessionStore extends Session {
  begin(session: { token: string; userInfo: UserInfo }): void;
  takeStored(): void;
  setUserInfo(userInfo: UserInfo): void;
  /** Takes fields that are newer than answers still on their way: from the stream, or after a change that the customer made. */
  change(fields: Partial<UserInfo>): void;
  /** The fields of the last call of `change`. */
  readonly changed: Partial<UserInfo>;
  /** The server ended the session; true until the next login. */
  readonly hasLapsed: boolean;
  /** How often this tab took another customer's session: each remounts the app. */
  readonly switches: number;
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

export const readSession = (): Session => ({ token: readStored('token'), userInfo: readUserInfo() });

export const useSession = create<SessionStore>()((set, get) => ({
  ...readSession(),
  begin({ token, userInfo }) {
    // The token comes last: other tabs that see it find its user info.
    storeInSession('userInfo', JSON.stringify(userInfo));
    storeToken(token);
    set({ token, userInfo, hasLapsed: false });
  },
  takeStored() {
    const { userInfo, switches } = get();
    takeStoredToken();
    const stored = readSession();
    const isOther = stored.userInfo?.id !== userInfo?.id;
    set({ ...stored, hasLapsed: false, switches: isOther ? switches + 1 : switches });
  },
  setUserInfo(userInfo) {
    storeInSession('userInfo', JSON.stringify(userInfo));
    set({ userInfo });
  },
  change(changed) {
    const { userInfo, setUserInfo } = get();
    if (userInfo) setUserInfo({ ...userInfo, ...changed });
    set({ changed });
  },
  changed: {},
  hasLapsed: false,
  switches: 0,
  end: ({ hasLapsed }) => set({ token: null, userInfo: null, hasLapsed }),
}));

/** Why the customer may place no orders: their own break or exclusion, or a freeze by the staff; null: they may. */
export const closedForOrders = ({ userInfo }: Session) =>
  userInfo?.pause ?? userInfo?.freezes?.find(({ what }) => what === 'orders') ?? null;
export type Closed = ReturnType<typeof closedForOrders>;

/** Whether a token and user info are known; a login needs both. */
export const isLoggedIn = ({ token, userInfo }: Session): boolean => token !== null && userInfo !== null;
export const useIsLoggedIn = (): boolean => useSession(isLoggedIn);

/** The customer who is logged in; null for a visitor. */
export const customerNow = (): string | null => {
  const session = useSession.getState();
  return isLoggedIn(session) ? (session.userInfo?.id ?? null) : null;
};
