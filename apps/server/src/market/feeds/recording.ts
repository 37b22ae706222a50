import { type Points, points } from '@fairtick/money';
import { isDay } from '@fairtick/protocol/day';

/** One recorded price: the middle of bid and ask, rounded down to the product's decimals. Times are Unix ms. */
export interface RecordedQuote {
  readonly timeMs: number;
  readonly price: Points;
}

/** Prices are read with this many decimals, more than any recording has, and rounded down once at the end. */
const READ_DECIMALS = 12;
/** Eastern standard time, which HistData uses the whole year. */
const EST_OFFSET_MS = 5 * 3_600_000;
const MAX_ROWS = 5_000_000;

type Form = 'ticks' | 'candles';

/**
 * Reads a recording. The first row tells its form:
 * - TrueFX: `[symbol,]time,bid,ask`, UTC
 * - HistData: `YYYYMMDD HHMMSSmmm,bid,ask[,volume]`, EST without daylight saving
 * - OHLC: `time,open,high,low,close[,…]`, or HistData's `YYYYMMDD HHMMSS;open;high;low;close[;volume]`. A row becomes four
 *   quotes: open at its start, low then high (high then low if it closed lower) at a quarter and a half, close 1 ms before its
 *   end. A row lasts as long as the shortest step between rows.
 *
 * The rows may follow a header; no cell of a header begins with a digit.
 * @throws Error with the line's number for a row of another form
 */
export function parseRecording(text: string, { decimals }: { decimals: number }): RecordedQuote[] {
  const rows: Row[] = [];
  let form: Form | null = null;
  let number = 0;
  for (const line of linesOf(text)) {
    number += 1;
    if (line === '') continue;
    const cells = line.split(/[,;]/).map((cell) => cell.trim());
    if (number === 1 && !cells.some((cell) => /^\d/.test(cell))) {
      form = cells.some((cell) => /^open$/i.test(cell)) ? 'candles' : 'ticks';
      continue;
    }
    if (rows.length >= MAX_ROWS) throw new Error(`a recording may have ${MAX_ROWS} rows`);
    form ??= formOf(cells);
    const row = parseRow(cells, form);
    if (row === null) throw new Error(`line ${number} is not a row of a recording: ${line.slice(0, 80)}`);
    const before = rows.at(-1);
    if (before && row.timeMs < before.timeMs) throw new Error(`line ${number} goes back in time`);
    // Two ticks may share a millisecond; the quotes of two candles with one time would interleave.
    if (before?.timeMs === row.timeMs && form === 'candles') throw new Error(`line ${number} repeats a time`);
    rows.push(row);
  }
  const divisor = 10n ** BigInt(READ_DECIMALS - decimals);
  return form === 'candles' ? quotesOfCandles(rows, divisor) : rows.map((row) => quoteOfTick(row, divisor));
}

interface Row {
  readonly timeMs: number;
  /** Bid and ask, or open, high, low and close. */
  readonly values: readonly bigint[];
}

/** Index of the time's cell: first, or after the symbol. */
const timePlace = (cells: readonly string[]): number => (parseTime(cells[0] ?? '') === null ? 1 : 0);

function formOf(cells: readonly string[]): Form {
  return cells.length - timePlace(cells) >= 5 ? 'candles' : 'ticks';
}

function parseRow(cells: readonly string[], form: Form): Row | null {
  const place = timePlace(cells);
  const timeMs = parseTime(cells[place] ?? '');
  const count = form === 'candles' ? 4 : 2;
  const values = cells.slice(place + 1, place + 1 + count).map(parseValue);
  if (timeMs === null || values.length !== count || values.includes(null)) return null;
  return { timeMs, values: values as bigint[] };
}

function* linesOf(text: string): Generator<string> {
  let start = 0;
  while (start < text.length) {
    const end = text.indexOf('\n', start);
    const line = text.slice(start, end < 0 ? text.length : end);
    yield line.endsWith('\r') ? line.slice(0, -1) : line;
    start = end < 0 ? text.length : end + 1;
  }
}

function quoteOfTick({ timeMs, values }: Row, divisor: bigint): RecordedQuote {
  const [bid, ask] = values as readonly [bigint, bigint];
  return { timeMs, price: points((bid + ask) / (2n * divisor)) };
}

function quotesOfCandles(rows: readonly Row[], divisor: bigint): RecordedQuote[] {
  let lengthMs = Number.POSITIVE_INFINITY;
  for (let place = 1; place < rows.length; place += 1) {
    const step = (rows[place] as Row).timeMs - (rows[place - 1] as Row).timeMs;
    if (step > 0) lengthMs = Math.min(lengthMs, step);
  }
  if (!Number.isFinite(lengthMs)) lengthMs = 60_000;
  return rows.flatMap(({ timeMs, values }) => {
    const [open, high, low, close] = values.map((value) => points(value / divisor)) as [
      Points,
      Points,
      Points,
      Points,
    ];
    const [first, second] = close < open ? [high, low] : [low, high];
    return [
      { timeMs, price: open },
      { timeMs: timeMs + Math.floor(lengthMs / 4), price: first },
      { timeMs: timeMs + Math.floor(lengthMs / 2), price: second },
      { timeMs: timeMs + lengthMs - 1, price: close },
    ];
  });
}

function parseValue(text: string): bigint | null {
  const match = /^(\d{1,12})(?:\.(\d{1,12}))?$/.exec(text);
  if (!match) return null;
  const value = BigInt((match[1] as string) + (match[2] ?? '').padEnd(READ_DECIMALS, '0'));
  return value > 0n ? value : null;
}

const COMPACT = /^(\d{4})(\d{2})(\d{2}) (\d{2})(\d{2})(\d{2})(\d{3})?$/;
const COMPACT_UTC = /^(\d{4})(\d{2})(\d{2}) (\d{2}:\d{2}:\d{2}(?:\.\d{1,6})?)$/;
const ISO = /^(\d{4})-(\d{2})-(\d{2})[ T](\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?)(Z|[+-]\d{2}:?\d{2})?$/;

/** Unix ms, or null when the text is not a time. */
function parseTime(text: string): number | null {
  if (/^\d{13}$/.test(text)) return Number(text);
  const compact = COMPACT.exec(text);
  if (compact) {
    const [, year, month, day, hour, minute, second, ms = '000'] = compact;
    const time = parseIso([year, month, day], `${hour}:${minute}:${second}.${ms}`, 'Z');
    return time === null ? null : time + EST_OFFSET_MS;
  }
  const dated = COMPACT_UTC.exec(text) ?? ISO.exec(text);
  return dated && parseIso(dated.slice(1, 4), dated[4] as string, dated[5] ?? 'Z');
}

function parseIso(
  [year, month, day]: readonly (string | undefined)[],
  clock: string,
  zone: string,
): number | null {
  // Reject a day that its month does not have: Date.parse would silently move it to the next month.
  if (!isDay(`${year}-${month}-${day}`)) return null;
  const time = Date.parse(`${year}-${month}-${day}T${clock}${zone}`);
  return Number.isNaN(time) ? null : time;
}
