import { type Points, points } from '@fairtick/money';
import type { ListedQuote, QuoteUse } from '@fairtick/trading';

/**
 * The quotes of a tick or gap as bytes, about ten per source: a log entry is stored in columns and rendered as text only on read.
 * All values are relative to the entry, in variable-length integers:
 *   index of the source in the rules * 4 + use · price − tick's price · entry's time − source time · entry's time − receive
 *   time · source's sequence number
 * A source that has sent nothing has the first of these alone.
 */
const MAX_SAFE = BigInt(Number.MAX_SAFE_INTEGER);
const MAX_HALF = 2 ** 52;
const USES: readonly QuoteUse[] = ['use', 'stale', 'outlier'];
const NONE = 3;

export interface QuoteFrame {
  /** The sources of the rules in force, sorted. */
  readonly sources: readonly string[];
  /** The price of the tick; 0 for a gap. */
  readonly price: Points;
  readonly timeMs: number;
}

/** Room for 64 sources, the most that an entry can name, with five integers of at most ten bytes each. */
const SCRATCH = new Uint8Array(64 * 5 * 10);

export function packQuotes(quotes: readonly ListedQuote[], { sources, price, timeMs }: QuoteFrame): Buffer {
  let at = 0;
  for (const quote of quotes) {
    const place = sources.indexOf(quote.source);
    if (place < 0) throw new Error(`source ${quote.source} is not in the rules`);
    at = writeVarint(at, place * 4 + (quote.use === 'none' ? NONE : USES.indexOf(quote.use)));
    if (quote.use === 'none') continue;
    at = writeBigVarint(at, zigzag(quote.price - price));
    at = writeTimeDifference(at, timeMs - quote.sourceMs);
    at = writeTimeDifference(at, timeMs - quote.receivedMs);
    at = writeBigVarint(at, quote.sourceSeq);
  }
  return Buffer.from(SCRATCH.subarray(0, at));
}

export function unpackQuotes(bytes: Uint8Array, { sources, price, timeMs }: QuoteFrame): ListedQuote[] {
  const quotes: ListedQuote[] = [];
  const reader = { bytes, at: 0 };
  while (reader.at < bytes.length) {
    const head = Number(readVarint(reader));
    const source = sources[head >> 2];
    const use = USES[head & 3];
    if (source === undefined) throw new Error('packed quotes do not fit their rules');
    if (use === undefined) {
      quotes.push({ source, use: 'none' });
      continue;
    }
    quotes.push({
      source,
      use,
      price: points(price + unzigzag(readVarint(reader))),
      sourceMs: timeMs - Number(unzigzag(readVarint(reader))),
      receivedMs: timeMs - Number(unzigzag(readVarint(reader))),
      sourceSeq: readVarint(reader),
    });
  }
  return quotes;
}

const zigzag = (value: bigint): bigint => (value < 0n ? -value * 2n - 1n : value * 2n);
const unzigzag = (value: bigint): bigint => (value % 2n === 1n ? -(value + 1n) / 2n : value / 2n);

function writeTimeDifference(at: number, ms: number): number {
  // The doubled value must still be exact as a number.
  if (Math.abs(ms) >= MAX_HALF) return writeBigVarint(at, zigzag(BigInt(ms)));
  return writeVarint(at, ms < 0 ? -ms * 2 - 1 : ms * 2);
}

function writeBigVarint(from: number, value: bigint): number {
  // Most values are small: plain numbers are several times faster than bigints here.
  let at = from;
  let rest = value;
  while (rest > MAX_SAFE) {
    SCRATCH[at] = Number(rest & 0x7fn) | 0x80;
    at += 1;
    rest >>= 7n;
  }
  return writeVarint(at, Number(rest));
}

function writeVarint(from: number, value: number): number {
  let at = from;
  let rest = value;
  while (rest >= 0x80) {
    SCRATCH[at] = (rest % 0x80) | 0x80;
    at += 1;
    rest = rest > 0x7fff_ffff ? Math.floor(rest / 0x80) : rest >> 7;
  }
  SCRATCH[at] = rest;
  return at + 1;
}

function readVarint(reader: { bytes: Uint8Array; at: number }): bigint {
  let value = 0n;
  let shift = 0n;
  for (;;) {
    const byte = reader.bytes[reader.at];
    if (byte === undefined || shift > 70n) throw new Error('packed quotes end too early');
    reader.at += 1;
    value |= BigInt(byte & 0x7f) << shift;
    if (byte < 0x80) return value;
    shift += 7n;
  }
}
