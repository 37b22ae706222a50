import type { Duplex } from 'node:stream';
import {
  CLOSE_SESSION_ENDED,
  type ClientMessage,
  type Language,
  languageOf,
  type Notice,
  type PrivateTopicKind,
  type StreamTime,
} from '@fairtick/protocol';
import type { Logger } from 'pino';
import type { WebSocket } from 'ws';
import type { Ended, Sessions } from '../customers/identity/sessions.ts';
import { LogTime } from '../market/log/log-time.ts';
import type { LogNews } from '../market/log/ready-step.ts';
import type { MarketRow } from '../market/market-view.ts';
import { NO_STOPS, type OrderStops } from '../market/order-stops.ts';
import type { StateParts } from '../market/product-state.ts';
import { REPORT_EVERY_MS, type WatchedProducts } from '../market/watched-products.ts';
import type { Assets } from '../platform/assets.ts';
import type { ChannelNews } from '../platform/bus/channels.ts';
import type { Pool } from '../platform/db/database.ts';
import type { LoopTurns } from '../platform/fairness/loop-turns.ts';
import type { Session } from '../platform/http/session.ts';
import type { StreamLimits } from '../platform/stream-limits.ts';
import type { OrderQueryParts } from '../trading/orders/order-queries.ts';
import { CandleBook, type CandleParts } from './candle-book.ts';
import { type ChatReads, ChatUpdates } from './chat-updates.ts';
import { readMessage, takeMessages } from './client-message.ts';
import { Connection, MAX_TOPICS } from './connection.ts';
import { Change, type Parts } from './frames.ts';
import { NoticeUpdates } from './notice-updates.ts';
import { OrderUpdates } from './order-and-balance-updates.ts';
import { Outbox } from './outbox.ts';
import { QuoteUpdates } from './quote-updates.ts';
import { ReaderLimits } from './reader-limits.ts';
import { type Beginning, type Beginnings, candleTopic, isPrivate, parseTopic, type Topic } from './topics.ts';

/** How often the list of all prices is sent; a single product's topic gets every tick. */
const QUOTES_EVERY_MS = 500;
const TIME_EVERY_MS = 15_000;
const CATCH_UP_EVERY_MS = 100;
const ALIVE_EVERY_MS = 30_000;
const EXPIRED_EVERY_MS = 1_000;
const MAX_CONNECTIONS = 20_000;
/** Newest messages of a conversation in a snapshot. */
const MESSAGES = 20;
/** How long a refused client has to read the close frame. */
const REFUSED_MS = 1_000;
const FAREWELL_MS = 1_000;

export interface HubParts
  extends OrderQueryParts,
    Pick<CandleParts, 'readers' | 'past'>,
    Pick<StateParts, 'feed'> {
  readonly pool: Pool;
  readonly watched: WatchedProducts;
  readonly sessions: Sessions;
  readonly assets: Assets;
  readonly log: Logger;
  readonly chats: ChatReads;
  readonly turns: LoopTurns;
  readonly shares: StreamLimits;
}

export class StreamHub {
  readonly #parts: HubParts;
  readonly #readers = new Map<string, Set<Connection>>();
  readonly #connections = new Set<Connection>();
  readonly #byCustomer = new Map<string, Set<Connection>>();
  readonly #candles: CandleBook;
  readonly #outbox = new Outbox();
  readonly #shares: ReaderLimits;
  readonly #quotes: QuoteUpdates;
  readonly orderUpdates: OrderUpdates;
  readonly noticeUpdates: NoticeUpdates;
  readonly chatUpdates: ChatUpdates;
  readonly #beginnings: Beginnings = {
    quotes: (_open, _about, write) => write(this.#quotes.all()),
    quote: (open, { product }) => open(this.#quotes.of(product.id)),
    time: (open) => open(this.#time()),
    candle: async (open, about) => {
      open(await this.#candles.open(about));
      // The last reader may have left during the read.
      if (!this.#readers.has(candleTopic(about.product, about.period))) this.#candles.close(about);
    },
    orders: (open, { customerId }) => this.orderUpdates.snapshot(customerId, open),
    funds: (open, { customerId }) => this.orderUpdates.balances(customerId, open),
    notices: async (open, { customerId, language }) =>
      open(await this.noticeUpdates.snapshot(customerId, language)),
    chat: async (open, { customerId }) => open(await this.#parts.chats.messages(customerId, MESSAGES)),
    chatState: async (open, { customerId }) => open(await this.#parts.chats.state(customerId)),
  };
  readonly #timers: NodeJS.Timeout[] = [];
  #stops = NO_STOPS;
  readonly logTime = new LogTime();
  readonly stateParts: StateParts;

  constructor(parts: HubParts) {
    this.#parts = parts;
    this.stateParts = {
      feed: parts.feed,
      nowMs: () => this.logTime.now(),
      logMs: () => this.logTime.head?.timeMs ?? null,
      stops: () => this.#stops,
    };
    this.#quotes = new QuoteUpdates(parts.market, this.stateParts, {
      hasReaders: (topic) => this.#readers.has(topic),
      publish: (...change) => this.#publish(...change),
    });
    this.#candles = new CandleBook(parts);
    this.#shares = new ReaderLimits(parts.shares);
    this.orderUpdates = new OrderUpdates(parts, this);
    this.noticeUpdates = new NoticeUpdates(parts, this);
    this.chatUpdates = new ChatUpdates(parts.chats, this);
    parts.sessions.onEnd((ended) => this.#endSessions(ended));
  }

  get size(): number {
    return this.#connections.size;
  }

  start(): void {
    this.#every(QUOTES_EVERY_MS, () => this.#quotes.send());
    this.#every(TIME_EVERY_MS, () => this.#sendTime());
    this.#every(CATCH_UP_EVERY_MS, () => this.#catchUp());
    this.#every(ALIVE_EVERY_MS, () => {
      for (const connection of this.#connections) connection.probe();
      this.#shares.tidy();
    });
    this.#every(EXPIRED_EVERY_MS, () => {
      this.#endExpired().catch((error: unknown) =>
        this.#parts.log.warn({ err: error }, 'sessions of readers could not be looked up'),
      );
    });
    this.#every(REPORT_EVERY_MS, () => this.#parts.watched.tell(this.#watchedIds()));
  }

  stop(): void {
    for (const timer of this.#timers) clearInterval(timer);
    for (const connection of this.#connections) connection.closeWith(1001, 'going away');
    setTimeout(() => {
      for (const connection of this.#connections) connection.cutOff();
    }, FAREWELL_MS).unref();
  }

  /** Errors are in `language` until the reader chooses another one. */
  accept(
    socket: WebSocket,
    wire: Duplex,
    { language, address }: { language: Language; address: string | null },
  ): void {
    socket.on('error', () => socket.terminate());
    const share = this.#connections.size < MAX_CONNECTIONS ? this.#shares.enter(address) : null;
    if (!share) {
      socket.close(1013, 'full');
      setTimeout(() => socket.terminate(), REFUSED_MS).unref();
      return;
    }
    const connection = new Connection(socket, { wire, outbox: this.#outbox, language, share });
    this.#connections.add(connection);
    socket.on('close', () => this.#drop(connection));
    const { turns, log } = this.#parts;
    takeMessages(socket, connection, {
      handle: (text) => turns.take(share.who).then(() => this.#handle(connection, text)),
      log,
    });
  }

  publishNews({ entries, head, quotes }: LogNews, rows: readonly MarketRow[]): void {
    this.logTime.take(head);
    for (const entry of entries) {
      for (const [topic, candle] of this.#candles.add(entry)) {
        this.#publish(topic, JSON.stringify(candle), () => [['candle', candle]]);
      }
    }
    const products = new Set<number>();
    for (const row of rows) {
      products.add(row.product.id);
      this.#quotes.take(row, quotes?.get(row.product.id));
    }
    for (const productId of products) this.orderUpdates.lookForOpenings(productId);
  }

  takeStops(stops: OrderStops): void {
    this.#stops = stops;
    this.#quotes.send();
  }

  /** Readers get it with the next list of prices. */
  hearStops(stops: OrderStops): void {
    this.#stops = stops;
  }

  /** Notifications may have been missed. */
  async resynchronise(): Promise<void> {
    for (const connection of [...this.#connections]) {
      if (!connection.session || !(await this.#stillLives(connection))) continue;
      for (const [topic, parsed] of this.#privateTopics(connection))
        await this.#begin(connection, topic, parsed);
    }
  }

  /** Closes readers whose sessions have ended by time, of which no notice tells. Others may have been used since they were read. */
  async #endExpired(): Promise<void> {
    const nowMs = Date.now();
    const due = [...this.#connections].filter(({ session }) => session && session.endsMs <= nowMs);
    await Promise.all(due.map((connection) => this.#stillLives(connection)));
  }

  /** Closes a reader that has no session any more. */
  async #stillLives(connection: Connection): Promise<boolean> {
    const session = await this.#parts.sessions.find(connection.token);
    if (!this.#connections.has(connection)) return false;
    if (session) this.#setSession(connection, session);
    else connection.closeWith(CLOSE_SESSION_ENDED, 'session ended');
    return session !== null;
  }

  async #handle(connection: Connection, text: string | null): Promise<void> {
    // A reader that left while its messages waited must not be added again.
    if (!this.#connections.has(connection)) return;
    const message = readMessage(text);
    switch (message?.op) {
      case 'ping':
        return connection.reply({ op: 'pong', serverTime: this.logTime.now() });
      case 'auth':
        return this.#authenticate(connection, message);
      case 'sub':
        return this.#subscribe(connection, message.topic);
      case 'unsub':
        return this.#leave(message.topic, connection);
      default:
        return connection.error('INVALID_MESSAGE');
    }
  }

  async #authenticate(
    connection: Connection,
    message: Extract<ClientMessage, { op: 'auth' }>,
  ): Promise<void> {
    if (message.lang !== undefined) connection.language = languageOf(message.lang);
    const session = await this.#parts.sessions.find(message.token);
    if (!session) {
      connection.error('SESSION_EXPIRED');
      return connection.closeWith(CLOSE_SESSION_ENDED, 'no session');
    }
    if (!this.#connections.has(connection)) return;
    if (!connection.share.countFor(session.customerId)) return connection.closeWith(1013, 'full');
    this.#setSession(connection, session);
    connection.token = message.token;
    connection.reply({ op: 'auth', ok: true });
  }

  /** Private topics of another customer are left. */
  #setSession(connection: Connection, session: Session | null): void {
    const before = connection.session;
    connection.session = session;
    if (before && before.customerId !== session?.customerId) {
      for (const [topic] of this.#privateTopics(connection)) this.#leave(topic, connection);
      const others = this.#byCustomer.get(before.customerId);
      others?.delete(connection);
      if (others?.size === 0) {
        this.#byCustomer.delete(before.customerId);
        this.orderUpdates.forget(before.customerId);
      }
    }
    if (!session) return;
    const mine = this.#byCustomer.get(session.customerId) ?? new Set();
    this.#byCustomer.set(session.customerId, mine.add(connection));
  }

  *#privateTopics(connection: Connection): Generator<readonly [string, Topic]> {
    for (const topic of [...connection.topics.keys()]) {
      const parsed = parseTopic(topic, this.#parts.products);
      if (parsed && isPrivate(parsed)) yield [topic, parsed];
    }
  }

  #endSessions({ customerId, tokenHash, exceptHash }: Ended): void {
    for (const connection of [...(this.#byCustomer.get(customerId) ?? [])]) {
      const hash = connection.session?.tokenHash.toString('hex');
      if (tokenHash === hash || (tokenHash === null && exceptHash !== hash)) {
        connection.closeWith(CLOSE_SESSION_ENDED, 'session ended');
      }
    }
  }

  async #subscribe(connection: Connection, topic: string): Promise<void> {
    const parsed = parseTopic(topic, this.#parts.products);
    if (!parsed) return connection.error('UNKNOWN_TOPIC', topic.slice(0, 100));
    if (isPrivate(parsed) && !connection.session) return connection.error('SESSION_EXPIRED', topic);
    if (
      !connection.topics.has(topic) &&
      (connection.topics.size >= MAX_TOPICS || !connection.share.mayFollow())
    )
      return connection.error('TOO_MANY_TOPICS', topic);
    try {
      await this.#begin(connection, topic, parsed);
    } catch (error) {
      this.#leave(topic, connection);
      this.#parts.log.warn({ err: error }, 'a topic could not begin');
      connection.error('NOT_READY', topic);
    }
    if (parsed.kind === 'quote') this.#parts.watched.tell([parsed.product.id]);
  }

  /** Joins before the snapshot is read: a change in between is sent after it, and none is missed. */
  async #begin(connection: Connection, topic: string, parsed: Topic): Promise<void> {
    const readers = this.#readers.get(topic) ?? new Set();
    this.#readers.set(topic, readers.add(connection));
    const subscription = connection.join(topic);
    const about = isPrivate(parsed)
      ? { customerId: (connection.session as Session).customerId, language: connection.language }
      : parsed;
    await (this.#beginnings[parsed.kind] as Beginning)(
      (snapshot) => connection.open(topic, subscription, snapshot),
      about,
      (json) => connection.openWritten(topic, subscription, json),
    );
  }

  #time(): StreamTime {
    return {
      serverTime: this.logTime.now(),
      size: this.logTime.head?.size ?? 0,
      root: this.logTime.head?.root.toString('hex') ?? '',
    };
  }

  #sendTime(): void {
    const time = this.#time();
    this.#publish('time', JSON.stringify(time), () => [['time', time]]);
  }

  #publish(topic: string, json: string, parts: Parts): void {
    const readers = this.#readers.get(topic);
    if (!readers || readers.size === 0) return;
    const change = new Change(topic, json, parts);
    for (const connection of readers) connection.change(change);
  }

  publishTo(customerId: string, topic: PrivateTopicKind, data: unknown, parts: Parts): void {
    const change = new Change(topic, JSON.stringify(data), parts);
    for (const connection of this.#byCustomer.get(customerId) ?? []) connection.change(change);
  }

  publishNotice(customerId: string, inLanguage: ReadonlyMap<Language, Notice>): void {
    for (const [language, notice] of inLanguage) {
      const change = new Change('notices', JSON.stringify(notice), () => [[notice.id, notice]]);
      for (const connection of this.#byCustomer.get(customerId) ?? []) {
        if (connection.language === language) connection.change(change);
      }
    }
  }

  async publishInterest({ first, last }: ChannelNews<'earnings'>): Promise<void> {
    const here = [...this.#byCustomer.keys()].filter((id) => Number(id) >= first && Number(id) <= last);
    await this.orderUpdates.publish(here.map((customerId) => ({ customerId, orderId: 0 })));
  }

  isConnected(customerId: string): boolean {
    return this.#byCustomer.has(customerId);
  }

  #catchUp(): void {
    const nowMs = performance.now();
    for (const connection of this.#connections) {
      // The list of prices is one change for all its products; other topics send one change per value.
      connection.catchUp(nowMs, (topic, values) => (topic === 'quotes' ? [values] : values));
    }
  }

  #drop(connection: Connection): void {
    this.#connections.delete(connection);
    for (const topic of [...connection.topics.keys()]) this.#leave(topic, connection);
    this.#setSession(connection, null);
    connection.share.leave();
  }

  #leave(topic: string, connection: Connection): void {
    if (connection.close(topic)) connection.share.unfollow();
    const readers = this.#readers.get(topic);
    readers?.delete(connection);
    if (readers?.size !== 0) return;
    this.#readers.delete(topic);
    const parsed = parseTopic(topic, this.#parts.products);
    if (parsed?.kind === 'candle') this.#candles.close(parsed);
  }

  *#watchedIds(): Generator<number> {
    for (const topic of this.#readers.keys()) {
      const parsed = parseTopic(topic, this.#parts.products);
      if (parsed?.kind === 'quote') yield parsed.product.id;
    }
  }

  #every(ms: number, work: () => void): void {
    this.#timers.push(setInterval(work, ms));
  }
}
