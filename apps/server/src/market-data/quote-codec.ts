import { type Points, points } from '@fairtick/money';
import type { JudgedQuote, QuoteUse } from '@fairtick/trading';

/**
 * The quotes of a tick as bytes, about ten a source: a log entry is kept in columns and written out as text only when
 * somebody reads it. Everything is relative to the tick, in variable-length integers:
 *   source's place in the rules * 4 + use · price − tick's price · tick's time − source time · tick's time − receive
 *   time · source's sequence number
 */
const USES: readonly QuoteUse[] = ['use', 'stale', 'outlier'];

export interface QuoteFrame {
  /** The sources of the rules in force, sorted. */
  readonly sources: readonly string[];
  readonly price: Points;
  readonly timeMs: number;
}

export function packQuotes(quotes: readonly JudgedQuote[], { sources, price, timeMs }: QuoteFrame): Buffer {
  const bytes: number[] = [];
  for (const quote of quotes) {
    const place = sources.indexOf(quote.source);
    if (place < 0) throw new Error(`source ${quote.source} is not in the rules`);
    pushVarint(bytes, BigInt(place * 4 + USES.indexOf(quote.use)));
    pushVarint(bytes, zigzag(quote.price - price));
    pushVarint(bytes, zigzag(BigInt(timeMs - quote.sourceMs)));
    pushVarint(bytes, zigzag(BigInt(timeMs - quote.receivedMs)));
    pushVarint(bytes, quote.sourceSeq);
  }
  return Buffer.from(bytes);
}

export function unpackQuotes(bytes: Uint8Array, { sources, price, timeMs }: QuoteFrame): JudgedQuote[] {
  const quotes: JudgedQuote[] = [];
  const reader = { bytes, at: 0 };
  while (reader.at < bytes.length) {
    const head = Number(readVarint(reader));
    const source = sources[head >> 2];
    const use = USES[head & 3];
    if (source === undefined || use === undefined) throw new Error('packed quotes do not fit their rules');
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

function pushVarint(bytes: number[], value: bigint): void {
  // Most values are small: plain numbers are several times faster than bigints here.
  let rest = value;
  while (rest > 0x1f_ffff_ffff_ffn) {
    bytes.push(Number(rest & 0x7fn) | 0x80);
    rest >>= 7n;
  }
  let small = Number(rest);
  while (small >= 0x80) {
    bytes.push((small % 0x80) | 0x80);
    small = Math.floor(small / 0x80);
  }
  bytes.push(small);
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
