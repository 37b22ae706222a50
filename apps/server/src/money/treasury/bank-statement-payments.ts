import { formatDecimal, parseAmount, withoutTrailingZeros } from '@fairtick/money';
import type { OfficeData, StatementChoice } from '@fairtick/protocol/office';
import { showHidden } from '@fairtick/protocol/plain-text';
import type { Asset } from '../../platform/assets.ts';
import { RefusalError } from '../../platform/http/context.ts';
import { type DayOrder, dayOrderOf, readMoment } from '../../platform/imports/moments.ts';
import { type DecimalMark, decimalMarkOf, signedNumber } from '../../platform/imports/numbers.ts';
import { hashInput } from '../../platform/request-hashes.ts';
import {
  readStatementFile,
  type StatementFile,
  type StatementRow,
  unreadable,
} from './bank-statement-file.ts';

const MAX_TEXT = 200;

interface Line {
  readonly date: string;
  readonly amount: bigint;
  readonly reference: string;
  readonly counterparty: string;
}

/** A statement's file, and how staff want it read. */
export interface StatementInput extends StatementChoice {
  /** Base64. */
  readonly file: string;
}

/** The payments of a file, by column, as the database takes them. */
export interface StatementColumns {
  /** Of each payment, in hexadecimal. */
  readonly hashes: readonly string[];
  readonly days: readonly string[];
  readonly amounts: readonly bigint[];
  readonly references: readonly string[];
  readonly counterparties: readonly string[];
}

/** @throws RefusalError that names the line and column that can't be read */
export function statementColumns(input: StatementInput, asset: Asset): StatementColumns {
  const lines = readLines(readStatementFile(Buffer.from(input.file, 'base64'), input), input, asset);
  return {
    hashes: hashLines(lines, asset),
    days: lines.map(({ date }) => date),
    amounts: lines.map(({ amount }) => amount),
    references: lines.map(({ reference }) => showHidden(reference)),
    counterparties: lines.map(({ counterparty }) => showHidden(counterparty)),
  };
}

const PREVIEWED = 500;
/** Rows as they stand in the file, by which staff choose the columns. */
const SHOWN_ROWS = 8;

type Preview = OfficeData<'statement/preview'>;

/** A choice of columns has places of three digits. */
const SHOWN_CELLS = 1_000;
const shown = (cell: string): string => showHidden(cell.slice(0, MAX_TEXT).toWellFormed());

/** The part of a preview that follows from the file alone. */
export interface StatementSight extends Pick<Preview, 'encoding' | 'rows' | 'columns' | 'fault' | 'leftOut'> {
  /** Of all payments, in hexadecimal. */
  readonly hashes: readonly string[];
  /** The first payments. */
  readonly items: readonly Omit<Preview['items'][number], 'isKnown'>[];
}

/** @throws RefusalError for a file that is no text or no table; a row that can't be read is named in the answer */
export function statementSight(input: StatementInput, asset: Asset): StatementSight {
  const file = readStatementFile(Buffer.from(input.file, 'base64'), input);
  const { lines, fault } = tryLines(file, input, asset);
  const start = Math.max(0, file.rows.length - file.body.length - 1);
  return {
    encoding: file.encoding,
    rows: file.rows
      .slice(start, start + SHOWN_ROWS)
      .map(({ cells }) => cells.slice(0, SHOWN_CELLS).map(shown)),
    columns: file.columns,
    fault,
    leftOut: fault === null ? file.body.length - lines.length : 0,
    hashes: hashLines(lines, asset),
    items: lines.slice(0, PREVIEWED).map((line) => ({
      bookedOn: line.date,
      amount: formatDecimal(line.amount, asset.scale),
      reference: showHidden(line.reference),
      counterparty: showHidden(line.counterparty),
    })),
  };
}

/** Two identical lines are two payments: each gets its position among the identical lines of the file. */
function hashLines(lines: readonly Line[], asset: Asset): string[] {
  const alike = new Map<string, number>();
  return lines.map(({ date, amount, reference, counterparty }) => {
    const fields = { asset: asset.code, date, amount: String(amount), reference, counterparty };
    const text = JSON.stringify(fields);
    const place = alike.get(text) ?? 0;
    alike.set(text, place + 1);
    return hashInput('statement', { ...fields, place }).toString('hex');
  });
}

function tryLines(
  file: StatementFile,
  choice: StatementChoice,
  asset: Asset,
): { lines: Line[]; fault: { line: string; column: string } | null } {
  try {
    return { lines: readLines(file, choice, asset), fault: null };
  } catch (error) {
    const { line, column } = (error instanceof RefusalError && error.parameters) || {};
    if (line === undefined || column === undefined) throw error;
    return { lines: [], fault: { line: String(line), column: String(column) } };
  }
}

interface Rules {
  readonly columns: StatementFile['columns'];
  readonly order: DayOrder | null;
  readonly mark: DecimalMark;
  readonly asset: Asset;
}

/** All payments of the file. @throws RefusalError for the first row or column that can't be read with one meaning */
function readLines({ rows, body, columns }: StatementFile, choice: StatementChoice, asset: Asset): Line[] {
  const headLine = rows.length > body.length ? (rows[rows.length - body.length - 1]?.line ?? 1) : 1;
  for (const field of ['date', 'reference'] as const)
    if (columns[field] === undefined) throw unreadable(headLine, field);
  const places = [columns.amount, columns.paidIn, columns.paidOut].filter((place) => place !== undefined);
  if (places.length === 0) throw unreadable(headLine, 'amount');
  const payments = body.filter((row) => !isNote(row, columns));
  const textsAt = (at: number) => payments.map(({ cells }) => cells[at] ?? '');
  const mark = choice.decimalMark ?? decimalMarkOf(places.flatMap(textsAt));
  if (mark === null) throw unreadable(payments[0]?.line ?? 1, 'decimalMark');
  const order = choice.dayOrder ?? dayOrderOf(textsAt(columns.date as number));
  return payments.map((row) => readLine(row, { columns, order, mark, asset }));
}

const SUM =
  /^(合计|总计|小计|合計|總計|小計|期初|期末|承前|total|subtotal|sum|summe|saldo|opening|closing|balance)/i;

/** Sums and notes around the payments: a row that begins as a sum, or has neither a day nor an amount. */
function isNote(
  { cells }: StatementRow,
  { date = -1, amount = -1, paidIn = -1, paidOut = -1 }: StatementFile['columns'],
): boolean {
  const filled = cells.filter((cell) => cell !== '');
  const hasDay = readMoment(cells[date] ?? '', 'dayFirst') !== null;
  if (hasDay) return false;
  const hasAmount = [amount, paidIn, paidOut].some((place) => (cells[place] ?? '') !== '');
  return filled.some((cell) => SUM.test(cell)) || (!hasAmount && filled.length <= 2);
}

function readLine({ line, cells }: StatementRow, { columns, order, mark, asset }: Rules): Line {
  const cell = (place: number | undefined) => (place === undefined ? '' : (cells[place] ?? ''));
  const moment = readMoment(cell(columns.date), order);
  if (moment === 'ambiguous') throw unreadable(line, 'dayOrder');
  if (moment === null) throw unreadable(line, 'date');
  const amount = amountOf(cell, { columns, mark, asset });
  if (amount === null) throw unreadable(line, 'amount');
  const [reference, counterparty] = [cell(columns.reference), cell(columns.counterparty)];
  if (reference === '' || showHidden(reference).length > MAX_TEXT) throw unreadable(line, 'reference');
  if (showHidden(counterparty).length > MAX_TEXT) throw unreadable(line, 'counterparty');
  return { date: moment.day, amount, reference, counterparty };
}

const IN = /^(贷|貸|收|来|來|入|c|cr|credit|in|\+|h|haben)/i;
const OUT = /^(借|支|付|往|出|d|dr|debit|out|-|s|soll)/i;

/** Above zero: money that came in. Null for what is no amount or has two directions. */
function amountOf(
  cell: (place: number | undefined) => string,
  { columns, mark, asset }: Pick<Rules, 'columns' | 'mark' | 'asset'>,
): bigint | null {
  const signed = (text: string): bigint | null => {
    const read = signedNumber(text, mark);
    if (read === null) return null;
    const fraction = read.text.split('.')[1] ?? '';
    // Banks write more decimals than the asset has; zeros among them lose nothing.
    const exact = fraction.length > asset.scale ? withoutTrailingZeros(read.text) : read.text;
    const value = /^0(\.0+)?$/.test(exact) ? 0n : parseAmount(exact, asset.scale);
    return value === null ? null : read.isNegative ? -value : value;
  };
  if (columns.amount !== undefined) {
    const value = signed(cell(columns.amount));
    if (value === null || value === 0n) return null;
    const direction = cell(columns.direction);
    if (direction === '') return columns.direction === undefined ? value : null;
    const size = value < 0n ? -value : value;
    if (IN.test(direction) === OUT.test(direction)) return null;
    return IN.test(direction) ? size : -size;
  }
  const [paidIn, paidOut] = [columns.paidIn, columns.paidOut].map((place) =>
    /^[-–—]?$/.test(cell(place)) ? 0n : signed(cell(place)),
  ) as [bigint | null, bigint | null];
  if (paidIn === null || paidOut === null || (paidIn === 0n) === (paidOut === 0n)) return null;
  // Banks write what went out with a sign or without.
  return paidIn !== 0n ? paidIn : paidOut < 0n ? paidOut : -paidOut;
}
