import type { Closing, SourceRecord } from '@fairtick/trading';

/** A record as a frame or an answer says it. */
export interface SaidRecord extends SourceRecord {
  /** No record lies between this number and its own; null where the source names none. */
  readonly previous: bigint | null;
  /** The signed update that says it. */
  readonly signed?: Uint8Array;
}

/** How the records of a source are numbered. */
export interface Numbering {
  /** Numbers of a market rise by one. */
  readonly isGapless: boolean;
  /** By how much two statements may differ in the time of one record. */
  readonly roundingMs: number;
}

interface Entry {
  record: SaidRecord;
  /** The source has no record between the one before it in the book and this one. */
  follows: boolean;
  /** The source said at this time, Unix ms, that this was its last record. */
  saidMs: number;
  /** The stream said it, and not the history alone. */
  isHeard: boolean;
  /** The source said something else of this number too. */
  isDisputed: boolean;
}

/** What a book knows of a time. */
export interface Sight {
  /** The last record at or before it; null: none is known. */
  readonly last: SourceRecord | null;
  readonly closing: Closing;
  /** The first record after it that is known, whatever may lie between. */
  readonly after: SaidRecord | null;
}

const KEPT_MS = 15 * 60_000;
const MOST_KEPT = 20_000;
/** Records go in parts of this size, so that few are moved at once. */
const PART = 1_000;

const OPEN: Closing = { by: 'open' };

/**
 * The records of one market of a source, in the order of their numbers, and what shows that none is missing between two of them: numbers
 * that rise by one, the number that a record names as the one before it, or else that both came one after the other, on one connection or in one
 * answer. Of two statements of one number the first one of the stream stays, and neither closes a fix.
 */
export class RecordBook {
  readonly #numbering: Numbering;
  readonly #isPast: boolean;
  readonly #entries: Entry[] = [];
  /** The stream's last record on this connection, while nothing was lost after it. */
  #cursor: bigint | null = null;

  /** @param isPast records of any times are kept, as long as there is room for them */
  constructor(numbering: Numbering, { isPast = false } = {}) {
    this.#numbering = numbering;
    this.#isPast = isPast;
  }

  get first(): SourceRecord | null {
    return this.#entries[0]?.record ?? null;
  }

  get newest(): SourceRecord | null {
    return this.#entries.at(-1)?.record ?? null;
  }

  /** The number of the newest record that the stream said. */
  get heard(): bigint | null {
    return this.#entries.findLast(({ isHeard }) => isHeard)?.record.number ?? null;
  }

  /** Takes a record of the stream. @returns false: it contradicts what the source said before */
  hear(record: SaidRecord): boolean {
    const isDenied = this.#denied(record);
    const isTaken = this.#insert(record, this.#cursor, true);
    this.#cursor = isTaken ? record.number : null;
    this.#prune();
    return isTaken && !isDenied;
  }

  /** Records of the stream were lost. */
  lose(): void {
    this.#cursor = null;
  }

  /** The numbers restart. */
  clear(): void {
    this.#entries.length = 0;
    this.#cursor = null;
  }

  /** The source said at a time which record was its last one. */
  last(number: bigint, saidMs: number): void {
    const entry = this.#entries[this.#placeOf(number)];
    if (entry?.record.number === number) entry.saidMs = Math.max(entry.saidMs, saidMs);
  }

  /**
   * Takes an answer of the history: records one after the other, ascending. One that contradicts what the source said before refuses all
   * of them: who errs in one is not believed in the others.
   * @returns how many were new; null: the answer was refused
   */
  merge(records: readonly SaidRecord[]): number | null {
    const isWrong = records.filter((record) => !this.#agrees(record, false)).length > 0;
    if (isWrong) return null;
    const before = this.#entries.length;
    let previous: bigint | null = null;
    for (const record of records) {
      this.#denied(record);
      previous = this.#insert(record, previous, false) ? record.number : null;
    }
    const added = this.#entries.length - before;
    this.#prune();
    return added;
  }

  at(fixMs: number): Sight {
    const count = this.#countUpTo(fixMs);
    const [entry, next] = [this.#entries[count - 1], this.#entries[count]];
    const after = next?.record ?? null;
    if (!entry) return { last: null, closing: OPEN, after };
    const { record: last, saidMs, isDisputed } = entry;
    if (isDisputed || next?.isDisputed) return { last, closing: OPEN, after };
    if (next?.follows) return { last, closing: { by: 'next', next: next.record }, after };
    return { last, closing: saidMs > fixMs ? { by: 'said' } : OPEN, after };
  }

  record(number: bigint): SaidRecord | null {
    const found = this.#entries[this.#placeOf(number)]?.record;
    return found?.number === number ? found : null;
  }

  /** @param directly the number of a record that this one was said right after; null: of none */
  #insert(record: SaidRecord, directly: bigint | null, isHeard: boolean): boolean {
    if (!this.#agrees(record, isHeard)) return false;
    const place = this.#placeOf(record.number);
    const [before, there] = [this.#entries[place - 1], this.#entries[place]];
    const follows = this.#isNext(before, record, directly);
    if (there?.record.number === record.number) {
      if (!isHeard) there.isDisputed = false;
      there.isHeard ||= isHeard;
      there.follows ||= follows;
      return true;
    }
    this.#entries.splice(place, 0, { record, follows, saidMs: 0, isHeard, isDisputed: false });
    if (there) there.follows = this.#isNext(this.#entries[place], there.record, null);
    return true;
  }

  /** Whether a record fits what is known. A number with two statements is disputed from then on. */
  #agrees(record: SaidRecord, isHeard: boolean): boolean {
    const place = this.#placeOf(record.number);
    const [before, there] = [this.#entries[place - 1], this.#entries[place]];
    if (there?.record.number === record.number) return this.#isSame(there, record, isHeard);
    if (before && before.record.timeMs > record.timeMs) return false;
    if (there && there.record.timeMs < record.timeMs) return false;
    // The history may lack a record that the stream has, and not the other way round.
    return !there?.follows || (isHeard && !there.isHeard);
  }

  /** Takes back the word that an earlier record was the last one, where this one shows that it was not. @returns whether there was one */
  #denied({ number, timeMs }: SaidRecord): boolean {
    const place = this.#placeOf(number);
    const before = this.#entries[place - 1];
    if (!before || before.saidMs <= timeMs || this.#entries[place]?.record.number === number) return false;
    before.saidMs = 0;
    return true;
  }

  #isNext(before: Entry | undefined, { number, previous }: SaidRecord, directly: bigint | null): boolean {
    if (!before) return false;
    if (previous !== null) return before.record.number >= previous;
    return this.#numbering.isGapless
      ? before.record.number === number - 1n
      : before.record.number === directly;
  }

  #isSame(there: Entry, record: SaidRecord, isHeard: boolean): boolean {
    const differsMs = Math.abs(there.record.timeMs - record.timeMs);
    const isNear = differsMs <= this.#numbering.roundingMs;
    if (there.record.price === record.price && isNear) return true;
    // What the stream says stays, also where the history was here first.
    if (isHeard && !there.isHeard && isNear) there.record = record;
    there.isHeard ||= isHeard;
    there.isDisputed = true;
    return false;
  }

  /** The place of a number, or where it belongs. */
  #placeOf(number: bigint): number {
    let [low, high] = [0, this.#entries.length];
    if ((this.newest?.number ?? -1n) < number) return high;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.#entries[middle] as Entry).record.number < number) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  /** How many records are at or before a time. */
  #countUpTo(timeMs: number): number {
    let [low, high] = [0, this.#entries.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.#entries[middle] as Entry).record.timeMs <= timeMs) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  /** The last record from before what is kept stays too: it may be the last one at any time since. */
  #prune(): void {
    const isFull = this.#entries.length > MOST_KEPT + PART;
    if (this.#isPast) {
      if (isFull) this.clear();
      return;
    }
    if (isFull) this.#drop(this.#entries.length - MOST_KEPT);
    const oldMs = (this.newest?.timeMs ?? 0) - KEPT_MS;
    if ((this.#entries[PART]?.record.timeMs ?? Number.POSITIVE_INFINITY) < oldMs) this.#drop(PART);
  }

  #drop(count: number): void {
    this.#entries.splice(0, count);
    if (this.#entries[0]) this.#entries[0].follows = false;
  }
}
