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
export interface Statement {
  readonly number: number;
  readonly timeMs: number;
  /** In units of the last decimal. */
  readonly price: number;
}
/** What a fix says of a source. */
export type Recorded = 'none' | 'away' | (Statement & { readonly closing: Statement | 'said' | 'open' });

const DELAY = 2000;
export const QUIET = 2400;
export const WAIT = 3000;
const DECIMALS = 5;

export function rulesEntry(
  n: number,
  effectiveMs: number,
  previous: string | null,
  changes: object = {},
): string {
  const json: string | null = canonical({
    symbol: SYMBOL,
    decimals: DECIMALS,
    sources: [...SOURCES],
    quorum: 2,
    quietMs: QUIET,
    waitMs: WAIT,
    outlierBps: 20,
    delayMs: DELAY,
    cycles: [{ minutes: 1, payoutRate: '0.80' }],
    limits: [{ asset: 'DEMO', scale: 2 }],
    ...changes,
  });
  const before = previous === null ? '0'.repeat(64) : leafOf(previous).toString('hex');
  return `rules|4|${SYMBOL}|${n}|${effectiveMs}|${before}|${json}`;
}
export const hashOf = (entry: string): string => leafOf(entry).toString('hex');
/** What the JSON of rules says. */
export const termsOf = (
  rules: string,
): {
  readonly sources: string[];
  readonly quorum: number;
  readonly quietMs: number;
  readonly outlierBps: number;
} => JSON.parse(rules.split('|').slice(6).join('|'));

const written = (units: number): string =>
  `${Math.floor(units / 1e5)}.${String(units % 1e5).padStart(DECIMALS, '0')}`;

const median = (prices: readonly number[]): number => {
  const sorted = [...prices].sort((one, other) => one - other);
  const middle = [sorted[(sorted.length - 1) >> 1] as number, sorted[sorted.length >> 1] as number];
  return Math.floor(((middle[0] as number) + (middle[1] as number)) / 2);
};

export interface Fixed {
  readonly kind?: 'fix' | 'close';
  readonly n: number;
  readonly timeMs: number;
  readonly fixMs: number;
  readonly rules: string;
  readonly symbol?: string;
}
/** The fix or close that follows from what is known of each source of the rules, in their order. */
export function fixEntry(fixed: Fixed, known: readonly Recorded[]): string {
  const { kind = 'fix', n, timeMs, fixMs, rules, symbol = SYMBOL } = fixed;
  const { sources, quorum, quietMs, outlierBps } = termsOf(rules);
  const records = known.filter((each) => typeof each === 'object');
  const loud = records.filter((record) => fixMs - record.timeMs <= quietMs);
  const centre = loud.length > 0 ? median(loud.map(({ price }) => price)) : 0;
  const useOf = (record: Statement): string => {
    if (fixMs - record.timeMs > quietMs) return 'quiet';
    return Math.abs(record.price - centre) * 10_000 > centre * outlierBps ? 'outlier' : 'use';
  };
  const parts = known.map((record, at) => {
    if (typeof record === 'string') return `${sources[at]},${record}`;
    const closing = typeof record.closing === 'string' ? record.closing : said(record.closing);
    return [sources[at], said(record), useOf(record), closing].join();
  });
  const used = records.filter((record) => useOf(record) === 'use');
  const counted = used.length < quorum ? records : used;
  const price = written(median(counted.map((record) => record.price)));
  return [kind, 4, symbol, n, timeMs, fixMs, price, hashOf(rules), parts.join(';')].join('|');
}
const said = ({ number, timeMs, price }: Statement): string => [number, timeMs, written(price)].join();

export const tickEntry = (n: number, timeMs: number, rulesHash: string): string =>
  `tick|4|${SYMBOL}|${n}|${timeMs}|1.10000|${rulesHash}|${SOURCES[0]},1.10000,${timeMs},${n},${timeMs},use`;
export const restart = (n: number, timeMs: number, rulesHash: string): string =>
  `gap|4|${SYMBOL}|${n}|${timeMs}|restart|${rulesHash}|`;

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
  const lines = ['fairtick-asked/4', SYMBOL, direction, minutes, 'DEMO', STAKE, opensAt, nonce];
  return sha256(lines.join('\n')).toString('hex');
}

export function accept(terms: Terms, log: readonly string[], batch = 1): Order {
  const { direction, acceptedAt, opensAt, minutes, rulesHash, logSize, seen, lines = {} } = terms;
  const settlesAt = opensAt + minutes * 60_000;
  const rootAt = (entries: readonly string[]) => rootOf(entries.map(leafOf)).toString('hex');
  const names = ['fairtick-acceptance/4', '7', batch, askedOf(terms)];
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
  const own = order.text.split('\n')[3] as string;
  const asked = [own.slice(0, 32), ...(last > first ? ['0'.repeat(32)] : [])];
  const shown = [...new Set(asked)].sort().join('');
  return ['orders', 4, timeMs, first, last, acceptedMs(first), acceptedMs(last), root, shown].join('|');
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
  readonly waited?: readonly number[];
  readonly updates?: readonly {
    readonly index: number;
    readonly update: string;
    readonly next: string | null;
  }[];
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
export const VOIDED = '110.01';
const bare = { openPrice: null, settlePrice: null };
export const LATE: Outcome = { ...bare, result: 'none', payout: VOIDED, voidReason: 'not_logged' };
export const UNOPENED: Outcome = { ...bare, result: 'none', payout: STAKE, voidReason: 'no_price' };
export const UNFIXED: Outcome = { ...bare, result: 'profit', payout: WON, voidReason: null };

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
      version: 4,
      acceptance: order.accepted,
      batch: this.#batch(order, shown.orders),
      entries: [
        ...role('rules', shown.rules),
        ...role('beforeAccept', [logSize - 1]),
        ...role('orders', [shown.orders]),
        ...role('opening', shown.opening ?? []),
        ...role('settling', shown.settling ?? []),
        ...role('waited', shown.waited ?? []),
        ...role('key', shown.keys ?? []),
      ],
      checkpoint: this.checkpoint(),
      consistency: this.#consistency(order),
      seen: seen ? this.#seen(order, seen) : null,
      held: shown.held ?? this.held(shown.orders + 1),
      ...(shown.updates ? { updates: shown.updates } : {}),
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

/** The time of an entry, where it has one. */
export function timeOf(entry: string): number {
  const fields = entry.split('|');
  const place = { orders: 2, halt: 3, away: 3 }[fields[0] as string] ?? 4;
  return Number(fields[place]);
}
