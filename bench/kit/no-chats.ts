import type { ChatReads } from '../../apps/server/src/stream/chat-updates.ts';

/** Benchmarks of prices read no conversations. */
export const NO_CHATS: ChatReads = {
  messages: async () => [],
  message: async () => null,
  state: async () => {
    throw new Error('no conversation is read here');
  },
};
