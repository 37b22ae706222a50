import type { ProductRules, Quote } from '@fairtick/trading';
import type { Queryable } from '../../db/database.ts';
import type { Product } from '../products.ts';

/** A quote and the product that it is of. `receivedMs` is in the log's time. */
export interface Arrival {
  readonly productId: number;
  readonly quote: Quote;
}

/** Entries that the feed owes the log, and how to note that they are in it, in the same transaction. */
export interface Announcement {
  readonly texts: readonly string[];
  mark(db: Queryable): Promise<void>;
}

/**
 * Where quotes come from. The writer asks; a feed never pushes, so that one step of the writer sees one state of the
 * market, and so that tests can step through time.
 */
export interface Feed {
  /** The first part of the scope of its rules. */
  readonly name: string;
  /** What decides about a product under this feed; null when the feed does not have it, and it is closed. */
  rulesOf(product: Product): ProductRules | null;
  /** Quotes that arrived after the last call and at or before `timeMs`, oldest first. */
  take(timeMs: number): readonly Arrival[];
  /** Products whose source has come to its end. */
  endedBy(timeMs: number): ReadonlySet<number>;
  /** Products that somebody watches or that hold an unsettled order: worth quoting as often as the grid allows. */
  setBusy(productIds: ReadonlySet<number>): void;
  /** What has to be in the log before or after prices of this time; null when nothing is due. */
  announcement(timeMs: number): Promise<Announcement | null>;
}
