import { type KnownRecord, PYTH_SOURCE, type SourceRecord } from '@fairtick/trading';
import { type Answer, ask } from './ask.ts';
import { RecordBook, type SaidRecord } from './record-book.ts';
import { type RecordHistory, type SourceMarket, saidRecord } from './record-history.ts';
import type { VenueEvent } from './venue.ts';

/** The owner of a desk. */
export interface DeskEvents {
  /** A contradiction, or a history that does not answer. */
  fault(why: string): void;
  /** The stream is silent about a market that trades: a new connection is needed. */
  deaf(why: string): void;
}

/** The history is asked for a fix that is not closed so long after its time. */
const ASK_AFTER_MS = 300;
/** A market that was silent for so long is asked for. */
const SILENT_MS = 10_000;
const SILENT_AGAIN_MS = 20_000;
const LOOK_EVERY_MS = 1_000;
/** Times that are looked for at once, of each market. */
const MOST_HUNTS = 64;
/** A record that the stream did not bring within this time, it does not bring. */
const LATEST_MS = 3_000;
/** A record's time further ahead of ours than this is no time. */
const MOST_AHEAD_MS = 10_000;
/** A stream that contradicts itself for so long has restarted its numbers. */
const MOST_UNCLEAR_MS = 2_000;
/** What a stream says of its last record may be so old. */
const WORD_LAG_MS = 100;
/** What a history says of the present may be so old. */
const HISTORY_LAG_MS = 1_000;
/** Questions for one time that follow each other without anybody who waits. */
const MOST_IN_A_ROW = 50;
/** A question that brought nothing new is asked again after 0.4, 0.4, 0.8 … 30 s. */
const AGAIN_MS = 400;
const MOST_AGAIN_MS = 30_000;

/** A time whose records are looked for. */
interface Hunt {
  /** Somebody waits for it since the last question. */
  isWanted: boolean;
  /** Questions so far, and how many in a row brought nothing new. */
  tries: number;
  idle: number;
  /** Of the process's clock. */
  notBeforeMs: number;
}

interface Kept {
  readonly listing: SourceMarket;
  /** Records of this process's stream, completed from the history. */
  readonly book: RecordBook;
  /** Records from before it, of the history alone. */
  readonly past: RecordBook;
  /** By the time that is looked for. */
  readonly searches: Map<number, Hunt>;
  /** When it was last asked for because it was silent. */
  lookedMs: number;
  /** Since when the stream has contradicted what it said; null: it does not. */
  unclearSinceMs: number | null;
}

/**
 * The records of one source: what its stream says, and what is missing of it asked from its history, one question at a time and within
 * the source's limit. What is answered of a time follows from the record of the source alone.
 */
export class RecordDesk {
  readonly #source: string;
  readonly #history: RecordHistory;
  readonly #tell: DeskEvents;
  readonly #nowMs: () => number;
  readonly #againMs: number;
  readonly #kept = new Map<string, Kept>();
  readonly #byProduct = new Map<number, Kept>();
  readonly #stopping = new AbortController();
  #timer: NodeJS.Timeout | null = null;
  #isAsking = false;
  /** Questions so far. */
  #asked = 0;
  #answers: boolean | null = null;
  /** No question before this, of the process's clock. */
  #waitUntilMs = 0;
  /** When the present connection began, of the log's time. */
  #sinceMs: number;
  /** Where the search for the next market to ask begins. */
  #turn = 0;

  /** @param nowMs the log's time  @param againMs the first pause after a question that brought nothing new */
  constructor(options: {
    history: RecordHistory;
    listings: readonly SourceMarket[];
    nowMs: () => number;
    tell: DeskEvents;
    againMs?: number;
  }) {
    this.#source = options.history.source;
    this.#history = options.history;
    this.#tell = options.tell;
    this.#againMs = options.againMs ?? AGAIN_MS;
    this.#nowMs = options.nowMs;
    this.#sinceMs = options.nowMs();
    for (const listing of options.listings) {
      const kept: Kept = {
        listing,
        book: new RecordBook(options.history),
        past: new RecordBook(options.history, { isPast: true }),
        searches: new Map(),
        lookedMs: Number.NEGATIVE_INFINITY,
        unclearSinceMs: null,
      };
      this.#kept.set(listing.market, kept);
      this.#byProduct.set(listing.productId, kept);
    }
  }

  /** Whether the source said a record, or answered for one, after it last failed to answer; null: it was not tried. */
  get answers(): boolean | null {
    return this.#answers;
  }

  start(): void {
    // Records of Pyth rest outside the hours of a market.
    if (this.#source !== PYTH_SOURCE) this.#timer = setInterval(() => this.#look(), LOOK_EVERY_MS);
  }

  stop(): void {
    if (this.#timer) clearInterval(this.#timer);
    this.#timer = null;
    this.#stopping.abort();
  }

  /** @returns false: a market's records have contradicted earlier ones for so long that a new connection is needed */
  apply(events: readonly VenueEvent[]): boolean {
    const nowMs = this.#nowMs();
    if (events.some(({ kind }) => kind === 'record' || kind === 'last')) this.#answers = true;
    for (const event of events) {
      if (event.kind === 'record') this.#hear(event, nowMs);
      else if (event.kind === 'last')
        this.#kept.get(event.market)?.book.last(event.number, event.sourceMs - WORD_LAG_MS);
      else if (event.kind === 'gap') this.#lose(event.market);
      else if (event.kind === 'reconnected') this.#begin(nowMs);
    }
    return !this.#kept.values().some((kept) => isUnclear(kept, nowMs));
  }

  /** What is known of a product's market at a time; null: no record at or before it. What is missing is asked for. */
  recordAt(productId: number, fixMs: number): KnownRecord | null {
    const kept = this.#byProduct.get(productId);
    if (!kept) return null;
    const { last, closing } = bookOf(kept, fixMs).at(fixMs);
    const isOpen = closing.by === 'open';
    if (isOpen && this.#nowMs() - fixMs >= ASK_AFTER_MS) this.#want(kept, fixMs);
    return last && { source: this.#source, last: plain(last), closing: plainClosing(closing) };
  }

  /** The signed update that a record is from, with its market. */
  signedUpdate(productId: number, number: bigint): { market: string; update: Uint8Array } | null {
    const kept = this.#byProduct.get(productId);
    const record = kept && (kept.book.record(number) ?? kept.past.record(number));
    return kept && record?.signed ? { market: kept.listing.market, update: record.signed } : null;
  }

  #hear(event: VenueEvent & { kind: 'record' }, nowMs: number): void {
    const kept = this.#kept.get(event.market);
    if (!kept) return;
    const record = saidRecord(event, kept.listing.decimals);
    if (record === null || record.timeMs > nowMs + MOST_AHEAD_MS) {
      this.#tell.fault(`says a record ${event.number} of ${kept.listing.symbol} without a price or a time`);
      kept.book.lose();
      return;
    }
    if (kept.book.hear(record)) kept.unclearSinceMs = null;
    else {
      kept.unclearSinceMs ??= nowMs;
      this.#tell.fault(contradictionOf(kept, record));
    }
  }

  #lose(market: string | null): void {
    for (const [name, { book }] of this.#kept) if (market === null || market === name) book.lose();
  }

  /** Numbers that were unclear up to the end of a connection start again. */
  #begin(nowMs: number): void {
    this.#sinceMs = nowMs;
    for (const kept of this.#kept.values()) {
      if (isUnclear(kept, nowMs)) {
        kept.book.clear();
        kept.past.clear();
      } else kept.book.lose();
      kept.unclearSinceMs = null;
    }
  }

  /** Asks for markets that fell silent: they may trade, and the stream not say so. */
  #look(): void {
    const nowMs = this.#nowMs();
    if ([...this.#kept.values()].some(({ searches }) => nextOf(searches) !== null)) return;
    const silent = [...this.#kept.values()].find(
      ({ book, lookedMs }) =>
        nowMs - Math.max(book.newest?.timeMs ?? this.#sinceMs, lookedMs + SILENT_AGAIN_MS) > SILENT_MS,
    );
    if (!silent) return;
    silent.lookedMs = nowMs;
    this.#want(silent, nowMs);
  }

  #want({ searches }: Kept, fixMs: number): void {
    const hunt = searches.get(fixMs);
    if (hunt) hunt.isWanted = true;
    else {
      if (searches.size >= MOST_HUNTS) searches.delete(leastHopeful(searches));
      searches.set(fixMs, { isWanted: true, tries: 0, idle: 0, notBeforeMs: 0 });
    }
    this.#next();
  }

  /** Asks the next question that is due, of each market in turn. */
  #next(): void {
    if (this.#isAsking || this.#stopping.signal.aborted || performance.now() < this.#waitUntilMs) return;
    const all = [...this.#kept.values()];
    for (let step = 0; step < all.length; step += 1) {
      const place = (this.#turn + step) % all.length;
      const kept = all[place] as Kept;
      const fixMs = nextOf(kept.searches, this.#asked % 2 === 0);
      if (fixMs === null) continue;
      this.#turn = place + 1;
      this.#isAsking = true;
      this.#asked += 1;
      this.#ask(kept, fixMs)
        .catch((error: unknown) => this.#tell.fault(`its history could not be read: ${error}`))
        .finally(() => {
          this.#isAsking = false;
          setTimeout(() => this.#next(), Math.max(this.#waitUntilMs - performance.now(), 0)).unref();
        });
      return;
    }
  }

  async #ask(kept: Kept, fixMs: number): Promise<void> {
    const { listing, searches } = kept;
    const hunt = searches.get(fixMs) as Hunt;
    const book = bookOf(kept, fixMs);
    const sight = book.at(fixMs);
    const after = sight.after ?? (book === kept.past ? kept.book.at(fixMs).after : null);
    const request =
      sight.closing.by === 'open'
        ? this.#history.requestFor({ market: listing, fixMs, sight: { ...sight, after }, tries: hunt.tries })
        : null;
    if (request === null) {
      searches.delete(fixMs);
      return;
    }
    hunt.isWanted = false;
    hunt.tries += 1;
    const answer = await ask(request, this.#stopping.signal);
    if (this.#stopping.signal.aborted) return;
    this.#waitUntilMs = performance.now() + this.#history.paceMs;
    const added =
      'text' in answer
        ? this.#take(kept, { book, answer, anchor: request.from, isLast: after === null })
        : this.#refused(answer);
    this.#answers = added !== null;
    const isNew = added !== null && added > 0;
    hunt.idle = isNew ? 0 : hunt.idle + 1;
    const againMs = Math.min(this.#againMs * 2 ** Math.max(hunt.idle - 2, 0), MOST_AGAIN_MS);
    hunt.notBeforeMs = performance.now() + (isNew ? 0 : againMs);
    if (bookOf(kept, fixMs).at(fixMs).closing.by !== 'open') searches.delete(fixMs);
    else if (isNew && hunt.tries % MOST_IN_A_ROW !== 0) hunt.isWanted = true;
  }

  /**
   * @param anchor the record whose followers were asked for  @param isLast none of them is known
   * @returns how many records are new; null: the answer can't be used
   */
  #take(
    kept: Kept,
    { book, answer, anchor, isLast }: { book: RecordBook; answer: Answered } & Asked,
  ): number | null {
    const { symbol } = kept.listing;
    const records = this.#history.read(answer.text, kept.listing);
    if (records === null) {
      this.#tell.fault(`answers what is no history of ${symbol}`);
      return null;
    }
    const { heard } = book;
    // An answer has to hold on to what is known.
    const isLoose = anchor !== null && !records.some(({ number }) => number === anchor.number);
    const added = isLoose ? null : book.merge(records);
    if (added === null) {
      this.#tell.fault(`its history of ${symbol} contradicts what it said before`);
      return null;
    }
    const newest = records.at(-1);
    if (isLast && anchor && newest?.number === anchor.number && answer.madeMs !== null)
      book.last(anchor.number, answer.madeMs - HISTORY_LAG_MS);
    if (book === kept.book && heard !== null && this.#isDeaf(records, heard))
      this.#tell.deaf(`did not say that ${symbol} trades`);
    return added;
  }

  /** Whether the history has a record that the stream of this connection should have brought by now. */
  #isDeaf(records: readonly SaidRecord[], heard: bigint): boolean {
    const [fromMs, toMs] = [this.#sinceMs + LATEST_MS, this.#nowMs() - LATEST_MS];
    return records.some(({ number, timeMs }) => number > heard && timeMs > fromMs && timeMs < toMs);
  }

  /** @returns 0: it has none; null: it does not answer */
  #refused(answer: Exclude<Answer, Answered>): 0 | null {
    this.#waitUntilMs = performance.now() + Math.max(answer.waitMs, this.#history.paceMs);
    if (answer.status === 404) return 0;
    this.#tell.fault(answer.fault);
    return null;
  }
}

type Answered = Extract<Answer, { text: string }>;

interface Asked {
  readonly anchor: SourceRecord | null;
  readonly isLast: boolean;
}

/** The time that nobody waits for, or that brought nothing new most often. */
function leastHopeful(searches: Kept['searches']): number {
  const rankOf = ({ isWanted, idle }: Hunt) => (isWanted ? idle : Number.POSITIVE_INFINITY);
  const [first] = [...searches].sort(([, a], [, b]) => rankOf(b) - rankOf(a));
  return (first as [number, Hunt])[0];
}

/** The time that is asked for next: one that the last answer came nearer to, else the latest and the earliest by turns; null: none is due. */
function nextOf(searches: Kept['searches'], isLatest = true): number | null {
  const nowMs = performance.now();
  const due = [...searches].filter(([, { isWanted, notBeforeMs }]) => isWanted && notBeforeMs <= nowMs);
  if (due.length === 0) return null;
  const begun = due.find(([, { tries, idle }]) => tries > 0 && idle === 0);
  const times = due.map(([fixMs]) => fixMs);
  return begun?.[0] ?? (isLatest ? Math.max(...times) : Math.min(...times));
}

const isUnclear = ({ unclearSinceMs }: Kept, nowMs: number): boolean =>
  unclearSinceMs !== null && nowMs - unclearSinceMs >= MOST_UNCLEAR_MS;

/** The book that reaches back to a time. */
const bookOf = ({ book, past }: Kept, fixMs: number): RecordBook =>
  book.first && book.first.timeMs <= fixMs ? book : past;

const plain = ({ number, timeMs, price }: KnownRecord['last']): KnownRecord['last'] => ({
  number,
  timeMs,
  price,
});

const plainClosing = (closing: KnownRecord['closing']): KnownRecord['closing'] =>
  closing.by === 'next' ? { by: 'next', next: plain(closing.next) } : closing;

const contradictionOf = ({ listing: { symbol } }: Kept, { number }: SaidRecord): string =>
  `contradicts itself in record ${number} of ${symbol}`;
