/**
 * Entries of the tick log: one line of text each, fields separated by `|`. The text itself is hashed, so writing and reading are
 * exact inverses: `formatEntry` returns byte for byte every text that `parseEntry` accepts.
 */
import { formatDecimal, type Points, parsePrice } from '@fairtick/money';
import { GAP_REASONS, type GapReason, type JudgedQuote, type QuoteUse } from '@fairtick/trading';

export interface TickEntry {
  readonly kind: 'tick';
  readonly symbol: string;
  readonly n: number;
  readonly timeMs: number;
  readonly price: Points;
  /** Of the prices in this entry. */
  readonly decimals: number;
  readonly isNew: boolean;
  /** 64 lower-case hex digits. */
  readonly rulesHash: string;
  readonly quotes: readonly JudgedQuote[];
}

export interface GapEntry {
  readonly kind: 'gap';
  readonly symbol: string;
  readonly n: number;
  readonly timeMs: number;
  readonly reason: GapReason;
}

export interface OrdersEntry {
  readonly kind: 'orders';
  readonly timeMs: number;
  readonly firstBatch: number;
  readonly lastBatch: number;
  readonly accepted: number;
  readonly refused: number;
  /** Merkle root over the roots of the batches, in order. */
  readonly root: string;
}

export interface RulesEntry {
  readonly kind: 'rules';
  /** `FEED/SYMBOL` */
  readonly scope: string;
  readonly effectiveMs: number;
  /** Canonical JSON (RFC 8785). */
  readonly json: string;
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

export type LogEntry = TickEntry | GapEntry | OrdersEntry | RulesEntry | SeedEntry | OtherEntry;

const OTHER_KINDS = ['liabilities', 'audit', 'key'];
const USES: readonly QuoteUse[] = ['use', 'stale', 'outlier'];
const HEX_64 = /^[0-9a-f]{64}$/;
const SYMBOL = /^[A-Z0-9]+(\/[A-Z0-9]+)?$/;
const SOURCE = /^[a-z0-9-]{1,32}$/;
const DATE = /^\d{4}-\d{2}-\d{2}$/;

/** The entry's exact text. */
export function formatEntry(entry: LogEntry): string {
  switch (entry.kind) {
    case 'tick': {
      const quotes = entry.quotes.map((quote) => formatQuote(quote, entry.decimals)).join(';');
      const price = formatDecimal(entry.price, entry.decimals);
      const word = entry.isNew ? 'new' : 'same';
      return `tick|1|${entry.symbol}|${entry.n}|${entry.timeMs}|${price}|${word}|${entry.rulesHash}|${quotes}`;
    }
    case 'gap':
      return `gap|1|${entry.symbol}|${entry.n}|${entry.timeMs}|${entry.reason}`;
    case 'orders':
      return `orders|1|${entry.timeMs}|${entry.firstBatch}|${entry.lastBatch}|${entry.accepted}|${entry.refused}|${entry.root}`;
    case 'rules':
      return `rules|1|${entry.scope}|${entry.effectiveMs}|${entry.json}`;
    case 'seed':
      return `seed|1|${entry.date}|${entry.step}|${entry.hex}`;
    case 'other':
      return entry.text;
  }
}

function formatQuote(quote: JudgedQuote, decimals: number): string {
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
  if (fields[1] !== '1') return null;
  switch (fields[0]) {
    case 'tick':
      return parseTick(fields);
    case 'gap':
      return parseGap(fields);
    case 'orders':
      return parseOrders(fields);
    case 'rules':
      return parseRules(text, fields);
    case 'seed':
      return parseSeed(fields);
    default:
      return OTHER_KINDS.includes(fields[0] as string) && fields.length > 3 ? { kind: 'other', text } : null;
  }
}

function parseTick(fields: readonly string[]): TickEntry | null {
  if (fields.length !== 9) return null;
  const [, , symbol, n, timeMs, price, word, rulesHash, list] = fields as string[] & { length: 9 };
  const decimals = decimalsOf(price as string);
  const value = parsePrice(price as string, decimals);
  const head = { n: parseCount(n), timeMs: parseCount(timeMs) };
  if (head.n === null || head.timeMs === null || value === null || !SYMBOL.test(symbol as string))
    return null;
  if ((word !== 'new' && word !== 'same') || !HEX_64.test(rulesHash as string)) return null;
  const quotes: JudgedQuote[] = [];
  for (const part of (list as string).split(';')) {
    const quote = parseQuote(part, decimals);
    const before = quotes.at(-1);
    if (quote === null || quotes.length >= 64 || (before && before.source >= quote.source)) return null;
    quotes.push(quote);
  }
  return {
    kind: 'tick',
    symbol: symbol as string,
    n: head.n,
    timeMs: head.timeMs,
    price: value,
    decimals,
    isNew: word === 'new',
    rulesHash: rulesHash as string,
    quotes,
  };
}

function parseQuote(text: string, decimals: number): JudgedQuote | null {
  const fields = text.split(',');
  if (fields.length !== 6) return null;
  const [source, price, sourceMs, sourceSeq, receivedMs, use] = fields as [
    string,
    string,
    string,
    string,
    string,
    string,
  ];
  const value = parsePrice(price, decimals);
  const times = { source: parseCount(sourceMs), received: parseCount(receivedMs) };
  if (!SOURCE.test(source) || value === null || decimalsOf(price) !== decimals) return null;
  if (times.source === null || times.received === null || !/^(0|[1-9]\d{0,19})$/.test(sourceSeq)) return null;
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
  if (fields.length !== 6) return null;
  const [, , symbol, n, timeMs, reason] = fields as [string, string, string, string, string, string];
  const head = { n: parseCount(n), timeMs: parseCount(timeMs) };
  if (head.n === null || head.timeMs === null || !SYMBOL.test(symbol)) return null;
  if (!GAP_REASONS.includes(reason as GapReason)) return null;
  return { kind: 'gap', symbol, n: head.n, timeMs: head.timeMs, reason: reason as GapReason };
}

function parseOrders(fields: readonly string[]): OrdersEntry | null {
  if (fields.length !== 8 || !HEX_64.test(fields[7] as string)) return null;
  const numbers = fields.slice(2, 7).map(parseCount);
  if (numbers.includes(null)) return null;
  const [timeMs, firstBatch, lastBatch, accepted, refused] = numbers as [
    number,
    number,
    number,
    number,
    number,
  ];
  if (lastBatch < firstBatch) return null;
  return { kind: 'orders', timeMs, firstBatch, lastBatch, accepted, refused, root: fields[7] as string };
}

function parseRules(text: string, fields: readonly string[]): RulesEntry | null {
  const [, , scope, effective] = fields;
  const effectiveMs = parseCount(effective);
  if (!scope || !/^[a-z0-9-]+\/[A-Z0-9/]+$/.test(scope) || effectiveMs === null || fields.length < 5)
    return null;
  const json = text.slice(`rules|1|${scope}|${effective}|`.length);
  return { kind: 'rules', scope, effectiveMs, json };
}

function parseSeed(fields: readonly string[]): SeedEntry | null {
  const [, , date, step, hex] = fields;
  if (fields.length !== 5 || !date || !DATE.test(date) || !hex || !HEX_64.test(hex)) return null;
  return step === 'commit' || step === 'reveal' ? { kind: 'seed', date, step, hex } : null;
}

/** A plain decimal integer that a JavaScript number holds exactly. */
function parseCount(text: string | undefined): number | null {
  if (text === undefined || !/^(0|[1-9]\d{0,15})$/.test(text)) return null;
  const value = Number(text);
  return Number.isSafeInteger(value) ? value : null;
}

function decimalsOf(price: string): number {
  const dot = price.indexOf('.');
  return dot < 0 ? 0 : Math.min(price.length - dot - 1, 18);
}
