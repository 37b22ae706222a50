import { type Points, points } from '@fairtick/money';
import { decodeText } from '../../platform/imports/decode-text.ts';
import { type DayOrder, dayOrderOf, readMoment } from '../../platform/imports/moments.ts';
import { type DecimalMark, decimalMarkOf, plainNumber } from '../../platform/imports/numbers.ts';
import { cellsOf, type Delimiter, delimiterOf, linesOf } from '../../platform/imports/tables.ts';
import { type Columns, columnsOf, type Price, parseTime } from './recording-columns.ts';

/** One recorded price: the middle of bid and ask, rounded down to the product's decimals. Times are Unix ms. */
export interface RecordedQuote {
  readonly timeMs: number;
  readonly price: Points;
}

/** A recording's rows as written, in the order of time. */
export interface Recording {
  readonly form: 'ticks' | 'candles';
  /** What was recognised, for the operator to check. */
  readonly description: string;
  readonly rows: readonly RecordedRow[];
  /** How long a candle lasts: the shortest step between rows, or a minute for one row. */
  readonly stepMs: number;
}

export interface RecordedRow {
  readonly timeMs: number;
  /** Plain decimals: bid and ask (one price stands for both), or open, high, low and close. */
  readonly prices: readonly string[];
}

interface Row extends RecordedRow {
  readonly line: number;
  /** Whether all volumes are zero; null when the recording has none. */
  readonly isIdle: boolean | null;
}

/** Decimals of the exact arithmetic, more than any recording has; prices are rounded down once at the end. */
const READ_DECIMALS = 24;
const MAX_ROWS = 5_000_000;
/** Lines before the first row: a title, notes, a header. */
const MAX_LEAD = 20;
const SAMPLE_LINES = 200;
/** Four prices of one candle are this close in most rows; a volume is not. */
const CANDLE_SPAN = 1.1;
/** A market's bid and ask are this close in every row. */
const MAX_SPREAD = 1.05;

const TICKS = ['bid', 'ask'] as const;
const CANDLES = ['open', 'high', 'low', 'close'] as const;

/**
 * Reads a recording as its source publishes it, in any encoding, with or without a header: rows of a time and bid and ask, or of a
 * time, open, high, low and close. The header's names tell the columns, else the values of all rows. Falling times are turned,
 * repeated candles and candles without trades left out.
 * @throws Error with the line and the reason for a file that is no market
 */
export function readRecording(file: Uint8Array): Recording {
  const decoded = decodeText(file);
  if (decoded === null) throw new Error('is not text in a known encoding');
  const lines: Line[] = [];
  let number = 0;
  for (const text of linesOf(decoded.text)) {
    number += 1;
    if (text.trim() !== '') lines.push({ number, text });
    if (lines.length > MAX_ROWS + MAX_LEAD) throw new Error(`a recording may have ${MAX_ROWS} rows`);
  }
  const delimiter = delimiterOf(lines.slice(0, SAMPLE_LINES).map(({ text }) => text));
  const found = findFirstRow(lines, delimiter);
  if (found === null) return { form: 'ticks', description: 'no rows', rows: [], stepMs: 0 };
  const table = { ...found, delimiter, lines: lines.slice(found.first) };
  const { form, rows, order } = rowsOf(table);
  const { kept, notes } = inOrder(rows, form);
  const names = { '\t': 'tabs', '|': 'bars', ';': 'semicolons', ',': 'commas' };
  const columns = form === 'candles' ? CANDLES.join(', ') : order;
  const stepMs = form === 'candles' ? stepOf(rows) : 0;
  const step = stepMs > 0 ? ` of ${stepMs / 1_000} s` : '';
  const what = `${form}${step}: time, ${columns} between ${names[delimiter]}, ${decoded.encoding}; ${kept.length} rows`;
  return { form, description: [what, ...notes].join('; '), rows: kept, stepMs };
}

interface Line {
  readonly number: number;
  readonly text: string;
}

interface Table {
  readonly delimiter: Delimiter;
  readonly columns: Columns;
  readonly lines: readonly Line[];
}

const refused = (line: number, why: string) => new Error(`line ${line}: ${why}`);

/** Null: there are no rows. A line before the first row has one cell, or none that begins with a digit. */
function findFirstRow(
  lines: readonly Line[],
  delimiter: Delimiter,
): { first: number; columns: Columns } | null {
  for (const [place, { number, text }] of lines.entries()) {
    const cells = cellsOf(text, delimiter);
    const before = lines[place - 1];
    const header = before === undefined ? null : cellsOf(before.text, delimiter);
    const columns = cells.length < 2 ? null : columnsOf(cells, header);
    if (columns) return { first: place, columns };
    if (place >= MAX_LEAD || (cells.length > 1 && cells.some((cell) => /^[-+]?\d/.test(cell))))
      throw refused(number, `no row with a time and prices: ${text.slice(0, 80)}`);
  }
  // A header without rows names its columns; any other text is no recording.
  const [only] = lines;
  if (only && !cellsOf(only.text, delimiter).some((cell) => /^(time|date|timestamp|open|bid)/i.test(cell)))
    throw refused(only.number, `no row with a time and prices: ${only.text.slice(0, 80)}`);
  return null;
}

/** All rows with the columns that a recording's form has. */
function rowsOf(table: Table): { form: Recording['form']; rows: Row[]; order: string } {
  const { columns } = table;
  const known = columns.prices;
  if (known && CANDLES.every((price) => known.has(price)))
    return {
      form: 'candles',
      rows: readRows(
        table,
        CANDLES.map((price) => known.get(price) as number),
        columns.volumes,
      ),
      order: '',
    };
  if (known) {
    const names: readonly Price[] = TICKS.every((price) => known.has(price))
      ? TICKS
      : [known.has('price') ? 'price' : 'close'];
    const places = names.map((name) => known.get(name));
    if (places.includes(undefined))
      throw refused((table.lines[0] as Line).number, 'its header names no bid and ask');
    return {
      form: 'ticks',
      rows: demandMarket(readRows(table, places as number[], [])),
      order: names.join(', '),
    };
  }
  const after = (columns.time.at(-1) as number) + 1;
  const width = cellsOf((table.lines[0] as Line).text, table.delimiter).length - after;
  if (width >= 4) {
    const volumes = width > 4 ? [after + 4] : [];
    // Quotes with volumes have four values too: prices are alike in most rows, a price and a volume are not.
    const rows = readRows(table, [after, after + 1, after + 2, after + 3], volumes, { mayBeZero: true });
    const alike = rows.filter(({ prices }) => isNear(prices, CANDLE_SPAN)).length * 2 > rows.length;
    const isNoSpread = ({ prices }: Row) => !isNear(prices.slice(0, 2), MAX_SPREAD);
    if (alike || (rows.some(isNoSpread) && rows.every((row) => whyNoCandle(row) === null)))
      return { form: 'candles', rows, order: '' };
  }
  const rows = readRows(table, width === 1 ? [after] : [after, after + 1], []);
  const isAskFirst = rows.filter(isFalling).length * 2 > rows.length;
  const turned = isAskFirst ? rows.map((row) => ({ ...row, prices: row.prices.toReversed() })) : rows;
  return {
    form: 'ticks',
    rows: demandMarket(turned),
    order: width === 1 ? 'price' : isAskFirst ? 'ask, bid' : 'bid, ask',
  };
}

const isFalling = ({ prices: [first, second] }: Row): boolean => Number(first) > Number(second);

function isNear(prices: readonly string[], span: number): boolean {
  const values = prices.map(Number);
  return Math.min(...values) > 0 && Math.max(...values) <= Math.min(...values) * span;
}

function demandMarket(rows: Row[]): Row[] {
  for (const { line, prices } of rows) {
    const [bid, ask = bid] = prices;
    if (!isNear(prices, MAX_SPREAD)) throw refused(line, `${bid} and ${ask} are no bid and ask`);
    if (Number(bid) > Number(ask)) throw refused(line, `the bid ${bid} is above the ask ${ask}`);
  }
  return rows;
}

function readRows(
  { delimiter, columns, lines }: Table,
  places: readonly number[],
  volumes: readonly number[],
  { mayBeZero = false } = {},
): Row[] {
  const cells = ({ text }: Line) => cellsOf(text, delimiter);
  const timeOf = (row: readonly string[]) => columns.time.map((place) => row[place] ?? '').join(' ');
  const order = dayOrder(lines, (line) => timeOf(cells(line)));
  const mark = markOf(lines, delimiter, (line) => places.map((place) => cells(line)[place] ?? ''));
  return lines.map((line) => {
    const row = cells(line);
    const timeMs = parseTime(timeOf(row), order);
    if (timeMs === null) throw refused(line.number, `no time: ${line.text.slice(0, 80)}`);
    const prices = places.map((place) => priceOf(row[place] ?? '', mark, mayBeZero));
    if (prices.includes(null)) throw refused(line.number, `no price above 0: ${line.text.slice(0, 80)}`);
    const traded = volumes.map((place) => Number(plainNumber(row[place] ?? '', mark) ?? Number.NaN));
    const isIdle = traded.length === 0 ? null : traded.every((volume) => volume === 0);
    return { line: line.number, timeMs, prices: prices as string[], isIdle };
  });
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

/** Rows in the order of time, without repeated candles and those without trades. */
function inOrder(read: readonly Row[], form: Recording['form']): { kept: Row[]; notes: string[] } {
  const last = read.at(-1);
  const isTurned = last !== undefined && last.timeMs < (read[0] as Row).timeMs;
  const rows = isTurned ? read.toReversed() : read;
  const notes = isTurned ? ['falling times turned'] : [];
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
function whyNoCandle({ prices }: Row): string | null {
  const [open = 0, high = 0, low = 0, close = 0] = prices.map(Number);
  if (low <= 0) return `no price above 0: ${prices.join(', ')}`;
  if (high < low) return `the high ${prices[1]} is below the low ${prices[2]}`;
  if (high < Math.max(open, close)) return `the high ${prices[1]} is below open or close`;
  if (low > Math.min(open, close)) return `the low ${prices[2]} is above open or close`;
  return null;
}

/**
 * Ticks become the middle of bid and ask. A candle becomes four quotes: open at its start, low then high (high then low if it closed
 * lower) at a quarter and a half, close 1 ms before its end.
 */
export function quotesOf(
  { form, rows, stepMs }: Recording,
  { decimals }: { decimals: number },
): RecordedQuote[] {
  const divisor = 10n ** BigInt(READ_DECIMALS - decimals);
  if (form === 'ticks')
    return rows.map(({ timeMs, prices: [bid, ask = bid] }) => ({
      timeMs,
      price: points((unitsOf(bid) + unitsOf(ask)) / (2n * divisor)),
    }));
  return rows.flatMap(({ timeMs, prices }) => {
    const [open, high, low, close] = prices.map((price) => points(unitsOf(price) / divisor)) as [
      Points,
      Points,
      Points,
      Points,
    ];
    const [first, second] = close < open ? [high, low] : [low, high];
    return [
      { timeMs, price: open },
      { timeMs: timeMs + Math.floor(stepMs / 4), price: first },
      { timeMs: timeMs + Math.floor(stepMs / 2), price: second },
      { timeMs: timeMs + stepMs - 1, price: close },
    ];
  });
}

function stepOf(rows: readonly RecordedRow[]): number {
  let stepMs = Number.POSITIVE_INFINITY;
  for (const [place, { timeMs }] of rows.entries()) {
    const distance = Math.abs(timeMs - (rows[place - 1]?.timeMs ?? Number.NEGATIVE_INFINITY));
    if (distance > 0) stepMs = Math.min(stepMs, distance);
  }
  return Number.isFinite(stepMs) ? stepMs : 60_000;
}

function unitsOf(price = ''): bigint {
  const [whole = '', fraction = ''] = price.split('.');
  return BigInt(whole + fraction.padEnd(READ_DECIMALS, '0'));
}
