import type { AbsentRecord, KnownRecord, ListedQuote, ProductRules, Quote } from '@fairtick/trading';
import type { Queryable } from '../../platform/db/database.ts';
import type { Product } from '../products.ts';

/** A quote and its product. `receivedMs` is in the log's time. */
export interface Arrival {
  readonly productId: number;
  readonly quote: Quote;
}

/** The newest quote of each source, by product. */
export type LatestQuotes = Map<number, Map<string, Quote>>;

/** Entries that the feed owes the log, and a function that records in the same transaction that they are logged. */
export interface Announcement {
  readonly texts: readonly string[];
  mark(db: Queryable): Promise<void>;
}

/**
 * A source of quotes. The writer polls; a feed never pushes, so that one step of the writer sees one state of the market, and so
 * that tests can step through time.
 */
export interface Feed {
  /** The feed's name in the setting `FEED`. */
  readonly name: string;
  /**
   * The log's time from which this process has received all quotes; null before the first `take` of a feed that begins with it. Grid
   * times before it can't be written.
   */
  readonly receivesSinceMs: number | null;
  /** A product's rules under this feed; null when the feed does not have the product, which is then closed. */
  rulesOf(product: Product): ProductRules | null;
  /**
   * Quotes that arrived after the last call and at or before `timeMs`, oldest first. The first call of a process may come up to a
   * minute late: a writer that takes over asks for every grid time that its predecessor missed.
   */
  take(timeMs: number): readonly Arrival[];
  /**
   * The last record of each source of a product at or before `fixMs`, as far as the feed knows it. The log writes a fix of it, and
   * asks again at each step until all records are closed or the wait is over, so a feed that lacks a record takes the call as the
   * demand to fetch it from the source. The answer is a function of what the sources have on record, not of what this process received: after
   * a cut or a restart it is what it would have been. Quotes of {@link Feed.take} are for ticks alone.
   */
  recordsAt(productId: number, fixMs: number): readonly (KnownRecord | AbsentRecord)[];
  /** Takes the last quote and record that the log has of each source. A writer calls it before its first `take`. */
  resume?(latest: LatestQuotes): void;
  /** Products whose prices stop: their recording has ended (`end`), or their sources disagree with those that guard them (`halt`). */
  stopped?(timeMs: number): ReadonlyMap<number, 'end' | 'halt'>;
  /**
   * Sources that have to be left out of all fixes (true), or that can be asked (false). One that is not named stays as the log has it.
   * The writer asks at each step.
   */
  away?(): ReadonlyMap<string, boolean>;
  /** Takes up products that were added, and lets go of those that ended. Called before each term of a writer and where products were added. */
  adopt?(nowMs: number): void;
  /** Sets the products that are being watched or that have an unsettled order: they deserve quotes at every grid time. Called before each `take`. */
  setBusy?(productIds: ReadonlySet<number>): void;
  /** Entries that must be logged before or after prices of this time; null when none are due. */
  announcement?(timeMs: number): Promise<Announcement | null>;
  /**
   * The signed update that a record is from, cut down to the product's feed; null where the record is no signed one.
   * @param number the record's number
   */
  signedUpdate?(productId: number, number: bigint): Uint8Array | null;
  /** The use that a tick makes of each quote, told while it is written. */
  judged?(quotes: readonly ListedQuote[]): void;
  /** Ends what the feed keeps open. */
  stop?(): Promise<void>;
}
