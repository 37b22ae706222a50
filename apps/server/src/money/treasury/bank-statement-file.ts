import type { StatementChoice, StatementField } from '@fairtick/protocol/office';
import { showHidden } from '@fairtick/protocol/plain-text';
import { parse } from 'csv-parse/sync';
import { RefusalError } from '../../platform/http/context.ts';
import { decodeText } from '../../platform/imports/decode-text.ts';
import { columnName, delimiterOf, linesOf, unquoted } from '../../platform/imports/tables.ts';

export interface StatementRow {
  /** The line of the file in which the row begins, from 1. */
  readonly line: number;
  readonly cells: readonly string[];
}

/** A bank's file as a table: which column has which field is recognised by the names of its header, or chosen by staff. */
export interface StatementFile {
  readonly encoding: string;
  /** All rows, with what stands before the header. */
  readonly rows: readonly StatementRow[];
  /** The rows that may be payments. */
  readonly body: readonly StatementRow[];
  readonly columns: Readonly<Partial<Record<StatementField, number>>>;
}

const MAX_LINES = 10_000;
const MAX_LEAD = 40;

/** Names of columns in the order of preference, in lower case without spaces and units. */
const NAMES: Readonly<Record<StatementField, readonly string[]>> = {
  date: (
    'date bookingdate bookedon transactiondate txndate postingdate postdate valuedate buchungstag buchungsdatum datum fecha ' +
    '交易日期 交易时间 交易日 日期 记账日期 记账日 入账日期 账务日期 交易時間 記帳日期 記帳日 入帳日期 帳務日期 過帳日期 起息日'
  ).split(' '),
  amount: 'amount transactionamount betrag umsatz importe 交易金额 金额 发生额 交易金額 金額 發生額'.split(
    ' ',
  ),
  paidIn: (
    'credit creditamount credits paidin moneyin deposit deposits depositamount haben gutschrift 贷方发生额 贷方金额 贷方 收入金额 收入 ' +
    '存入金额 存入 转入金额 转入 貸方發生額 貸方金額 貸方 收入金額 存入金額 轉入金額 轉入 存款金額 存款'
  ).split(' '),
  paidOut: (
    'debit debitamount debits paidout moneyout withdrawal withdrawals withdrawalamount soll lastschrift 借方发生额 借方金额 借方 ' +
    '支出金额 支出 支取 转出金额 转出 借方發生額 借方金額 支出金額 提出金額 提出 提款金額 提款 轉出金額 轉出'
  ).split(' '),
  direction:
    'debitcredit creditdebit drcr crdr dc 借贷标志 借贷方向 借贷 收支方向 收支 收付标志 借貸別 借貸'.split(
      ' ',
    ),
  reference: (
    'reference ref referenceno referencenumber transactionreference paymentreference remittanceinformation verwendungszweck ' +
    '交易附言 附言 摘要 交易摘要 用途 备注 附註 備註 參考編號 参考号 memo description details narrative remarks remark particulars'
  ).split(' '),
  counterparty: (
    'counterparty counterpartyname payer payee payerpayee sender beneficiary name auftraggeber empfänger ' +
    '对方户名 对方名称 对方账户名称 對方戶名 對方名稱 交易对手 交易對手 对方 對方 付款人名称 付款人 户名 戶名'
  ).split(' '),
};

/** @throws RefusalError for a file that is no text or no table */
export function readStatementFile(bytes: Uint8Array, choice: StatementChoice): StatementFile {
  const decoded = decodeText(bytes);
  if (decoded === null)
    throw new RefusalError('STATEMENT_NO_TEXT', { fields: { file: 'STATEMENT_NO_TEXT' } });
  // A lone CR ends a line too; the reader of quoted cells takes one kind of line end.
  const text = [...linesOf(decoded.text)].join('\n');
  const delimiter = delimiterOf([...linesOf(text)].filter((line) => line.trim() !== '').slice(0, 200));
  const rows = tableOf(text, delimiter);
  if (rows.length > MAX_LINES + MAX_LEAD) throw unreadable(MAX_LINES + MAX_LEAD, '…');
  const head = headOf(rows);
  const chosen = chosenColumns(choice);
  const columns = chosen ?? (head === null ? {} : columnsOf((rows[head] as StatementRow).cells));
  return { encoding: decoded.encoding, rows, body: rows.slice(head === null ? 0 : head + 1), columns };
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

/** The row that names a date and an amount; null when none does. */
function headOf(rows: readonly StatementRow[]): number | null {
  const place = rows.slice(0, MAX_LEAD).findIndex(({ cells }) => {
    const { date, amount, paidIn, paidOut } = columnsOf(cells);
    const named = cells
      .map(columnName)
      .filter((name) => Object.values(NAMES).some((all) => all.includes(name)));
    return date !== undefined && (amount ?? paidIn ?? paidOut) !== undefined
      ? named.length >= 2
      : named.length >= 3;
  });
  return place < 0 ? null : place;
}

function columnsOf(header: readonly string[]): StatementFile['columns'] {
  const names = header.map(columnName);
  const found: Partial<Record<StatementField, number>> = {};
  for (const [field, known] of Object.entries(NAMES)) {
    const name = known.find((one) => names.includes(one));
    if (name !== undefined) found[field as StatementField] = names.indexOf(name);
  }
  // A signed amount says all; the columns of each direction stand in for it.
  if (found.amount !== undefined) {
    delete found.paidIn;
    delete found.paidOut;
  }
  return found;
}

/** Null: staff chose no column, so the header decides. */
function chosenColumns(choice: StatementChoice): StatementFile['columns'] | null {
  if (choice.columns === undefined) return null;
  const pairs = choice.columns
    .split(',')
    .filter(Boolean)
    .map((pair) => pair.split(':') as [StatementField, string]);
  return Object.fromEntries(pairs.map(([field, place]) => [field, Number(place)]));
}

export const unreadable = (line: number, column: string) =>
  new RefusalError('STATEMENT_UNREADABLE', {
    parameters: { line: String(line), column: showHidden(column) },
    fields: { file: 'STATEMENT_UNREADABLE' },
  });
