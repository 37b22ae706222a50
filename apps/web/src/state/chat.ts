import type { ChatState } from '@fairtick/protocol';
import { create } from 'zustand';
import { onSessionEnd } from './end-session.ts';

/** How the conversation with support stands, as the stream told it last; null until it has. */
interface ChatStandStore {
  readonly stand: ChatState | null;
}

export const useChatStand = create<ChatStandStore>()(() => ({ stand: null }));
onSessionEnd(() => useChatStand.setState({ stand: null }));

/** Messages of staff that nobody here has read. */
export const useUnreadMessages = (): number => useChatStand(({ stand }) => stand?.unread ?? 0);
