import { WebSocket } from 'ws';
import { type FrameReader, readFrame, type Venue, type VenueEvent, type Written } from './venue.ts';

/** The owner of a connection, who is told of what happens on it. */
export interface SocketEvents {
  events(events: readonly VenueEvent[]): void;
  /** A frame that is no JSON, or anything else worth a line in the log of operation. */
  fault(why: string): void;
  /** No connection carries prices any more, or one does again. */
  connected(isConnected: boolean): void;
}

const HANDSHAKE_MS = 10_000;
const MOST_BYTES = 1 << 20;
/** The wait before a new connection doubles with each failure in a row: 1, 2, 4 … 32 s. */
const MOST_WAIT_MS = 32_000;
/** How long a venue that answers 418 (banned for a time) is left alone, and 429 without a Retry-After. */
const BANNED_MS = 120_000;
const LIMITED_MS = 60_000;
/** A venue that ends connections at an age gets a new one this long before. */
const OVERLAP_MS = 60_000;
/** How often a second connection is tried while the first one still works. */
const OVERLAP_EVERY_MS = 10_000;
const LOOK_EVERY_MS = 500;

interface Line {
  readonly socket: WebSocket;
  readonly read: FrameReader;
  readonly sinceMs: number;
  heardMs: number;
  pingedMs: number;
  hasPrice: boolean;
  /** It was ended from this side, and the reason is told. */
  isCut: boolean;
}

/**
 * Keeps one connection to a venue: opens it, asks for the markets, sends its pings, cuts it when it falls silent, and opens it anew with
 * growing waits. Where an end is known ahead, a second connection overlaps the first until it has brought a price.
 */
export class VenueSocket {
  readonly #venue: Venue;
  readonly #url: string;
  readonly #markets: readonly string[];
  readonly #tell: SocketEvents;
  #line: Line | null = null;
  #next: Line | null = null;
  #failures = 0;
  #waitUntilMs = 0;
  #timer: NodeJS.Timeout | null = null;

  constructor(options: { venue: Venue; url?: string; markets: readonly string[]; tell: SocketEvents }) {
    this.#venue = options.venue;
    this.#url = options.url ?? options.venue.url;
    this.#markets = options.markets;
    this.#tell = options.tell;
  }

  start(): void {
    this.#line = this.#open();
    this.#timer = setInterval(() => this.#look(), LOOK_EVERY_MS);
  }

  stop(): void {
    if (this.#timer) clearInterval(this.#timer);
    this.#timer = null;
    for (const line of [this.#line, this.#next]) if (line) this.#cut(line, null);
    this.#line = null;
    this.#next = null;
  }

  #open(): Line | null {
    const nowMs = performance.now();
    const socket = new WebSocket(this.#url, {
      handshakeTimeout: HANDSHAKE_MS,
      maxPayload: MOST_BYTES,
      perMessageDeflate: false,
      followRedirects: false,
    });
    const line: Line = {
      socket,
      read: this.#venue.reader(new Set(this.#markets)),
      sinceMs: nowMs,
      heardMs: nowMs,
      pingedMs: nowMs,
      hasPrice: false,
      isCut: false,
    };
    socket.on('open', () => {
      line.heardMs = performance.now();
      for (const text of this.#venue.subscribe(this.#markets)) socket.send(text);
    });
    socket.on('message', (data) => this.#hear(line, data.toString()));
    socket.on('unexpected-response', (_request, response) => {
      const { statusCode = 0, headers } = response;
      if (statusCode === 418) this.#waitUntilMs = performance.now() + BANNED_MS;
      if (statusCode === 429) {
        const seconds = Number(headers['retry-after']);
        this.#waitUntilMs =
          performance.now() + (seconds > 0 && seconds < 3_600 ? seconds * 1_000 : LIMITED_MS);
      }
      this.#cut(line, `answers ${statusCode}`);
    });
    socket.on('error', (error: NodeJS.ErrnoException) => {
      // Of several addresses that fail, the error has a code alone. The end of an attempt is an error as well.
      if (!line.isCut) this.#tell.fault(error.message || (error.code ?? error.name));
    });
    socket.on('close', () => this.#closed(line));
    return line;
  }

  #hear(line: Line, text: string): void {
    if (line !== this.#line && line !== this.#next) return;
    line.heardMs = performance.now();
    let frame: Written;
    try {
      frame = text === 'pong' ? text : readFrame(text);
    } catch {
      this.#tell.fault('sent a frame that is no JSON');
      return;
    }
    const events = line.read(frame);
    if (events.some(({ kind }) => kind === 'leaving')) this.#overlap(line);
    if (!line.hasPrice && events.some(({ kind }) => kind === 'price')) {
      line.hasPrice = true;
      this.#failures = 0;
      if (line === this.#next) this.#takeOver(line);
      else this.#tell.connected(true);
    }
    if (line === this.#line) this.#tell.events(events.filter(({ kind }) => kind !== 'leaving'));
  }

  /** @param why null: the end is no fault */
  #cut(line: Line, why: string | null): void {
    line.isCut = true;
    if (why !== null) this.#tell.fault(why);
    line.socket.terminate();
  }

  /** Opens a second connection beside one whose end is near. */
  #overlap(line: Line): void {
    if (line !== this.#line || this.#next || performance.now() < this.#waitUntilMs) return;
    this.#waitUntilMs = performance.now() + OVERLAP_EVERY_MS;
    this.#next = this.#open();
  }

  #takeOver(line: Line): void {
    const before = this.#line;
    this.#line = line;
    this.#next = null;
    this.#tell.events([{ kind: 'gap', market: null }]);
    before?.socket.terminate();
  }

  #closed(line: Line): void {
    if (line === this.#next) this.#next = null;
    if (line !== this.#line) return;
    this.#line = this.#next;
    this.#next = null;
    if (line.hasPrice) this.#tell.connected(false);
    this.#tell.events([{ kind: 'gap', market: null }]);
    if (this.#line) return;
    // At once the first time, and never less than a second after the last attempt.
    const waitMs = this.#failures === 0 ? 0 : Math.min(1_000 * 2 ** (this.#failures - 1), MOST_WAIT_MS);
    const jitter = 0.75 + Math.random() / 2;
    this.#failures += 1;
    this.#waitUntilMs = Math.max(
      this.#waitUntilMs,
      performance.now() + waitMs * jitter,
      line.sinceMs + 1_000,
    );
  }

  #look(): void {
    const nowMs = performance.now();
    if (!this.#line && nowMs >= this.#waitUntilMs) this.#line = this.#open();
    for (const line of [this.#line, this.#next]) {
      if (!line) continue;
      const limitMs = line.socket.readyState === WebSocket.OPEN ? this.#venue.silenceMs : HANDSHAKE_MS;
      if (nowMs - line.heardMs > limitMs) {
        this.#cut(line, `sent nothing for ${Math.round(limitMs / 1000)} s`);
      } else this.#care(line, nowMs);
    }
  }

  #care(line: Line, nowMs: number): void {
    const { ping, lifeMs } = this.#venue;
    if (line.socket.readyState !== WebSocket.OPEN) return;
    if (ping && nowMs - line.pingedMs >= ping.everyMs) {
      line.pingedMs = nowMs;
      line.socket.send(ping.text);
    }
    if (lifeMs !== null && nowMs - line.sinceMs > lifeMs - OVERLAP_MS) this.#overlap(line);
  }
}
