import { createPrivateKey, createPublicKey, sign } from 'node:crypto';
import { canonical, leafOf, nodeOf, sha256 } from './ground.ts';
import { readKey, type TrustedKey } from './reading.ts';

/**
 * A house that holds its own keys and writes whatever log it likes: hashes, proofs and signatures are always right, and what they
 * say need not be. It shares code with the second verifier only.
 */
export const ORIGIN = 'house.example/log';
export const SYMBOL = 'EUR/USD';
export const SOURCES = ['alpha', 'beta', 'gamma'] as const;
export const GRID = 250;

class Signer {
  readonly name: string;
  readonly verifierKey: string;
  readonly #id: Buffer;
  readonly #seed: Buffer;

  constructor(name: string) {
    this.name = name;
    this.#seed = sha256('seed of', name);
    const spki = createPublicKey(this.#key()).export({ format: 'der', type: 'spki' });
    const bytes = Buffer.concat([Uint8Array.of(1), spki.subarray(-32)]);
    this.#id = sha256(name, '\n', bytes).subarray(0, 4);
    this.verifierKey = `${name}+${this.#id.toString('hex')}+${bytes.toString('base64')}`;
  }

  #key() {
    const pkcs8 = Buffer.concat([Buffer.from('302e020100300506032b657004220420', 'hex'), this.#seed]);
    return createPrivateKey({ key: pkcs8, format: 'der', type: 'pkcs8' });
  }

  /** A checkpoint of these leaves in a signed note. */
  checkpoint(leaves: readonly Buffer[], ...extensions: readonly string[]): string {
    const root = rootOf(leaves).toString('base64');
    const text = `${[this.name, leaves.length, root, ...extensions].join('\n')}\n`;
    const signature = Buffer.concat([this.#id, sign(null, Buffer.from(text), this.#key())]);
    return `${text}\n— ${this.name} ${signature.toString('base64')}\n`;
  }
}

const LOG = new Signer(ORIGIN);
const ACCEPTANCES = new Signer(`${ORIGIN}/acceptances`);
export const VERIFIER_KEYS = { log: LOG.verifierKey, acceptances: ACCEPTANCES.verifierKey };
export const KEYS: { log: TrustedKey; acceptances: TrustedKey } = {
  log: readKey(LOG.verifierKey),
  acceptances: readKey(ACCEPTANCES.verifierKey),
};

/* ---- trees (RFC 9162, 2.1) ---- */

const splitOf = (size: number): number => 2 ** Math.floor(Math.log2(size - 1));
export function rootOf(leaves: readonly Buffer[]): Buffer {
  if (leaves.length < 2) return leaves[0] ?? sha256();
  const split = splitOf(leaves.length);
  return nodeOf(rootOf(leaves.slice(0, split)), rootOf(leaves.slice(split)));
}
export function inclusion(leaves: readonly Buffer[], index: number): Buffer[] {
  if (leaves.length < 2) return [];
  const split = splitOf(leaves.length);
  const [left, right] = [leaves.slice(0, split), leaves.slice(split)];
  if (index < split) return [...inclusion(left, index), rootOf(right)];
  return [...inclusion(right, index - split), rootOf(left)];
}
export function consistency(leaves: readonly Buffer[], first: number, isWhole = true): Buffer[] {
  if (first === 0) return [];
  if (first === leaves.length) return isWhole ? [] : [rootOf(leaves)];
  const split = splitOf(leaves.length);
  const [left, right] = [leaves.slice(0, split), leaves.slice(split)];
  if (first <= split) return [...consistency(left, first, isWhole), rootOf(right)];
  return [...consistency(right, first - split, false), rootOf(left)];
}
const hex = (hashes: readonly Buffer[]): string[] => hashes.map((hash) => hash.toString('hex'));

/* ---- entries ---- */

export interface Terms {
  readonly direction: 'up' | 'down';
  readonly acceptedAt: number;
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

export const DELAY = 1000;
const STALE = 2000;
export const LAG = 0;
export const FRESH = 250;
const OUTLIER = 20;
export const QUORUM = 2;

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
export const written = (units: number): string =>
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
  readonly settlesAt: number;
  readonly batch: Buffer;
  readonly accepted: object;
}

export function accept(terms: Terms, log: readonly string[], batch = 1): Order {
  const { direction, acceptedAt, minutes, rulesHash, logSize, seen, lines = {} } = terms;
  const settlesAt = Math.ceil((acceptedAt + minutes * 60_000) / 1000) * 1000;
  const rootAt = (entries: readonly string[]) => rootOf(entries.map(leafOf)).toString('hex');
  const key = sha256('idempotency').toString('hex');
  const names = ['fairtick-acceptance/3', '7', batch, key, SYMBOL, direction, minutes, 'DEMO', '100.01'];
  const sizes = [logSize, rootAt(log.slice(0, logSize)), seen?.length ?? '', seen ? rootAt(seen) : ''];
  const all = [...names, '0.8', rulesHash, acceptedAt, settlesAt, ...sizes];
  const text = all.map((line, at) => lines[at + 1] ?? line).join('\n');
  const leaves = [leafOf(text), leafOf('a neighbour')];
  const accepted = {
    text,
    index: 0,
    size: 2,
    proof: hex(inclusion(leaves, 0)),
    signed: ACCEPTANCES.checkpoint(leaves),
  };
  return { terms, text, settlesAt, batch: rootOf(leaves), accepted };
}

/** An `orders` entry over batches, of which one is this order's. */
export function ordersEntry(order: Order, timeMs: number, first = 1, last = 1, batch = 1): string {
  const root = rootOf(batchLeaves(order, first, last, batch)).toString('hex');
  return `orders|3|${timeMs}|${first}|${last}|${root}`;
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
}
export interface Outcome {
  readonly openPrice: string | null;
  readonly settlePrice: string | null;
  readonly result: string;
  readonly payout: string;
  readonly voidReason: string | null;
}

export const STAKE = '100.01';
export const WON = '180.01';
export const voided = (voidReason: string): Outcome => ({
  openPrice: null,
  settlePrice: null,
  result: 'none',
  payout: STAKE,
  voidReason,
});

export class Log {
  readonly entries: readonly string[];
  readonly #leaves: readonly Buffer[];
  readonly #timeMs: number;
  readonly #proofs = new Map<number, string[]>();

  constructor(entries: readonly string[], timeMs: number) {
    this.entries = entries;
    this.#leaves = entries.map(leafOf);
    this.#timeMs = timeMs;
  }

  checkpoint(): string {
    return LOG.checkpoint(this.#leaves, `time ${this.#timeMs}`);
  }

  #entry(index: number) {
    const proof = this.#proofs.get(index) ?? hex(inclusion(this.#leaves, index));
    this.#proofs.set(index, proof);
    return { index, entry: this.entries[index] as string, proof };
  }

  #seen(order: Order, seen: readonly string[]) {
    const leaves = this.#leaves.slice(0, order.terms.logSize);
    const fromRoot = rootOf(seen.map(leafOf)).toString('hex');
    return { fromSize: seen.length, fromRoot, proof: hex(consistency(leaves, seen.length)) };
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
      places.map((index) => ({ role: name, ...this.#entry(index) }));
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
      ],
      checkpoint: this.checkpoint(),
      consistency: {
        fromSize: logSize,
        fromRoot: order.text.split('\n')[14] as string,
        proof: hex(consistency(this.#leaves, logSize)),
      },
      seen: seen ? this.#seen(order, seen) : null,
      outcome,
    };
  }

  /** What `/api/order/logged` would have answered. */
  evidence(order: Order, orders: number) {
    const { index, entry, proof: entryProof } = this.#entry(orders);
    return {
      entry,
      index,
      entryProof,
      batch: Number(order.text.split('\n')[2]),
      batchProof: this.#batch(order, orders).proof,
      checkpoint: this.checkpoint(),
      keys: [],
    };
  }
}
