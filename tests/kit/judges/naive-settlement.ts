import { createHash } from 'node:crypto';

/**
 * An order's outcome, computed from the log's lines alone, as a customer with a text editor would: by the published grammar
 * (fields separated by bars, quotes by semicolons), with none of the product's code. Deliberately slow and simple.
 */
export interface NaiveOutcome {
  readonly result: 'profit' | 'loss' | 'none';
  readonly reason: string | null;
  /** In the asset's smallest unit. */
  readonly credited: bigint;
  readonly openPrice: string | null;
  readonly settlePrice: string | null;
}

/** An accepted order's terms, and the rules that apply to it. */
export interface NaiveOrder {
  readonly batch: number;
  readonly direction: 'up' | 'down';
  /** In the asset's smallest unit. */
  readonly stake: bigint;
  readonly payoutRateBps: number;
  readonly opensMs: number;
  readonly settlesMs: number;
  readonly delayMs: number;
  /** How long after its opening time it may still open. */
  readonly openWithinMs: number;
}

/** A tick, or a gap (`price` null). */
export interface LoggedPrice {
  readonly index: number;
  readonly timeMs: number;
  readonly price: string | null;
  /** For each quote that made the price, the earlier of its source time and its receive time. */
  readonly quotedMs: readonly number[];
  /** The prices that may stand for it: all recent ones that made it where a source has none that is recent enough, else itself. */
  readonly choices: readonly string[];
  /** Whether recent quotes of more than half of the sources made it. */
  readonly isCurrent: boolean;
}

/** The batches of acceptances that an entry carries. */
export interface LoggedOrders {
  readonly index: number;
  readonly timeMs: number;
  readonly first: number;
  readonly last: number;
}

const GRID_MS = 250;

/** The ticks and gaps of a product. */
export function readPrices(texts: readonly string[], symbol: string): LoggedPrice[] {
  const freshMs = new Map(
    texts
      .filter((text) => text.startsWith(`rules|3|${symbol}|`))
      .map((text) => [leafOf(text), JSON.parse(text.split('|').slice(6).join('|')).freshMs as number]),
  );
  const prices: LoggedPrice[] = [];
  for (const [index, text] of texts.entries()) {
    const fields = text.split('|');
    if (fields[2] !== symbol) continue;
    const timeMs = Number(fields[4]);
    if (fields[0] === 'gap')
      prices.push({ index, timeMs, price: null, quotedMs: [], choices: [], isCurrent: false });
    if (fields[0] === 'tick') prices.push(readTick(index, fields, freshMs.get(fields[6] as string) ?? 0));
  }
  return prices;
}

function readTick(index: number, fields: readonly string[], freshMs: number): LoggedPrice {
  const [timeMs, price] = [Number(fields[4]), fields[5] as string];
  const quotes = (fields[7] as string).split(';').map((quote) => quote.split(','));
  const used = quotes.filter((quote) => quote[5] === 'use');
  const quotedMs = used.map(([, , sourceMs, , receivedMs]) => Math.min(Number(sourceMs), Number(receivedMs)));
  const isRecent = (quote: readonly string[]) =>
    timeMs - Math.min(Number(quote[2]), Number(quote[4])) <= freshMs;
  const isComplete = quotes.every((quote) => /^(use|outlier)$/.test(quote[5] ?? '') && isRecent(quote));
  const recent = used.filter(isRecent);
  return {
    index,
    timeMs,
    price,
    quotedMs,
    choices: isComplete ? [price] : recent.map((quote) => quote[1] as string),
    isCurrent: recent.length * 2 > quotes.length,
  };
}

export function readBatches(texts: readonly string[]): LoggedOrders[] {
  const found: LoggedOrders[] = [];
  for (const [index, text] of texts.entries()) {
    const [kind, , timeMs, first, last] = text.split('|');
    if (kind !== 'orders') continue;
    found.push({ index, timeMs: Number(timeMs), first: Number(first), last: Number(last) });
  }
  return found;
}

/** Whether more than half of the quotes that made the price are of this time or later. */
export function isMostlyFrom({ quotedMs }: LoggedPrice, ms: number): boolean {
  return quotedMs.filter((quoted) => quoted >= ms).length * 2 > quotedMs.length;
}

/** @param prices of the order's product, in log order, up to one at or after its settlement time */
export function outcomeByLog(
  order: NaiveOrder,
  prices: readonly LoggedPrice[],
  batches: readonly LoggedOrders[],
): NaiveOutcome {
  const opening = openingOf(order, prices, batches);
  if (typeof opening === 'string') {
    const nothing = { openPrice: null, settlePrice: null };
    return { result: 'none', reason: opening, credited: order.stake + order.stake / 10n, ...nothing };
  }
  const openPrice = openingPrice(opening, order.direction);
  demandLater(prices, order.settlesMs - 1);
  const settle = prices.find(({ timeMs, isCurrent }) => timeMs === order.settlesMs && isCurrent);
  if (!settle) return { ...resultOf(order, null), openPrice, settlePrice: null };
  const settlePrice = settlementPrice(settle, order.direction);
  return { ...resultOf(order, compare(settlePrice, openPrice)), openPrice, settlePrice };
}

/** That something is missing is known with the product's next entry. */
function demandLater(prices: readonly LoggedPrice[], ms: number): void {
  if (!prices.some(({ timeMs }) => timeMs > ms)) throw new Error(`the product has no entry after ${ms} yet`);
}

/** What a tick is worth to an order when it opens, and when it settles: what is best for it of the prices that may stand for the tick. */
export const openingPrice = ({ choices }: LoggedPrice, direction: 'up' | 'down'): string =>
  pick(choices, direction === 'up' ? 'lowest' : 'highest');
export const settlementPrice = ({ choices }: LoggedPrice, direction: 'up' | 'down'): string =>
  pick(choices, direction === 'up' ? 'highest' : 'lowest');

function pick(choices: readonly string[], which: 'lowest' | 'highest'): string {
  const sorted = [...choices].sort(compare);
  return sorted.at(which === 'lowest' ? 0 : -1) as string;
}

/** The latest time at which an order may open. */
export const lastOpening = ({
  opensMs,
  openWithinMs,
  settlesMs,
}: Pick<NaiveOrder, 'opensMs' | 'openWithinMs' | 'settlesMs'>): number =>
  Math.min(opensMs + openWithinMs, settlesMs);

/** The price at which an order opens, or why it is void. */
function openingOf(
  order: NaiveOrder,
  prices: readonly LoggedPrice[],
  batches: readonly LoggedOrders[],
): LoggedPrice | string {
  const from = order.opensMs;
  const carried = batches.find(({ first, last }) => first <= order.batch && order.batch <= last);
  if (!carried) throw new Error(`batch ${order.batch} is not in the log`);
  if (carried.timeMs > from - 1_000) return 'not_logged';

  const before = prices.findLast(({ timeMs }) => timeMs < from);
  const until = lastOpening(order);
  demandLater(prices, from - 1);
  let gridMs = from - GRID_MS;
  if (before?.price === null) return 'gap';
  if (before?.timeMs !== gridMs) return 'hole';
  for (gridMs += GRID_MS; gridMs <= until; gridMs += GRID_MS) {
    const line = prices.find(({ timeMs }) => timeMs === gridMs);
    if (!line) {
      demandLater(prices, gridMs);
      return 'hole';
    }
    if (line.price === null) return 'gap';
    if (line.isCurrent && isMostlyFrom(line, from - order.delayMs)) return line;
  }
  return 'no_open';
}

/** @param moved the price change from opening to settlement: positive, negative or zero; null: no price then, so the order wins */
export function resultOf(
  { direction, stake, payoutRateBps }: NaiveOrder,
  moved: number | null,
): Pick<NaiveOutcome, 'result' | 'reason' | 'credited'> {
  if (moved === null || (direction === 'up' ? moved > 0 : moved < 0)) {
    // floor(stake × rate), with the rate as a fraction of ten thousand.
    const income = (stake * BigInt(payoutRateBps)) / 10_000n;
    return { result: 'profit', reason: null, credited: stake + income };
  }
  if (moved === 0) return { result: 'none', reason: null, credited: stake };
  return { result: 'loss', reason: null, credited: 0n };
}

/**
 * The outcome by the log and the signed acceptance alone: the acceptance names its batch and its rules.
 * @param decimals of the asset
 */
export function naiveOutcome(
  log: readonly string[],
  acceptance: string,
  { decimals }: { decimals: number },
): NaiveOutcome {
  const said = acceptance.split('\n');
  const [batch, symbol, direction] = [said[2] as string, said[4] as string, said[5] as string];
  const [amount, rate, rulesHash] = [said[8] as string, said[9] as string, said[10] as string];
  const rules = log.find((text) => text.startsWith('rules|') && leafOf(text) === rulesHash);
  if (!rules) throw new Error('the rules that the acceptance names are not in the log');
  const { delayMs, openWithinMs } = JSON.parse(rules.split('|').slice(6).join('|'));
  const order: NaiveOrder = {
    batch: Number(batch),
    direction: direction === 'up' ? 'up' : 'down',
    stake: smallest(amount, decimals),
    payoutRateBps: Number(smallest(rate, 4)),
    opensMs: Number(said[12]),
    settlesMs: Number(said[13]),
    delayMs,
    openWithinMs,
  };
  return outcomeByLog(order, readPrices(log, symbol), readBatches(log));
}

function leafOf(text: string): string {
  return createHash('sha256')
    .update(Buffer.from([0]))
    .update(text)
    .digest('hex');
}

function smallest(text: string, decimals: number): bigint {
  const [whole, fraction = ''] = text.split('.');
  return BigInt(`${whole}${fraction.padEnd(decimals, '0')}`);
}

/** Compares as integers: prices of one product have equally many decimals. */
function compare(a: string, b: string): number {
  const difference = BigInt(a.replace('.', '')) - BigInt(b.replace('.', ''));
  return difference > 0n ? 1 : difference < 0n ? -1 : 0;
}
