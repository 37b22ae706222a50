import {
  DECIMAL,
  decimalsOf,
  FIX_MS,
  fail,
  HASH,
  hasControls,
  NAME,
  RATE,
  readBase64,
  readCanonical,
  readWhole,
  unitsOf,
} from './ground.ts';

/** The log's entries that a receipt may show: their grammar, and nothing of what they have to say. */
export interface After {
  readonly number: bigint;
  readonly timeMs: number;
  readonly price: bigint;
}
/** The last statement of a source by a time, and why it is the last. */
export interface SourceRecord extends After {
  readonly source: string;
  /** As it is written, but for its use. */
  readonly written: string;
  readonly use: string;
  readonly closing: After | 'said' | 'open';
}
interface Absent {
  readonly source: string;
  readonly written: string;
  readonly use: 'none' | 'away';
}
export type Part = SourceRecord | Absent;
export const isRecord = (part: Part): part is SourceRecord => 'closing' in part;
export interface Fix {
  readonly type: 'fix' | 'close';
  readonly symbol: string;
  readonly n: number;
  readonly timeMs: number;
  readonly fixMs: number;
  readonly price: string;
  readonly rulesHash: string;
  readonly parts: readonly Part[];
}
/** An entry that decides nothing. */
export interface Passing {
  readonly type: 'tick' | 'gap' | 'halt' | 'away';
  readonly timeMs: number;
}
export interface Orders {
  readonly type: 'orders';
  readonly timeMs: number;
  readonly firstBatch: number;
  readonly lastBatch: number;
  readonly firstMs: number;
  readonly lastMs: number;
  readonly root: Buffer;
  /** The first 16 bytes of what was asked for, in hex. */
  readonly asked: readonly string[];
}
export interface PythRules {
  readonly feed: string;
  readonly keys: readonly {
    readonly fromMs: number;
    readonly untilMs: number | null;
    readonly chain: number;
    readonly emitter: string;
    readonly quorum: number;
    readonly routers: readonly string[];
  }[];
}
export interface Rules {
  readonly type: 'rules';
  readonly symbol: string;
  /** As the JSON says it. */
  readonly ofSymbol: string;
  readonly n: number;
  readonly effectiveMs: number;
  readonly previousHash: string;
  readonly decimals: number;
  readonly sources: readonly string[];
  readonly quorum: number;
  readonly quietMs: number;
  readonly waitMs: number;
  readonly outlierBps: number;
  readonly delayMs: number;
  readonly cycles: readonly { readonly minutes: number; readonly payoutRate: string }[];
  readonly limits: readonly { readonly asset: string; readonly scale: number }[];
  readonly pyth: PythRules | null;
}
export interface HandOver {
  readonly type: 'key';
  /** The new key, which may be no key. */
  readonly to: string;
  readonly signature: Buffer;
}
export type Entry = Fix | Passing | Orders | Rules | HandOver;

const ENTRY_BYTES = 65_535;
const MOST_BATCHES = 65_536;
const MOST_ASKED = 2000;
const MOST_SOURCES = 64;
const HALT_CHARACTERS = 500;
const KEY_CHARACTERS = 1024;

const wrong = (why: string): never => fail('form', `not an entry: ${why}`);
const whole = (text: string | undefined): number => readWhole(text) ?? wrong(`${text} is no number`);
const counted = (text: string | undefined): number => whole(text) || wrong('a number that begins at 1');
const matching = (text: string | undefined, form: RegExp): string =>
  text !== undefined && form.test(text) ? text : wrong(`${text} is not ${form}`);

const SYMBOL = /^[A-Z0-9]+(\/[A-Z0-9]+)?$/;
const SOURCE = /^[a-z0-9-]{1,32}$/;
const SEQUENCE = /^(0|[1-9][0-9]{0,19})$/;
const REASON = /^(quorum|clock|restart|session|halt|end)$/;

export function readEntry(text: string): Entry {
  if (Buffer.byteLength(text) > ENTRY_BYTES || /[\r\n]/.test(text)) wrong('too long, or not one line');
  const fields = text.split('|');
  if (fields[1] !== '4') wrong('another version');
  switch (fields[0]) {
    case 'rules':
      return readRules(fields);
    case 'fix':
    case 'close':
      return readFix(fields[0], fields);
    case 'tick':
    case 'gap':
      return readMove(fields[0], fields);
    case 'orders':
      return readOrders(fields);
    case 'halt':
      return readHalt(fields);
    case 'away':
      return readAway(fields);
    case 'key':
      return readHandOver(fields);
    default:
      return wrong('a kind that no receipt shows');
  }
}

/** Units of the last decimal of an entry's prices, all of which have as many. */
class Prices {
  #decimals: number | null = null;

  read(text: string | undefined): bigint {
    const price = matching(text, DECIMAL);
    this.#decimals ??= decimalsOf(price);
    if (decimalsOf(price) !== this.#decimals) wrong('prices of other decimals');
    return unitsOf(price) || wrong('a price of 0');
  }
}

function readFix(type: Fix['type'], fields: readonly string[]): Fix {
  const [, , symbol, n, timeMs, fixMs, price = '', rulesHash, records = ''] = fields;
  if (fields.length !== 9) wrong('fields of a fix');
  const prices = new Prices();
  prices.read(price);
  const fix = {
    type,
    symbol: matching(symbol, SYMBOL),
    n: counted(n),
    timeMs: whole(timeMs),
    fixMs: whole(fixMs),
    price,
    rulesHash: matching(rulesHash, HASH),
    parts: listedBySource(records).map((part) => readPart(part, prices)),
  };
  if (fix.fixMs % FIX_MS !== 0 || fix.fixMs > fix.timeMs) wrong('the time of a fix');
  return fix;
}

function readPart(part: readonly string[], prices: Prices): Part {
  const [source = '', number, timeMs, price, use, ...closing] = part;
  const written = part.toSpliced(4, 1).join();
  if (part.length === 2 && (number === 'none' || number === 'away')) return { source, written, use: number };
  const [state] = closing;
  const isOpen = closing.length === 1 && (state === 'said' || state === 'open');
  if (!isOpen && closing.length !== 3) wrong('parts of a record');
  return {
    source,
    written,
    ...statementOf([number, timeMs, price], prices),
    use: matching(use, /^(use|quiet|outlier)$/),
    closing: isOpen ? state : statementOf(closing, prices),
  };
}

const statementOf = ([number, timeMs, price]: readonly (string | undefined)[], prices: Prices): After => ({
  number: BigInt(matching(number, SEQUENCE)),
  timeMs: whole(timeMs),
  price: prices.read(price),
});

/** Parts that begin with the name of a source, each of another one. */
function listedBySource(text: string): string[][] {
  const parts = text.split(';').map((part) => part.split(','));
  if (parts.length > MOST_SOURCES) wrong('too many sources');
  if (!isAscending(parts.map(([source]) => matching(source, SOURCE)))) wrong('order of the sources');
  return parts;
}

/** A tick or a gap. */
function readMove(type: 'tick' | 'gap', fields: readonly string[]): Passing {
  const [, , symbol, n, timeMs, what, rulesHash, quotes = ''] = fields;
  if (fields.length !== 8) wrong('fields of a tick or a gap');
  matching(symbol, SYMBOL);
  counted(n);
  matching(rulesHash, HASH);
  const prices = new Prices();
  if (type === 'tick') prices.read(what);
  else matching(what, REASON);
  const isBare = type === 'gap' && what !== 'quorum' && quotes === '';
  if (!isBare) for (const quote of listedBySource(quotes)) checkQuote(quote, prices);
  return { type, timeMs: whole(timeMs) };
}

function checkQuote(quote: readonly string[], prices: Prices): void {
  const [, price, sourceMs, sourceSeq, receivedMs, use] = quote;
  if (quote.length === 2 && price === 'none') return;
  if (quote.length !== 6) wrong('parts of a quote');
  prices.read(price);
  matching(sourceSeq, SEQUENCE);
  matching(use, /^(use|stale|outlier)$/);
  for (const time of [sourceMs, receivedMs]) whole(time);
}

/** Strictly, by bytes; a source has ASCII characters only, whose UTF-16 order is that of their bytes. */
const isAscending = (names: readonly string[]): boolean =>
  names.every((name, at) => at === 0 || (names[at - 1] as string) < name);

function readOrders(fields: readonly string[]): Orders {
  if (fields.length !== 9) wrong('fields of orders');
  const timeMs = whole(fields[2]);
  const [firstBatch, lastBatch] = [counted(fields[3]), counted(fields[4])];
  const [firstMs, lastMs] = [whole(fields[5]), whole(fields[6])];
  if (firstBatch > lastBatch || lastBatch - firstBatch >= MOST_BATCHES) wrong('batches');
  if (firstMs > lastMs || lastMs > timeMs) wrong('times of batches');
  if (firstBatch === lastBatch && firstMs !== lastMs) wrong('two times of one batch');
  const root = Buffer.from(matching(fields[7], HASH), 'hex');
  const asked = readAsked(fields[8] ?? '');
  return { type: 'orders', timeMs, firstBatch, lastBatch, firstMs, lastMs, root, asked };
}

function readAsked(text: string): readonly string[] {
  const asked = matching(text, /^([0-9a-f]{32})*$/).match(/.{32}/g) ?? [];
  return asked.length <= MOST_ASKED && isAscending(asked)
    ? asked
    : wrong('order or number of what was asked');
}

function readHalt(fields: readonly string[]): Passing {
  const [, , n, timeMs, state, reason = ''] = fields;
  if (fields.length !== 6) wrong('fields of a halt');
  counted(n);
  const characters = [...reason].length;
  const isOn = state === 'on' && characters >= 1 && characters <= HALT_CHARACTERS && !hasControls(reason);
  if (!isOn && (state !== 'off' || reason !== '')) wrong('state of a halt');
  return { type: 'halt', timeMs: whole(timeMs) };
}

function readAway(fields: readonly string[]): Passing {
  const [, , n, timeMs, source, state] = fields;
  if (fields.length !== 6) wrong('fields of away');
  counted(n);
  matching(source, SOURCE);
  matching(state, /^(on|off)$/);
  return { type: 'away', timeMs: whole(timeMs) };
}

function readHandOver(fields: readonly string[]): HandOver {
  const [, , timeMs, to = '', base64 = ''] = fields;
  if (fields.length !== 5) wrong('fields of a hand-over');
  whole(timeMs);
  const characters = [...to].length;
  const signature = readBase64(base64);
  if (characters < 1 || characters > KEY_CHARACTERS) wrong('length of a key');
  return signature?.length === 64 ? { type: 'key', to, signature } : wrong('signature of a hand-over');
}

type Members = { readonly [name: string]: unknown };

function readRules(fields: readonly string[]): Rules {
  const [, , symbol, number, effectiveMs, previous] = fields;
  if (fields.length < 7) wrong('fields of rules');
  const n = counted(number);
  const previousHash = matching(previous, HASH);
  if (/^0+$/.test(previousHash) !== (n === 1)) wrong('rules before the first, or none before others');
  const json = readCanonical(fields.slice(6).join('|')) ?? wrong('rules that are not canonical');
  return {
    type: 'rules',
    symbol: matching(symbol, SYMBOL),
    n,
    effectiveMs: whole(effectiveMs),
    previousHash,
    ...readTerms(membersOf(json)),
  };
}

type Terms = Omit<Rules, 'type' | 'symbol' | 'n' | 'effectiveMs' | 'previousHash'>;

function readTerms(read: Members): Terms {
  const sources = listOf(read.sources, MOST_SOURCES).map((each) => textOf(each, SOURCE));
  if (sources.length < 1 || !isAscending(sources)) wrong('sources');
  const cycles = listOf(read.cycles, 256)
    .map(membersOf)
    .map(({ minutes, payoutRate }) => ({
      minutes: numberOf(minutes, 1, 1440),
      payoutRate: textOf(payoutRate, RATE),
    }));
  const limits = listOf(read.limits, 256)
    .map(membersOf)
    .map(({ asset, scale }) => ({ asset: textOf(asset, NAME), scale: numberOf(scale, 0, 18) }));
  if (new Set(cycles.map(({ minutes }) => minutes)).size < cycles.length) wrong('a cycle twice');
  if (new Set(limits.map(({ asset }) => asset)).size < limits.length) wrong('limits of an asset twice');
  return {
    ofSymbol: typeof read.symbol === 'string' ? read.symbol : wrong('the symbol is no text'),
    decimals: numberOf(read.decimals, 0, 18),
    sources,
    quorum: numberOf(read.quorum, Math.floor(sources.length / 2) + 1, sources.length),
    quietMs: numberOf(read.quietMs, 1, 86_400_000),
    waitMs: numberOf(read.waitMs, 0, 60_000),
    outlierBps: numberOf(read.outlierBps, 0, 1_000_000),
    delayMs: numberOf(read.delayMs, 2000, 60_000),
    cycles,
    limits,
    pyth: read.pyth === undefined ? null : readPyth(membersOf(read.pyth)),
  };
}

function readPyth({ feed, keys }: Members): PythRules {
  return {
    feed: textOf(feed, HASH),
    keys: listOf(keys, 16)
      .map(membersOf)
      .map(({ fromMs, untilMs, chain, emitter, quorum, routers }) => {
        const addresses = listOf(routers, 19).map((each) => textOf(each, /^[0-9a-f]{40}$/));
        if (new Set(addresses).size < addresses.length) wrong('a router twice');
        return {
          fromMs: numberOf(fromMs, 0, Number.MAX_SAFE_INTEGER),
          untilMs: untilMs === null ? null : numberOf(untilMs, 0, Number.MAX_SAFE_INTEGER),
          chain: numberOf(chain, 0, 65_535),
          emitter: textOf(emitter, HASH),
          quorum: numberOf(quorum, 1, addresses.length),
          routers: addresses,
        };
      }),
  };
}

const membersOf = (value: unknown): Members =>
  value !== null && typeof value === 'object' && !Array.isArray(value)
    ? (value as Members)
    : wrong('no object');
const listOf = (value: unknown, most: number): unknown[] =>
  Array.isArray(value) && value.length <= most ? value : wrong('no list, or too long a one');
const textOf = (value: unknown, form: RegExp): string =>
  typeof value === 'string' && form.test(value) ? value : wrong(`${value} is not ${form}`);
const numberOf = (value: unknown, least: number, most: number): number =>
  Number.isSafeInteger(value) && (value as number) >= least && (value as number) <= most
    ? (value as number)
    : wrong(`${value} is no such number`);
