import { type RecordedRow, type Row, refused } from './recording-rows.ts';

/** Prices of neighbouring rows are closer than this: further apart they are in another unit, or of another market. */
const MAX_JUMP = 1.9;
/** Within an hour a market's price seldom moves so far; where every fourth row does, the rows are of several markets. */
const [NEAR_MS, FAR] = [3_600_000, 1.02];
/** Fewer such moves are a market's own. */
const MIN_FAR = 4;

const DAY_MS = 86_400_000;

/**
 * Candles without those that repeat or without trades.
 * @throws Error for rows that are each possible and no market together
 */
export function seriesOf(rows: readonly Row[], form: 'ticks' | 'candles'): { kept: Row[]; notes: string[] } {
  const hasVolumes = rows.some(({ isIdle }) => isIdle === false);
  const kept: Row[] = [];
  const leftOut = { repeated: 0, idle: 0 };
  for (const row of rows) {
    const before = kept.at(-1);
    if (before && row.timeMs < before.timeMs) throw refused(row.line, 'goes back in time');
    const why = form === 'candles' ? whyNoCandle(row) : null;
    if (why !== null) throw refused(row.line, why);
    if (form === 'candles' && isRepeated(row, before)) leftOut.repeated += 1;
    else if (row.isIdle && hasVolumes && isFlat(row)) leftOut.idle += 1;
    else kept.push(row);
  }
  // HistData writes a volume of 0 in every row, and its market moves; a market that neither trades nor moves is closed.
  if (kept.length > 0 && !hasVolumes && kept.every((row) => row.isIdle === true && isFlat(row)))
    throw refused((kept[0] as Row).line, 'no market: no row has a volume or moves');
  const times = new Set(kept.map(({ timeMs }) => timeMs));
  if (times.size * 2 < kept.length && [...times].every((timeMs) => timeMs % DAY_MS === 0))
    throw refused((kept[0] as Row).line, 'its times have no time of day');
  demandOneMarket(kept, form === 'candles' ? 3 : 0);
  const notes: string[] = [];
  if (leftOut.repeated > 0) notes.push(`${leftOut.repeated} repeated rows left out`);
  if (leftOut.idle > 0) notes.push(`${leftOut.idle} rows without trades left out`);
  return { kept, notes };
}

const isFlat = ({ prices }: Row): boolean => prices.every((price) => Number(price) === Number(prices[0]));

function isRepeated(row: Row, before: Row | undefined): boolean {
  if (before?.timeMs !== row.timeMs) return false;
  if (String(before.prices) !== String(row.prices))
    throw refused(row.line, 'repeats a time with other prices');
  return true;
}

/** Null for a candle that a market can make. */
export function whyNoCandle({ prices }: RecordedRow): string | null {
  const [open = 0, high = 0, low = 0, close = 0] = prices.map(Number);
  if (low <= 0) return `no price above 0: ${prices.join(', ')}`;
  if (high < low) return `the high ${prices[1]} is below the low ${prices[2]}`;
  if (high < Math.max(open, close)) return `the high ${prices[1]} is below open or close`;
  if (low > Math.min(open, close)) return `the low ${prices[2]} is above open or close`;
  return null;
}

/** @param last the place of the price with which a row ends; it begins with its first */
function demandOneMarket(rows: readonly Row[], last: number): void {
  const moves = { near: 0, far: 0 };
  for (const [place, { line, timeMs, prices }] of rows.entries()) {
    const before = rows[place - 1];
    const [start, end] = [Number(prices[0]), Number(prices[last])];
    const from = Number(before?.prices[last] ?? start);
    for (const [one, other] of [
      [from, start],
      // A candle's high and low, from the nearer of open and close.
      [Math.max(start, end), Number(prices[last && 1])],
      [Math.min(start, end), Number(prices[last && 2])],
    ] as const)
      if (ratioOf(one, other) > MAX_JUMP)
        throw refused(
          line,
          `the price jumps from ${one} to ${other}, as in another unit or of another market`,
        );
    if (!before || timeMs - before.timeMs > NEAR_MS) continue;
    moves.near += 1;
    if (ratioOf(from, start) > FAR) moves.far += 1;
  }
  if (moves.far >= MIN_FAR && moves.far * 4 > moves.near)
    throw new Error(`${moves.far} of ${moves.near} moves are above 2 %, as in rows of several markets`);
}

const ratioOf = (one: number, other: number): number => Math.max(one, other) / Math.min(one, other);

type Begun = Pick<Row, 'line' | 'timeMs'>;

/**
 * How long a candle lasts: the most frequent step between rows, of equally frequent ones the shortest, or a minute for one row. Days
 * and months differ by a tenth at most.
 * @param absent rows without prices, which have their time, too
 * @throws Error for a row that begins within the candle before it
 */
export function stepOf(rows: readonly Begun[], absent: readonly Begun[]): number {
  const begun = absent.length > 0 ? [...rows, ...absent].sort((a, b) => a.timeMs - b.timeMs) : rows;
  const steps = begun.map(({ timeMs }, place) => timeMs - (begun[place - 1]?.timeMs ?? timeMs));
  const counts = new Map<number, number>();
  for (const step of steps) if (step > 0) counts.set(step, (counts.get(step) ?? 0) + 1);
  const [usual = 60_000] = [...counts].sort(([a, of], [b, than]) => than - of || a - b)[0] ?? [];
  let shortest = usual;
  for (const [place, step] of steps.entries()) {
    if (step > 0 && step < usual * 0.9)
      throw refused(
        (begun[place] as Begun).line,
        `begins ${step / 1_000} s after a candle of ${usual / 1_000} s`,
      );
    if (step > 0) shortest = Math.min(shortest, step);
  }
  return shortest;
}
