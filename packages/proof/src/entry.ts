/**
 * Entries of the tick log: one line of text each, fields separated by `|`. The text itself is hashed, so writing and reading are
 * exact inverses: `formatEntry` returns byte for byte every text that `parseEntry` accepts.
 */
import { formatDecimal, type Points } from '@fairtick/money';
import { FIX_MS, GAP_REASONS, type GapReason, type ListedQuote, type QuoteUse } from '@fairtick/trading';
import { placesOf } from './decimal.ts';
import { charactersIn, hasControl, isHash, parseWholeNumber } from './encoding.ts';
import { isSource, parseNumber, parseParts, priceOf } from './entry-fields.ts';
import { type FixEntry, formatRecords, parseListedRecord } from './fix-entry.ts';

export type { FixEntry } from './fix-entry.ts';

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
  readonly json: string;
}

/** New orders are halted for everybody in all products, or taken again. */
export interface HaltEntry {
  readonly kind: 'halt';
  /** Numbers all halts and their ends, of one product too, from 1. */
  readonly n: number;
  readonly timeMs: number;
  readonly isOn: boolean;
  /** 1 to 500 characters without control characters or `|`; empty where trading goes on. */
  readonly reason: string;
}

/** New orders in one product are halted for everybody, or taken again. */
export interface SuspendEntry extends Omit<HaltEntry, 'kind'> {
  readonly kind: 'suspend';
  readonly symbol: string;
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
  | SuspendEntry
  | SeedEntry
  | OtherEntry;

/** `previousHash` of the first rules of a symbol. */
export const NO_RULES_HASH = '0'.repeat(64);

/** How many bytes of H(asked) stand in the open. */
export const ASKED_BYTES = 16;
/** Most orders that one `orders` entry names: its text stays below 65 535 bytes. */
export const MAX_ASKED = 2_000;

const ASKED = /[0-9a-f]{32}/g;
const OTHER_KINDS = ['liabilities', 'addresses', 'holdings', 'audit', 'key'];
const USES: readonly QuoteUse[] = ['use', 'stale', 'outlier'];

/** The fields of each kind, in their order after the kind and the version. */
const FIELDS = {
  tick: ['symbol', 'n', 'timeMs', 'price', 'rulesHash', 'quotes'],
  gap: ['symbol', 'n', 'timeMs', 'reason', 'rulesHash', 'quotes'],
  fix: ['symbol', 'n', 'timeMs', 'fixMs', 'price', 'rulesHash', 'records'],
  close: ['symbol', 'n', 'timeMs', 'fixMs', 'price', 'rulesHash', 'records'],
  orders: ['timeMs', 'firstBatch', 'lastBatch', 'firstMs', 'lastMs', 'root', 'asked'],
  rules: ['symbol', 'n', 'effectiveMs', 'previousHash', 'json'],
  halt: ['n', 'timeMs', 'isOn', 'reason'],
  suspend: ['n', 'timeMs', 'symbol', 'isOn', 'reason'],
  away: ['n', 'timeMs', 'source', 'isOn'],
  seed: ['date', 'step', 'hex'],
} as const;
type WrittenEntry = Exclude<LogEntry, OtherEntry>;
type Field = (typeof FIELDS)[WrittenEntry['kind']][number];

const switchText = ({ isOn }: HaltEntry | SuspendEntry | AwayEntry) => (isOn ? 'on' : 'off');

/** Fields that are not written as they are. */
const WRITERS: Partial<Record<Field, (entry: never) => string>> = {
  price: ({ price, decimals }: TickEntry | FixEntry) => formatDecimal(price, decimals),
  quotes: formatQuotes,
  records: formatRecords,
  asked: ({ asked }: OrdersEntry) => asked.join(''),
  isOn: switchText,
};

const matching = (form: RegExp) => (text: string) => (form.test(text) ? text : null);
const positive = (text: string) => parseWholeNumber(text) || null;
const hash = (text: string) => (isHash(text) ? text : null);

/** Null refuses the text of a field. {@link isFit} has what one field demands of another. */
const READERS: Readonly<Record<Field, (text: string, decimals: number) => unknown>> = {
  symbol: matching(/^[A-Z0-9]+(\/[A-Z0-9]+)?$/),
  n: positive,
  timeMs: parseWholeNumber,
  fixMs: parseWholeNumber,
  price: priceOf,
  rulesHash: hash,
  quotes: (text, decimals) => (text === '' ? [] : parseParts(text, (part) => parseQuote(part, decimals))),
  records: (text, decimals) => parseParts(text, (part) => parseListedRecord(part, decimals)),
  firstBatch: positive,
  lastBatch: positive,
  firstMs: parseWholeNumber,
  lastMs: parseWholeNumber,
  root: hash,
  asked: parseAsked,
  effectiveMs: parseWholeNumber,
  previousHash: hash,
  json: (text) => text,
  isOn: (text) => (text === 'on' ? true : text === 'off' ? false : null),
  reason: (text) => (hasControl(text) || charactersIn(text) > 500 ? null : text),
  source: (text) => (isSource(text) ? text : null),
  date: matching(/^\d{4}-\d{2}-\d{2}$/),
  step: matching(/^(commit|reveal)$/),
  hex: hash,
};

function isFit(entry: WrittenEntry): boolean {
  switch (entry.kind) {
    case 'tick':
      return entry.quotes.length > 0;
    case 'gap':
      return GAP_REASONS.includes(entry.reason) && (entry.reason !== 'quorum' || entry.quotes.length > 0);
    case 'fix':
    case 'close':
      return entry.fixMs % FIX_MS === 0 && entry.fixMs <= entry.timeMs;
    case 'orders': {
      const { timeMs, firstBatch, lastBatch, firstMs, lastMs } = entry;
      if (lastBatch < firstBatch || lastBatch - firstBatch >= MAX_BATCHES) return false;
      return firstMs <= lastMs && lastMs <= timeMs && (firstBatch < lastBatch || firstMs === lastMs);
    }
    case 'rules':
      return (entry.n === 1) === (entry.previousHash === NO_RULES_HASH);
    case 'halt':
    case 'suspend':
      return entry.isOn === (entry.reason !== '');
    case 'away':
    case 'seed':
      return true;
  }
}

export function formatEntry(entry: LogEntry): string {
  if (entry.kind === 'other') return entry.text;
  const texts = FIELDS[entry.kind].map((field) => {
    const write = WRITERS[field] as ((entry: LogEntry) => string) | undefined;
    return write ? write(entry) : String(entry[field as keyof LogEntry]);
  });
  return [entry.kind, ENTRY_VERSION, ...texts].join('|');
}

function formatQuotes({ quotes, decimals }: TickEntry | GapEntry): string {
  const textOf = (quote: ListedQuote) => {
    if (quote.use === 'none') return `${quote.source},none`;
    const price = formatDecimal(quote.price, decimals);
    return `${quote.source},${price},${quote.sourceMs},${quote.sourceSeq},${quote.receivedMs},${quote.use}`;
  };
  return quotes.map(textOf).join(';');
}

/** Reads one entry; null for anything that is not exactly in the grammar. */
export function parseEntry(text: string): LogEntry | null {
  const entry = parseLoosely(text);
  return entry !== null && formatEntry(entry) === text ? entry : null;
}

function parseLoosely(text: string): LogEntry | null {
  if (/[\r\n]/.test(text)) return null;
  const [kind = '', version, ...texts] = text.split('|');
  if (version !== ENTRY_VERSION) return null;
  if (OTHER_KINDS.includes(kind)) return texts.length > 1 ? { kind: 'other', text } : null;
  if (!Object.hasOwn(FIELDS, kind)) return null;
  const fields: readonly Field[] = FIELDS[kind as WrittenEntry['kind']];
  // The JSON of rules may have the separator in it.
  if (kind === 'rules') texts.push(texts.splice(fields.length - 1).join('|'));
  if (texts.length !== fields.length) return null;
  const decimals = decimalsIn(kind, texts);
  const entry: Record<string, unknown> = decimals === null ? { kind } : { kind, decimals };
  for (const [at, field] of fields.entries()) {
    const value = READERS[field](texts[at] as string, decimals ?? 0);
    if (value === null) return null;
    entry[field] = value;
  }
  const written = entry as unknown as WrittenEntry;
  return isFit(written) ? written : null;
}

/** Of the prices in an entry; null for kinds without prices. */
function decimalsIn(kind: string, texts: readonly string[]): number | null {
  if (kind === 'tick') return placesOf(texts[3] as string);
  if (kind === 'fix' || kind === 'close') return placesOf(texts[4] as string);
  if (kind !== 'gap') return null;
  // Of the first quote that has a price.
  return placesOf(/(?:^|;)[^,;]*,([0-9][^,;]*),/.exec(texts[5] as string)?.[1] ?? '');
}

function parseQuote(fields: readonly string[], decimals: number): ListedQuote | null {
  const [source, priceText = '', sourceText = '', seqText = '', receivedText = '', use] = fields;
  if (!isSource(source)) return null;
  if (fields.length === 2 && priceText === 'none') return { source, use: 'none' };
  const [price, sourceSeq] = [priceOf(priceText), parseNumber(seqText)];
  const [sourceMs, receivedMs] = [parseWholeNumber(sourceText), parseWholeNumber(receivedText)];
  if (fields.length !== 6 || price === null || placesOf(priceText) !== decimals) return null;
  if (sourceMs === null || sourceSeq === null || receivedMs === null) return null;
  if (!USES.includes(use as QuoteUse)) return null;
  return { source, price, sourceMs, sourceSeq, receivedMs, use: use as QuoteUse };
}

function parseAsked(list: string): string[] | null {
  if (list.length % (2 * ASKED_BYTES) !== 0 || !/^[0-9a-f]*$/.test(list)) return null;
  if (list.length > MAX_ASKED * 2 * ASKED_BYTES) return null;
  const asked = list.match(ASKED) ?? [];
  return asked.every((each, at) => at === 0 || (asked[at - 1] as string) < each) ? asked : null;
}
