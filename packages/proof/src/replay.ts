import type { Points } from '@fairtick/money';
import {
  decideOpening,
  decideSettlement,
  openingWindow,
  type SymbolEntry,
  type Verdict,
  voidVerdict,
} from '@fairtick/trading';
import { type HaltEntry, type OrdersEntry, parseEntry } from './entry.ts';
import { atSameDecimals } from './receipt/order-steps.ts';

/** Orders that open and settle alike: same lane and batch, product, acceptance time, settlement time and rules. */
export interface ReplayGroup {
  readonly lane: number;
  readonly batch: number;
  readonly symbol: string;
  readonly acceptedAtMs: number;
  readonly settlesAtMs: number;
  /** D of the rules that the acceptance names. */
  readonly delayMs: number;
}

/** A tick with its place in the log. */
export interface ReplayTick {
  readonly index: number;
  readonly timeMs: number;
  readonly price: Points;
  /** Of the price. */
  readonly decimals: number;
}

export interface Replayed<Group> {
  readonly group: Group;
  readonly verdict: Verdict;
  /** Null if the order never opened. */
  readonly open: ReplayTick | null;
  readonly settle: ReplayTick | null;
}

/** Numbers of batches that the log carries twice, or that it leaves out. */
export interface BatchFault {
  readonly kind: 'twice' | 'missing';
  readonly lane: number;
  readonly firstBatch: number;
  readonly lastBatch: number;
  /** Of the `orders` entry that shows it. */
  readonly index: number;
}

/** An entry of a product and its index. */
interface Indexed {
  readonly index: number;
  readonly entry: SymbolEntry & { readonly decimals: number };
}

interface Waiting<Group> {
  readonly group: Group;
  loggedAtMs: number | null;
  /** The product's last entry before acceptance + D and those after it; the first may be missing. */
  entries: Indexed[];
  open: ReplayTick | null;
  isDone: boolean;
}

/** A product's newest lines, which are parsed only when an order needs them. */
interface Newest {
  line: { readonly index: number; readonly text: string };
  tick: { readonly index: number; readonly text: string } | null;
}

/**
 * Settles orders again from the log's lines, read once from the start. Memory grows with the open orders, not with the log. It
 * uses no server code: the order rules are those of the package `trading`, which the receipt's verifier uses too.
 */
export class Replay<Group extends ReplayGroup> {
  /** Not yet carried by an `orders` entry; by lane and batch. */
  readonly #unlogged = new Map<string, Waiting<Group>[]>();
  /** Not yet opened or void; by symbol. */
  readonly #opening = new Map<string, Set<Waiting<Group>>>();
  /** Groups to check once the log's time has passed a second; by Unix second. */
  readonly #due = new Map<number, Waiting<Group>[]>();
  readonly #newest = new Map<string, Newest>();
  /** The last batch of each lane. */
  readonly #lanes = new Map<number, number>();
  readonly #batchFaults: BatchFault[] = [];
  readonly #halts: HaltEntry[] = [];
  readonly #isWhole: boolean;
  #done: Replayed<Group>[] = [];
  #second: number | null = null;
  #timeMs = 0;
  #waiting = 0;

  /** @param options.isWhole whether the lines begin with the log's first, so that every lane begins with batch 1 */
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
  get unlogged(): readonly { readonly lane: number; readonly batch: number }[] {
    return [...this.#unlogged.values()].flatMap(([first]) =>
      first ? [{ lane: first.group.lane, batch: first.group.batch }] : [],
    );
  }

  /** Halts of new orders and their ends, as logged. */
  get halts(): readonly HaltEntry[] {
    return this.#halts;
  }

  /** Adds groups. Call it before the log reaches the entry at the log size of their acceptance. */
  expect(groups: readonly Group[]): void {
    for (const group of groups) {
      const newest = this.#newest.get(group.symbol)?.line;
      const entries = newest ? [readIndexed(newest)] : [];
      const waiting: Waiting<Group> = { group, loggedAtMs: null, entries, open: null, isDone: false };
      const name = nameOf(group.lane, group.batch);
      this.#unlogged.set(name, [...(this.#unlogged.get(name) ?? []), waiting]);
      const opening = this.#opening.get(group.symbol) ?? new Set();
      this.#opening.set(group.symbol, opening.add(waiting));
      this.#look(waiting, openingWindow(group).untilMs);
      this.#look(waiting, group.settlesAtMs);
      this.#waiting += 1;
    }
  }

  /**
   * Takes the log's next line.
   * @throws Error for a tick, gap, orders or halt line that can't be parsed, since nothing can be settled from such a log
   */
  add(index: number, text: string): void {
    if (text.startsWith('tick|') || text.startsWith('gap|')) this.#addPrice(index, text);
    else if (text.startsWith('orders|') || text.startsWith('halt|')) {
      const entry = parseEntry(text);
      if (entry?.kind !== 'orders' && entry?.kind !== 'halt') throw notReadable(index);
      this.#passTo(entry.timeMs);
      if (entry.kind === 'orders') this.#addOrders(index, entry);
      else this.#halts.push(entry);
    }
  }

  /** Decides what the log's time alone decides, after its last line: no earlier entry can follow. */
  end(timeMs: number): void {
    this.#passTo(Math.max(timeMs, this.#timeMs));
    for (const waiting of [...this.#due.values()].flat()) this.#lookAt(waiting);
  }

  /** The groups decided since the last call. */
  take(): Replayed<Group>[] {
    const done = this.#done;
    this.#done = [];
    return done;
  }

  /** Only symbol and time are read, unless an order waits for the product's entries. */
  #addPrice(index: number, text: string): void {
    const [kind, version, symbol, , time] = text.split('|', 5);
    const timeMs = Number(time);
    if (version !== '2' || symbol === undefined || !Number.isSafeInteger(timeMs)) throw notReadable(index);
    this.#passTo(timeMs);
    const line = { index, text };
    const tick = kind === 'tick' ? line : (this.#newest.get(symbol)?.tick ?? null);
    this.#newest.set(symbol, { line, tick });
    const opening = this.#opening.get(symbol);
    if (!opening || opening.size === 0) return;
    const place = readIndexed(line);
    for (const waiting of opening) this.#offer(waiting, place);
  }

  #offer(waiting: Waiting<Group>, place: Indexed): void {
    const { fromMs, untilMs } = openingWindow(waiting.group);
    const last = waiting.entries.at(-1);
    // What comes after the first entry beyond the window changes nothing.
    if (last && last.entry.timeMs > untilMs) return;
    if (place.entry.timeMs < fromMs) waiting.entries = [place];
    else waiting.entries.push(place);
    this.#decideOpening(waiting);
  }

  #addOrders(index: number, entry: OrdersEntry): void {
    const { lane, firstBatch, lastBatch } = entry;
    this.#checkBatches(index, entry);
    for (let batch = firstBatch; batch <= lastBatch; batch += 1) {
      const name = nameOf(lane, batch);
      for (const waiting of this.#unlogged.get(name) ?? []) {
        waiting.loggedAtMs = entry.timeMs;
        this.#decideOpening(waiting);
      }
      this.#unlogged.delete(name);
    }
  }

  #checkBatches(index: number, { lane, firstBatch, lastBatch }: OrdersEntry): void {
    const last = this.#lanes.get(lane) ?? (this.#isWhole ? 0 : firstBatch - 1);
    const report = (kind: BatchFault['kind'], first: number, until: number) =>
      this.#batchFaults.push({ kind, lane, firstBatch: first, lastBatch: until, index });
    if (firstBatch > last + 1) report('missing', last + 1, firstBatch - 1);
    if (firstBatch <= last) report('twice', firstBatch, Math.min(last, lastBatch));
    this.#lanes.set(lane, Math.max(last, lastBatch));
  }

  #decideOpening(waiting: Waiting<Group>): void {
    const { group, loggedAtMs, entries } = waiting;
    const symbolEntries = entries.map(({ entry }) => entry);
    const opening = decideOpening({ ...group, loggedAtMs, entries: symbolEntries, logTimeMs: this.#timeMs });
    if (opening.state === 'pending') return;
    this.#opening.get(group.symbol)?.delete(waiting);
    if (opening.state === 'void') {
      this.#finish(waiting, voidVerdict(opening.reason), null);
      return;
    }
    waiting.open = tickOf(entries.find(({ entry }) => entry === opening.tick));
    waiting.entries = [];
  }

  #look(waiting: Waiting<Group>, timeMs: number): void {
    const second = Math.ceil(timeMs / 1000);
    const due = this.#due.get(second);
    if (due) due.push(waiting);
    else this.#due.set(second, [waiting]);
  }

  /** Moves the log's time to `timeMs`: no earlier entry can follow. The caller adds the entry itself afterwards. */
  #passTo(timeMs: number): void {
    this.#timeMs = timeMs;
    const until = Math.ceil(timeMs / 1000);
    for (let second = this.#second ?? this.#firstDue(until); second < until; second += 1) {
      for (const waiting of this.#due.get(second) ?? []) this.#lookAt(waiting);
      this.#due.delete(second);
    }
    this.#second = until;
  }

  /** A group may have been due before the first line. */
  #firstDue(until: number): number {
    return [...this.#due.keys()].reduce((least, second) => Math.min(least, second), until);
  }

  #lookAt(waiting: Waiting<Group>): void {
    if (waiting.isDone) return;
    if (waiting.open === null) this.#decideOpening(waiting);
    const { group, open } = waiting;
    if (waiting.isDone || open === null || this.#timeMs <= group.settlesAtMs) return;
    const newest = this.#newest.get(group.symbol)?.tick;
    const settle = newest ? tickOf(readIndexed(newest)) : null;
    if (settle === null || settle.timeMs > group.settlesAtMs)
      throw new Error(`an order of batch ${group.batch} opened and has no tick to settle by`);
    const [openPrice, price] = atSameDecimals(open, settle);
    const settleTick = { price, timeMs: settle.timeMs };
    this.#finish(waiting, decideSettlement({ openPrice, settleTick, ...group }), settle);
  }

  #finish(waiting: Waiting<Group>, verdict: Verdict, settle: ReplayTick | null): void {
    waiting.isDone = true;
    this.#waiting -= 1;
    const { group, open } = waiting;
    this.#done.push({ group, verdict, open: settle === null ? null : open, settle });
  }
}

const nameOf = (lane: number, batch: number): string => `${lane}/${batch}`;

function readIndexed({ index, text }: { index: number; text: string }): Indexed {
  const entry = parseEntry(text);
  if (entry?.kind !== 'tick' && entry?.kind !== 'gap') throw notReadable(index);
  return { index, entry };
}

function tickOf(place: Indexed | undefined): ReplayTick | null {
  if (place?.entry.kind !== 'tick') return null;
  const { timeMs, price, decimals } = place.entry;
  return { index: place.index, timeMs, price, decimals };
}

const notReadable = (index: number): Error => new Error(`the entry at ${index} can’t be read`);
