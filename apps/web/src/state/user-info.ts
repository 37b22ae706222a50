import { get } from '../api/client.ts';
import { isLoggedIn, useSession } from './session.ts';

/** Reads who is logged in anew, silently. */
export async function refreshUserInfo(): Promise<void> {
  const { token } = useSession.getState();
  if (!isLoggedIn(useSession.getState())) return;
  try {
    const userInfo = await get('getUserInfo', {}, { isSilent: true });
    // An answer that arrives after the session's end is nobody's, or somebody else's.
    if (useSession.getState().token === token) useSession.getState().setUserInfo(userInfo);
  } catch {
    // Stale for now; the next navigation asks again, and a 401 has been dealt with.
  }
}
