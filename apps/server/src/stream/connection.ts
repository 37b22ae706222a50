import type { Duplex } from 'node:stream';
import { CLOSE_TOO_SLOW, type ErrorCode, errorMessage, type Language } from '@fairtick/protocol';
import type { WebSocket } from 'ws';
import type { Session } from '../platform/http/session.ts';
import { type Change, textFrame, topicMessage } from './frames.ts';
import type { Outbox } from './outbox.ts';
import type { Share } from './reader-limits.ts';

/** A reader with more unsent bytes is slow: it gets the newest state once it has caught up. */
const SLOW_BYTES = 256 * 1024;
/** A reader that stays slow for this long, or has this many unsent bytes, is closed. */
const SLOW_MS = 15_000;
const MAX_BYTES = 4 * 1024 * 1024;
const HOLD_BYTES = 32 * 1024;
export const MAX_TOPICS = 300;

/** Unsent changes of one topic for a slow reader, by key, so that a newer state replaces an older one. */
type Backlog = Map<string, unknown>;

export interface Subscription {
  seq: number;
  /** False until the snapshot is sent; changes wait until then. */
  isOpen: boolean;
  backlog: Backlog | null;
}

export class Connection {
  readonly #socket: WebSocket;
  /** The stream under the WebSocket: finished frames are written to it directly. */
  readonly #wire: Duplex;
  readonly #outbox: Outbox;
  readonly share: Share;
  /** Frames of this turn of the event loop, which leave in one write. */
  #held: Buffer[] = [];
  #heldBytes = 0;
  readonly #topics = new Map<string, Subscription>();
  session: Session | null = null;
  token = '';
  language: Language;
  #slowSinceMs: number | null = null;
  #isAlive = true;

  constructor(
    socket: WebSocket,
    options: { wire: Duplex; outbox: Outbox; language: Language; share: Share },
  ) {
    this.#socket = socket;
    this.#wire = options.wire;
    this.#outbox = options.outbox;
    this.share = options.share;
    this.language = options.language;
    socket.on('pong', () => {
      this.#isAlive = true;
    });
  }

  get topics(): ReadonlyMap<string, Subscription> {
    return this.#topics;
  }

  /** Joins a topic (again) before its snapshot is read: changes from now on are kept and sent after the snapshot. */
  join(topic: string): Subscription {
    const subscription: Subscription = { seq: 0, isOpen: false, backlog: null };
    this.#topics.set(topic, subscription);
    return subscription;
  }

  /** Sends the snapshot of a joined topic. Does nothing if the reader has left or joined again meanwhile. */
  open(topic: string, subscription: Subscription, data: unknown): void {
    this.openWritten(topic, subscription, JSON.stringify(data));
  }

  openWritten(topic: string, subscription: Subscription, json: string): void {
    if (this.#topics.get(topic) !== subscription || subscription.isOpen) return;
    subscription.isOpen = true;
    subscription.seq = 1;
    this.#sendText(topicMessage(topic, 1, 'snapshot', json));
  }

  close(topic: string): boolean {
    return this.#topics.delete(topic);
  }

  /** A reader that does not answer is cut off after 30 s. */
  closeWith(code: number, reason: string): void {
    this.flush();
    this.#socket.close(code, reason);
  }

  cutOff(): void {
    this.#socket.terminate();
  }

  reply(message: unknown): void {
    this.#sendText(JSON.stringify(message));
  }

  error(code: ErrorCode, topic?: string): void {
    const msg = errorMessage(code, this.language);
    this.#sendText(JSON.stringify(topic === undefined ? { error: code, msg } : { error: code, msg, topic }));
  }

  /** Adds the change to the backlog when the reader is slow. */
  change(change: Change): void {
    const subscription = this.#topics.get(change.topic);
    if (!subscription) return;
    // While there is a backlog, newer changes must not overtake it.
    if (!subscription.isOpen || subscription.backlog || this.isSlow()) {
      subscription.backlog ??= new Map();
      for (const [key, value] of change.parts()) subscription.backlog.set(key, value);
      return;
    }
    subscription.seq += 1;
    this.#send(change.frame(subscription.seq));
  }

  isSlow(): boolean {
    return this.#unsentBytes() > SLOW_BYTES;
  }

  /** Closes a reader that stays slow. */
  catchUp(nowMs: number, assemble: (topic: string, values: readonly unknown[]) => readonly unknown[]): void {
    if (this.isSlow()) {
      this.#slowSinceMs ??= nowMs;
      if (nowMs - this.#slowSinceMs > SLOW_MS) this.closeWith(CLOSE_TOO_SLOW, 'too slow');
      return;
    }
    this.#slowSinceMs = null;
    for (const [topic, subscription] of this.#topics) {
      if (!subscription.isOpen || !subscription.backlog) continue;
      const values = assemble(topic, [...subscription.backlog.values()]);
      subscription.backlog = null;
      for (const data of values) {
        subscription.seq += 1;
        this.#sendText(topicMessage(topic, subscription.seq, 'change', JSON.stringify(data)));
      }
    }
  }

  probe(): void {
    if (this.#isAlive) {
      this.#isAlive = false;
      this.#socket.ping();
    } else this.#socket.terminate();
  }

  flush(): void {
    const [first, ...more] = this.#held;
    if (!first) return;
    this.#held = [];
    this.#heldBytes = 0;
    // No frame may follow the close frame.
    if (this.#socket.readyState === this.#socket.OPEN)
      this.#wire.write(more.length === 0 ? first : Buffer.concat([first, ...more]));
  }

  #sendText(text: string): void {
    this.#send(textFrame(text));
  }

  /** Keeps unsent bytes bounded: a reader that sends requests but does not read is closed. */
  #send(frame: Buffer): void {
    if (this.#socket.readyState !== this.#socket.OPEN) return;
    if (this.#unsentBytes() > MAX_BYTES) {
      this.closeWith(CLOSE_TOO_SLOW, 'too slow');
      return;
    }
    if (this.#held.push(frame) === 1) this.#outbox.add(this);
    this.#heldBytes += frame.length;
    // Write early: held bytes count as unsent, but they say nothing about the reader's speed.
    if (this.#heldBytes >= HOLD_BYTES) this.flush();
  }

  #unsentBytes(): number {
    return this.#wire.writableLength + this.#heldBytes;
  }
}
