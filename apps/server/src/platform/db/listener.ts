import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import type { Logger } from 'pino';
import { type Channel, type ChannelNews, readNews } from './notify-channels.ts';

/** @param news null after a (re)connection: any notice may have been missed */
type Handler<C extends Channel> = (news: ChannelNews<C> | null) => void;

interface Waiting {
  readonly channel: Channel;
  readonly payload: string;
}

const RETRY_MS = 300;
/** A connection that the network has dropped looks idle for hours. */
const ASK_EVERY_MS = 1_000;
const ANSWER_MS = 3_000;
const SLICE_MS = 5;
const MOST_WAITING = 16_000_000;

/**
 * Notices of other processes: they only say that there is something to read. After every (re)connection all handlers are called once with null.
 * A notice that does not have its channel's form is counted, logged once for each channel, and dropped. Any login of the database can send
 * notices, so each turn handles few; beyond {@link MOST_WAITING} all that wait are dropped, as if the connection was lost.
 */
export class Listener {
  readonly #address: pg.ClientConfig;
  readonly #log: Logger;
  readonly #handlers = new Map<Channel, Handler<Channel>[]>();
  readonly #logged = new Set<Channel>();
  #onRefused: () => void = () => {};
  #client: pg.Client | null = null;
  #waiting: Waiting[] = [];
  #waitingChars = 0;
  #isStopped = false;

  constructor(address: pg.ClientConfig, log: Logger) {
    this.#address = address;
    this.#log = log;
  }

  on<C extends Channel>(channel: C, handler: Handler<C>): void {
    this.#handlers.set(channel, [...(this.#handlers.get(channel) ?? []), handler as Handler<Channel>]);
  }

  onRefused(count: () => void): void {
    this.#onRefused = count;
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    await this.#client?.end().catch(() => {});
  }

  async start(): Promise<void> {
    const client = new pg.Client({
      ...this.#address,
      application_name: 'fairtick listener',
      connectionTimeoutMillis: ANSWER_MS,
      query_timeout: ANSWER_MS,
      keepAlive: true,
    });
    client.on('error', () => {});
    client.on('notification', ({ channel, payload }) => this.#take(channel as Channel, payload ?? ''));
    client.on('end', () => {
      if (this.#client === client && !this.#isStopped) void this.#reconnect();
    });
    try {
      await client.connect();
      for (const channel of this.#handlers.keys()) await client.query(`listen ${channel}`);
    } catch (error) {
      void client.end();
      throw error;
    }
    this.#client = client;
    if (this.#isStopped) return this.stop();
    this.#tellAll();
    void this.#ask(client);
  }

  async #ask(client: pg.Client): Promise<void> {
    while (this.#client === client && !this.#isStopped) {
      await sleep(ASK_EVERY_MS, undefined, { ref: false });
      try {
        await client.query('select 1');
      } catch {
        void client.end();
        return;
      }
    }
  }

  async #reconnect(): Promise<void> {
    this.#log.warn('the listening connection was lost');
    while (!this.#isStopped) {
      try {
        await sleep(RETRY_MS);
        await this.start();
        return;
      } catch {
        // The database is still away; the pool's users report it.
      }
    }
  }

  #take(channel: Channel, payload: string): void {
    if (this.#waitingChars > MOST_WAITING) {
      this.#log.warn({ notices: this.#waiting.length }, 'too many notices wait: they are dropped');
      this.#waiting = [];
      this.#waitingChars = 0;
      this.#tellAll();
    }
    this.#waiting.push({ channel, payload });
    this.#waitingChars += payload.length;
    if (this.#waiting.length === 1) setImmediate(() => this.#hearSome());
  }

  #hearSome(): void {
    const endMs = performance.now() + SLICE_MS;
    let count = 0;
    while (count < this.#waiting.length && performance.now() < endMs) {
      const { channel, payload } = this.#waiting[count] as Waiting;
      count += 1;
      this.#waitingChars -= payload.length;
      this.#hear(channel, payload);
    }
    this.#waiting.splice(0, count);
    if (this.#waiting.length > 0) setImmediate(() => this.#hearSome());
  }

  #hear(channel: Channel, payload: string): void {
    const news = readNews(channel, payload);
    if (news !== null) {
      this.#tell(channel, news);
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
