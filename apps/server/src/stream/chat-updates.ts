import type { ChannelNews } from '../platform/bus/channels.ts';
import { BOUNDS } from '../platform/fairness/bounds.ts';
import { Line } from '../platform/fairness/line.ts';
import type { Chats } from '../support/chats.ts';
import type { Readers } from './frames.ts';

export type ChatReads = Pick<Chats, 'messages' | 'message' | 'state'>;

export class ChatUpdates {
  readonly #chats: ChatReads;
  readonly #readers: Readers;
  readonly #turns = new Line(BOUNDS.updates);

  constructor(chats: ChatReads, readers: Readers) {
    this.#chats = chats;
    this.#readers = readers;
  }

  /** One customer's notifications are handled one after the other, so that no older state follows a newer one. */
  async publish({ customerId, messageId }: ChannelNews<'chat'>): Promise<void> {
    if (!this.#readers.isConnected(customerId)) return;
    await this.#turns.take({ kind: 'inside', who: customerId }, () => this.#tell(customerId, messageId));
  }

  async #tell(customerId: string, id: string | null): Promise<void> {
    if (id !== null) {
      const message = await this.#chats.message(customerId, id);
      if (message) this.#readers.publishTo(customerId, 'chat', message, () => [[message.id, message]]);
    }
    const state = await this.#chats.state(customerId);
    this.#readers.publishTo(customerId, 'chatState', state, () => [['state', state]]);
  }
}
