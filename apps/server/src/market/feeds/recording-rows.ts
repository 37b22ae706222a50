import { type DayOrder, dayOrderOf, readMoment } from '../../platform/imports/moments.ts';
import { type DecimalMark, decimalMarkOf, plainNumber } from '../../platform/imports/numbers.ts';
import { cellsOf, type Delimiter } from '../../platform/imports/tables.ts';
import { type Columns, isNamed, letters, NO_ZONE, readTime } from './recording-columns.ts';

export interface Line {
  readonly number: number;
  readonly text: string;
}

export interface Table {
  readonly delimiter: Delimiter;
  readonly columns: Columns;
  readonly lines: readonly Line[];
}

export interface RecordedRow {
  readonly timeMs: number;
  /** Plain decimals: bid and ask (one price stands for both), or open, high, low and close. */
  readonly prices: readonly string[];
}

export interface Row extends RecordedRow {
  readonly line: number;
  /** Whether all volumes are zero; null when the recording has none. */
  readonly isIdle: boolean | null;
}

/** Rows as written, and what the operator is told of them. */
export interface Rows {
  readonly rows: Row[];
  readonly zones: string;
  readonly isTurned: boolean;
  /** Rows without prices, and how many have one of the two sides alone. */
  readonly absent: readonly Pick<Row, 'line' | 'timeMs'>[];
  readonly carried: number;
}

export const refused = (line: number, why: string) => new Error(`line ${line}: ${why}`);

const NOTHING = /^(null|nan|none|nil|#?n\/?a|[-.]*|\\N)$/i;

/**
 * Rows with the prices of some columns, in rising times. A row without any of them is absent.
 * @param carries a side without a price stays as it was, as in MetaTrader's ticks, which write the side that changed
 */
export function readRows(
  { delimiter, columns, lines }: Table,
  places: readonly number[],
  { volumes = [], mayBeZero = false, carries = false }: RowOptions = {},
): Rows {
  const cells = ({ text }: Line) => cellsOf(text, delimiter);
  const timeOf = (row: readonly string[]) => columns.time.map((place) => row[place] ?? '').join(' ');
  const order = dayOrder(lines, (line) => timeOf(cells(line)));
  const form = { zone: columns.zone, order, isOneCell: columns.time.length === 1 };
  const mark = markOf(lines, delimiter, (line) => places.map((place) => cells(line)[place] ?? ''));
  const timeAt = (place: number) => readTime(timeOf(cells(lines.at(place) as Line)), form)?.timeMs ?? 0;
  const isTurned = timeAt(-1) < timeAt(0);
  const zones = new Set<string>();
  const rows: Row[] = [];
  const absent: Pick<Row, 'line' | 'timeMs'>[] = [];
  let carried = 0;
  let before: readonly string[] = places.map(() => '');
  for (const line of isTurned ? lines.toReversed() : lines) {
    const row = cells(line);
    const time = readTime(timeOf(row), form);
    if (time === null) throw refused(line.number, `no time: ${line.text.slice(0, 80)}`);
    zones.add(time.zone);
    if (zones.has(NO_ZONE) && zones.size > 1)
      throw refused(line.number, `some times have a zone, and some have none: ${line.text.slice(0, 80)}`);
    let written = places.map((place) => row[place] ?? '');
    const isNothing = written.map((text) => NOTHING.test(text));
    if (carries)
      written = before = written.map((text, side) => (isNothing[side] ? (before[side] as string) : text));
    if (isNothing.every(Boolean) || (carries && written.includes(''))) {
      absent.push({ line: line.number, timeMs: time.timeMs });
      continue;
    }
    if (carries && isNothing.includes(true)) carried += 1;
    const prices = written.map((text) => priceOf(text, mark, mayBeZero));
    if (prices.includes(null)) throw refused(line.number, `no price above 0: ${line.text.slice(0, 80)}`);
    const traded = volumes.map((place) => Number(plainNumber(row[place] ?? '', mark) ?? Number.NaN));
    const isIdle = traded.length === 0 ? null : traded.every((volume) => volume === 0);
    rows.push({ line: line.number, timeMs: time.timeMs, prices: prices as string[], isIdle });
  }
  return { rows, zones: [...zones].join(' and '), isTurned, absent, carried };
}

interface RowOptions {
  readonly volumes?: readonly number[];
  readonly mayBeZero?: boolean;
  readonly carries?: boolean;
}

/** The lines of one market where some columns tell several apart, and the markets' names. */
export function linesOfMarket(
  { delimiter, columns, lines }: Table,
  symbol: string | null,
): { lines: readonly Line[]; names: string[] } {
  let kept = lines;
  const names: string[] = [];
  for (const place of columns.markets) {
    const nameOf = ({ text }: Line) => cellsOf(text, delimiter)[place] ?? '';
    const found = [...new Set(kept.map(nameOf))];
    const [name = '', another] = found.length === 1 ? found : found.filter((each) => isNamed(each, symbol));
    if (name === '' || another !== undefined) {
      const listed = `${found.slice(0, 10).join(', ')}${found.length > 10 ? ' and more' : ''}`;
      throw new Error(
        `has rows of several markets: ${listed}${symbol === null ? '' : `; not one is ${symbol}`}`,
      );
    }
    if (isAnotherPair(name, symbol)) throw new Error(`is of ${name}, not of ${symbol}`);
    if (found.length > 1) kept = kept.filter((line) => nameOf(line) === name);
    names.push(name);
  }
  return { lines: kept, names };
}

const isPair = (name: string): boolean => /^[A-Z]{6}$/.test(letters(name));

/** A file of USDJPY is none of EUR/USD. Other names may be those of a source for the product. */
function isAnotherPair(name: string, symbol: string | null): boolean {
  return symbol !== null && isPair(name) && isPair(symbol) && !isNamed(name, symbol);
}

function dayOrder(lines: readonly Line[], timeOf: (line: Line) => string): DayOrder | null {
  const first = lines[0] as Line;
  if (!/^\d{1,2}[-/]/.test(timeOf(first))) return null;
  const times = lines.map(timeOf);
  const order = dayOrderOf(times);
  if (order === null && times.some((time) => readMoment(time) === 'ambiguous'))
    throw refused(first.number, `no row tells whether the day or the month comes first: ${times[0]}`);
  return order;
}

/** A comma between cells leaves the point for decimals, except where quotes hold the cells together. */
function markOf(
  lines: readonly Line[],
  delimiter: Delimiter,
  pricesOf: (line: Line) => readonly string[],
): DecimalMark {
  const sign = delimiter === ',' ? '"' : ',';
  if (!lines.some(({ text }) => text.includes(sign))) return '.';
  const texts = lines.flatMap(pricesOf).filter((text) => text.includes(','));
  if (texts.length === 0) return '.';
  return decimalMarkOf(texts) ?? (delimiter === ',' || texts.some((text) => text.includes('.')) ? '.' : ',');
}

function priceOf(text: string, mark: DecimalMark, mayBeZero: boolean): string | null {
  const price = plainNumber(text, mark);
  if (price === null || !/^\d{1,12}(?:\.\d{1,24})?$/.test(price)) return null;
  return mayBeZero || /[1-9]/.test(price) ? price : null;
}
