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
  readonly acceptedMs: number;
  readonly settlesMs: number;
  readonly delayMs: number;
  /** Maximum age of the last price at settlement. */
  readonly settleBoundMs: number;
}

/** A tick, or a gap (`price` null). */
export interface LoggedPrice {
  readonly index: number;
  readonly timeMs: number;
  readonly price: string | null;
  /** Receive times of the quotes that made the price. */
  readonly receivedMs: readonly number[];
}

/** The batches of acceptances that an entry carries. */
export interface LoggedOrders {
  readonly index: number;
  readonly timeMs: number;
  readonly first: number;
  readonly last: number;
}

/** An order that gets no price within this time is void. */
export const OPENS_WITHIN_MS = 5_000;
const LOGGED_WITHIN_MS = 2_000;

/** The ticks and gaps of a product. */
export function readPrices(texts: readonly string[], symbol: string): LoggedPrice[] {
  const prices: LoggedPrice[] = [];
  for (const [index, text] of texts.entries()) {
    const fields = text.split('|');
    if (fields[2] !== symbol) continue;
    const timeMs = Number(fields[4]);
    if (fields[0] === 'gap') prices.push({ index, timeMs, price: null, receivedMs: [] });
    if (fields[0] !== 'tick') continue;
    const used = (fields[8] as string).split(';').filter((quote) => quote.endsWith(',use'));
    const receivedMs = used.map((quote) => Number(quote.split(',')[4]));
    prices.push({ index, timeMs, price: fields[5] as string, receivedMs });
  }
  return prices;
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

export function isMajorityReceivedFrom({ receivedMs }: LoggedPrice, ms: number): boolean {
  return receivedMs.filter((received) => received >= ms).length * 2 > receivedMs.length;
}

/** @param prices of the order's product, in log order */
export function outcomeByLog(
  order: NaiveOrder,
  prices: readonly LoggedPrice[],
  batches: readonly LoggedOrders[],
): NaiveOutcome {
  const back = (reason: string): NaiveOutcome => ({
    result: 'none',
    reason,
    credited: order.stake,
    openPrice: null,
    settlePrice: null,
  });
  const carried = batches.find(({ first, last }) => first <= order.batch && order.batch <= last);
  if (!carried || carried.timeMs - order.acceptedMs > LOGGED_WITHIN_MS) return back('not_logged');

  const from = order.acceptedMs + order.delayMs;
  let openPrice: string | null = null;
  for (const line of prices.filter(({ index }) => index > carried.index)) {
    if (line.timeMs > from + OPENS_WITHIN_MS || line.timeMs > order.settlesMs) break;
    if (line.price === null) return back('gap');
    if (line.timeMs >= from && isMajorityReceivedFrom(line, from)) {
      openPrice = line.price;
      break;
    }
  }
  if (openPrice === null) return back('no_open');

  const settle = prices.findLast(({ price, timeMs }) => price !== null && timeMs <= order.settlesMs);
  if (!settle) throw new Error('an order opened that has no price before its end');
  const settlePrice = settle.price as string;
  const moved = compare(settlePrice, openPrice);
  return { ...resultOf(order, moved, order.settlesMs - settle.timeMs), openPrice, settlePrice };
}

/**
 * @param moved the price change from opening to settlement: positive, negative or zero
 * @param ageMs age of the price at settlement
 */
export function resultOf(
  { direction, stake, payoutRateBps, settleBoundMs }: NaiveOrder,
  moved: number,
  ageMs: number,
): Pick<NaiveOutcome, 'result' | 'reason' | 'credited'> {
  if (direction === 'up' ? moved > 0 : moved < 0) {
    // floor(stake × rate), with the rate as a fraction of ten thousand.
    const income = (stake * BigInt(payoutRateBps)) / 10_000n;
    return { result: 'profit', reason: null, credited: stake + income };
  }
  if (ageMs > settleBoundMs) return { result: 'none', reason: 'stale', credited: stake };
  if (moved === 0) return { result: 'none', reason: null, credited: stake };
  return { result: 'loss', reason: null, credited: 0n };
}

/**
 * The outcome by the log and the signed acceptance alone: the acceptance names the rules.
 * @param decimals of the asset
 */
export function naiveOutcome(
  log: readonly string[],
  acceptance: string,
  options: { batch: number; decimals: number },
): NaiveOutcome {
  const said = acceptance.split('\n');
  const [symbol, direction] = [said[3] as string, said[4] as string];
  const [amount, rate, rulesHash] = [said[7] as string, said[8] as string, said[9] as string];
  const rules = log.find((text) => text.startsWith('rules|') && leafOf(text) === rulesHash);
  if (!rules) throw new Error('the rules that the acceptance names are not in the log');
  const { delayMs, settleBoundMs } = JSON.parse(rules.split('|').slice(4).join('|'));
  const order: NaiveOrder = {
    batch: options.batch,
    direction: direction === 'up' ? 'up' : 'down',
    stake: smallest(amount, options.decimals),
    payoutRateBps: Number(smallest(rate, 4)),
    acceptedMs: Number(said[10]),
    settlesMs: Number(said[11]),
    delayMs,
    settleBoundMs,
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
