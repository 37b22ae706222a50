import type { TopicMessage } from '@fairtick/protocol';
import { post } from '../api/client.ts';
import { followInSession } from '../api/stream.ts';
import { useChatStand } from '../live/chat.ts';

/** Keeps the tab's badge current on every screen while somebody is logged in. Called once. */
export function followChat(): void {
  let toldPlace = 0;
  const take = ({ data: stand }: TopicMessage<'chatState'>) => {
    useChatStand.setState({ stand });
    if (stand.unread === 0 || stand.lastPlace <= toldPlace) return;
    toldPlace = stand.lastPlace;
    // If this fails, the next message reports it, too.
    post('chat/mark', { place: toldPlace, as: 'received' }, { isSilent: true }).catch(() => {});
  };
  followInSession('chatState', take, () => {
    toldPlace = 0;
  });
}
