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

/** The log's entries that a receipt may show: their grammar, and nothing of what they have to say. */
export interface Quote {
  readonly source: string;
  readonly price: bigint;
  readonly sourceMs: number;
  readonly sourceSeq: bigint;
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
  readonly firstBatch: number;
  readonly lastBatch: number;
  readonly firstMs: number;
  readonly lastMs: number;
  readonly root: Buffer;
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
  readonly lagMs: number;
  readonly staleMs: number;
  readonly freshMs: number;
  readonly outlierBps: number;
  readonly delayMs: number;
  readonly openWithinMs: number;
  readonly cycles: readonly { readonly minutes: number; readonly payoutRate: string }[];
  readonly limits: readonly { readonly asset: string; readonly scale: number }[];
  readonly pyth: PythRules | null;
}
export interface Halt {
  readonly type: 'halt';
  readonly timeMs: number;
}
export interface HandOver {
  readonly type: 'key';
  /** The new key, which may be no key. */
  readonly to: string;
  readonly signature: Buffer;
}
export type Entry = Tick | Gap | Orders | Rules | Halt | HandOver;

const ENTRY_BYTES = 65_535;
const MOST_BATCHES = 65_536;
const MOST_QUOTES = 64;
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
  if (fields[1] !== '3') wrong('another version');
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
      return readHandOver(fields);
    default:
      return wrong('a kind that no receipt shows');
  }
}

function readTick(fields: readonly string[]): Tick {
  if (fields.length !== 8) wrong('fields of a tick');
  const price = aPrice(fields[5]);
  const listed = readListed(fields, decimalsOf(price));
  return listed.quotes.length > 0 ? { type: 'tick', price, ...listed } : wrong('a tick without quotes');
}

function readGap(fields: readonly string[]): Gap {
  if (fields.length !== 8) wrong('fields of a gap');
  const reason = matching(fields[5], REASON);
  const listed = readListed(fields, null);
  if (reason === 'quorum' && listed.quotes.length === 0) wrong('a quorum gap without quotes');
  return { type: 'gap', reason, ...listed };
}

const aPrice = (text: string | undefined): string => {
  const price = matching(text, DECIMAL);
  return unitsOf(price) > 0n ? price : wrong('a price of 0');
};

function readListed(fields: readonly string[], decimals: number | null): Listed {
  const [, , symbol, n, timeMs, , rulesHash, quotes = ''] = fields;
  return {
    symbol: matching(symbol, SYMBOL),
    n: counted(n),
    timeMs: whole(timeMs),
    rulesHash: matching(rulesHash, HASH),
    ...readQuotes(quotes, decimals),
  };
}

/** @param decimals of the tick's price; null for a gap, which has none of its own */
function readQuotes(text: string, decimals: number | null): Pick<Listed, 'quotes' | 'decimals'> {
  if (text === '') return { quotes: [], decimals };
  const parts = text.split(';').map((part) => part.split(','));
  if (parts.length > MOST_QUOTES) wrong('too many quotes');
  let all = decimals;
  const quotes = parts.map((part): Quote | Absent => {
    const [source, price, sourceMs, sourceSeq, receivedMs, use] = part;
    if (part.length === 2 && price === 'none') return { source: matching(source, SOURCE), use: 'none' };
    if (part.length !== 6) wrong('parts of a quote');
    const read = aPrice(price);
    all ??= decimalsOf(read);
    if (decimalsOf(read) !== all) wrong('prices of other decimals');
    return {
      source: matching(source, SOURCE),
      price: unitsOf(read),
      sourceMs: whole(sourceMs),
      sourceSeq: BigInt(matching(sourceSeq, SEQUENCE)),
      receivedMs: whole(receivedMs),
      use: matching(use, /^(use|stale|outlier)$/),
    };
  });
  if (!isAscending(quotes.map(({ source }) => source))) wrong('order of the sources');
  return { quotes, decimals: all };
}

/** Strictly, by bytes; a source has ASCII characters only, whose UTF-16 order is that of their bytes. */
const isAscending = (names: readonly string[]): boolean =>
  names.every((name, at) => at === 0 || (names[at - 1] as string) < name);

function readOrders(fields: readonly string[]): Orders {
  if (fields.length !== 8) wrong('fields of orders');
  const timeMs = whole(fields[2]);
  const [firstBatch, lastBatch] = [counted(fields[3]), counted(fields[4])];
  const [firstMs, lastMs] = [whole(fields[5]), whole(fields[6])];
  if (firstBatch > lastBatch || lastBatch - firstBatch >= MOST_BATCHES) wrong('batches');
  if (firstMs > lastMs || lastMs > timeMs) wrong('times of batches');
  if (firstBatch === lastBatch && firstMs !== lastMs) wrong('two times of one batch');
  const root = Buffer.from(matching(fields[7], HASH), 'hex');
  return { type: 'orders', timeMs, firstBatch, lastBatch, firstMs, lastMs, root };
}

function readHalt(fields: readonly string[]): Halt {
  const [, , n, timeMs, state, reason = ''] = fields;
  if (fields.length !== 6) wrong('fields of a halt');
  counted(n);
  const characters = [...reason].length;
  const isOn = state === 'on' && characters >= 1 && characters <= HALT_CHARACTERS && !hasControls(reason);
  if (!isOn && (state !== 'off' || reason !== '')) wrong('state of a halt');
  return { type: 'halt', timeMs: whole(timeMs) };
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
  const sources = listOf(read.sources, MOST_QUOTES).map((each) => textOf(each, SOURCE));
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
  const lagMs = numberOf(read.lagMs, 0, 5000);
  const staleMs = numberOf(read.staleMs, 1, 86_400_000);
  return {
    ofSymbol: typeof read.symbol === 'string' ? read.symbol : wrong('the symbol is no text'),
    decimals: numberOf(read.decimals, 0, 18),
    sources,
    quorum: numberOf(read.quorum, Math.floor(sources.length / 2) + 1, sources.length),
    lagMs,
    staleMs,
    freshMs: numberOf(read.freshMs, lagMs + 1, staleMs),
    outlierBps: numberOf(read.outlierBps, 0, 1_000_000),
    delayMs: numberOf(read.delayMs, 2000, 60_000),
    openWithinMs: numberOf(read.openWithinMs, 0, 5000),
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
