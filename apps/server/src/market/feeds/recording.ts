import { type Points, points } from '@fairtick/money';
import { unpacked } from '../../platform/imports/archives.ts';
import { decodeText } from '../../platform/imports/decode-text.ts';
import { cellsOf, type Delimiter, delimiterOf, linesOf } from '../../platform/imports/tables.ts';
import { type Columns, columnsOf, type Price } from './recording-columns.ts';
import {
  type Line,
  linesOfMarket,
  type RecordedRow,
  type Row,
  type Rows,
  readRows,
  refused,
  type Table,
} from './recording-rows.ts';
import { seriesOf, stepOf, whyNoCandle } from './recording-series.ts';

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
  /** How long a candle lasts. */
  readonly stepMs: number;
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
/** Bid and ask move together; a volume beside a price moves so many times as much. */
const VOLUME_MOVES = 10;
/** Fewer rows tell no price from a volume. */
const MIN_SERIES = 10;

const TICKS = ['bid', 'ask'] as const;
const CANDLES = ['open', 'high', 'low', 'close'] as const;
/** Orders without a header: of most sources, of Coinbase, of KuCoin and Chinese sites. */
const CANDLE_ORDERS = [CANDLES, ['low', 'high', 'open', 'close'], ['open', 'close', 'high', 'low']] as const;

/**
 * Reads a recording as its source publishes it, in any encoding, packed or not, with or without a header: rows of a time and bid and
 * ask, or of a time, open, high, low and close. The header's names tell the columns, else the values of all rows. Falling times are
 * turned; rows without prices, repeated candles and candles without trades are left out.
 * @param symbol the product, to take its rows from a file of several markets; null: such a file is refused
 * @throws Error with the line and the reason for a file that is no market
 */
export function readRecording(file: Uint8Array, symbol: string | null = null): Recording {
  const decoded = decodeText(unpacked(file));
  if (decoded === null) throw new Error('is not text in a known encoding');
  if (/^\s*<(!doctype|html|\?xml)/i.test(decoded.text)) throw new Error('is HTML or XML, no table of rows');
  const lines: Line[] = [];
  let number = 0;
  for (const text of linesOf(decoded.text)) {
    number += 1;
    if (text.trim() !== '') lines.push({ number, text });
    if (lines.length > MAX_ROWS + MAX_LEAD) throw new Error(`a recording may have ${MAX_ROWS} rows`);
  }
  const delimiter = delimiterOf(lines.slice(0, SAMPLE_LINES).map(({ text }) => text));
  const found = findFirstRow(lines, delimiter, symbol);
  if (found === null) return { form: 'ticks', description: 'no rows', rows: [], stepMs: 0 };
  const all = { delimiter, columns: found.columns, lines: lines.slice(found.first) };
  const market = linesOfMarket(all, symbol);
  const { form, order, rows, ...read } = rowsOf({ ...all, lines: market.lines });
  const { kept, notes } = seriesOf(rows, form);
  const stepMs = form === 'candles' ? stepOf(rows, read.absent) : 0;
  const names = { '\t': 'tabs', '|': 'bars', ';': 'semicolons', ',': 'commas' };
  const said = [
    `${form}${stepMs > 0 ? ` of ${stepMs / 1_000} s` : ''}: time, ${order} between ${names[delimiter]}, ${decoded.encoding}`,
    ...(market.names.length > 0 ? [`rows of ${market.names.join(', ')}`] : []),
    `${kept.length} rows`,
    `times in ${read.zones}`,
    ...(read.isTurned ? ['falling times turned'] : []),
    ...(read.carried > 0 ? [`${read.carried} rows of one side, where the other stays`] : []),
    ...(read.absent.length > 0 ? [`${read.absent.length} rows without prices left out`] : []),
    ...notes,
  ];
  return { form, description: said.join('; '), rows: kept, stepMs };
}

/** Null: there are no rows. A line before the first row has one cell, or none that begins with a digit. */
function findFirstRow(
  lines: readonly Line[],
  delimiter: Delimiter,
  symbol: string | null,
): { first: number; columns: Columns } | null {
  for (const [place, { number, text }] of lines.entries()) {
    const cells = cellsOf(text, delimiter);
    const before = lines[place - 1];
    const header = before === undefined ? null : cellsOf(before.text, delimiter);
    const columns = cells.length < 2 ? null : columnsOf(cells, header, symbol);
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

interface Read extends Rows {
  readonly form: Recording['form'];
  readonly order: string;
}

/** All rows with the columns that a recording's form has. */
function rowsOf(table: Table): Read {
  const known = table.columns.prices;
  if (!known) return rowsByValues(table);
  const placesOf = (prices: readonly Price[]) => prices.map((price) => known.get(price) as number);
  if (CANDLES.every((price) => known.has(price))) {
    const { volumes } = table.columns;
    return { ...readRows(table, placesOf(CANDLES), { volumes }), form: 'candles', order: CANDLES.join(', ') };
  }
  const isQuotes = TICKS.every((price) => known.has(price));
  const names: readonly Price[] = isQuotes ? TICKS : [known.has('price') ? 'price' : 'close'];
  if (!names.every((name) => known.has(name)))
    throw refused((table.lines[0] as Line).number, 'its header names no bid and ask');
  const read = readRows(table, placesOf(names), { carries: isQuotes });
  return ticks(read, names.join(', '));
}

function rowsByValues(table: Table): Read {
  const after = Math.max(...table.columns.time) + 1;
  const width = cellsOf((table.lines[0] as Line).text, table.delimiter).length - after;
  if (width >= 4) {
    const volumes = width > 4 ? [after + 4] : [];
    // Quotes with volumes have four values too: prices are alike in most rows, a price and a volume are not.
    const read = readRows(table, [after, after + 1, after + 2, after + 3], { volumes, mayBeZero: true });
    const alike = read.rows.filter(({ prices }) => isNear(prices, CANDLE_SPAN)).length * 2 > read.rows.length;
    const isNoSpread = ({ prices }: Row) => !isNear(prices.slice(0, 2), MAX_SPREAD);
    const order = CANDLE_ORDERS.find((each) =>
      read.rows.every((row) => whyNoCandle(inOrder(row, each)) === null),
    );
    if (alike || (order && read.rows.some(isNoSpread))) {
      const rows = read.rows.map((row) => inOrder(row, order ?? CANDLES));
      return { ...read, rows, form: 'candles', order: (order ?? CANDLES).join(', ') };
    }
  }
  const read = readRows(table, width === 1 ? [after] : [after, after + 1], { mayBeZero: true });
  if (width === 1) return ticks(read, 'price');
  const { rows } = read;
  if (isVolumeSecond(rows)) return ticks(readRows(table, [after]), 'price (the second value is no ask)');
  const isAskFirst =
    rows.filter(({ prices: [one, other] }) => Number(one) > Number(other)).length * 2 > rows.length;
  if (!isAskFirst) return ticks(read, TICKS.join(', '));
  return ticks(
    { ...read, rows: rows.map((row) => ({ ...row, prices: row.prices.toReversed() })) },
    'ask, bid',
  );
}

/** The prices of a row that are written in an order as open, high, low, close. */
const inOrder = (row: Row, order: readonly Price[]): Row => ({
  ...row,
  prices: CANDLES.map((price) => row.prices[order.indexOf(price)] as string),
});

/** A trade's price and volume: not close in most rows, or close by chance and moving apart. */
function isVolumeSecond(rows: readonly Row[]): boolean {
  if (rows.length < MIN_SERIES) return false;
  if (rows.filter(({ prices }) => isNear(prices, MAX_SPREAD)).length * 2 < rows.length) return true;
  const moves = (place: number) => {
    const values = rows.map(({ prices }) => Number(prices[place]));
    return values.slice(1).reduce((sum, value, at) => sum + Math.abs(value - (values[at] as number)), 0);
  };
  return moves(0) > 0 && moves(1) > moves(0) * VOLUME_MOVES;
}

function isNear(prices: readonly string[], span: number): boolean {
  const values = prices.map(Number);
  return Math.min(...values) > 0 && Math.max(...values) <= Math.min(...values) * span;
}

function ticks(read: Rows, order: string): Read {
  for (const { line, prices } of read.rows) {
    const [bid, ask = bid] = prices;
    if (!isNear(prices, MAX_SPREAD)) throw refused(line, `${bid} and ${ask} are no bid and ask`);
    // Where one side stays as it was, the other may pass it.
    if (read.carried === 0 && Number(bid) > Number(ask))
      throw refused(line, `the bid ${bid} is above the ask ${ask}`);
  }
  return { ...read, form: 'ticks', order };
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

function unitsOf(price = ''): bigint {
  const [whole = '', fraction = ''] = price.split('.');
  return BigInt(whole + fraction.padEnd(READ_DECIMALS, '0'));
}
