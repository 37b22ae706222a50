/** Compares what a public source sent to the monitor with what the log lists of it. */
import type { GapEntry, TickEntry } from '../entry.ts';

/** A quote as the monitor received it. */
export interface RecordedQuote {
  /** As the log's rules name it. */
  readonly source: string;
  /** With or without `/`. */
  readonly symbol: string;
  /** A decimal string; it may have other decimals than the product. */
  readonly price: string;
  readonly sourceMs: number;
  /** Rises with each quote of the source's symbol. */
  readonly sourceSeq: bigint;
  /** By the monitor's clock. */
  readonly receivedMs: number;
}

/** Where a program receives quotes from; `close` ends it. */
export interface QuoteSource {
  /** Resolves when all is read, or at once where quotes go on. */
  readonly ready: Promise<void>;
  close(): void;
}

/** A quote that the log did not list this long after it was received here is late: clocks and networks of two places differ by less. */
const LATE_MS = 2_000;
/** A quote that is not listed after this time is reported as left out. */
const LEFT_OUT_MS = 60_000;
const KEPT_MS = 600_000;

/** One source's quotes of one product, oldest first. */
interface History {
  readonly quotes: RecordedQuote[];
  readonly bySeq: Map<bigint, RecordedQuote>;
  /** Numbers that were reported. */
  readonly told: Set<bigint>;
  /** The oldest quote that the log should have listed and had not. */
  behind: { readonly quote: RecordedQuote; isTold: boolean } | null;
}

export class QuoteRecord {
  readonly #records = new Map<string, History>();

  /** Takes a quote; one whose number does not rise is ignored. */
  add(quote: RecordedQuote): void {
    const key = keyOf(quote.source, quote.symbol);
    const record: History = this.#records.get(key) ?? {
      quotes: [],
      bySeq: new Map(),
      told: new Set(),
      behind: null,
    };
    this.#records.set(key, record);
    const last = record.quotes.at(-1);
    if (last && quote.sourceSeq <= last.sourceSeq) return;
    record.quotes.push(quote);
    record.bySeq.set(quote.sourceSeq, quote);
    while ((record.quotes[0]?.receivedMs ?? Infinity) < quote.receivedMs - KEPT_MS) {
      const old = record.quotes.shift() as RecordedQuote;
      record.bySeq.delete(old.sourceSeq);
      record.told.delete(old.sourceSeq);
    }
  }

  /** Compares an entry of the log. @returns what to report, in plain English */
  take(entry: TickEntry | GapEntry, index: number): string[] {
    const reports: string[] = [];
    for (const quote of entry.quotes) {
      const record = this.#records.get(keyOf(quote.source, entry.symbol));
      if (!record) continue;
      const what = `entry ${index}, ${entry.symbol}: ${quote.source}`;
      const seq = quote.use === 'none' ? null : quote.sourceSeq;
      if (quote.use !== 'none' && !record.told.has(quote.sourceSeq)) {
        const fault = compare(quote, entry.decimals, record);
        if (fault !== null) {
          reports.push(`${what} ${fault}`);
          record.told.add(quote.sourceSeq);
        }
      }
      const late = lateness(record, seq, entry.timeMs);
      if (late !== null) reports.push(`${what} ${late}`);
    }
    return reports;
  }
}

const keyOf = (source: string, symbol: string): string => `${source} ${symbol.replaceAll('/', '')}`;

/** Whether the listed quote is another than the one that came here under its number. */
function compare(
  listed: { price: bigint; sourceMs: number; sourceSeq: bigint },
  decimals: number,
  { quotes, bySeq }: History,
): string | null {
  const { sourceSeq, sourceMs } = listed;
  const own = bySeq.get(sourceSeq);
  if (!own) {
    const [first, last] = [quotes[0], quotes.at(-1)];
    const isWithin = first && last && sourceSeq > first.sourceSeq && sourceSeq < last.sourceSeq;
    return isWithin ? `is listed with a quote ${sourceSeq} that it did not send here` : null;
  }
  if (!isSamePrice(own.price, listed.price, decimals))
    return `sent ${own.price} as quote ${sourceSeq}, and is listed with another price`;
  return own.sourceMs === sourceMs
    ? null
    : `gave quote ${sourceSeq} the time ${own.sourceMs}, and is listed with ${sourceMs}`;
}

/** Equal to the product's decimals: the source may give more. */
function isSamePrice(text: string, listed: bigint, decimals: number): boolean {
  const [whole = '', fraction = ''] = text.split('.');
  const places = Math.max(decimals, fraction.length);
  const own = BigInt(whole + fraction.padEnd(places, '0'));
  const difference = own - listed * 10n ** BigInt(places - decimals);
  const unit = 10n ** BigInt(places - decimals);
  return difference > -unit && difference < unit;
}

/** Follows how far the log is behind; reports when it lists at last what was late, or when it does not. */
function lateness(record: History, listed: bigint | null, timeMs: number): string | null {
  const { behind } = record;
  if (behind && listed !== null && listed >= behind.quote.sourceSeq) {
    record.behind = null;
    const { sourceSeq, receivedMs } = behind.quote;
    return `sent quote ${sourceSeq} ${timeMs - receivedMs} ms before the log listed it or a newer one: late`;
  }
  if (behind) {
    if (behind.isTold || timeMs - behind.quote.receivedMs < LEFT_OUT_MS) return null;
    behind.isTold = true;
    return `sent quote ${behind.quote.sourceSeq} at ${behind.quote.receivedMs}, and the log does not list it or a newer one`;
  }
  const quote = oldestDue(record.quotes, listed, timeMs - LATE_MS);
  if (quote) record.behind = { quote, isTold: false };
  return null;
}

/** The oldest quote that follows the listed one and was received by `untilMs`. */
function oldestDue(
  quotes: readonly RecordedQuote[],
  listed: bigint | null,
  untilMs: number,
): RecordedQuote | null {
  if ((quotes[0]?.receivedMs ?? Infinity) > untilMs) return null;
  let due: RecordedQuote | null = null;
  for (let at = quotes.length - 1; at >= 0; at -= 1) {
    const quote = quotes[at] as RecordedQuote;
    if (listed !== null && quote.sourceSeq <= listed) break;
    if (quote.receivedMs <= untilMs) due = quote;
  }
  return due;
}
