import type { StatementChoice } from '@fairtick/protocol/office';
import { showHidden } from '@fairtick/protocol/plain-text';
import { parse } from 'csv-parse/sync';
import { RefusalError, refusalOf } from '../../platform/http/context.ts';
import { currencyIn, statedCurrencies } from '../../platform/imports/currencies.ts';
import { decodeText } from '../../platform/imports/decode-text.ts';
import type { DecimalMark } from '../../platform/imports/numbers.ts';
import { delimiterOf, linesOf, unquoted } from '../../platform/imports/tables.ts';
import { readWorkbook, WorkbookError } from '../../platform/imports/workbook.ts';
import { camtRows, type StatementRow } from './bank-statement-camt.ts';
import { chosenFields, type Fields, headOf, namedFields } from './bank-statement-columns.ts';
import { mt940Rows } from './bank-statement-mt940.ts';

/** A bank's file as a table: which column has which field is recognised by the names of its header, or chosen by staff. */
export interface StatementFile {
  /** Its encoding, or its form. */
  readonly encoding: string;
  /** All rows, with what stands before the header. */
  readonly rows: readonly StatementRow[];
  /** The rows that may be payments. */
  readonly body: readonly StatementRow[];
  readonly header: readonly string[];
  readonly fields: Fields;
  /** The currency that a line before the header states. */
  readonly currency: string | null;
  /** Null: the amounts decide. */
  readonly mark: DecimalMark | null;
}

const MAX_LINES = 10_000;
const MAX_LEAD = 40;

/** @throws RefusalError for a file that is no text, no table and no form of banks that we read */
export function readStatementFile(bytes: Uint8Array, choice: StatementChoice, asset: string): StatementFile {
  const { encoding, rows, mark } = tryRows(bytes);
  if (rows.length > MAX_LINES + MAX_LEAD) throw unreadable(MAX_LINES + MAX_LEAD, '…');
  const head = headOf(rows, asset);
  const header = head === null ? [] : (rows[head] as StatementRow).cells;
  return {
    encoding,
    rows,
    body: rows.slice(head === null ? 0 : head + 1),
    header,
    fields: chosenFields(choice) ?? namedFields(header, asset),
    currency: statedCurrency(rows.slice(0, head ?? 0)),
    mark,
  };
}

/** A file that is made to break its reader is refused like one that can't be read. */
function tryRows(bytes: Uint8Array): Table {
  try {
    return rowsOf(bytes);
  } catch (error) {
    throw error instanceof RefusalError ? error : unreadable(1, '…');
  }
}

type Table = Pick<StatementFile, 'encoding' | 'rows' | 'mark'>;

/** The first bytes tell what a file is, whatever its name. */
function rowsOf(bytes: Uint8Array): Table {
  const first = Buffer.from(bytes.subarray(0, 512)).toString('latin1');
  if (first.startsWith('PK\x03\x04')) return { encoding: 'XLSX', rows: workbookRows(bytes), mark: null };
  const named = NAMED_BYTES.find(([begins]) => first.startsWith(begins));
  if (named) throw otherForm(named[1]);
  const decoded = decodeText(bytes);
  if (decoded === null) throw refusalOf('STATEMENT_NO_TEXT', 'file');
  // A lone CR ends a line too; the reader of quoted cells takes one kind of line end.
  const text = [...linesOf(decoded.text)].join('\n');
  const start = text.slice(0, 2_000).trimStart();
  if (/^(<\?xml[^>]*>\s*)?(<!--.*?-->\s*)?<(\w+:)?Document\b/s.test(start) && /camt\.05[234]/.test(start))
    return { encoding: 'camt.053', rows: camtRows(text, unreadable), mark: '.' };
  if (/^(\{1:|:20:)/m.test(start) && /^:(25|28C?|60[FM]|61):/m.test(start))
    return { encoding: 'MT940', rows: mt940Rows(text, unreadable), mark: '.' };
  const form = NAMED_TEXTS.find(([begins]) => begins.test(start));
  if (form) throw otherForm(form[1]);
  const delimiter = delimiterOf([...linesOf(text)].filter((line) => line.trim() !== '').slice(0, 200));
  return { encoding: decoded.encoding, rows: tableOf(text, delimiter), mark: null };
}

/** The name of a form that is not read here, for staff. */
const NAMED_BYTES: readonly (readonly [string, string])[] = [
  ['\xd0\xcf\x11\xe0', 'XLS (Excel 97–2003)'],
  ['%PDF', 'PDF'],
  ['\x1f\x8b', 'GZIP'],
  ['Rar!', 'RAR'],
  ['7z\xbc\xaf', '7Z'],
  ['\x89PNG', 'PNG'],
  ['\xff\xd8\xff', 'JPEG'],
];
const NAMED_TEXTS: readonly (readonly [RegExp, string])[] = [
  [/^OFXHEADER|^(<\?[^>]*>\s*)*<OFX>/i, 'OFX'],
  [/^!(Type|Account|Option|Clear)\b/i, 'QIF'],
  [/^(<\?xml[^>]*>\s*)?<\?mso-application|^<\?xml[^>]*>\s*<Workbook\b/i, 'XML Spreadsheet 2003'],
  [
    /^(<\?xml[^>]*>\s*)?(<!--.*?-->\s*)*<(!doctype\s+html|html|head|body|table|meta|div|style|title)\b/is,
    'HTML',
  ],
  [/^\{\\rtf/, 'RTF'],
  [/^[{[]\s*["{[]/, 'JSON'],
  [/^<\?xml|^<\w+[\s>]/, 'XML'],
];

const otherForm = (form: string) => refusalOf('STATEMENT_FORM', 'file', { form });

function workbookRows(bytes: Uint8Array): StatementRow[] {
  try {
    return readWorkbook(bytes, MAX_LINES + MAX_LEAD + 1);
  } catch (error) {
    if (error instanceof WorkbookError) throw otherForm(error.message);
    throw error;
  }
}

function tableOf(text: string, delimiter: string): StatementRow[] {
  const options = { delimiter, relax_column_count: true, skip_empty_lines: true, info: true } as const;
  const bounds = { to: MAX_LINES + MAX_LEAD + 1 };
  try {
    const read = parse(text, { ...options, ...bounds, relax_quotes: /(^|[,;\t|])="/m.test(text) });
    let line = 1;
    return (read as unknown as { record: string[]; info: { lines: number } }[]).map(({ record, info }) => {
      const from = line;
      line = info.lines + 1;
      const breaks = record.join('').split('\n').length - 1;
      return { line: Math.max(from, info.lines - breaks), cells: record.map(cellText) };
    });
  } catch (error) {
    throw unreadable((error as { lines?: number }).lines ?? 1, '…');
  }
}

/** Exports keep digits from becoming numbers by an apostrophe or a formula. */
const cellText = (cell: string): string => unquoted(cell).replace(/^'(?=\d)/, '');

const LABEL = /(?:currency|ccy|währung|币种|币别|幣種|幣別|货币|貨幣)\s{0,9}[:：]?\s{0,9}(.*)/i;

/**
 * What stands before a header may state the currency of all: `Currency: HKD`, in one cell or two, or one currency as in `HKD account`.
 * Null: it states none, or several without a label.
 */
function statedCurrency(lead: readonly StatementRow[]): string | null {
  const named = new Set<string>();
  for (const { cells } of lead)
    for (const [at, cell] of cells.entries()) {
      const label = LABEL.exec(cell.slice(0, 100));
      const written = label && (label[1] || cells.slice(at + 1).find((next) => next !== '') || '');
      if (written && statedCurrencies(written)) return written;
      const { unit } = currencyIn(cell);
      if (unit !== null) named.add(unit);
    }
  return named.size === 1 ? ([...named][0] as string) : null;
}

export const unreadable = (line: number, column: string) =>
  refusalOf('STATEMENT_UNREADABLE', 'file', { line: String(line), column: showHidden(column) });
