import {
  type Direction,
  isLoggedInTime,
  MOST_FIX_WAIT_MS,
  UNFIXED,
  type Verdict,
  voidVerdict,
} from '@fairtick/trading';
import { toHex } from './encoding.ts';
import { ENTRY_VERSION, type HaltEntry, type OrdersEntry, parseEntry } from './entry.ts';
import { leafHash } from './merkle.ts';
import { isOpen } from './receipt/fix-judge.ts';
import { type FixedPrice, type FixPair, resultsOf } from './receipt/fixed-result.ts';
import { readRules } from './receipt/rules-json.ts';

/** Orders that open and settle alike: same batch, product, opening time and settlement time. */
export interface ReplayGroup {
  readonly batch: number;
  readonly symbol: string;
  readonly opensAtMs: number;
  readonly settlesAtMs: number;
}

export interface ReplayFix extends FixedPrice {
  readonly index: number;
  readonly fixMs: number;
}

/** A result, and the prices that gave it; both null where it did not come from prices. */
export type ReplayResult = Verdict[Direction] & {
  readonly open: ReplayFix | null;
  readonly settle: ReplayFix | null;
};

export interface Replayed<Group> {
  readonly group: Group;
  readonly results: Readonly<Record<Direction, ReplayResult>>;
}

/** Numbers of batches that the log carries twice, or that it leaves out. */
export interface BatchFault {
  readonly kind: 'twice' | 'missing';
  readonly firstBatch: number;
  readonly lastBatch: number;
  /** The index of the `orders` entry that shows it. */
  readonly index: number;
}

/** A second of a product at which orders open or settle. */
interface Moment<Group> {
  readonly fixMs: number;
  pair: (FixPair<ReplayFix> & { readonly isThin: boolean }) | null;
  /** 24 hours have passed. */
  isOver: boolean;
  readonly waiting: Set<Waiting<Group>>;
}

interface Waiting<Group> {
  readonly group: Group;
  readonly open: Moment<Group>;
  readonly settle: Moment<Group>;
  loggedAtMs: number | null;
  /** What was decided last. */
  told: Replayed<Group> | null;
}

/** How often seconds without a fix are looked through, in the log's time. */
const SWEEP_MS = 60_000;

/**
 * Settles orders again from the log's lines, read once from the start. Memory grows with the open orders, not with the log. It
 * uses no server code: the order rules are those of the package `trading`, which the receipt's verifier uses too.
 */
export class Replay<Group extends ReplayGroup> {
  /** Not yet carried by an `orders` entry; by batch. */
  readonly #unlogged = new Map<number, Waiting<Group>[]>();
  /** Seconds that wait for a fix or a close; by symbol and time. */
  readonly #moments = new Map<string, Moment<Group>>();
  /** By the leaf hash of rules, in hex. */
  readonly #quorums = new Map<string, number>();
  /** Null before the first `orders` entry. */
  #lastBatch: number | null = null;
  /** No second is over before this time, Unix ms. */
  #sweepMs = Number.POSITIVE_INFINITY;
  readonly #batchFaults: BatchFault[] = [];
  readonly #halts: HaltEntry[] = [];
  readonly #isWhole: boolean;
  #done: Replayed<Group>[] = [];
  #waiting = 0;

  /** @param options.isWhole whether the lines begin with the log's first, so that batches begin with 1 */
  constructor({ isWhole = false }: { isWhole?: boolean } = {}) {
    this.#isWhole = isWhole;
  }

  /** Number of groups that are not decided yet. */
  get waiting(): number {
    return this.#waiting;
  }

  /** Number of seconds of expected groups for which a fix or a close may still come. */
  get unclosed(): number {
    return this.#moments.size;
  }

  get batchFaults(): readonly BatchFault[] {
    return this.#batchFaults;
  }

  /** Batches of expected groups that no line read so far carries. */
  get unlogged(): readonly number[] {
    return [...this.#unlogged.keys()];
  }

  get halts(): readonly HaltEntry[] {
    return this.#halts;
  }

  /** Adds groups. Call it before the log reaches the entry at the log size of their acceptance. */
  expect(groups: readonly Group[]): void {
    for (const group of groups) {
      const [open, settle] = [group.opensAtMs, group.settlesAtMs].map((ms) => this.#momentAt(group, ms));
      const waiting = { group, open, settle, loggedAtMs: null, told: null } as Waiting<Group>;
      waiting.open.waiting.add(waiting);
      waiting.settle.waiting.add(waiting);
      this.#unlogged.set(group.batch, [...(this.#unlogged.get(group.batch) ?? []), waiting]);
      this.#waiting += 1;
    }
  }

  #momentAt({ symbol }: Group, fixMs: number): Moment<Group> {
    const key = `${symbol} ${fixMs}`;
    const moment = this.#moments.get(key) ?? { fixMs, pair: null, isOver: false, waiting: new Set() };
    this.#moments.set(key, moment);
    this.#sweepMs = Math.min(this.#sweepMs, fixMs + MOST_FIX_WAIT_MS);
    return moment;
  }

  /** Takes a `rules` entry that was logged before the first line. */
  know(index: number, text: string): void {
    const entry = parseEntry(text);
    const rules = entry?.kind === 'rules' ? readRules(entry.json) : null;
    if (rules === null) throw notReadable(index);
    this.#quorums.set(toHex(leafHash(text)), rules.quorum);
  }

  /** Takes the log's next line. @throws Error for one that can't be parsed, and for a fix under rules that were not read */
  add(index: number, text: string): void {
    const [kind = '', version, symbol, , time, second] = text.split('|', 6);
    if (kind === 'rules') this.know(index, text);
    else if (kind === 'orders' || kind === 'halt') this.#addEntry(index, text);
    if (!['fix', 'close', 'tick', 'gap'].includes(kind)) return;
    const timeMs = Number(time);
    if (version !== ENTRY_VERSION || !Number.isSafeInteger(timeMs)) throw notReadable(index);
    const key = `${symbol} ${second}`;
    const moment = kind === 'fix' || kind === 'close' ? this.#moments.get(key) : undefined;
    if (moment && timeMs <= moment.fixMs + MOST_FIX_WAIT_MS) this.#addFix(key, moment, { index, text });
    this.#passTime(timeMs);
  }

  #addEntry(index: number, text: string): void {
    const entry = parseEntry(text);
    if (entry?.kind === 'orders') this.#addOrders(index, entry);
    else if (entry?.kind === 'halt') this.#halts.push(entry);
    else throw notReadable(index);
    this.#passTime(entry.timeMs);
  }

  /** The groups decided since the last call. One comes again where the close of a fix makes a result of it better. */
  take(): Replayed<Group>[] {
    const done = this.#done;
    this.#done = [];
    return done;
  }

  #addFix(key: string, moment: Moment<Group>, { index, text }: { index: number; text: string }): void {
    const entry = parseEntry(text);
    if (entry?.kind !== 'fix' && entry?.kind !== 'close') throw notReadable(index);
    const { fixMs, price, decimals, records } = entry;
    const own: ReplayFix = { index, fixMs, price, decimals };
    if (entry.kind === 'close') {
      if (moment.pair) moment.pair = { ...moment.pair, close: own };
    } else if (!moment.pair) {
      const quorum = this.#quorums.get(entry.rulesHash);
      if (quorum === undefined) throw new Error(`the fix at ${index} names rules that were not read`);
      const isThin = records.filter(({ use }) => use === 'use').length < quorum;
      moment.pair = { fix: own, close: null, isThin };
    }
    // A fix that has no open record has no close.
    if (!records.some(isOpen)) this.#moments.delete(key);
    for (const waiting of moment.waiting) this.#decide(waiting);
  }

  /** Seconds that have no fix after 24 hours never have one. */
  #passTime(timeMs: number): void {
    if (timeMs < this.#sweepMs) return;
    let next = Number.POSITIVE_INFINITY;
    for (const [key, moment] of this.#moments) {
      const overMs = moment.fixMs + MOST_FIX_WAIT_MS;
      if (overMs > timeMs) next = Math.min(next, overMs);
      else {
        moment.isOver = true;
        this.#moments.delete(key);
        for (const waiting of moment.waiting) this.#decide(waiting);
      }
    }
    this.#sweepMs = Math.max(next, timeMs + SWEEP_MS);
  }

  #addOrders(index: number, entry: OrdersEntry): void {
    this.#checkBatches(index, entry);
    for (let batch = entry.firstBatch; batch <= entry.lastBatch; batch += 1) {
      for (const waiting of this.#unlogged.get(batch) ?? []) {
        waiting.loggedAtMs = entry.timeMs;
        this.#decide(waiting);
      }
      this.#unlogged.delete(batch);
    }
  }

  #checkBatches(index: number, { firstBatch, lastBatch }: OrdersEntry): void {
    const last = this.#lastBatch ?? (this.#isWhole ? 0 : firstBatch - 1);
    const report = (kind: BatchFault['kind'], first: number, until: number) =>
      this.#batchFaults.push({ kind, firstBatch: first, lastBatch: until, index });
    if (firstBatch > last + 1) report('missing', last + 1, firstBatch - 1);
    if (firstBatch <= last) report('twice', firstBatch, Math.min(last, lastBatch));
    this.#lastBatch = Math.max(last, lastBatch);
  }

  #decide(waiting: Waiting<Group>): void {
    const { group, told } = waiting;
    const results = resultsFor(waiting);
    if (results === null) return;
    if (told === null) this.#waiting -= 1;
    const isNew = (['up', 'down'] as const).some(
      (direction) => told?.results[direction].result !== results[direction].result,
    );
    if (!isNew) return;
    waiting.told = { group, results };
    this.#done.push(waiting.told);
  }
}

/** Null while nothing is decided. */
function resultsFor<Group extends ReplayGroup>({
  group,
  open,
  settle,
  loggedAtMs,
}: Waiting<Group>): Replayed<Group>['results'] | null {
  if (loggedAtMs === null) return null;
  if (!isLoggedInTime(loggedAtMs, group.opensAtMs)) return withoutPrices(voidVerdict('not_logged'));
  if (!open.pair) return open.isOver ? withoutPrices(UNFIXED) : null;
  if (open.pair.isThin) return withoutPrices(voidVerdict('no_price'));
  if (!settle.pair) return settle.isOver ? withoutPrices(UNFIXED) : null;
  const { up, down } = resultsOf(open.pair, settle.pair);
  return { up: { ...up, voidReason: null }, down: { ...down, voidReason: null } };
}

const withoutPrices = ({ up, down }: Verdict): Replayed<never>['results'] => ({
  up: { ...up, open: null, settle: null },
  down: { ...down, open: null, settle: null },
});

const notReadable = (index: number): Error => new Error(`the entry at ${index} can’t be read`);
