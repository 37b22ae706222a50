/**
 * Entries of the tick log: one line of text each, fields separated by `|`. The text itself is hashed, so writing and reading are
 * exact inverses: `formatEntry` returns byte for byte every text that `parseEntry` accepts.
 */
import { formatDecimal, type Points } from '@fairtick/money';
import { FIX_MS, GAP_REASONS, type GapReason, type ListedQuote, type QuoteUse } from '@fairtick/trading';
import { placesOf } from './decimal.ts';
import { charactersIn, hasControl } from './encoding.ts';
import { isSource, parseCount, parseNumber, priceOf } from './entry-fields.ts';
import { type FixEntry, formatRecords, parseRecords } from './fix-entry.ts';

export type { FixEntry } from './fix-entry.ts';

/** The second field of every entry. */
export const ENTRY_VERSION = '4';

/** Most batches that one `orders` entry carries. */
const MAX_BATCHES = 65_536;

export interface TickEntry {
  readonly kind: 'tick';
  readonly symbol: string;
  /** Ticks and gaps of a symbol count together, from 1. */
  readonly n: number;
  readonly timeMs: number;
  readonly price: Points;
  /** Decimals of the prices in this entry. */
  readonly decimals: number;
  /** 64 lower-case hex digits. */
  readonly rulesHash: string;
  /** One quote for each source that the rules name, ascending by source. */
  readonly quotes: readonly ListedQuote[];
}

export interface GapEntry {
  readonly kind: 'gap';
  readonly symbol: string;
  readonly n: number;
  readonly timeMs: number;
  readonly reason: GapReason;
  /** Decimals of the prices in this entry; 0 where it has none. */
  readonly decimals: number;
  readonly rulesHash: string;
  /** As in a tick, or none. */
  readonly quotes: readonly ListedQuote[];
}

export interface OrdersEntry {
  readonly kind: 'orders';
  readonly timeMs: number;
  /** Batches are one sequence, from 1; an entry carries at most {@link MAX_BATCHES}. */
  readonly firstBatch: number;
  readonly lastBatch: number;
  /** Acceptance times of these two batches, Unix ms; not later than `timeMs`. */
  readonly firstMs: number;
  readonly lastMs: number;
  /** Merkle root over the roots of the batches, in order. */
  readonly root: string;
  /** Of each of their orders that name what was asked for, the first {@link ASKED_BYTES} of H(asked), in hex; ascending, none twice. */
  readonly asked: readonly string[];
}

/** Rules of a symbol are one sequence: `n` from 1, each naming the one before it. */
export interface RulesEntry {
  readonly kind: 'rules';
  readonly symbol: string;
  readonly n: number;
  readonly effectiveMs: number;
  /** Leaf hash of the rules before them; 64 zeros for the first. */
  readonly previousHash: string;
  /** Canonical JSON (RFC 8785). */
  readonly json: string;
}

/** New orders are halted for everybody, or taken again. */
export interface HaltEntry {
  readonly kind: 'halt';
  /** Numbers all halts and their ends, from 1. */
  readonly n: number;
  readonly timeMs: number;
  readonly isOn: boolean;
  /** 1 to 500 characters without control characters or `|`; empty where trading goes on. */
  readonly reason: string;
}

/** A source is left out of all fixes from `timeMs` on, or takes part in them again. */
export interface AwayEntry {
  readonly kind: 'away';
  /** Numbers all of them, from 1. */
  readonly n: number;
  readonly timeMs: number;
  readonly source: string;
  readonly isOn: boolean;
}

export interface SeedEntry {
  readonly kind: 'seed';
  /** UTC, `YYYY-MM-DD` */
  readonly date: string;
  readonly step: 'commit' | 'reveal';
  readonly hex: string;
}

/** Kinds of entries that this version does not interpret; their text is kept whole. */
export interface OtherEntry {
  readonly kind: 'other';
  readonly text: string;
}

export type LogEntry =
  | TickEntry
  | GapEntry
  | FixEntry
  | AwayEntry
  | OrdersEntry
  | RulesEntry
  | HaltEntry
  | SeedEntry
  | OtherEntry;

/** `previousHash` of the first rules of a symbol. */
export const NO_RULES_HASH = '0'.repeat(64);

/** How many bytes of H(asked) stand in the open. */
export const ASKED_BYTES = 16;
/** Most orders that one `orders` entry names: its text stays below 65 535 bytes. */
export const MAX_ASKED = 2_000;

const ASKED = /[0-9a-f]{32}/g;
const OTHER_KINDS = ['liabilities', 'audit', 'key'];
const USES: readonly QuoteUse[] = ['use', 'stale', 'outlier'];
const HEX_64 = /^[0-9a-f]{64}$/;
const SYMBOL = /^[A-Z0-9]+(\/[A-Z0-9]+)?$/;
const DATE = /^\d{4}-\d{2}-\d{2}$/;

/** The entry's exact text. */
export function formatEntry(entry: LogEntry): string {
  switch (entry.kind) {
    case 'tick': {
      const price = formatDecimal(entry.price, entry.decimals);
      return `tick|4|${entry.symbol}|${entry.n}|${entry.timeMs}|${price}|${entry.rulesHash}|${formatQuotes(entry)}`;
    }
    case 'gap':
      return `gap|4|${entry.symbol}|${entry.n}|${entry.timeMs}|${entry.reason}|${entry.rulesHash}|${formatQuotes(entry)}`;
    case 'fix':
    case 'close': {
      const price = formatDecimal(entry.price, entry.decimals);
      return `${entry.kind}|4|${entry.symbol}|${entry.n}|${entry.timeMs}|${entry.fixMs}|${price}|${entry.rulesHash}|${formatRecords(entry)}`;
    }
    case 'orders':
      return `orders|4|${entry.timeMs}|${entry.firstBatch}|${entry.lastBatch}|${entry.firstMs}|${entry.lastMs}|${entry.root}|${entry.asked.join('')}`;
    case 'rules':
      return `rules|4|${entry.symbol}|${entry.n}|${entry.effectiveMs}|${entry.previousHash}|${entry.json}`;
    case 'halt':
      return `halt|4|${entry.n}|${entry.timeMs}|${entry.isOn ? 'on' : 'off'}|${entry.reason}`;
    case 'away':
      return `away|4|${entry.n}|${entry.timeMs}|${entry.source}|${entry.isOn ? 'on' : 'off'}`;
    case 'seed':
      return `seed|4|${entry.date}|${entry.step}|${entry.hex}`;
    case 'other':
      return entry.text;
  }
}

function formatQuotes({ quotes, decimals }: TickEntry | GapEntry): string {
  return quotes.map((quote) => formatQuote(quote, decimals)).join(';');
}

function formatQuote(quote: ListedQuote, decimals: number): string {
  if (quote.use === 'none') return `${quote.source},none`;
  const price = formatDecimal(quote.price, decimals);
  return `${quote.source},${price},${quote.sourceMs},${quote.sourceSeq},${quote.receivedMs},${quote.use}`;
}

/** Reads one entry; null for anything that is not exactly in the grammar. */
export function parseEntry(text: string): LogEntry | null {
  const entry = parseLoosely(text);
  return entry !== null && formatEntry(entry) === text ? entry : null;
}

function parseLoosely(text: string): LogEntry | null {
  if (/[\r\n]/.test(text)) return null;
  const fields = text.split('|');
  if (fields[1] !== ENTRY_VERSION) return null;
  switch (fields[0]) {
    case 'tick':
      return parseTick(fields);
    case 'gap':
      return parseGap(fields);
    case 'fix':
    case 'close':
      return parseFix(fields);
    case 'orders':
      return parseOrders(fields);
    case 'rules':
      return parseRules(text, fields);
    case 'halt':
      return parseHalt(fields);
    case 'away':
      return parseAway(fields);
    case 'seed':
      return parseSeed(fields);
    default:
      return OTHER_KINDS.includes(fields[0] as string) && fields.length > 3 ? { kind: 'other', text } : null;
  }
}

function parseTick(fields: readonly string[]): TickEntry | null {
  if (fields.length !== 8) return null;
  const [, , symbol, n, timeMs, price, rulesHash, list] = fields as string[] & { length: 8 };
  const decimals = placesOf(price as string);
  const value = priceOf(price as string);
  const head = { n: parseCount(n), timeMs: parseCount(timeMs) };
  const quotes = parseQuotes(list as string, decimals);
  if (!head.n || head.timeMs === null || value === null || !SYMBOL.test(symbol as string)) return null;
  if (!HEX_64.test(rulesHash as string) || !quotes) return null;
  return {
    kind: 'tick',
    symbol: symbol as string,
    n: head.n,
    timeMs: head.timeMs,
    price: value,
    decimals,
    rulesHash: rulesHash as string,
    quotes,
  };
}

/** Null unless there are 1 to 64 quotes, ascending by source. */
function parseQuotes(list: string, decimals: number): ListedQuote[] | null {
  const quotes: ListedQuote[] = [];
  for (const part of list.split(';')) {
    const quote = parseQuote(part, decimals);
    const before = quotes.at(-1);
    if (quote === null || quotes.length >= 64 || (before && before.source >= quote.source)) return null;
    quotes.push(quote);
  }
  return quotes;
}

function parseQuote(text: string, decimals: number): ListedQuote | null {
  const fields = text.split(',');
  const source = fields[0] as string;
  if (!isSource(source)) return null;
  if (fields.length === 2 && fields[1] === 'none') return { source, use: 'none' };
  if (fields.length !== 6) return null;
  const [, price, sourceMs, sourceSeq, receivedMs, use] = fields as [
    string,
    string,
    string,
    string,
    string,
    string,
  ];
  const value = priceOf(price);
  const times = { source: parseCount(sourceMs), received: parseCount(receivedMs) };
  if (value === null || placesOf(price) !== decimals) return null;
  if (times.source === null || times.received === null || parseNumber(sourceSeq) === null) return null;
  if (!USES.includes(use as QuoteUse)) return null;
  return {
    source,
    price: value,
    sourceMs: times.source,
    sourceSeq: BigInt(sourceSeq),
    receivedMs: times.received,
    use: use as QuoteUse,
  };
}

function parseGap(fields: readonly string[]): GapEntry | null {
  if (fields.length !== 8) return null;
  const [, , symbol, n, timeMs, reason, rulesHash, list] = fields as string[] & { length: 8 };
  const head = { n: parseCount(n), timeMs: parseCount(timeMs) };
  // The decimals are those of the first quote that has a price.
  const priced = /(?:^|;)[^,;]*,([0-9][^,;]*),/.exec(list as string)?.[1];
  const decimals = priced === undefined ? 0 : placesOf(priced);
  const quotes = list === '' ? [] : parseQuotes(list as string, decimals);
  if (!head.n || head.timeMs === null || !SYMBOL.test(symbol as string) || !quotes) return null;
  if (!GAP_REASONS.includes(reason as GapReason) || !HEX_64.test(rulesHash as string)) return null;
  if (reason === 'quorum' && quotes.length === 0) return null;
  return {
    kind: 'gap',
    symbol: symbol as string,
    n: head.n,
    timeMs: head.timeMs,
    reason: reason as GapReason,
    decimals,
    rulesHash: rulesHash as string,
    quotes,
  };
}

function parseFix(fields: readonly string[]): FixEntry | null {
  if (fields.length !== 9) return null;
  const [kind, , symbol, number, time, fix, price, rulesHash, list] = fields as [string, ...string[]] & {
    length: 9;
  };
  const [n, timeMs, fixMs] = [parseCount(number), parseCount(time), parseCount(fix)];
  const [value, decimals] = [priceOf(price as string), placesOf(price as string)];
  if (!n || timeMs === null || fixMs === null || value === null || !SYMBOL.test(symbol as string))
    return null;
  if (fixMs % FIX_MS !== 0 || fixMs > timeMs || !HEX_64.test(rulesHash as string)) return null;
  const records = parseRecords(list as string, decimals);
  if (!records) return null;
  return {
    kind: kind as FixEntry['kind'],
    symbol: symbol as string,
    n,
    timeMs,
    fixMs,
    price: value,
    decimals,
    rulesHash: rulesHash as string,
    records,
  };
}

function parseOrders(fields: readonly string[]): OrdersEntry | null {
  const [timeMs, firstBatch, lastBatch, firstMs, lastMs] = fields.slice(2, 7).map(parseCount);
  const [root, list] = fields.slice(7);
  if (fields.length !== 9 || root === undefined || !HEX_64.test(root)) return null;
  if (timeMs == null || !firstBatch || lastBatch == null || firstMs == null || lastMs == null) return null;
  if (lastBatch < firstBatch || lastBatch - firstBatch >= MAX_BATCHES) return null;
  if (lastMs < firstMs || lastMs > timeMs || (firstBatch === lastBatch && firstMs !== lastMs)) return null;
  const asked = parseAsked(list as string);
  return asked && { kind: 'orders', timeMs, firstBatch, lastBatch, firstMs, lastMs, root, asked };
}

function parseAsked(list: string): string[] | null {
  if (list.length % (2 * ASKED_BYTES) !== 0 || !/^[0-9a-f]*$/.test(list)) return null;
  if (list.length > MAX_ASKED * 2 * ASKED_BYTES) return null;
  const asked = list.match(ASKED) ?? [];
  return asked.every((each, at) => at === 0 || (asked[at - 1] as string) < each) ? asked : null;
}

function parseRules(text: string, fields: readonly string[]): RulesEntry | null {
  const [, , symbol, number, effective, previousHash] = fields;
  const [n, effectiveMs] = [parseCount(number), parseCount(effective)];
  if (!symbol || !SYMBOL.test(symbol) || n === null || n < 1 || effectiveMs === null) return null;
  if (!previousHash || !HEX_64.test(previousHash) || fields.length < 7) return null;
  if ((n === 1) !== (previousHash === NO_RULES_HASH)) return null;
  const json = text.slice(`rules|4|${symbol}|${number}|${effective}|${previousHash}|`.length);
  return { kind: 'rules', symbol, n, effectiveMs, previousHash, json };
}

function parseHalt(fields: readonly string[]): HaltEntry | null {
  const [, , number, time, state, reason] = fields;
  const [n, timeMs] = [parseCount(number), parseCount(time)];
  if (fields.length !== 6 || n === null || n < 1 || timeMs === null || reason === undefined) return null;
  if ((state !== 'on' && state !== 'off') || hasControl(reason) || charactersIn(reason) > 500) return null;
  if ((state === 'on') !== (reason !== '')) return null;
  return { kind: 'halt', n, timeMs, isOn: state === 'on', reason };
}

function parseAway(fields: readonly string[]): AwayEntry | null {
  const [, , number, time, source, state] = fields;
  const [n, timeMs] = [parseCount(number), parseCount(time)];
  if (fields.length !== 6 || !n || timeMs === null || !isSource(source)) return null;
  return state === 'on' || state === 'off' ? { kind: 'away', n, timeMs, source, isOn: state === 'on' } : null;
}

function parseSeed(fields: readonly string[]): SeedEntry | null {
  const [, , date, step, hex] = fields;
  if (fields.length !== 5 || !date || !DATE.test(date) || !hex || !HEX_64.test(hex)) return null;
  return step === 'commit' || step === 'reveal' ? { kind: 'seed', date, step, hex } : null;
}
