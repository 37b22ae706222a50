import type { UserInfo } from '@fairtick/protocol';
import { get } from '../api/client.ts';
import { followInSession } from '../api/stream.ts';
import { isLoggedIn, useSession } from '../state/session.ts';

let asked = 0;
let answered = 0;

export async function refreshUserInfo(): Promise<void> {
  const { token } = useSession.getState();
  if (token === null || !isLoggedIn(useSession.getState())) return;
  asked += 1;
  const place = asked;
  // The answer may have been read before these changes. If it was read after them, later changes come on their own, too.
  const meanwhile: Partial<UserInfo> = {};
  const stop = useSession.subscribe(({ changed }, before) => {
    if (changed !== before.changed) Object.assign(meanwhile, changed);
  });
  try {
    const userInfo = await get('user/getUserInfo', {}, { isSilent: true });
    // Ignores an answer for an ended session, and one older than an answer already taken.
    const now = useSession.getState();
    if (now.token !== token || place < answered) return;
    answered = place;
    now.setUserInfo({ ...userInfo, ...meanwhile });
  } catch {
    // Stale for now: the next navigation asks again, and a 401 is handled elsewhere.
  } finally {
    stop();
  }
}

export const followFunds = (): void =>
  followInSession('funds', ({ data }) => useSession.getState().change({ balances: data }));
