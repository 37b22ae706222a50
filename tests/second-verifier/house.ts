import { canonical, leafOf, sha256 } from './ground.ts';
import { readKey, type TrustedKey } from './reading.ts';
import { consistency, hex, inclusion, rootOf, Signer } from './signing.ts';

/**
 * A house that holds its own keys and writes whatever log it likes: hashes, proofs and signatures are always right, and what they
 * say need not be. It shares code with the second verifier only.
 */
export const ORIGIN = 'house.example/log';
export const SYMBOL = 'EUR/USD';
export const SOURCES = ['alpha', 'beta', 'gamma'] as const;
export const GRID = 250;
export const STAKE = '100.01';

export const LOG = new Signer(ORIGIN);
export const ACCEPTANCES = new Signer(`${ORIGIN}/acceptances`);
export const VERIFIER_KEYS = { log: LOG.verifierKey, acceptances: ACCEPTANCES.verifierKey };
export const KEYS: { log: TrustedKey; acceptances: TrustedKey } = {
  log: readKey(LOG.verifierKey),
  acceptances: readKey(ACCEPTANCES.verifierKey),
};

/* ---- entries ---- */

export interface Terms {
  readonly direction: 'up' | 'down';
  readonly acceptedAt: number;
  readonly opensAt: number;
  /** Null where the customer named no opening time. */
  readonly nonce: string | null;
  readonly minutes: number;
  readonly rulesHash: string;
  readonly logSize: number;
  /** The log that the customer has seen. */
  readonly seen?: readonly string[];
  /** Lines of the acceptance that say something else, by their number. */
  readonly lines?: Readonly<Record<number, string>>;
}
export interface Sent {
  readonly price: number;
  readonly sourceMs: number;
  /** Of the quote; its source time where none is given. */
  readonly sequence?: number;
  readonly receivedMs: number;
}
/** What each source has sent last, in the order of `SOURCES`; null if nothing yet. */
export type Sources = readonly (Sent | null)[];

export const DELAY = 2000;
const STALE = 2400;
const LAG = 0;
const FRESH = 250;
const OUTLIER = 20;
const QUORUM = 2;

export function rulesEntry(
  n: number,
  effectiveMs: number,
  previous: string | null,
  changes: object = {},
): string {
  const json: string | null = canonical({
    symbol: SYMBOL,
    decimals: 5,
    sources: [...SOURCES],
    quorum: QUORUM,
    staleMs: STALE,
    lagMs: LAG,
    freshMs: FRESH,
    openWithinMs: 5000,
    outlierBps: OUTLIER,
    delayMs: DELAY,
    cycles: [{ minutes: 1, payoutRate: '0.80' }],
    limits: [{ asset: 'DEMO', scale: 2 }],
    ...changes,
  });
  const before = previous === null ? '0'.repeat(64) : leafOf(previous).toString('hex');
  return `rules|3|${SYMBOL}|${n}|${effectiveMs}|${before}|${json}`;
}
export const hashOf = (entry: string): string => leafOf(entry).toString('hex');
const written = (units: number): string =>
  `${Math.floor(units / 1e5)}.${String(units % 1e5).padStart(5, '0')}`;

const median = (prices: readonly number[]): number => {
  const sorted = [...prices].sort((one, other) => one - other);
  const middle = [sorted[(sorted.length - 1) >> 1] as number, sorted[sorted.length >> 1] as number];
  return Math.floor(((middle[0] as number) + (middle[1] as number)) / 2);
};

/** The honest tick of these sources, or the quorum gap where too few are of use. */
export function priced(
  n: number,
  timeMs: number,
  rulesHash: string,
  sources: Sources,
  symbol = SYMBOL,
): string {
  const isStale = (sent: Sent): boolean =>
    timeMs - Math.min(sent.sourceMs, sent.receivedMs) > STALE ||
    sent.receivedMs > timeMs ||
    sent.sourceMs > timeMs - LAG;
  const current = sources.filter((sent) => sent !== null).filter((sent) => !isStale(sent));
  const centre = current.length > 0 ? median(current.map(({ price }) => price)) : 0;
  const useOf = (sent: Sent): string => {
    if (isStale(sent)) return 'stale';
    return Math.abs(sent.price - centre) * 10_000 > centre * OUTLIER ? 'outlier' : 'use';
  };
  const used = current.filter((sent) => useOf(sent) === 'use');
  const quotes = sources.map((sent, at) => {
    if (sent === null) return `${SOURCES[at]},none`;
    const { price, sourceMs, receivedMs } = sent;
    return [SOURCES[at], written(price), sourceMs, sent.sequence ?? sourceMs, receivedMs, useOf(sent)].join();
  });
  const head = used.length < QUORUM ? 'gap' : 'tick';
  const what = head === 'gap' ? 'quorum' : written(median(used.map(({ price }) => price)));
  return [head, 3, symbol, n, timeMs, what, rulesHash, quotes.join(';')].join('|');
}
export const restart = (n: number, timeMs: number, rulesHash: string): string =>
  `gap|3|${SYMBOL}|${n}|${timeMs}|restart|${rulesHash}|`;

/* ---- receipts ---- */

/** An order that the house has accepted, with its batch. */
export interface Order {
  readonly terms: Terms;
  readonly text: string;
  readonly opensAt: number;
  readonly settlesAt: number;
  readonly batch: Buffer;
  readonly accepted: object;
}

/** Line 4: the hash of what the customer asked for, as these terms have it. */
function askedOf({ direction, minutes, opensAt, nonce }: Terms): string {
  if (nonce === null) return '';
  const lines = ['fairtick-asked/3', SYMBOL, direction, minutes, 'DEMO', STAKE, opensAt, nonce];
  return sha256(lines.join('\n')).toString('hex');
}

export function accept(terms: Terms, log: readonly string[], batch = 1): Order {
  const { direction, acceptedAt, opensAt, minutes, rulesHash, logSize, seen, lines = {} } = terms;
  const settlesAt = Math.ceil((opensAt + minutes * 60_000) / 1000) * 1000;
  const rootAt = (entries: readonly string[]) => rootOf(entries.map(leafOf)).toString('hex');
  const names = ['fairtick-acceptance/3', '7', batch, askedOf(terms)];
  const order = [SYMBOL, direction, minutes, 'DEMO', STAKE, '0.8', rulesHash];
  const sizes = [logSize, rootAt(log.slice(0, logSize)), seen?.length ?? '', seen ? rootAt(seen) : ''];
  const all = [...names, ...order, acceptedAt, opensAt, settlesAt, ...sizes];
  const text = all.map((line, at) => lines[at + 1] ?? line).join('\n');
  const leaves = [leafOf(text), leafOf('a neighbour')];
  const accepted = {
    text,
    index: 0,
    size: 2,
    proof: hex(inclusion(leaves, 0)),
    signed: ACCEPTANCES.checkpoint(leaves),
  };
  return { terms, text, opensAt, settlesAt, batch: rootOf(leaves), accepted };
}

/** An `orders` entry over batches 10 ms apart, of which one is this order's. */
export function ordersEntry(order: Order, timeMs: number, first = 1, last = 1, batch = 1): string {
  const root = rootOf(batchLeaves(order, first, last, batch)).toString('hex');
  const acceptedMs = (number: number): number => order.terms.acceptedAt + (number - batch) * 10;
  return ['orders', 3, timeMs, first, last, acceptedMs(first), acceptedMs(last), root].join('|');
}
const batchLeaves = (order: Order, first: number, last: number, batch: number): Buffer[] =>
  Array.from({ length: last - first + 1 }, (_, at) =>
    leafOf(first + at === batch ? order.batch : sha256(`batch ${first + at}`)),
  );

/** Places in the log. */
export interface Shown {
  readonly rules: readonly number[];
  readonly orders: number;
  readonly opening?: readonly number[];
  readonly settling?: readonly number[];
  readonly keys?: readonly number[];
  /** By default the checkpoint of the log that ends with the orders. */
  readonly held?: Held;
}
export interface Held {
  readonly checkpoint: string;
  readonly proof: readonly string[];
}
export interface Outcome {
  readonly openPrice: string | null;
  readonly settlePrice: string | null;
  readonly result: string;
  readonly payout: string;
  readonly voidReason: string | null;
}

/** The stake and its gain, and the stake and a tenth, both rounded down. */
export const WON = '180.01';
const VOIDED = '110.01';
export const voided = (voidReason: string): Outcome => ({
  openPrice: null,
  settlePrice: null,
  result: 'none',
  payout: VOIDED,
  voidReason,
});

export class Log {
  readonly entries: readonly string[];
  readonly #leaves: readonly Buffer[];
  readonly #timeMs: number;
  readonly #signer: Signer;
  readonly #proofs = new Map<number, string[]>();

  /** @param signer of its checkpoint */
  constructor(entries: readonly string[], timeMs: number, signer = LOG) {
    this.#signer = signer;
    this.entries = entries;
    this.#leaves = entries.map(leafOf);
    this.#timeMs = timeMs;
  }

  checkpoint(): string {
    return this.#signer.checkpoint(this.#leaves, `time ${this.#timeMs}`);
  }

  /** The log as it was when it had this entry last. */
  upTo(index: number, timeMs?: number): Log {
    const soon = Math.min(timeOf(this.entries[index] as string) + 100, this.#timeMs);
    return new Log(this.entries.slice(0, index + 1), timeMs ?? soon);
  }

  held(size: number, timeMs?: number): Held {
    const checkpoint = this.upTo(size - 1, timeMs).checkpoint();
    return { checkpoint, proof: hex(consistency(this.#leaves, size)) };
  }

  entry(index: number) {
    const proof = this.#proofs.get(index) ?? hex(inclusion(this.#leaves, index));
    this.#proofs.set(index, proof);
    return { index, entry: this.entries[index] as string, proof };
  }

  #seen(order: Order, seen: readonly string[]) {
    const leaves = this.#leaves.slice(0, order.terms.logSize);
    const fromRoot = rootOf(seen.map(leafOf)).toString('hex');
    return { fromSize: seen.length, fromRoot, proof: hex(consistency(leaves, seen.length)) };
  }

  #consistency(order: Order) {
    const { logSize } = order.terms;
    const fromRoot = order.text.split('\n')[15] as string;
    return { fromSize: logSize, fromRoot, proof: hex(consistency(this.#leaves, logSize)) };
  }

  #batch(order: Order, orders: number) {
    const [, , , first, last] = (this.entries[orders] as string).split('|').map(Number);
    const batch = Number(order.text.split('\n')[2]);
    const leaves = batchLeaves(order, first as number, last as number, batch);
    return { proof: hex(inclusion(leaves, batch - (first as number))) };
  }

  receipt(order: Order, shown: Shown, outcome: Outcome) {
    const { logSize, seen } = order.terms;
    const role = (name: string, places: readonly number[]) =>
      places.map((index) => ({ role: name, ...this.entry(index) }));
    return {
      version: 3,
      acceptance: order.accepted,
      batch: this.#batch(order, shown.orders),
      entries: [
        ...role('rules', shown.rules),
        ...role('beforeAccept', [logSize - 1]),
        ...role('orders', [shown.orders]),
        ...role('opening', shown.opening ?? []),
        ...role('settling', shown.settling ?? []),
        ...role('key', shown.keys ?? []),
      ],
      checkpoint: this.checkpoint(),
      consistency: this.#consistency(order),
      seen: seen ? this.#seen(order, seen) : null,
      held: shown.held ?? this.held(shown.orders + 1),
      outcome,
    };
  }

  /** What `/api/order/logged` would have answered if this log's checkpoint were the first that covers the orders. */
  evidence(order: Order, orders: number, rules = 0) {
    const { index, entry, proof: entryProof } = this.entry(orders);
    return {
      entry,
      index,
      entryProof,
      batch: Number(order.text.split('\n')[2]),
      batchProof: this.#batch(order, orders).proof,
      rules: this.entry(rules),
      beforeAccept: this.entry(order.terms.logSize - 1),
      consistency: this.#consistency(order),
      checkpoint: this.checkpoint(),
      keys: [],
    };
  }
}

/** The time of a tick, a gap or orders. */
export function timeOf(entry: string): number {
  const fields = entry.split('|');
  return Number(fields[0] === 'orders' ? fields[2] : fields[4]);
}
