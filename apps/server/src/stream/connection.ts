import { CLOSE_TOO_SLOW, type ErrorCode, errorMessage, type Language } from '@fairtick/protocol';
import type { WebSocket } from 'ws';
import type { Session } from '../identity/sessions.ts';

/** Above this a reader is slow: it is sent the newest state when it has caught up, not every change. */
const SLOW_BYTES = 256 * 1024;
/** A reader that has not caught up for so long, or has so much in flight, is closed. */
const SLOW_MS = 15_000;
const MAX_BYTES = 4 * 1024 * 1024;
export const MAX_TOPICS = 300;

/** What a slow reader has yet to be sent of one topic: by key, so that a newer state replaces an older one. */
type Backlog = Map<string, unknown>;

/** A topic that a reader has taken up. Joined anew, it is another one. */
export interface Subscription {
  seq: number;
  /** False until the snapshot is sent: changes wait for it. */
  isOpen: boolean;
  backlog: Backlog | null;
}

/** One reader of the stream. */
export class Connection {
  readonly #socket: WebSocket;
  readonly #topics = new Map<string, Subscription>();
  session: Session | null = null;
  token = '';
  language: Language;
  #slowSinceMs: number | null = null;
  #isAlive = true;

  constructor(socket: WebSocket, language: Language) {
    this.#socket = socket;
    this.language = language;
    socket.on('pong', () => {
      this.#isAlive = true;
    });
  }

  get topics(): Iterable<string> {
    return this.#topics.keys();
  }

  get topicCount(): number {
    return this.#topics.size;
  }

  has(topic: string): boolean {
    return this.#topics.has(topic);
  }

  /** Takes up a topic (again) before its snapshot is read: what changes from now on is kept for after it. */
  join(topic: string): Subscription {
    const subscription: Subscription = { seq: 0, isOpen: false, backlog: null };
    this.#topics.set(topic, subscription);
    return subscription;
  }

  /** Begins a joined topic with its snapshot. Nothing happens when the reader has left or joined it anew meanwhile. */
  open(topic: string, subscription: Subscription, data: unknown): void {
    if (this.#topics.get(topic) !== subscription || subscription.isOpen) return;
    subscription.isOpen = true;
    subscription.seq = 1;
    this.#send(frame(topic, 1, 'snapshot', JSON.stringify(data)));
  }

  close(topic: string): void {
    this.#topics.delete(topic);
  }

  /** Says that it is over and why. Nothing is sent from now on; a reader that does not answer is cut off after 30 s. */
  closeWith(code: number, reason: string): void {
    this.#socket.close(code, reason);
  }

  cutOff(): void {
    this.#socket.terminate();
  }

  reply(message: unknown): void {
    this.#send(JSON.stringify(message));
  }

  error(code: ErrorCode, topic?: string): void {
    const msg = errorMessage(code, this.language);
    this.#send(JSON.stringify(topic === undefined ? { error: code, msg } : { error: code, msg, topic }));
  }

  /**
   * Sends a change of a topic, or keeps it for later when the reader is slow.
   * @param json the change, written once for all readers
   * @param parts the same by key: what a later state of the same key may replace
   */
  change(topic: string, json: string, parts: () => readonly (readonly [string, unknown])[]): void {
    const subscription = this.#topics.get(topic);
    if (!subscription) return;
    // While there is a backlog, what is newer must not overtake it.
    if (!subscription.isOpen || subscription.backlog || this.isSlow()) {
      subscription.backlog ??= new Map();
      for (const [key, value] of parts()) subscription.backlog.set(key, value);
      return;
    }
    subscription.seq += 1;
    this.#send(frame(topic, subscription.seq, 'change', json));
  }

  isSlow(): boolean {
    return this.#socket.bufferedAmount > SLOW_BYTES;
  }

  /** Sends what was kept once the reader has caught up; gives up on one that does not. Called now and then. */
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
        this.#send(frame(topic, subscription.seq, 'change', JSON.stringify(data)));
      }
    }
  }

  /** Asks whether the other side still lives; one that did not answer the last time is cut off. */
  probe(): void {
    if (this.#isAlive) {
      this.#isAlive = false;
      this.#socket.ping();
    } else this.#socket.terminate();
  }

  /** Whatever is sent, what waits to be sent stays bounded: a reader that asks and does not read is closed. */
  #send(text: string): void {
    if (this.#socket.readyState !== this.#socket.OPEN) return;
    if (this.#socket.bufferedAmount > MAX_BYTES) this.closeWith(CLOSE_TOO_SLOW, 'too slow');
    else this.#socket.send(text);
  }
}

function frame(topic: string, seq: number, type: 'snapshot' | 'change', json: string): string {
  return `{"topic":${JSON.stringify(topic)},"seq":${seq},"type":"${type}","data":${json}}`;
}
