import { faultTexts } from './fault-texts.ts';
import { DENIED_MS, isDenied, type Line, type OpenLine, type Refusal, waitMsOf } from './line.ts';
import { openSocket } from './socket-line.ts';
import { openEvents, openLines } from './stream-line.ts';
import {
  type Access,
  type FrameReader,
  readFrame,
  type Venue,
  type VenueEvent,
  type Written,
} from './venue.ts';

/** The owner of a connection, who is told of what happens on it. */
export interface ConnectionEvents {
  /** @returns false: what they say can't be put in order, so a new connection is needed */
  events(events: readonly VenueEvent[]): boolean;
  /** A frame that is no JSON, a refusal, or anything else worth a line in the log of operation. No part of the operator's key is in it. */
  fault(why: string): void;
  /** No connection carries prices any more, or one does again. */
  connected(isConnected: boolean): void;
}

const HANDSHAKE_MS = 10_000;
/** Between two connections to a venue. */
const LEAST_MS = 1_000;
/** The wait before a new connection doubles with each failure in a row: 1, 2, 4 … 32 s. */
const MOST_WAIT_MS = 32_000;
/** A venue that ends connections at an age gets a new one this long before. */
const OVERLAP_MS = 60_000;
/** A connection with a price that lasted this long resets the waits. */
const STEADY_MS = 10_000;
/** A connection on which the venue refused something, such as a market that it paused, is replaced after this long. */
const REFUSED_LIFE_MS = 60_000;
/** How often a second connection is tried while the first one still works. */
const OVERLAP_EVERY_MS = 10_000;
const LOOK_EVERY_MS = 500;

const OPEN: Readonly<Record<Venue['carrier'], OpenLine>> = {
  socket: openSocket,
  lines: openLines,
  events: openEvents,
};

/** A line and what is known of it. */
interface Kept {
  readonly line: Line;
  readonly read: FrameReader;
  readonly sinceMs: number;
  /** When it last said anything but refusals. */
  heardMs: number;
  pingedMs: number;
  hasPrice: boolean;
  /** The age at which a second connection is to follow, ms; null: none. */
  lifeMs: number | null;
  /** Ended by this side, so that what is still told of it is no fault. */
  isCut: boolean;
}

/**
 * Keeps one connection to a venue: opens it, asks for the markets, sends its pings, cuts it when it falls silent, and opens it anew with
 * growing waits. Where an end is known ahead, a second connection overlaps the first until it has brought a price.
 */
export class VenueConnection {
  readonly #venue: Venue;
  readonly #access: Access;
  readonly #markets: readonly string[];
  readonly #tell: ConnectionEvents;
  readonly #faultText: (said: string) => string;
  readonly #refusedLifeMs: number;
  #line: Kept | null = null;
  #next: Kept | null = null;
  #failures = 0;
  #waitUntilMs = 0;
  #timer: NodeJS.Timeout | null = null;

  constructor(options: {
    venue: Venue;
    access: Access;
    markets: readonly string[];
    tell: ConnectionEvents;
    /** A test's own time after which a connection with a refusal is replaced. */
    refusedLifeMs?: number;
  }) {
    this.#venue = options.venue;
    this.#access = options.access;
    this.#markets = options.markets;
    this.#tell = options.tell;
    this.#refusedLifeMs = options.refusedLifeMs ?? REFUSED_LIFE_MS;
    this.#faultText = faultTexts([options.access.key, options.access.account]);
  }

  start(): void {
    this.#line = this.#open();
    this.#timer = setInterval(() => this.#look(), LOOK_EVERY_MS);
  }

  stop(): void {
    if (this.#timer) clearInterval(this.#timer);
    this.#timer = null;
    for (const kept of [this.#line, this.#next]) this.#cut(kept);
    this.#line = null;
    this.#next = null;
  }

  /** Opens another connection beside the present one, which does not say all. */
  renew(why: string): void {
    if (!this.#line) return;
    this.#fault(this.#line, why);
    this.#line.lifeMs = 0;
    this.#overlap(this.#line);
  }

  #open(): Kept {
    const nowMs = performance.now();
    const { carrier, request } = this.#venue;
    const { url, headers } = request?.(this.#markets, this.#access) ?? { url: this.#access.url, headers: {} };
    const kept: Kept = {
      line: OPEN[carrier](
        { url, headers },
        {
          opened: () => {
            kept.heardMs = performance.now();
            for (const text of this.#venue.subscribe?.(this.#markets, this.#access) ?? [])
              kept.line.send(text);
          },
          frame: (text) => this.#hear(kept, text),
          refused: (refusal) => this.#refused(kept, refusal),
          fault: (why) => this.#fault(kept, why),
          closed: () => this.#closed(kept),
        },
      ),
      read: this.#venue.reader(new Set(this.#markets)),
      sinceMs: nowMs,
      heardMs: nowMs,
      pingedMs: nowMs,
      hasPrice: false,
      lifeMs: this.#venue.lifeMs === undefined ? null : this.#venue.lifeMs - OVERLAP_MS,
      isCut: false,
    };
    return kept;
  }

  #cut(kept: Kept | null): void {
    if (!kept) return;
    kept.isCut = true;
    kept.line.cut();
  }

  #fault(kept: Kept, why: string): void {
    if (!kept.isCut) this.#tell.fault(this.#faultText(why));
  }

  #refused(kept: Kept, { status, retryAfterMs, text }: Refusal): void {
    this.#wait(waitMsOf(status, retryAfterMs));
    const meaning = isDenied(status) && this.#access.key !== '' ? ' (it refuses the key)' : '';
    const asked = retryAfterMs ? ` (it asks to wait ${Math.ceil(retryAfterMs / 1_000)} s)` : '';
    // An answer without an end is told when the line was cut.
    if (this.#timer)
      this.#tell.fault(this.#faultText(`answers ${status}${meaning}${asked}${text && ': '}${text}`));
    this.#cut(kept);
  }

  /** No new connection before this has passed. */
  #wait(ms: number): void {
    this.#waitUntilMs = Math.max(this.#waitUntilMs, performance.now() + ms);
  }

  #hear(kept: Kept, text: string): void {
    if ((kept !== this.#line && kept !== this.#next) || kept.isCut) return;
    let frame: Written;
    try {
      frame = text === 'pong' ? text : readFrame(text);
    } catch {
      this.#fault(kept, 'sent a frame that is no JSON');
      // It may have been a price.
      if (kept === this.#line) this.#tell.events([{ kind: 'gap', market: null }]);
      return;
    }
    const events = kept.read(frame);
    for (const event of events) {
      if (event.kind === 'refused') {
        this.#fault(kept, `refuses: ${event.why}`);
        kept.lifeMs = Math.min(kept.lifeMs ?? this.#refusedLifeMs, this.#refusedLifeMs);
      } else if (event.kind === 'denied') this.#denied(kept, event.why);
      else kept.heardMs = performance.now();
      if (event.kind === 'leaving') kept.lifeMs = 0;
    }
    if (kept.isCut) return;
    this.#overlap(kept);
    if (!kept.hasPrice && events.some(({ kind }) => kind === 'price')) {
      kept.hasPrice = true;
      if (kept === this.#next) this.#takeOver(kept);
      else this.#tell.connected(true);
    }
    if (kept !== this.#line || this.#tell.events(events)) return;
    this.#fault(kept, 'sent older frames for too long');
    this.#cut(kept);
  }

  #denied(kept: Kept, why: string): void {
    this.#wait(DENIED_MS);
    this.#fault(kept, `refuses the key: ${why}`);
    this.#cut(kept);
  }

  /** Opens a second connection beside one whose end is near. */
  #overlap(kept: Kept): void {
    const nowMs = performance.now();
    const isDue = kept.lifeMs !== null && nowMs - kept.sinceMs >= Math.max(kept.lifeMs, LEAST_MS);
    if (!isDue || kept !== this.#line || this.#next || nowMs < this.#waitUntilMs) return;
    this.#waitUntilMs = nowMs + OVERLAP_EVERY_MS;
    this.#next = this.#open();
  }

  #takeOver(kept: Kept): void {
    const before = this.#line;
    this.#line = kept;
    this.#next = null;
    this.#tell.events([{ kind: 'reconnected' }]);
    if (!before?.hasPrice) this.#tell.connected(true);
    this.#cut(before);
  }

  #closed(kept: Kept): void {
    if (kept === this.#next) this.#next = null;
    if (kept !== this.#line) return;
    this.#line = this.#next;
    this.#next = null;
    if (kept.hasPrice) this.#tell.connected(false);
    this.#tell.events([{ kind: 'reconnected' }]);
    if (this.#line) return;
    if (kept.hasPrice && performance.now() - kept.sinceMs >= STEADY_MS) this.#failures = 0;
    // At once the first time, and never less than a second after the last attempt.
    const waitMs = this.#failures === 0 ? 0 : Math.min(1_000 * 2 ** (this.#failures - 1), MOST_WAIT_MS);
    const jitter = 0.75 + Math.random() / 2;
    this.#failures += 1;
    this.#wait(Math.max(waitMs * jitter, kept.sinceMs + LEAST_MS - performance.now()));
  }

  #look(): void {
    const nowMs = performance.now();
    if (!this.#line && nowMs >= this.#waitUntilMs) this.#line = this.#open();
    for (const kept of [this.#line, this.#next]) {
      if (!kept) continue;
      const limitMs = kept.line.isOpen ? this.#venue.silenceMs : HANDSHAKE_MS;
      if (nowMs - kept.heardMs > limitMs) {
        const said = kept.line.isOpen ? 'sent nothing of use' : 'did not answer';
        this.#fault(kept, `${said} for ${Math.round(limitMs / 1000)} s`);
        this.#cut(kept);
      } else this.#care(kept, nowMs);
    }
  }

  #care(kept: Kept, nowMs: number): void {
    const { ping } = this.#venue;
    if (!kept.line.isOpen) return;
    if (ping && nowMs - kept.pingedMs >= ping.everyMs) {
      kept.pingedMs = nowMs;
      kept.line.send(ping.text);
    }
    this.#overlap(kept);
  }
}
