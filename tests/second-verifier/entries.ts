import { DECIMAL, HASH, type Json, RATE, Refused, readJson, readWhole } from './reading.ts';

/** The log's entries, as specified in docs/receipt-format.md. */
export interface Quote {
  readonly source: string;
  readonly price: bigint;
  readonly sourceMs: number;
  readonly receivedMs: number;
  readonly use: string;
}

export interface Tick {
  readonly type: 'tick';
  readonly symbol: string;
  readonly n: number;
  readonly timeMs: number;
  readonly price: string;
  readonly units: bigint;
  readonly decimals: number;
  readonly isNew: boolean;
  readonly rulesHash: string;
  readonly quotes: readonly Quote[];
}
export interface Gap {
  readonly type: 'gap';
  readonly symbol: string;
  readonly n: number;
  readonly timeMs: number;
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
  readonly effectiveMs: number;
  readonly decimals: number;
  readonly sources: readonly string[];
  readonly quorum: number;
  readonly staleMs: number;
  readonly outlierBps: number;
  readonly settleBoundMs: number;
  readonly delayMs: number;
  readonly cycles: readonly { readonly minutes: number; readonly payoutRate: string }[];
}
export interface Other {
  readonly type: 'other';
}
export type Entry = Tick | Gap | Orders | Rules | Other;

const SEED = /^seed\|1\|[0-9]{4}-[0-9]{2}-[0-9]{2}\|(commit|reveal)\|[0-9a-f]{64}$/;
const DAY_MS = 86_400_000;

const fail = (why: string): never => {
  throw new Refused('form', `not an entry: ${why}`);
};
const whole = (text: string | undefined): number => readWhole(text) ?? fail(`${text} is no number`);
const decimalsOf = (text: string): number => text.split('.')[1]?.length ?? 0;
export const unitsOf = (text: string): bigint => BigInt(text.replace('.', ''));

export function readEntry(text: string): Entry {
  if (Buffer.byteLength(text) > 65_535 || /[\r\n]/.test(text)) fail('too long, or not one line');
  const fields = text.split('|');
  const type = fields[0] as string;
  if (fields[1] !== '1') fail('version');
  if (/^(liabilities|audit|key)$/.test(type)) return { type: 'other' };
  if (SEED.test(text)) return { type: 'other' };
  if (type === 'tick') return readTick(fields);
  if (type === 'gap') return readGap(fields);
  if (type === 'orders') return readOrders(fields);
  return type === 'rules' ? readRules(text) : fail('type');
}

function symbolOf(text: string | undefined): string {
  return text !== undefined && /^[A-Z0-9]+(\/[A-Z0-9]+)?$/.test(text) ? text : fail('symbol');
}

function readTick(fields: readonly string[]): Tick {
  const [, , symbol, n, timeMs, price = '', fresh = '', rulesHash = '', quotes = ''] = fields;
  if (fields.length !== 9 || !DECIMAL.test(price) || !/^(new|same)$/.test(fresh) || !HASH.test(rulesHash))
    fail('tick');
  const read = quotes.split(';').map((quote) => readQuote(quote, decimalsOf(price)));
  if (read.length > 64) fail('too many quotes');
  const ordered = read.every(({ source }, at) => {
    const before = read[at - 1];
    return !before || Buffer.compare(Buffer.from(before.source), Buffer.from(source)) < 0;
  });
  if (!ordered || unitsOf(price) <= 0n) fail('order of the sources, or a price of 0');
  return {
    type: 'tick',
    symbol: symbolOf(symbol),
    n: whole(n),
    timeMs: whole(timeMs),
    price,
    units: unitsOf(price),
    decimals: decimalsOf(price),
    isNew: fresh === 'new',
    rulesHash,
    quotes: read,
  };
}

function readQuote(text: string, decimals: number): Quote {
  const [source = '', price = '', sourceMs, receivedMs, sequence, use = '', ...more] = swap(text.split(','));
  if (
    more.length > 0 ||
    !/^[a-z0-9-]{1,32}$/.test(source) ||
    !DECIMAL.test(price) ||
    !/^(use|stale|outlier)$/.test(use)
  )
    fail('quote');
  if (decimalsOf(price) !== decimals || unitsOf(price) <= 0n) fail('decimals of a quote, or a price of 0');
  if (!/^(0|[1-9][0-9]{0,19})$/.test(sequence ?? '')) fail('sequence');
  return {
    source,
    price: unitsOf(price),
    sourceMs: whole(sourceMs),
    receivedMs: whole(receivedMs),
    use,
  };
}

/** In the line the sequence comes before the receive time. */
function swap(parts: readonly string[]): string[] {
  const [source = '', price = '', sourceMs = '', sequence = '', receivedMs = '', ...rest] = parts;
  return [source, price, sourceMs, receivedMs, sequence, ...rest];
}

function readGap(fields: readonly string[]): Gap {
  const [, , symbol, n, timeMs, reason = ''] = fields;
  if (fields.length !== 6 || !/^(quorum|clock|restart|session|halt|end)$/.test(reason)) fail('gap');
  return { type: 'gap', symbol: symbolOf(symbol), n: whole(n), timeMs: whole(timeMs) };
}

function readOrders(fields: readonly string[]): Orders {
  const [, , timeMs, first, last, accepted, refused, root = ''] = fields;
  if (fields.length !== 8 || !HASH.test(root)) fail('orders');
  whole(accepted);
  whole(refused);
  return {
    type: 'orders',
    timeMs: whole(timeMs),
    first: whole(first),
    last: whole(last),
    root: Buffer.from(root, 'hex'),
  };
}

/** The JSON may contain the field separator. */
function readRules(text: string): Rules {
  const [, , scope = '', effectiveMs] = text.split('|');
  const json = text.split('|').slice(4).join('|');
  const symbol = symbolOf(/^[a-z0-9-]+\/(.+)$/.exec(scope)?.[1]);
  const read = readJson(json, 'form');
  if (read === null || typeof read !== 'object' || Array.isArray(read)) return fail('rules');
  if (canonical(read) !== json) fail('rules that are not canonical');
  const number = (name: string, least: number, most: number): number => {
    const value = read[name];
    return typeof value === 'number' && value >= least && value <= most ? value : fail(name);
  };
  const list = (value: Json | undefined): Json[] =>
    Array.isArray(value) && value.length <= 256 ? value : fail('list');
  if (read.symbol !== symbol) fail('symbol of the rules');
  return {
    type: 'rules',
    symbol,
    effectiveMs: whole(effectiveMs),
    decimals: number('decimals', 0, 18),
    sources: list(read.sources).map((each) => (typeof each === 'string' ? each : fail('source'))),
    quorum: number('quorum', 1, 256),
    staleMs: number('staleMs', 0, DAY_MS),
    outlierBps: number('outlierBps', 0, 1_000_000),
    settleBoundMs: number('settleBoundMs', 0, DAY_MS),
    delayMs: number('delayMs', 0, DAY_MS),
    cycles: readCycles(list(read.cycles)),
  };
}

function readCycles(all: readonly Json[]): Rules['cycles'] {
  const cycles = all.map((each) => {
    if (each === null || typeof each !== 'object' || Array.isArray(each)) return fail('cycle');
    const { minutes, payoutRate } = each;
    if (typeof minutes !== 'number' || minutes < 1 || minutes > 1440) return fail('minutes');
    if (typeof payoutRate !== 'string' || !RATE.test(payoutRate)) return fail('payout rate');
    return { minutes, payoutRate };
  });
  if (new Set(cycles.map(({ minutes }) => minutes)).size < cycles.length) fail('a cycle twice');
  return cycles;
}

/** RFC 8785, as far as these rules need it: sorted members, no whitespace. */
function canonical(value: Json): string {
  if (value === null || typeof value !== 'object') return JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map(canonical).join()}]`;
  const names = Object.keys(value).sort();
  return `{${names.map((name) => `${JSON.stringify(name)}:${canonical(value[name] as Json)}`).join()}}`;
}
