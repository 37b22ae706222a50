import type { Points } from '@fairtick/money';

/**
 * One numbered statement of a source about one market, as the source itself has it on record: a public trade of an exchange, a
 * signed update of Pyth, a quote of the simulation, a row of a recording. Number and time never fall from one to the next.
 */
export interface SourceRecord {
  /** The source's own number. */
  readonly number: bigint;
  /** The source's own time, Unix ms. */
  readonly timeMs: number;
  readonly price: Points;
}

/**
 * Why a record is the last one at or before the time of a fix: the record after it is known (`next`), the source itself said so
 * after that time (`said`), or nothing shows it yet (`open`).
 */
export type Closing =
  | { readonly by: 'next'; readonly next: SourceRecord }
  | { readonly by: 'said' }
  | { readonly by: 'open' };

/** What is known of a source at the time of a fix: its last record at or before that time. */
export interface KnownRecord {
  readonly source: string;
  readonly last: SourceRecord;
  readonly closing: Closing;
}

export type RecordUse = 'use' | 'quiet' | 'outlier';

/** A source's record in a fix, with the price rule's verdict on it. */
export interface JudgedRecord extends KnownRecord {
  readonly use: RecordUse;
}

/** A source that the rules name and that has no record (`none`), or that is left out of all fixes for an interval (`away`). */
export interface AbsentRecord {
  readonly source: string;
  readonly use: 'none' | 'away';
}

/** What a fix lists for one source. */
export type ListedRecord = JudgedRecord | AbsentRecord;

/** Whether a listed source has a record. */
export const hasRecord = (listed: ListedRecord): listed is JudgedRecord => 'last' in listed;
