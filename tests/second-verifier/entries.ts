import {
  DECIMAL,
  decimalsOf,
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

/** The log's entries: their grammar, and nothing of what they have to say. */
export interface Quote {
  readonly source: string;
  readonly price: bigint;
  readonly sourceMs: number;
  readonly sequence: bigint;
  readonly receivedMs: number;
  readonly use: string;
}
export interface Absent {
  readonly source: string;
  readonly use: 'none';
}
interface Listed {
  readonly symbol: string;
  readonly n: number;
  readonly timeMs: number;
  readonly rulesHash: string;
  readonly quotes: readonly (Quote | Absent)[];
  /** Of its prices; null if it has none. */
  readonly decimals: number | null;
}
export interface Tick extends Listed {
  readonly type: 'tick';
  readonly price: string;
}
export interface Gap extends Listed {
  readonly type: 'gap';
  readonly reason: string;
}
export interface Orders {
  readonly type: 'orders';
  readonly timeMs: number;
  readonly first: number;
  readonly last: number;
  readonly root: Buffer;
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
  readonly staleMs: number;
  readonly lagMs: number;
  readonly freshMs: number;
  readonly openWithinMs: number;
  readonly outlierBps: number;
  readonly delayMs: number;
  readonly cycles: readonly { readonly minutes: number; readonly payoutRate: string }[];
  readonly limits: readonly { readonly asset: string; readonly scale: number }[];
}
export interface Halt {
  readonly type: 'halt';
  readonly timeMs: number;
}
export interface HandOver {
  readonly type: 'key';
  /** Null where it is not written as a hand-over is, which matters only in the role `key`. */
  readonly over: null | { readonly to: string; readonly signature: Buffer };
}
export interface Other {
  readonly type: 'other';
}
export type Entry = Tick | Gap | Orders | Rules | Halt | HandOver | Other;

const wrong = (why: string): never => fail('form', `not an entry: ${why}`);
const whole = (text: string | undefined): number => readWhole(text) ?? wrong(`${text} is no number`);
const counted = (text: string | undefined): number => whole(text) || wrong('a number that begins at 1');
const matching = (text: string | undefined, form: RegExp): string =>
  text !== undefined && form.test(text) ? text : wrong(`${text} is not ${form}`);

const SYMBOL = /^[A-Z0-9]+(\/[A-Z0-9]+)?$/;
const SOURCE = /^[a-z0-9-]{1,32}$/;
const SEQUENCE = /^(0|[1-9][0-9]{0,19})$/;
const REASON = /^(quorum|clock|restart|session|halt|end)$/;
const HALT_REASON = /^[^|]{1,500}$/u;
const SEED = /^seed\|3\|[0-9]{4}-[0-9]{2}-[0-9]{2}\|(commit|reveal)\|[0-9a-f]{64}$/;

export function readEntry(text: string): Entry {
  if (Buffer.byteLength(text) > 65_535 || /[\r\n]/.test(text)) wrong('too long, or not one line');
  const fields = text.split('|');
  if (fields[1] !== '3') wrong('version');
  switch (fields[0]) {
    case 'rules':
      return readRules(fields);
    case 'tick':
      return readTick(fields);
    case 'gap':
      return readGap(fields);
    case 'orders':
      return readOrders(fields);
    case 'halt':
      return readHalt(fields);
    case 'key':
      if (fields.length < 4) wrong('key');
      return { type: 'key', over: readHandOver(fields) };
    case 'liabilities':
    case 'audit':
      return fields.length >= 4 ? { type: 'other' } : wrong('fields');
    default:
      return SEED.test(text) ? { type: 'other' } : wrong('kind');
  }
}

function readTick(fields: readonly string[]): Tick {
  const [, , symbol, n, timeMs, price, rulesHash, quotes] = fields;
  if (fields.length !== 8) wrong('fields of a tick');
  const read = matching(price, DECIMAL);
  if (unitsOf(read) === 0n) wrong('a price of 0');
  return {
    type: 'tick',
    price: read,
    symbol: matching(symbol, SYMBOL),
    n: counted(n),
    timeMs: whole(timeMs),
    rulesHash: matching(rulesHash, HASH),
    ...readQuotes(quotes as string, decimalsOf(read)),
  };
}

function readGap(fields: readonly string[]): Gap {
  const [, , symbol, n, timeMs, reason, rulesHash, quotes] = fields;
  if (fields.length !== 8) wrong('fields of a gap');
  if (reason === 'quorum' && quotes === '') wrong('a quorum gap without quotes');
  return {
    type: 'gap',
    reason: matching(reason, REASON),
    symbol: matching(symbol, SYMBOL),
    n: counted(n),
    timeMs: whole(timeMs),
    rulesHash: matching(rulesHash, HASH),
    ...(quotes === '' ? { quotes: [], decimals: null } : readQuotes(quotes as string, null)),
  };
}

function readQuotes(text: string, decimals: number | null): Pick<Listed, 'quotes' | 'decimals'> {
  const parts = text.split(';').map((part) => part.split(','));
  if (parts.length > 64) wrong('too many quotes');
  let all = decimals;
  const quotes = parts.map((part): Quote | Absent => {
    const [source, price, sourceMs, sequence, receivedMs, use] = part;
    if (part.length === 2 && price === 'none') return { source: matching(source, SOURCE), use: 'none' };
    if (part.length !== 6) wrong('parts of a quote');
    const read = matching(price, DECIMAL);
    all ??= decimalsOf(read);
    if (unitsOf(read) === 0n || decimalsOf(read) !== all) wrong('a price of 0, or of other decimals');
    return {
      source: matching(source, SOURCE),
      price: unitsOf(read),
      sourceMs: whole(sourceMs),
      sequence: BigInt(matching(sequence, SEQUENCE)),
      receivedMs: whole(receivedMs),
      use: matching(use, /^(use|stale|outlier)$/),
    };
  });
  const sources = quotes.map(({ source }) => source);
  if (!isAscending(sources)) wrong('order of the sources');
  return { quotes, decimals: all };
}

/** Strictly, by bytes; a source has ASCII characters only, whose UTF-16 order is that of their bytes. */
const isAscending = (names: readonly string[]): boolean =>
  names.every((name, at) => at === 0 || (names[at - 1] as string) < name);

function readOrders(fields: readonly string[]): Orders {
  const [, , timeMs, firstBatch, lastBatch, root] = fields;
  if (fields.length !== 6) wrong('fields of orders');
  const [first, last] = [counted(firstBatch), counted(lastBatch)];
  if (first > last || last - first >= 65_536) wrong('batches backwards, or too many');
  return {
    type: 'orders',
    timeMs: whole(timeMs),
    first,
    last,
    root: Buffer.from(matching(root, HASH), 'hex'),
  };
}

function readHalt(fields: readonly string[]): Halt {
  const [, , n, timeMs, state, reason] = fields;
  if (fields.length !== 6 || whole(n) < 1) wrong('fields of a halt');
  if (state === 'off' ? reason !== '' : state !== 'on') wrong('state of a halt');
  if (state === 'on' && hasControls(matching(reason, HALT_REASON))) wrong('control characters');
  return { type: 'halt', timeMs: whole(timeMs) };
}

function readHandOver(fields: readonly string[]): HandOver['over'] {
  const [, , timeMs, to = '', base64 = ''] = fields;
  const signature = readBase64(base64);
  const length = [...to].length;
  if (fields.length !== 5 || readWhole(timeMs) === null || length < 1 || length > 1024) return null;
  return signature?.length === 64 ? { to, signature } : null;
}

type Members = { readonly [name: string]: unknown };

function readRules(fields: readonly string[]): Rules {
  const [, , symbol, number, effectiveMs, previousHash] = fields;
  if (fields.length < 7) wrong('fields of rules');
  const json = fields.slice(6).join('|');
  const read = membersOf(readCanonical(json) ?? wrong('rules that are not canonical'));
  const n = counted(number);
  if (/^0+$/.test(matching(previousHash, HASH)) !== (n === 1))
    wrong('rules before the first, or none before others');
  const sources = listOf(read.sources).map((each) => textOf(each, SOURCE));
  if (sources.length < 1 || sources.length > 64 || !isAscending(sources)) wrong('sources');
  const cycles = listOf(read.cycles)
    .map(membersOf)
    .map(({ minutes, payoutRate }) => ({
      minutes: numberOf(minutes, 1, 1440),
      payoutRate: textOf(payoutRate, RATE),
    }));
  const limits = listOf(read.limits)
    .map(membersOf)
    .map(({ asset, scale }) => ({
      asset: textOf(asset, NAME),
      scale: numberOf(scale, 0, 18),
    }));
  const quorum = numberOf(read.quorum, 1, sources.length);
  if (quorum * 2 <= sources.length) wrong('a quorum of half of the sources or fewer');
  const staleMs = numberOf(read.staleMs, 1, 86_400_000);
  const lagMs = numberOf(read.lagMs, 0, 5000);
  if (new Set(cycles.map(({ minutes }) => minutes)).size < cycles.length) wrong('a cycle twice');
  if (new Set(limits.map(({ asset }) => asset)).size < limits.length) wrong('limits of an asset twice');
  return {
    type: 'rules',
    symbol: matching(symbol, SYMBOL),
    ofSymbol: textOf(read.symbol, /^/),
    n,
    effectiveMs: whole(effectiveMs),
    previousHash: previousHash as string,
    decimals: numberOf(read.decimals, 0, 18),
    sources,
    quorum,
    staleMs,
    lagMs,
    freshMs: numberOf(read.freshMs, lagMs + 1, staleMs),
    openWithinMs: numberOf(read.openWithinMs, 0, 5000),
    outlierBps: numberOf(read.outlierBps, 0, 1_000_000),
    delayMs: numberOf(read.delayMs, 1000, 60_000),
    cycles,
    limits,
  };
}

const membersOf = (value: unknown): Members =>
  value !== null && typeof value === 'object' && !Array.isArray(value)
    ? (value as Members)
    : wrong('no object');
const listOf = (value: unknown): unknown[] =>
  Array.isArray(value) && value.length <= 256 ? value : wrong('no list, or too long a one');
const textOf = (value: unknown, form: RegExp): string =>
  typeof value === 'string' && form.test(value) ? value : wrong(`${value} is not ${form}`);
const numberOf = (value: unknown, least: number, most: number): number =>
  Number.isSafeInteger(value) && (value as number) >= least && (value as number) <= most
    ? (value as number)
    : wrong(`${value} is no such number`);
