import type { ChatMessage, ChatState, PrivateTopicKind } from '@fairtick/protocol';
import type { ChannelNews } from '../platform/db/notify-channels.ts';
import { BoundedLines } from '../platform/fairness/bounded-lines.ts';
import type { Chats } from '../support/chats.ts';
import type { Parts } from './frames.ts';

/** The reads of conversations that this module needs. */
export type ChatReads = Pick<Chats, 'messages' | 'message' | 'state'>;

interface Readers {
  isConnected(customerId: string): boolean;
  publishTo(customerId: string, topic: PrivateTopicKind, data: unknown, parts: Parts): void;
}

const SNAPSHOT = 20;
/** News of one customer that may wait. */
const MAX_WAITING = 1_000;

/** Sends connected customers new messages and the state of their conversation. */
export class ChatUpdates {
  readonly #chats: ChatReads;
  readonly #readers: Readers;
  readonly #turns = new BoundedLines({ maxWaiting: MAX_WAITING });

  constructor(chats: ChatReads, readers: Readers) {
    this.#chats = chats;
    this.#readers = readers;
  }

  /**
   * Handles a notification of a conversation. One customer's notifications are handled one after the other, so that messages keep their order and no older state follows a newer one.
   */
  async publish({ customerId, messageId }: ChannelNews<'chat'>): Promise<void> {
    if (!this.#readers.isConnected(customerId)) return;
    await this.#turns.take(customerId, () => this.#tell(customerId, messageId));
  }

  async #tell(customerId: string, id: string | null): Promise<void> {
    if (id !== null) {
      const message = await this.#chats.message(customerId, id);
      if (message) this.#readers.publishTo(customerId, 'chat', message, () => [[message.id, message]]);
    }
    const state = await this.#chats.state(customerId);
    this.#readers.publishTo(customerId, 'chatState', state, () => [['state', state]]);
  }

  /** The newest messages, newest first. */
  messages(customerId: string): Promise<ChatMessage[]> {
    return this.#chats.messages(customerId, { limit: SNAPSHOT });
  }

  state(customerId: string): Promise<ChatState> {
    return this.#chats.state(customerId);
  }
}
