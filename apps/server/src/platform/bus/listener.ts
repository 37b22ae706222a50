import type { Logger } from 'pino';
import { type Channel, type ChannelNews, readNews } from './channels.ts';
import { type Notice, SEPARATOR, type Wire } from './wire.ts';

/** @param news null after a (re)connection: any notice may have been missed */
type Handler<C extends Channel> = (news: ChannelNews<C> | null) => void;

const SLICE_MS = 5;
const MOST_WAITING = 16_000_000;

/**
 * Notices of other processes: they only say that there is something to read. After every (re)connection all handlers are called once with null.
 * A notice that does not have its channel's form is counted, logged once for each channel, and dropped. Whoever reaches the wire can send
 * notices, so each turn handles few; beyond {@link MOST_WAITING} all that wait are dropped, as if the connection was lost.
 */
export class Listener {
  readonly #wire: Wire;
  readonly #log: Logger;
  readonly #handlers = new Map<Channel, Handler<Channel>[]>();
  readonly #logged = new Set<Channel>();
  #onRefused: () => void = () => {};
  #waiting: Notice[] = [];
  #waitingChars = 0;

  constructor(wire: Wire, log: Logger) {
    this.#wire = wire;
    this.#log = log;
  }

  on<C extends Channel>(channel: C, handler: Handler<C>): void {
    this.#handlers.set(channel, [...(this.#handlers.get(channel) ?? []), handler as Handler<Channel>]);
  }

  onRefused(count: () => void): void {
    this.#onRefused = count;
  }

  async start(): Promise<void> {
    const channels = new Set<Channel>([...this.#handlers.keys(), 'missed']);
    await this.#wire.hear(
      [...channels],
      (notice) => this.#take(notice),
      () => this.#tellAll(),
    );
  }

  async stop(): Promise<void> {
    await this.#wire.stop();
  }

  #take(notice: Notice): void {
    if (this.#waitingChars > MOST_WAITING) {
      this.#log.warn({ notices: this.#waiting.length }, 'too many notices wait: they are dropped');
      this.#waiting = [];
      this.#waitingChars = 0;
      this.#tellAll();
    }
    this.#waiting.push(notice);
    this.#waitingChars += notice.payload.length;
    if (this.#waiting.length === 1) setImmediate(() => this.#hearSome());
  }

  #hearSome(): void {
    const endMs = performance.now() + SLICE_MS;
    let count = 0;
    while (count < this.#waiting.length && performance.now() < endMs) {
      const { channel, payload } = this.#waiting[count] as Notice;
      count += 1;
      this.#waitingChars -= payload.length;
      for (const one of payload.split(SEPARATOR)) this.#hear(channel, one);
    }
    this.#waiting.splice(0, count);
    if (this.#waiting.length > 0) setImmediate(() => this.#hearSome());
  }

  #hear(channel: Channel, payload: string): void {
    const news = readNews(channel, payload);
    if (news !== null) {
      if (channel === 'missed') this.#tellAll();
      else this.#tell(channel, news);
      return;
    }
    this.#onRefused();
    if (this.#logged.has(channel)) return;
    this.#logged.add(channel);
    this.#log.warn({ channel }, 'a notice that does not have the form of its channel was dropped');
  }

  #tellAll(): void {
    for (const channel of this.#handlers.keys()) this.#tell(channel, null);
  }

  #tell(channel: Channel, news: ChannelNews<Channel> | null): void {
    for (const handler of this.#handlers.get(channel) ?? []) handler(news);
  }
}
