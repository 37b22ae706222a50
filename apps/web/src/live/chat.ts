import type { ChatState } from '@fairtick/protocol';
import { create } from 'zustand';
import { onSessionEnd } from '../state/session-lifecycle.ts';

/** The state of the conversation with support, as the stream last sent it; null before that. */
interface ChatStandStore {
  readonly stand: ChatState | null;
}

export const useChatStand = create<ChatStandStore>()(() => ({ stand: null }));
onSessionEnd(() => useChatStand.setState({ stand: null }));

export const useUnreadMessages = (): number => useChatStand(({ stand }) => stand?.unread ?? 0);
