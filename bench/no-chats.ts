import type { ChatReads } from '../apps/server/src/stream/chat-news.ts';

/** Nobody reads a conversation in a benchmark of prices. */
export const NO_CHATS: ChatReads = {
  messages: async () => [],
  message: async () => null,
  state: async () => {
    throw new Error('no conversation is read here');
  },
};
