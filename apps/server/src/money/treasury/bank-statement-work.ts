import { createHash } from 'node:crypto';
import { formatDecimal } from '@fairtick/money';
import type { OfficeData, StatementChoice } from '@fairtick/protocol/office';
import { LEFT_OUT } from '@fairtick/protocol/office/statement-fields';
import { showHidden } from '@fairtick/protocol/plain-text';
import type { Asset } from '../../platform/assets.ts';
import { hashInput } from '../../platform/request-hashes.ts';
import { readStatementFile, unreadable } from './bank-statement-file.ts';
import { readLines, type StatementLine } from './bank-statement-payments.ts';

/** A statement's file, and how staff want it read. */
export interface StatementInput extends StatementChoice {
  /** Base64. */
  readonly file: string;
}

/** A file's lines by column, as the database takes them. */
export interface StatementColumns {
  /** In hexadecimal, of the file and of each line's content. */
  readonly fileHash: string;
  readonly hashes: readonly string[];
  readonly marks: readonly (string | null)[];
  readonly days: readonly string[];
  readonly amounts: readonly bigint[];
  readonly references: readonly string[];
  readonly counterparties: readonly string[];
  readonly payments: readonly (string | null)[];
  /** Whether staff take a line that is in question. */
  readonly takes: readonly boolean[];
}

/** @throws RefusalError that names the line and column that can't be read */
export function statementColumns(input: StatementInput, asset: Asset): StatementColumns {
  const bytes = Buffer.from(input.file, 'base64');
  const { lines, fault } = readLines(readStatementFile(bytes, input, asset.code), input, asset);
  if (fault) throw unreadable(Number(fault.line), fault.column);
  const takes = takenLines(input);
  return columnsOf(
    bytes,
    lines.filter(({ line, isUnclear }) => !isUnclear || takes.has(line)),
    { asset, takes },
  );
}

const takenLines = ({ take = '' }: StatementChoice) => new Set(take.split(',').filter(Boolean).map(Number));

function columnsOf(
  bytes: Uint8Array,
  lines: readonly StatementLine[],
  { asset, takes }: { asset: Asset; takes: ReadonlySet<number> },
): StatementColumns {
  return {
    fileHash: createHash('sha256').update(bytes).digest('hex'),
    hashes: lines.map(({ date, ofDayMs, amount, reference, counterparty }) =>
      hashInput('statement', { asset: asset.code, date, ofDayMs, amount, reference, counterparty }).toString(
        'hex',
      ),
    ),
    marks: lines.map(({ mark }) => mark && showHidden(mark).slice(0, MAX_TEXT)),
    days: lines.map(({ date }) => date),
    amounts: lines.map(({ amount }) => amount),
    references: lines.map(({ reference }) => showHidden(reference)),
    counterparties: lines.map(({ counterparty }) => showHidden(counterparty)),
    payments: lines.map(({ paymentId }) => paymentId && showHidden(paymentId).slice(0, 35)),
    takes: lines.map(({ line }) => takes.has(line)),
  };
}

const MAX_TEXT = 200;
/** Rows as they stand in the file, by which staff choose the columns. */
const SHOWN_ROWS = 8;
const PREVIEWED = 500;
const SHOWN_LEFT = 100;
/** A choice of columns has places of three digits. */
const SHOWN_CELLS = 1_000;
const shown = (cell: string): string => showHidden(cell.slice(0, MAX_TEXT).toWellFormed());

type Preview = OfficeData<'statement/preview'>;

/** The part of a preview that follows from the file alone. */
export interface StatementSight extends Omit<Preview, 'lines' | 'new' | 'items'> {
  readonly all: Pick<StatementColumns, 'fileHash' | 'hashes' | 'marks'>;
  /** Of each line whether it is unclear, and what staff read of it. */
  readonly items: readonly (Omit<Preview['items'][number], 'state'> & { isUnclear: boolean })[];
}

/** @throws RefusalError for a file that is no text or no table; a row that can't be read is named in the answer */
export function statementSight(input: StatementInput, asset: Asset): StatementSight {
  const bytes = Buffer.from(input.file, 'base64');
  const file = readStatementFile(bytes, input, asset.code);
  const { lines, left, fields, unused, fault } = readLines(file, input, asset);
  const start = Math.max(0, file.rows.length - file.body.length - 1);
  const { fileHash, hashes, marks } = columnsOf(bytes, lines, { asset, takes: new Set() });
  const counts = LEFT_OUT.map(
    (reason) => [reason, left.filter((one) => one.reason === reason).length] as const,
  );
  return {
    encoding: file.encoding,
    rows: file.rows
      .slice(start, start + SHOWN_ROWS)
      .map(({ cells }) => cells.slice(0, SHOWN_CELLS).map(shown)),
    columns: Object.fromEntries(
      fields.slice(0, SHOWN_CELLS).flatMap((field, at) => (field ? [[at, field]] : [])),
    ),
    unused,
    fault,
    leftOut: Object.fromEntries(counts.filter(([, count]) => count > 0)),
    left: left.slice(0, SHOWN_LEFT).map(({ row, reason }) => ({
      line: row.line,
      reason,
      text: shown(row.cells.filter(Boolean).join(' · ')),
    })),
    all: { fileHash, hashes, marks },
    items: lines.map(({ line, date, amount, reference, counterparty, isUnclear }) => ({
      line,
      bookedOn: date,
      amount: formatDecimal(amount, asset.scale),
      reference: showHidden(reference),
      counterparty: showHidden(counterparty),
      isUnclear,
    })),
  };
}

/** Questions come first, so that none is beyond the lines that a preview shows. */
export function previewed<T extends { state: string }>(items: readonly T[]): T[] {
  const isQuestion = ({ state }: T) => state === 'repeat' || state === 'unclear';
  return [...items.filter(isQuestion), ...items.filter((item) => !isQuestion(item))].slice(0, PREVIEWED);
}
