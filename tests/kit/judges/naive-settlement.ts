import { createHash } from 'node:crypto';

/**
 * An order's outcome, computed from the log's lines alone, as a customer with a text editor would: by the published grammar
 * (fields separated by bars, records by semicolons), with none of the product's code. Deliberately slow and simple.
 */
export interface NaiveOutcome {
  readonly result: 'profit' | 'loss' | 'none';
  readonly reason: string | null;
  /** In the asset's smallest unit. */
  readonly credited: bigint;
  readonly openPrice: string | null;
  readonly settlePrice: string | null;
}

/** An accepted order's terms. */
export interface NaiveOrder {
  readonly batch: number;
  readonly direction: 'up' | 'down';
  /** In the asset's smallest unit. */
  readonly stake: bigint;
  readonly payoutRateBps: number;
  readonly opensMs: number;
  readonly settlesMs: number;
}

/** A fix of a product, and its close. */
interface LoggedFix {
  readonly price: string;
  readonly isThin: boolean;
  readonly closePrice: string | null;
  /** Its place in the log; -1 without one. */
  readonly closeIndex: number;
}

const DAY_MS = 86_400_000;
const NO_PRICES = { openPrice: null, settlePrice: null };
const RESULTS = ['loss', 'none', 'profit'] as const;

/**
 * The outcome by the log and the signed acceptance alone: the acceptance names its batch.
 * @param decimals of the asset
 */
export function naiveOutcome(
  log: readonly string[],
  acceptance: string,
  { decimals }: { decimals: number },
): NaiveOutcome {
  const said = acceptance.split('\n');
  const order: NaiveOrder = {
    batch: Number(said[2]),
    direction: said[5] === 'up' ? 'up' : 'down',
    stake: smallest(said[8] as string, decimals),
    payoutRateBps: Number(smallest(said[9] as string, 4)),
    opensMs: Number(said[12]),
    settlesMs: Number(said[13]),
  };
  return outcomeByLog(order, said[4] as string, log);
}

function outcomeByLog(order: NaiveOrder, symbol: string, log: readonly string[]): NaiveOutcome {
  const { stake, opensMs, settlesMs } = order;
  if (loggedAt(log, order.batch) > opensMs - 1_000)
    return { result: 'none', reason: 'not_logged', credited: stake + stake / 10n, ...NO_PRICES };
  const open = readFix(log, symbol, opensMs);
  if (open?.isThin) return { result: 'none', reason: 'no_price', credited: stake, ...NO_PRICES };
  const settle = open && readFix(log, symbol, settlesMs);
  if (!open || !settle) {
    const missingMs = open ? settlesMs : opensMs;
    if (lastTime(log) < missingMs + DAY_MS) throw new Error(`no fix of ${symbol} at ${missingMs} yet`);
    return { ...paid(order, 1), ...NO_PRICES };
  }
  const pairs: [string, string][] = [[open.price, settle.price]];
  const closes = [
    { index: open.closeIndex, at: 0, price: open.closePrice },
    { index: settle.closeIndex, at: 1, price: settle.closePrice },
  ];
  for (const { at, price } of closes.sort((a, b) => a.index - b.index)) {
    const [from, to] = pairs.at(-1) as [string, string];
    if (price !== null) pairs.push(at === 0 ? [price, to] : [from, price]);
  }
  const scores = pairs.map(
    ([from, to]) => Math.sign(compare(to, from)) * (order.direction === 'up' ? 1 : -1),
  );
  const at = scores.indexOf(Math.max(...scores));
  const [openPrice, settlePrice] = pairs[at] as [string, string];
  return { ...paid(order, scores[at] as number), openPrice, settlePrice };
}

/** @param score 1: won, 0: neither, -1: lost */
function paid(
  { stake, payoutRateBps }: NaiveOrder,
  score: number,
): Pick<NaiveOutcome, 'result' | 'reason' | 'credited'> {
  // floor(stake × rate), with the rate as a fraction of ten thousand.
  const win = stake + (stake * BigInt(payoutRateBps)) / 10_000n;
  const credited = [0n, stake, win][score + 1] as bigint;
  return { result: RESULTS[score + 1] as NaiveOutcome['result'], reason: null, credited };
}

/** The time of the entry that carries a batch. */
function loggedAt(log: readonly string[], batch: number): number {
  for (const text of log) {
    const [kind, , timeMs, first, last] = text.split('|');
    if (kind === 'orders' && Number(first) <= batch && batch <= Number(last)) return Number(timeMs);
  }
  throw new Error(`batch ${batch} is not in the log`);
}

/** @throws Error where the price is not the one that the records make */
function readFix(log: readonly string[], symbol: string, fixMs: number): LoggedFix | null {
  const own = log
    .map((text) => text.split('|'))
    .filter(([, , of, , , at]) => of === symbol && at === String(fixMs));
  const fix = own.find(([kind]) => kind === 'fix');
  if (!fix) return null;
  const close = own.find(([kind]) => kind === 'close');
  const isThin = demandPrice(log, fix);
  if (close) demandPrice(log, close);
  const closeIndex = close ? log.indexOf(close.join('|')) : -1;
  return { price: fix[6] as string, isThin, closePrice: close?.[6] ?? null, closeIndex };
}

/** Checks that the price is the median of the records that count. @returns whether too few count */
function demandPrice(log: readonly string[], fields: readonly string[]): boolean {
  const rules = log.find((text) => text.startsWith('rules|') && leafOf(text) === fields[7]);
  if (!rules) throw new Error(`the rules of ${fields.join('|')} are not in the log`);
  const { quorum } = JSON.parse(rules.split('|').slice(6).join('|')) as { quorum: number };
  const records = (fields[8] as string).split(';').map((part) => part.split(','));
  const used = records.filter(([, , , , use]) => use === 'use');
  const isThin = used.length < quorum;
  const units = (isThin ? records.filter(({ length }) => length > 2) : used)
    .map(([, , , price]) => BigInt((price as string).replace('.', '')))
    .sort((a, b) => Number(a - b));
  const [low, high] = [units[(units.length - 1) >> 1] as bigint, units[units.length >> 1] as bigint];
  if ((low + high) / 2n !== BigInt((fields[6] as string).replace('.', '')))
    throw new Error(`a price that its records do not make: ${fields.join('|')}`);
  return isThin;
}

function lastTime(log: readonly string[]): number {
  const [kind, , second, , fourth] = (log.at(-1) as string).split('|');
  return Number(kind === 'orders' ? second : fourth);
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
