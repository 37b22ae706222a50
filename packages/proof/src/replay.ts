import { type Points, parsePrice } from '@fairtick/money';
import {
  decideOpening,
  decideSettlement,
  OPEN_WINDOW_MS,
  type SymbolEntry,
  type Verdict,
  voidVerdict,
} from '@fairtick/trading';
import { parseEntry } from './entry.ts';

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
}

export interface Replayed<Group> {
  readonly group: Group;
  readonly verdict: Verdict;
  /** Null if the order never opened. */
  readonly open: ReplayTick | null;
  readonly settle: ReplayTick | null;
}

interface Waiting<Group> {
  readonly group: Group;
  loggedAtMs: number | null;
  readonly entries: SymbolEntry[];
  readonly indexes: number[];
  open: ReplayTick | null;
  isDone: boolean;
}

/** A tick with its price still as text: the price is parsed only when a settlement needs it. */
interface LastTick {
  readonly index: number;
  readonly timeMs: number;
  readonly price: string;
}

/**
 * Settles orders again from the log's lines, read once from the start. Memory grows with the open orders, not with the log. It
 * uses no server code: the order rules are those of the package `trading`, which the receipt's verifier uses too.
 */
export class Replay<Group extends ReplayGroup> {
  /** Not yet carried by an `orders` entry; by batch. */
  readonly #unlogged = new Map<number, Waiting<Group>[]>();
  /** Logged, and waiting for the product's next entries to decide whether they open; by symbol. */
  readonly #opening = new Map<string, Set<Waiting<Group>>>();
  /** Groups to check once the log's time has passed a second; by Unix second. */
  readonly #due = new Map<number, Waiting<Group>[]>();
  readonly #last = new Map<string, LastTick>();
  #done: Replayed<Group>[] = [];
  #second: number | null = null;
  #waiting = 0;

  /** Number of groups that are not decided yet. */
  get waiting(): number {
    return this.#waiting;
  }

  /** Adds groups. Call it before the log reaches their `orders` entry. */
  expect(groups: readonly Group[]): void {
    for (const group of groups) {
      const waiting = { group, loggedAtMs: null, entries: [], indexes: [], open: null, isDone: false };
      const batch = this.#unlogged.get(group.batch);
      if (batch) batch.push(waiting);
      else this.#unlogged.set(group.batch, [waiting]);
      const opensBy = Math.min(group.acceptedAtMs + group.delayMs + OPEN_WINDOW_MS, group.settlesAtMs);
      this.#look(waiting, opensBy);
      this.#look(waiting, group.settlesAtMs);
      this.#waiting += 1;
    }
  }

  /**
   * Takes the log's next line.
   * @throws Error for a tick, gap or orders line that can't be parsed, since nothing can be settled from such a log
   */
  add(index: number, text: string): void {
    if (text.startsWith('tick|1|')) this.#addTick(index, text);
    else if (text.startsWith('gap|1|')) this.#addGap(index, text);
    else if (text.startsWith('orders|1|')) this.#addOrders(text);
  }

  /** The groups decided since the last call. */
  take(): Replayed<Group>[] {
    const done = this.#done;
    this.#done = [];
    return done;
  }

  #addTick(index: number, text: string): void {
    const symbolEnd = text.indexOf('|', 7);
    const timeAt = text.indexOf('|', symbolEnd + 1) + 1;
    const timeEnd = text.indexOf('|', timeAt);
    const priceEnd = text.indexOf('|', timeEnd + 1);
    const symbol = text.slice(7, symbolEnd);
    const timeMs = Number(text.slice(timeAt, timeEnd));
    if (priceEnd < 0 || !Number.isSafeInteger(timeMs)) throw notReadable(index);
    this.#passTo(timeMs);
    this.#last.set(symbol, { index, timeMs, price: text.slice(timeEnd + 1, priceEnd) });
    const opening = this.#opening.get(symbol);
    if (!opening) return;
    const entry = parseEntry(text);
    if (entry?.kind !== 'tick') throw notReadable(index);
    this.#tryOpen(opening, symbol, entry, index);
  }

  #addGap(index: number, text: string): void {
    const entry = parseEntry(text);
    if (entry?.kind !== 'gap') throw notReadable(index);
    this.#passTo(entry.timeMs);
    const opening = this.#opening.get(entry.symbol);
    if (opening) this.#tryOpen(opening, entry.symbol, entry, index);
  }

  #addOrders(text: string): void {
    const entry = parseEntry(text);
    if (entry?.kind !== 'orders') throw new Error('an orders entry can’t be read');
    this.#passTo(entry.timeMs);
    for (let batch = entry.firstBatch; batch <= entry.lastBatch; batch += 1) {
      for (const waiting of this.#unlogged.get(batch) ?? []) {
        waiting.loggedAtMs = entry.timeMs;
        if (waiting.isDone) continue;
        const { symbol } = waiting.group;
        const opening = this.#opening.get(symbol) ?? new Set();
        this.#opening.set(symbol, opening.add(waiting));
      }
      this.#unlogged.delete(batch);
    }
  }

  #tryOpen(opening: Set<Waiting<Group>>, symbol: string, entry: SymbolEntry, index: number): void {
    for (const waiting of opening) {
      waiting.entries.push(entry);
      waiting.indexes.push(index);
      this.#decideOpening(waiting, entry.timeMs);
    }
    if (opening.size === 0) this.#opening.delete(symbol);
  }

  #decideOpening(waiting: Waiting<Group>, logTimeMs: number): void {
    const { group, loggedAtMs, entries, indexes } = waiting;
    const opening = decideOpening({ ...group, loggedAtMs, entries, logTimeMs });
    if (opening.state === 'pending') return;
    this.#opening.get(group.symbol)?.delete(waiting);
    if (opening.state === 'void') {
      this.#finish(waiting, voidVerdict(opening.reason), null);
      return;
    }
    const { timeMs, price } = opening.tick;
    waiting.open = { index: indexes[entries.indexOf(opening.tick)] as number, timeMs, price };
    entries.length = 0;
  }

  #look(waiting: Waiting<Group>, timeMs: number): void {
    const second = Math.ceil(timeMs / 1000);
    const due = this.#due.get(second);
    if (due) due.push(waiting);
    else this.#due.set(second, [waiting]);
  }

  /** Moves the log's time to `timeMs`: no earlier entry can follow. The caller adds the entry itself afterwards. */
  #passTo(timeMs: number): void {
    const until = Math.ceil(timeMs / 1000);
    for (let second = this.#second ?? this.#firstDue(until); second < until; second += 1) {
      for (const waiting of this.#due.get(second) ?? []) this.#lookAt(waiting, timeMs);
      this.#due.delete(second);
    }
    this.#second = until;
  }

  /** A group may have been due before the first line. */
  #firstDue(until: number): number {
    return [...this.#due.keys()].reduce((least, second) => Math.min(least, second), until);
  }

  #lookAt(waiting: Waiting<Group>, logTimeMs: number): void {
    if (waiting.isDone) return;
    if (waiting.open === null) this.#decideOpening(waiting, logTimeMs);
    const { group, open } = waiting;
    if (waiting.isDone || open === null || logTimeMs <= group.settlesAtMs) return;
    const settle = this.#lastOf(group.symbol);
    if (settle === null || settle.timeMs > group.settlesAtMs)
      throw new Error(`an order of batch ${group.batch} opened and has no settlement tick`);
    this.#finish(waiting, decideSettlement({ openPrice: open.price, settleTick: settle, ...group }), settle);
  }

  #finish(waiting: Waiting<Group>, verdict: Verdict, settle: ReplayTick | null): void {
    waiting.isDone = true;
    this.#waiting -= 1;
    const { group, open } = waiting;
    this.#done.push({ group, verdict, open: settle === null ? null : open, settle });
  }

  #lastOf(symbol: string): ReplayTick | null {
    const last = this.#last.get(symbol);
    if (!last) return null;
    const price = parsePrice(
      last.price,
      last.price.length - (last.price.indexOf('.') + 1 || last.price.length),
    );
    if (price === null) throw notReadable(last.index);
    return { index: last.index, timeMs: last.timeMs, price };
  }
}

const notReadable = (index: number): Error => new Error(`the entry at ${index} can’t be read`);
