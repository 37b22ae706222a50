import { randomBytes } from 'node:crypto';
import { connect, type Socket } from 'node:net';

/** The request that one connection of a flood repeats. */
export type Kind =
  | 'subscriptions'
  | 'lists'
  | 'boards'
  | 'details'
  | 'candles'
  | 'ticks'
  | 'sparks'
  | 'pages'
  | 'proofs'
  | 'pipelines'
  | 'logins'
  | 'ownTopics'
  | 'ownLists';

/** Kinds that anybody may request. */
export const KINDS: readonly Kind[] = [
  'subscriptions',
  'lists',
  'boards',
  'details',
  'candles',
  'ticks',
  'sparks',
  'pages',
  'proofs',
  'pipelines',
  'logins',
];
/** Kinds that only a customer may request. */
export const OWN_KINDS: readonly Kind[] = ['ownTopics', 'ownLists'];

export interface FloodOptions {
  readonly port: number;
  readonly symbols: readonly string[];
  /** Loopback addresses that connections come from. */
  readonly addresses: readonly string[];
  /** Connections of each kind from each address. */
  readonly each: number;
  readonly kinds?: readonly Kind[];
  /** A session, for a flood by a customer. */
  readonly token?: string;
}

/** The first addresses of the loopback network; the server counts each as another client. */
export const loopbackAddresses = (count: number): string[] =>
  Array.from({ length: count }, (_, place) => `127.0.0.${place + 1}`);

const AGAIN_AFTER_MS = 20;
/** A reader's messages in one write: as many as the server allows in ten seconds. */
const SUBSCRIPTIONS = 390;
const PIPELINED = 400;
const OWN_TOPICS = ['orders', 'funds', 'notices', 'chat', 'chatState'];
const PERIODS = ['1m', '5m', '30m', '1d', '1w', '1M'];

/**
 * Clients that send the most expensive requests, over bare sockets so that sending costs them almost no processor time. A client
 * that is refused or cut off reconnects after a moment.
 */
export class Flood {
  readonly #options: FloodOptions;
  readonly #sockets = new Set<Socket>();
  #isOver = false;
  #asked = 0;
  /** The number of connections made, and of bytes received. */
  connections = 0;
  bytes = 0;

  private constructor(options: FloodOptions) {
    this.#options = options;
  }

  static start(options: FloodOptions): Flood {
    const flood = new Flood(options);
    for (const address of options.addresses) {
      for (const kind of options.kinds ?? KINDS) {
        for (let place = 0; place < options.each; place += 1) flood.#connect(kind, address);
      }
    }
    return flood;
  }

  stop(): void {
    this.#isOver = true;
    for (const socket of this.#sockets) socket.destroy();
  }

  #connect(kind: Kind, localAddress: string): void {
    if (this.#isOver) return;
    const socket = connect({ host: '127.0.0.1', port: this.#options.port, localAddress });
    this.#sockets.add(socket);
    this.connections += 1;
    socket.on('connect', () => socket.write(this.#bytesOf(kind)));
    socket.on('data', (data) => {
      this.bytes += data.length;
    });
    socket.on('error', () => socket.destroy());
    socket.on('close', () => {
      this.#sockets.delete(socket);
      setTimeout(() => this.#connect(kind, localAddress), AGAIN_AFTER_MS);
    });
  }

  #bytesOf(kind: Kind): Buffer {
    this.#asked += 1;
    if (kind === 'subscriptions') return this.#subscriptions((place) => this.#publicTopic(place));
    if (kind === 'ownTopics') return this.#subscriptions((place) => OWN_TOPICS[place % 5] as string);
    if (kind === 'logins') return this.#login();
    if (kind === 'pipelines')
      return Buffer.concat(Array.from({ length: PIPELINED }, () => this.#request('/api/product/list', true)));
    return this.#request(this.#pathOf(kind), false);
  }

  #pathOf(kind: Exclude<Kind, 'subscriptions' | 'ownTopics' | 'pipelines' | 'logins'>): string {
    const { symbols } = this.#options;
    const symbol = encodeURIComponent(symbols[this.#asked % symbols.length] as string);
    const now = Date.now();
    switch (kind) {
      case 'lists':
        return `/api/product/list?lang=${['zh', 'tw', 'en'][this.#asked % 3]}`;
      case 'boards':
        return '/api/product/board?lang=en';
      case 'details':
        return `/api/product/detail?symbol=${symbol}`;
      case 'candles':
        return `/api/product/candles?symbol=${symbol}&period=${PERIODS[this.#asked % 6]}&limit=1000&before=${now - this.#asked}`;
      case 'ticks':
        return `/api/product/ticks?symbol=${symbol}&from=${now - 7_200_000}&to=${now - (this.#asked % 1000)}`;
      case 'sparks':
        return `/api/product/sparks?symbols=${encodeURIComponent(symbols.slice(0, 20 + (this.#asked % 100)).join(','))}`;
      case 'pages':
        return this.#asked % 2 ? '/index' : '/home';
      case 'proofs':
        return `/api/transparency/proof?index=${this.#asked % 200}`;
      case 'ownLists':
        return `/api/${['order/list?limit=100', 'fund/log?limit=100', 'user/getUserInfo'][this.#asked % 3]}`;
    }
  }

  #request(path: string, isKept: boolean): Buffer {
    const { token } = this.#options;
    const session = token === undefined ? '' : `token: ${token}\r\n`;
    const end = isKept ? 'keep-alive' : 'close';
    return Buffer.from(
      `GET ${path} HTTP/1.1\r\nhost: flood\r\naccept-encoding: br\r\n${session}connection: ${end}\r\n\r\n`,
    );
  }

  /** The handshake and, in the same write, as many subscriptions as a reader may send. */
  #subscriptions(topicAt: (place: number) => string): Buffer {
    const { token } = this.#options;
    const key = randomBytes(16).toString('base64');
    const shake = `GET /api/stream HTTP/1.1\r\nhost: flood\r\nupgrade: websocket\r\nconnection: upgrade\r\nsec-websocket-version: 13\r\nsec-websocket-key: ${key}\r\n\r\n`;
    const frames: Buffer[] = [Buffer.from(shake)];
    if (token !== undefined) frames.push(maskedFrame(JSON.stringify({ op: 'auth', token })));
    for (let n = 0; n < SUBSCRIPTIONS; n += 1)
      frames.push(maskedFrame(JSON.stringify({ op: 'sub', topic: topicAt(n) })));
    return Buffer.concat(frames);
  }

  #publicTopic(place: number): string {
    const { symbols } = this.#options;
    const symbol = symbols[place % symbols.length];
    return place % 3 === 0 ? 'quotes' : place % 3 === 1 ? `quote:${symbol}` : `candle:${symbol}:1m`;
  }

  /** A wrong password, for another account each time. */
  #login(): Buffer {
    const body = `account=nobody_${this.#asked}&password=a-guess-${this.#asked}`;
    return Buffer.from(
      `POST /api/user/login HTTP/1.1\r\nhost: flood\r\ncontent-type: application/x-www-form-urlencoded\r\ncontent-length: ${body.length}\r\nconnection: close\r\n\r\n${body}`,
    );
  }
}

/** A short text as a client's frame. A mask of zeros leaves the payload unchanged. */
function maskedFrame(text: string): Buffer {
  const payload = Buffer.from(text);
  if (payload.length > 125) {
    const head = Buffer.from([0x81, 0xfe, payload.length >> 8, payload.length & 0xff, 0, 0, 0, 0]);
    return Buffer.concat([head, payload]);
  }
  return Buffer.concat([Buffer.from([0x81, 0x80 | payload.length, 0, 0, 0, 0]), payload]);
}
