import { get } from '../api/client.ts';
import { isLoggedIn, useSession } from './session.ts';

let asked = 0;
let answered = 0;

/** Reads who is logged in anew, silently. */
export async function refreshUserInfo(): Promise<void> {
  const { token } = useSession.getState();
  if (!isLoggedIn(useSession.getState())) return;
  asked += 1;
  const place = asked;
  try {
    const userInfo = await get('getUserInfo', {}, { isSilent: true });
    // An answer that arrives after the session's end is nobody's, or somebody else's; one after a later one's is out of date.
    if (useSession.getState().token !== token || place < answered) return;
    answered = place;
    useSession.getState().setUserInfo(userInfo);
  } catch {
    // Stale for now; the next navigation asks again, and a 401 has been dealt with.
  }
}
