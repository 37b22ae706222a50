/** Compares what a public source sent to the monitor with what the log's fixes list of it. */
import { hasRecord, type JudgedRecord } from '@fairtick/trading';
import type { FixEntry } from '../entry.ts';

/** A record as the monitor received it from its source. */
export interface ReceivedRecord {
  /** As the log's rules name it. */
  readonly source: string;
  /** With or without `/`. */
  readonly symbol: string;
  /** The source's own number; rises with each record of the source's symbol. */
  readonly number: bigint;
  readonly timeMs: number;
  /** A decimal string; it may have other decimals than the product. */
  readonly price: string;
}

/** Where a program receives records from; `close` ends it. */
export interface ReceivedSource {
  /** Resolves when a file is read to its end; at once for a stream. */
  readonly ready: Promise<void>;
  close(): void;
}

/** Older records than this, counted back from the newest, are forgotten. */
const KEPT_MS = 600_000;

export class SourceRecords {
  /** By source and symbol, in the order of their numbers. */
  readonly #received = new Map<string, Map<bigint, ReceivedRecord>>();
  readonly #newest = new Map<string, ReceivedRecord>();

  /** Takes a record; one whose number does not rise is ignored. */
  add(record: ReceivedRecord): void {
    const key = keyOf(record.source, record.symbol);
    const newest = this.#newest.get(key);
    if (newest && record.number <= newest.number) return;
    this.#newest.set(key, record);
    const records = this.#received.get(key) ?? new Map<bigint, ReceivedRecord>();
    this.#received.set(key, records.set(record.number, record));
    for (const { number, timeMs } of records.values()) {
      if (timeMs >= record.timeMs - KEPT_MS) break;
      records.delete(number);
    }
  }

  /** Compares a fix or close of the log. @returns what to report, in plain English */
  take(entry: FixEntry, index: number): string[] {
    return entry.records.filter(hasRecord).flatMap((part) => {
      const records = this.#received.get(keyOf(part.source, entry.symbol));
      const fault = records ? compare(part, entry, records) : null;
      return fault === null ? [] : `entry ${index}, ${entry.symbol}: ${part.source} ${fault}`;
    });
  }
}

const keyOf = (source: string, symbol: string): string => `${source} ${symbol.replaceAll('/', '')}`;

/** How the records received here contradict a fix: another price or time, or a record that it skips. */
function compare(
  { last, closing }: JudgedRecord,
  { fixMs, decimals }: FixEntry,
  records: ReadonlyMap<bigint, ReceivedRecord>,
): string | null {
  const next = closing.by === 'next' ? closing.next : null;
  for (const listed of next ? [last, next] : [last]) {
    const own = records.get(listed.number);
    if (own && (own.timeMs !== listed.timeMs || !isSamePrice(own.price, listed.price, decimals)))
      return `sent ${own.price} of ${own.timeMs} as record ${own.number}, and is listed with another price or time`;
  }
  if (closing.by === 'open') return null;
  for (const { number, timeMs } of records.values())
    if (number > last.number && (timeMs <= fixMs || (next && number < next.number)))
      return `sent record ${number}, which the log passes over after ${last.number}`;
  return null;
}

/** Equal when cut to the product's decimals, because a source may give more. */
function isSamePrice(text: string, listed: bigint, decimals: number): boolean {
  const [whole = '', fraction = ''] = text.split('.');
  const places = Math.max(decimals, fraction.length);
  const unit = 10n ** BigInt(places - decimals);
  const difference = BigInt(whole + fraction.padEnd(places, '0')) - listed * unit;
  return difference > -unit && difference < unit;
}
