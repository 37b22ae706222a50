import type { ServerMessage, TopicKind, TopicMessage } from '@fairtick/protocol';
import { whenLoaded } from '@fairtick/ui/load-code';
import { create } from 'zustand';
import { useSession } from '../state/session.ts';
import { handleStreamEnd } from '../state/session-lifecycle.ts';
import { useSettings } from '../state/settings.ts';
import type { Polling } from './polling.ts';
import { serverClock } from './server-clock.ts';

type Handler = (message: Extract<ServerMessage, { topic: string; seq: number }>) => void;

/** Interval of pings; without any message for longer than {@link SILENT_MS} the connection counts as dead. */
const PING_MS = 1_000;
const SILENT_MS = 2_500;
/** A connection not open by then, or open and without a message, is given up: its network path is gone, and a new one may work. */
const OPENING_MS = 5_000;
/** Shorter interruptions are not shown to the reader. */
const STALE_AFTER_MS = 800;
/**
 * The first connection gets longer before prices count as stale: this long after the page was requested, and at least
 * {@link FIRST_PATIENCE_MS} after start.
 */
const FIRST_STALE_AFTER_MS = 3_500;
const FIRST_PATIENCE_MS = 2_000;
const FIRST_RETRY_MS = 400;
const MAX_RETRY_MS = 8_000;
/** After so many connections without a message, as behind a proxy without WebSockets, ordinary calls take the stream's place. */
const FAILURES_TO_POLL = 3;
/** How often the stream is tried again meanwhile. */
const RETRY_POLLING_MS = 30_000;
/** Calls may fail for so long before the data counts as old. */
const SILENT_POLLING_MS = 6_000;
const SESSION_ENDED = 4401;
/** States of a socket, as numbers: a filter may have replaced `WebSocket` with an object that lacks their names. */
const [CONNECTING, OPEN] = [0, 1];

/** Whether the stream's data is current, and if not, since when. */
interface StreamState {
  readonly isLive: boolean;
  readonly isStale: boolean;
  /** The data comes by repeated calls, some seconds later than by the stream. */
  readonly isPolling: boolean;
  /** Local time of the last message before the line went silent; null before the first. */
  readonly lastMs: number | null;
}

export const useStream = create<StreamState>()(() => ({
  isLive: false,
  isStale: false,
  isPolling: false,
  lastMs: null,
}));

interface Subscription {
  readonly handlers: Set<Handler>;
  /** Sequence number of the last message; a step of more than one means that a message was missed. */
  seq: number | null;
}

/** The single connection to the server's stream: reconnects by itself and resubscribes to its topics. */
class Stream {
  #socket: WebSocket | null = null;
  #retryMs = FIRST_RETRY_MS;
  #retryTimer: ReturnType<typeof setTimeout> | null = null;
  #heardMs = 0;
  /** When the pings without an answer were sent; the answers come in the same order. */
  #pingedMs: number[] = [];
  /** When connecting began; once the connection is open, when it opened. */
  #begunMs = 0;
  #isStarted = false;
  #staleTimer: ReturnType<typeof setTimeout> | null = null;
  /** Connections since the last message. */
  #failures = 0;
  #polling: Polling | null = null;
  #polledMs = 0;
  #pollingCode: Promise<typeof import('./polling.ts')> | null = null;
  readonly #topics = new Map<string, Subscription>();

  start(): void {
    if (this.#isStarted) return;
    this.#isStarted = true;
    // The page came with prices, which age while its code loads.
    this.#startStaleTimer(Math.max(FIRST_PATIENCE_MS, FIRST_STALE_AFTER_MS - performance.now()));
    this.#connect();
    setInterval(() => this.#watch(), PING_MS);
    addEventListener('online', () => this.#reconnectNow());
    document.addEventListener('visibilitychange', () => {
      if (!document.hidden && !useStream.getState().isLive) this.#reconnectNow();
    });
    let { token } = useSession.getState();
    useSession.subscribe((session) => {
      if (session.token === token) return;
      token = session.token;
      // Reconnects after a change of user, so that the server forgets the old one. A connection that is opening has told it nothing.
      if (this.#socket?.readyState !== CONNECTING) this.#reconnectNow();
    });
  }

  /** Subscribes to a topic until the returned function is called. The first message is a snapshot. */
  subscribe<K extends TopicKind>(
    topic: K | `${K}:${string}`,
    take: (message: TopicMessage<K>) => void,
  ): () => void {
    const handler = take as Handler;
    const known = this.#topics.get(topic);
    if (known) {
      known.handlers.add(handler);
      // The new handler needs the snapshot; the others treat it as after a reconnection.
      this.#send({ op: 'sub', topic });
      this.#polling?.forget(topic);
    } else {
      this.#topics.set(topic, { handlers: new Set([handler]), seq: null });
      this.#polling?.forget(topic);
      this.#send({ op: 'sub', topic });
    }
    return () => {
      const subscription = this.#topics.get(topic);
      subscription?.handlers.delete(handler);
      if (subscription?.handlers.size === 0) {
        this.#topics.delete(topic);
        this.#send({ op: 'unsub', topic });
      }
    };
  }

  #connect(): void {
    this.#retryTimer = null;
    this.#begunMs = performance.now();
    let token: string | null = null;
    let socket: WebSocket;
    try {
      socket = new WebSocket(
        `${location.protocol === 'https:' ? 'wss' : 'ws'}://${location.host}/api/stream`,
      );
    } catch {
      // A filter of the browser may forbid it.
      this.#countFailure();
      this.#scheduleRetry();
      return;
    }
    this.#socket = socket;
    socket.onopen = () => {
      this.#begunMs = performance.now();
      token = useSession.getState().token;
      if (token) this.#send({ op: 'auth', token, lang: useSettings.getState().language });
      for (const [topic, subscription] of this.#topics) {
        subscription.seq = null;
        this.#send({ op: 'sub', topic });
      }
      this.#pingedMs = [];
      this.#ping();
    };
    socket.onmessage = (event) => {
      this.#heardMs = performance.now();
      this.#retryMs = FIRST_RETRY_MS;
      this.#failures = 0;
      this.#stopPolling();
      if (!useStream.getState().isLive) this.#setLive();
      this.#take(JSON.parse(String(event.data)) as ServerMessage);
    };
    socket.onclose = (event) => {
      if (this.#socket !== socket) return;
      this.#socket = null;
      this.#countFailure();
      if (event.code === SESSION_ENDED) handleStreamEnd(token);
      this.#scheduleRetry();
    };
  }

  #take(message: ServerMessage): void {
    if ('op' in message && message.op === 'pong') this.#takePong(message.serverTime);
    if (!('topic' in message) || !('seq' in message)) return;
    const subscription = this.#topics.get(message.topic);
    if (!subscription) return;
    if (message.type === 'change' && subscription.seq !== null && message.seq !== subscription.seq + 1) {
      // A message was missed: resubscribe to get a snapshot.
      subscription.seq = null;
      this.#send({ op: 'sub', topic: message.topic });
      return;
    }
    subscription.seq = message.seq;
    for (const handler of subscription.handlers) handler(message);
  }

  /** Detects a dead connection, which may not report its end, before and after it has opened. */
  #watch(): void {
    if (!this.#socket) return;
    const patienceMs = this.#heardMs > this.#begunMs ? SILENT_MS : OPENING_MS;
    if (performance.now() - Math.max(this.#heardMs, this.#begunMs) > patienceMs) {
      this.#countFailure();
      if (useStream.getState().isPolling) {
        this.#dropSocket();
        this.#scheduleRetry();
      } else this.#reconnectNow();
      return;
    }
    this.#ping();
  }

  #ping(): void {
    if (this.#socket?.readyState !== OPEN) return;
    this.#pingedMs.push(performance.now());
    this.#send({ op: 'ping' });
  }

  #takePong(serverMs: number): void {
    const sentMs = this.#pingedMs.shift();
    if (sentMs !== undefined) serverClock.take({ sentMs, receivedMs: performance.now(), serverMs });
  }

  #countFailure(): void {
    this.#failures += 1;
    if (!useStream.getState().isPolling) this.#setSilent();
    if (this.#failures >= FAILURES_TO_POLL && !this.#polling) void this.#startPolling();
  }

  async #startPolling(): Promise<void> {
    this.#pollingCode ??= whenLoaded(() => import('./polling.ts'));
    const { Polling } = await this.#pollingCode;
    if (this.#failures < FAILURES_TO_POLL || this.#polling) return;
    this.#polling = new Polling(
      () => this.#topics.keys(),
      (topic, type, data) => {
        for (const handler of this.#topics.get(topic)?.handlers ?? []) handler({ topic, type, data, seq: 0 });
      },
      (isAnswered) => this.#takeOutcome(isAnswered),
    );
  }

  #takeOutcome(isAnswered: boolean): void {
    if (isAnswered) {
      this.#polledMs = performance.now();
      if (useStream.getState().isPolling) return;
      useStream.setState({ isPolling: true });
      this.#setLive();
      // If the whole line was gone and is back, a WebSocket opens at once.
      this.#reconnectNow();
    } else if (performance.now() - this.#polledMs > SILENT_POLLING_MS) {
      useStream.setState({ isPolling: false });
      this.#setSilent();
    }
  }

  #stopPolling(): void {
    this.#polling?.stop();
    this.#polling = null;
    if (useStream.getState().isPolling) useStream.setState({ isPolling: false });
  }

  #setLive(): void {
    if (this.#staleTimer !== null) clearTimeout(this.#staleTimer);
    this.#staleTimer = null;
    useStream.setState({ isLive: true, isStale: false });
  }

  #setSilent(): void {
    if (!useStream.getState().isLive) return;
    const silentMs = performance.now() - Math.max(this.#heardMs, this.#polledMs);
    useStream.setState({ isLive: false, lastMs: Date.now() - silentMs });
    this.#startStaleTimer(Math.max(0, STALE_AFTER_MS - silentMs));
  }

  #startStaleTimer(ms: number): void {
    this.#staleTimer ??= setTimeout(() => useStream.setState({ isStale: true }), ms);
  }

  #scheduleRetry(): void {
    if (this.#retryTimer !== null) return;
    const baseMs = useStream.getState().isPolling ? RETRY_POLLING_MS : this.#retryMs;
    const waitMs = baseMs * (0.75 + Math.random() / 2);
    this.#retryMs = Math.min(this.#retryMs * 2, MAX_RETRY_MS);
    this.#retryTimer = setTimeout(() => this.#connect(), waitMs);
  }

  #reconnectNow(): void {
    if (!this.#isStarted) return;
    if (this.#retryTimer !== null) clearTimeout(this.#retryTimer);
    this.#dropSocket();
    this.#connect();
  }

  #dropSocket(): void {
    const old = this.#socket;
    this.#socket = null;
    old?.close();
  }

  #send(message: unknown): void {
    if (this.#socket?.readyState === OPEN) this.#socket.send(JSON.stringify(message));
  }
}

export const stream = new Stream();

/**
 * Follows a topic while somebody is logged in, and subscribes again for each session.
 * @param onChange called between two sessions
 */
export function followInSession<K extends TopicKind>(
  topic: K,
  take: (message: TopicMessage<K>) => void,
  onChange: () => void = () => {},
): void {
  let { token } = useSession.getState();
  const follow = () => (token === null ? null : stream.subscribe(topic, take));
  let leave = follow();
  useSession.subscribe((session) => {
    if (session.token === token) return;
    token = session.token;
    leave?.();
    onChange();
    leave = follow();
  });
}
