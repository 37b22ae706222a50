import {
  decideOpening,
  type Gap,
  isCurrent,
  lastOpening,
  type Verdict,
  voidVerdict,
} from '@fairtick/trading';
import { toHex } from './encoding.ts';
import { ENTRY_VERSION, type HaltEntry, type OrdersEntry, parseEntry } from './entry.ts';
import { leafHash } from './merkle.ts';
import { readRules } from './receipt/rules-json.ts';
import { atOpening, atSettlement, type LoggedTick, type Valued, verdictOf } from './receipt/valued-tick.ts';

/** Orders that open and settle alike: same batch, product, opening time, settlement time and rules. */
export interface ReplayGroup {
  readonly batch: number;
  readonly symbol: string;
  readonly opensAtMs: number;
  readonly settlesAtMs: number;
  /** D of the rules that the acceptance names. */
  readonly delayMs: number;
  /** `openWithinMs` of the same rules. */
  readonly openWithinMs: number;
}

/** A tick with its place in the log, and what it is worth for orders of each direction. */
export interface ReplayTick extends Valued {
  readonly index: number;
  readonly timeMs: number;
}

export interface Replayed<Group> {
  readonly group: Group;
  readonly verdict: Verdict;
  /** Null if the order never opened. */
  readonly open: ReplayTick | null;
  /** Null also where no current tick of the settlement time exists. */
  readonly settle: ReplayTick | null;
}

/** Numbers of batches that the log carries twice, or that it leaves out. */
export interface BatchFault {
  readonly kind: 'twice' | 'missing';
  readonly firstBatch: number;
  readonly lastBatch: number;
  /** The index of the `orders` entry that shows it. */
  readonly index: number;
}

/** An entry of a product and its index. */
interface Indexed {
  readonly index: number;
  readonly entry: LoggedTick | Gap;
}

interface Waiting<Group> {
  readonly group: Group;
  loggedAtMs: number | null;
  /** The product's last entry before the opening time and those after it; the first may be missing. */
  entries: Indexed[];
  open: ReplayTick | null;
}

interface Line {
  readonly index: number;
  readonly text: string;
}

/** Opened orders of a product, which its first entry at or after their settlement time decides. */
interface Settling<Group> {
  readonly at: Map<number, Waiting<Group>[]>;
  /** The earliest of the times, Unix ms. */
  nextMs: number;
}

/**
 * Settles orders again from the log's lines, read once from the start. Memory grows with the open orders, not with the log. It
 * uses no server code: the order rules are those of the package `trading`, which the receipt's verifier uses too.
 */
export class Replay<Group extends ReplayGroup> {
  /** Not yet carried by an `orders` entry; by batch. */
  readonly #unlogged = new Map<number, Waiting<Group>[]>();
  /** Not yet opened or void; by symbol. */
  readonly #opening = new Map<string, Set<Waiting<Group>>>();
  /** Opened and not settled yet; by symbol. */
  readonly #settling = new Map<string, Settling<Group>>();
  /** A product's newest line, which is parsed only when an order needs it. */
  readonly #newest = new Map<string, Line>();
  /** By the leaf hash of rules, in hex. */
  readonly #freshMs = new Map<string, number>();
  /** Null before the first `orders` entry. */
  #lastBatch: number | null = null;
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

  /** Batches that the lines read so far carry twice, or pass over. */
  get batchFaults(): readonly BatchFault[] {
    return this.#batchFaults;
  }

  /** Batches of expected groups that no line read so far carries. */
  get unlogged(): readonly number[] {
    return [...this.#unlogged.keys()];
  }

  /** Halts of new orders and their ends, as logged. */
  get halts(): readonly HaltEntry[] {
    return this.#halts;
  }

  /** Adds groups. Call it before the log reaches the entry at the log size of their acceptance. */
  expect(groups: readonly Group[]): void {
    for (const group of groups) {
      const newest = this.#newest.get(group.symbol);
      const entries = newest ? [this.#read(newest)] : [];
      const waiting: Waiting<Group> = { group, loggedAtMs: null, entries, open: null };
      this.#unlogged.set(group.batch, [...(this.#unlogged.get(group.batch) ?? []), waiting]);
      const opening = this.#opening.get(group.symbol) ?? new Set();
      this.#opening.set(group.symbol, opening.add(waiting));
      this.#waiting += 1;
    }
  }

  /**
   * Tells of rules that were logged before the first line.
   * @param text the `rules` entry
   * @throws Error where it can't be read
   */
  know(index: number, text: string): void {
    const entry = parseEntry(text);
    const rules = entry?.kind === 'rules' ? readRules(entry.json) : null;
    if (rules === null) throw notReadable(index);
    this.#freshMs.set(toHex(leafHash(text)), rules.freshMs);
  }

  /**
   * Takes the log's next line.
   * @throws Error for a tick, gap, rules, orders or halt line that can't be parsed, and for a tick under rules that were not read and
   *   that {@link know} was not told of, since nothing can be settled from such a log
   */
  add(index: number, text: string): void {
    if (text.startsWith('tick|') || text.startsWith('gap|')) this.#addPrice({ index, text });
    else if (text.startsWith('rules|')) this.know(index, text);
    else if (text.startsWith('orders|') || text.startsWith('halt|')) {
      const entry = parseEntry(text);
      if (entry?.kind === 'orders') this.#addOrders(index, entry);
      else if (entry?.kind === 'halt') this.#halts.push(entry);
      else throw notReadable(index);
    }
  }

  /** The groups decided since the last call. */
  take(): Replayed<Group>[] {
    const done = this.#done;
    this.#done = [];
    return done;
  }

  /** Only symbol and time are read, unless an order waits for the product's entries. */
  #addPrice(line: Line): void {
    const [, version, symbol, , time] = line.text.split('|', 5);
    const timeMs = Number(time);
    if (version !== ENTRY_VERSION || symbol === undefined || !Number.isSafeInteger(timeMs))
      throw notReadable(line.index);
    this.#newest.set(symbol, line);
    const opening = this.#opening.get(symbol);
    const isOpening = opening !== undefined && opening.size > 0;
    const isDue = () => timeMs >= (this.#settling.get(symbol)?.nextMs ?? Number.POSITIVE_INFINITY);
    if (!isOpening && !isDue()) return;
    const place = this.#read(line);
    for (const waiting of opening ?? []) this.#offer(waiting, place);
    // An order may open at its settlement time.
    if (isDue()) this.#settle(symbol, place);
  }

  #offer(waiting: Waiting<Group>, place: Indexed): void {
    const { opensAtMs } = waiting.group;
    const last = waiting.entries.at(-1);
    // What comes after the first entry beyond the window changes nothing.
    if (last && last.entry.timeMs > lastOpening(waiting.group)) return;
    if (place.entry.timeMs < opensAtMs) waiting.entries = [place];
    else waiting.entries.push(place);
    this.#decideOpening(waiting);
  }

  #addOrders(index: number, entry: OrdersEntry): void {
    this.#checkBatches(index, entry);
    for (let batch = entry.firstBatch; batch <= entry.lastBatch; batch += 1) {
      for (const waiting of this.#unlogged.get(batch) ?? []) {
        waiting.loggedAtMs = entry.timeMs;
        this.#decideOpening(waiting);
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

  #decideOpening(waiting: Waiting<Group>): void {
    const { group, loggedAtMs, entries } = waiting;
    const symbolEntries = entries.map(({ entry }) => entry);
    const opening = decideOpening({ ...group, loggedAtMs, entries: symbolEntries });
    if (opening.state === 'pending') return;
    this.#opening.get(group.symbol)?.delete(waiting);
    if (opening.state === 'void') {
      this.#finish(waiting, voidVerdict(opening.reason), null);
      return;
    }
    const place = entries.find(({ entry }) => entry === opening.tick);
    if (place?.entry.kind !== 'tick') throw new Error('an order opened at no tick of the log');
    waiting.open = { index: place.index, timeMs: place.entry.timeMs, ...atOpening(place.entry) };
    waiting.entries = [];
    this.#awaitSettlement(waiting);
  }

  #awaitSettlement(waiting: Waiting<Group>): void {
    const { symbol, settlesAtMs } = waiting.group;
    const settling = this.#settling.get(symbol) ?? { at: new Map(), nextMs: settlesAtMs };
    this.#settling.set(symbol, settling);
    settling.nextMs = Math.min(settling.nextMs, settlesAtMs);
    const all = settling.at.get(settlesAtMs);
    if (all) all.push(waiting);
    else settling.at.set(settlesAtMs, [waiting]);
  }

  /** Settles the opened orders whose settlement time the product's entry has reached. */
  #settle(symbol: string, { index, entry }: Indexed): void {
    const settling = this.#settling.get(symbol);
    if (!settling) return;
    const { timeMs } = entry;
    settling.nextMs = Number.POSITIVE_INFINITY;
    for (const [settlesAtMs, all] of settling.at) {
      if (settlesAtMs > timeMs) {
        settling.nextMs = Math.min(settling.nextMs, settlesAtMs);
        continue;
      }
      settling.at.delete(settlesAtMs);
      const isDeciding = settlesAtMs === timeMs && entry.kind === 'tick' && isCurrent(entry);
      const settle = isDeciding ? { index, timeMs, ...atSettlement(entry) } : null;
      for (const waiting of all)
        if (waiting.open) this.#finish(waiting, verdictOf(waiting.open, settle), settle);
    }
  }

  #finish(waiting: Waiting<Group>, verdict: Verdict, settle: ReplayTick | null): void {
    this.#waiting -= 1;
    const { group, open } = waiting;
    this.#done.push({ group, verdict, open, settle });
  }

  #read({ index, text }: Line): Indexed {
    const entry = parseEntry(text);
    if (entry?.kind === 'gap') return { index, entry };
    if (entry?.kind !== 'tick') throw notReadable(index);
    const freshMs = this.#freshMs.get(entry.rulesHash);
    if (freshMs === undefined) throw new Error(`the tick at ${index} names rules that were not read`);
    return { index, entry: { ...entry, freshMs } };
  }
}

const notReadable = (index: number): Error => new Error(`the entry at ${index} can’t be read`);
