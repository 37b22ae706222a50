import { post } from '../api/client.ts';
import { stream } from '../api/stream.ts';
import { useChatStand } from '../live/chat.ts';
import { useSession } from '../state/session.ts';

/** Keeps the tab's badge current on every screen while somebody is logged in. Called once. */
export function followChat(): void {
  let leave: (() => void) | null = null;
  let toldPlace = 0;
  const follow = (token: string | null) => {
    leave?.();
    toldPlace = 0;
    leave =
      token === null
        ? null
        : stream.subscribe('chatState', ({ data: stand }) => {
            useChatStand.setState({ stand });
            if (stand.unread === 0 || stand.lastPlace <= toldPlace) return;
            toldPlace = stand.lastPlace;
            // If this fails, the next message reports it, too.
            post('chat/mark', { place: toldPlace, as: 'received' }, { isSilent: true }).catch(() => {});
          });
  };
  let { token } = useSession.getState();
  follow(token);
  useSession.subscribe((session) => {
    if (session.token === token) return;
    token = session.token;
    follow(token);
  });
}
