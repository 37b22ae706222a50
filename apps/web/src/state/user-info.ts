import { get } from '../api/client.ts';
import { isLoggedIn, useSession } from './session.ts';

let asked = 0;
let answered = 0;

/** Refetches the user info, silently. */
export async function refreshUserInfo(): Promise<void> {
  const { token, balanceNews } = useSession.getState();
  if (!isLoggedIn(useSession.getState())) return;
  asked += 1;
  const place = asked;
  try {
    const userInfo = await get('user/getUserInfo', {}, { isSilent: true });
    // Ignores an answer for an ended session, and one older than an answer already taken.
    const now = useSession.getState();
    if (now.token !== token || place < answered) return;
    answered = place;
    // Balances that came meanwhile may be newer than the answer. Later ones come on their own, too.
    const isOlder = now.balanceNews !== balanceNews && now.userInfo !== null;
    now.setUserInfo(isOlder ? { ...userInfo, balances: now.userInfo.balances } : userInfo);
  } catch {
    // Stale for now: the next navigation asks again, and a 401 is handled elsewhere.
  }
}
