import type { TopicKind } from '@fairtick/protocol';
import { isTicking } from '@fairtick/protocol/product-state';
import { abortAfter } from '@fairtick/ui/time-limit';
import { useSession } from '../state/session.ts';
import { askTime } from './ask-time.ts';
import { get, TIMEOUT_MS } from './client.ts';
import { serverClock } from './server-clock.ts';

type Readings = readonly (readonly [topic: string, data: unknown])[];
/** Reads by ordinary calls what topics of the stream would send. */
interface Source {
  readonly everyMs: number;
  read(topic: string): Promise<Readings>;
}
type Deliver = (topic: string, type: 'snapshot' | 'change', data: unknown) => void;

const SILENT = { isSilent: true } as const;
const TICK_MS = 500;
/** Calls under way at once: a browser opens six connections to a server, and on a slow line an order must not wait for one. */
const MOST_AT_ONCE = 3;
/** While calls fail, each waits twice as long as the one before, up to this. */
const MAX_WAIT_MS = 16_000;

/** Topics whose data comes with another topic's call. */
const SHARED = { quote: 'quotes', chatState: 'chat' } as const satisfies Partial<
  Record<TopicKind, TopicKind>
>;
const sources: Readonly<Record<Exclude<TopicKind, keyof typeof SHARED>, Source>> = {
  quotes: { everyMs: 2_000, read: readBoard },
  candle: { everyMs: 5_000, read: readCandle },
  time: { everyMs: 15_000, read: readTime },
  orders: {
    everyMs: 3_000,
    read: async () => [
      ['orders', (await get('order/list', { status: 'unsettled', limit: 100 }, SILENT)).items],
    ],
  },
  funds: {
    everyMs: 5_000,
    read: async () => [['funds', (await get('user/getUserInfo', {}, SILENT)).balances]],
  },
  notices: {
    everyMs: 10_000,
    read: async () => [['notices', (await get('notice/list', { limit: 20 }, SILENT)).items]],
  },
  chat: {
    everyMs: 5_000,
    read: async () => {
      const { items, state } = await get('chat/history', { limit: 20 }, SILENT);
      return [
        ['chat', items],
        ['chatState', state],
      ];
    },
  },
};

async function readBoard(): Promise<Readings> {
  const rows = await get('product/board', {}, SILENT);
  const quotes = rows.flatMap(({ symbol, n, price, priceAt, ...rest }) =>
    // A price means that the market is open, so a closed product has none here.
    n === null ? [] : [{ ...rest, symbol, n, price: isTicking(rest) ? price : null, time: priceAt }],
  );
  return [['quotes', quotes], ...quotes.map((quote) => [`quote:${quote.symbol}`, quote] as const)];
}

async function readCandle(topic: string): Promise<Readings> {
  const [, symbol, period] = topic.split(':');
  const candles = await get('product/candles', { symbol, period, limit: 1 }, SILENT);
  return [[topic, candles.at(-1) ?? null]];
}

/** The server's time, and the log's size and root that an order repeats: those of the newest checkpoint. */
async function readTime(): Promise<Readings> {
  const [serverTime, note] = await Promise.all([
    askTime(),
    fetch('/api/transparency/checkpoint', { signal: abortAfter(TIMEOUT_MS) }).then((answer) => answer.text()),
  ]);
  const [, size = '', root = ''] = note.split('\n');
  const hex = Array.from(atob(root), (byte) => byte.charCodeAt(0).toString(16).padStart(2, '0')).join('');
  return [['time', { serverTime, size: Number(size), root: hex }]];
}

/** Takes the stream's place while no WebSocket can be opened: reads each topic that a screen follows at a bounded pace. */
export class Polling {
  readonly #topics: () => Iterable<string>;
  readonly #deliver: Deliver;
  readonly #onOutcome: (isAnswered: boolean) => void;
  readonly #dueMs = new Map<string, number>();
  readonly #fails = new Map<string, number>();
  /** The last reading of each topic as text: an unchanged one is not delivered again. */
  readonly #last = new Map<string, string>();
  /** Notices of earlier readings, so that a new one is delivered as news. */
  #notices: ReadonlySet<string> | null = null;
  #isOver = false;
  #underWay = 0;
  readonly #timer: ReturnType<typeof setInterval>;

  /** @param onOutcome called after each call, with whether the server answered */
  constructor(topics: () => Iterable<string>, deliver: Deliver, onOutcome: (isAnswered: boolean) => void) {
    this.#topics = topics;
    this.#deliver = deliver;
    this.#onOutcome = onOutcome;
    this.#timer = setInterval(() => this.#tick(), TICK_MS);
    this.#tick();
  }

  stop(): void {
    clearInterval(this.#timer);
    this.#dueMs.clear();
    this.#isOver = true;
  }

  /** Reads a topic again for a new follower. */
  forget(topic: string): void {
    this.#last.delete(topic);
    this.#dueMs.delete(callOf(topic));
    if (topic === 'notices') this.#notices = null;
  }

  #tick(): void {
    if (document.hidden) return;
    const now = performance.now();
    const dueMs = (call: string) => this.#dueMs.get(call) ?? 0;
    const due = [...new Set(Array.from(this.#topics(), callOf))].filter((call) => dueMs(call) <= now);
    due.sort((one, other) => dueMs(one) - dueMs(other));
    for (const call of due.slice(0, MOST_AT_ONCE - this.#underWay)) {
      // One call of each kind at a time.
      this.#dueMs.set(call, Number.POSITIVE_INFINITY);
      void this.#read(call);
    }
  }

  async #read(call: string): Promise<void> {
    const source = (sources as Readonly<Record<string, Source>>)[call.split(':')[0] ?? ''];
    if (!source) return;
    const { token } = useSession.getState();
    let waitMs = source.everyMs;
    this.#underWay += 1;
    const sentMs = performance.now();
    try {
      const readings = await source.read(call);
      serverClock.takeTrip(performance.now() - sentMs);
      this.#fails.delete(call);
      if (this.#isOver) return;
      this.#onOutcome(true);
      if (token === useSession.getState().token)
        for (const [topic, data] of readings) this.#take(topic, data);
    } catch {
      const fails = (this.#fails.get(call) ?? 0) + 1;
      this.#fails.set(call, fails);
      waitMs = Math.min(waitMs * 2 ** fails, MAX_WAIT_MS);
      // Followers may have missed what a call of their own did not bring.
      this.#last.clear();
      if (!this.#isOver) this.#onOutcome(false);
    }
    this.#underWay -= 1;
    if (this.#dueMs.has(call)) this.#dueMs.set(call, performance.now() + waitMs * (0.9 + Math.random() / 5));
  }

  #take(topic: string, data: unknown): void {
    const text = JSON.stringify(data);
    if (this.#last.get(topic) === text) return;
    this.#last.set(topic, text);
    if (topic !== 'notices') {
      this.#deliver(topic, 'snapshot', data);
      return;
    }
    const notices = data as readonly { readonly id: string }[];
    const known = this.#notices;
    this.#notices = new Set(notices.map(({ id }) => id));
    if (known === null) this.#deliver(topic, 'snapshot', data);
    else
      for (const notice of [...notices].reverse())
        if (!known.has(notice.id)) this.#deliver(topic, 'change', notice);
  }
}

function callOf(topic: string): string {
  const kind = topic.split(':')[0] ?? '';
  return kind === 'candle' ? topic : ((SHARED as Readonly<Record<string, string>>)[kind] ?? kind);
}
