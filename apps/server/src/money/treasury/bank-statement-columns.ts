import type { StatementChoice, StatementField } from '@fairtick/protocol/office';
import { SHARED_FIELDS } from '@fairtick/protocol/office/statement-fields';
import { currenciesOf, currencyIn } from '../../platform/imports/currencies.ts';
import { columnName } from '../../platform/imports/tables.ts';
import { type Word, wordOf } from './bank-statement-words.ts';

/** The field of each column, by its place. */
export type Fields = readonly (StatementField | undefined)[];

/** Names of columns in the order of preference, in lower case without spaces and units. */
const NAMES: Readonly<Record<Exclude<StatementField, 'ignore'>, readonly string[]>> = {
  date: (
    'date bookingdate bookedon transactiondate txndate postingdate postdate valuedate completeddate datetime transactiontime paymenttime buchungstag ' +
    'buchungsdatum datum fecha 交易日期 交易时间 交易日 日期 记账日期 记账日 入账日期 入账时间 账务日期 交易時間 記帳日期 記帳日 入帳日期 帳務日期 過帳日期 起息日 交易创建时间 付款时间'
  ).split(' '),
  amount:
    'amount transactionamount txnamount betrag umsatz importe 交易金额 金额 发生额 交易金額 金額 發生額'.split(
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
  direction: (
    'debitcredit creditdebit creditordebit drcr crdr dc direction 借贷标志 借贷方向 借贷 收支方向 收支 收支类型 收付标志 交易方向 借貸別 借貸 ' +
    'transactiontype txntype trantype type 交易类型 交易類型'
  ).split(' '),
  state: (
    'status state transactionstatus txnstatus paymentstatus bookingstatus 状态 狀態 当前状态 當前狀態 交易状态 交易狀態 支付状态 支付狀態 记账状态 ' +
    '記帳狀態 estado'
  ).split(' '),
  currency: (
    'currency ccy cur currencycode transactioncurrency accountcurrency amountcurrency währung waehrung moneda 币种 币别 货币 交易币种 账户币种 ' +
    '幣種 幣別 貨幣 交易幣別 帳戶幣別'
  ).split(' '),
  reference: (
    'reference ref referenceno referencenumber transactionreference paymentreference remittanceinformation verwendungszweck ' +
    '交易附言 附言 摘要 交易摘要 用途 备注 附註 備註 參考編號 参考号 memo description transactiondescription details narrative remarks remark ' +
    'particulars 商品说明 商品說明 商品'
  ).split(' '),
  counterparty: (
    'counterparty counterpartyname payer payee payerpayee sender beneficiary name auftraggeber empfänger ' +
    '对方户名 对方名称 对方账户名称 對方戶名 對方名稱 交易对手 交易對手 交易对方 交易對方 对方 對方 付款人名称 付款人 户名 戶名'
  ).split(' '),
  number: (
    'bankreference bankref transactionid transactionnumber transactionno txid txnid entryreference uniqueid fitid 流水号 交易流水号 银行流水号 ' +
    '核心流水号 交易单号 交易号 流水號 交易流水號 交易單號 交易序號'
  ).split(' '),
  balance: (
    'balance runningbalance accountbalance ledgerbalance closingbalance balanceafter availablebalance saldo kontostand 余额 账户余额 本次余额 ' +
    '交易后余额 可用余额 餘額 帳戶餘額 結餘 结余'
  ).split(' '),
};
const ALL_NAMES = new Set(Object.values(NAMES).flat());

const nameOf = (title: string): string => {
  const whole = columnName(title);
  return ALL_NAMES.has(whole) ? whole : columnName(currencyIn(title).rest);
};

/** The unit that a title of amounts names is `asset`'s, or it names none. */
const isOf = (title: string, asset: string): boolean => {
  const { unit } = currencyIn(title);
  return unit === null || currenciesOf(unit)?.includes(asset) === true;
};

/** The fields that a header names. Of two columns of one name, that of the asset's currency counts. */
export function namedFields(header: readonly string[], asset: string): Fields {
  const names = header.map(nameOf);
  const found: (StatementField | undefined)[] = [];
  for (const [field, known] of Object.entries(NAMES)) {
    const name = known.find((one) => names.includes(one));
    const places = [...names.keys()].filter((at) => names[at] === name);
    const place = places.find((at) => isOf(header[at] ?? '', asset)) ?? places[0];
    if (name !== undefined && place !== undefined) found[place] = field as StatementField;
  }
  // Columns of both directions say more than an amount, and an amount more than one of them.
  const has = (field: StatementField) => found.includes(field);
  const spare = has('paidIn') && has('paidOut') ? /^amount$/ : has('amount') ? /^paid/ : /^$/;
  return Array.from(found, (field) => (spare.test(field ?? '') ? undefined : field));
}

const MAX_LEAD = 40;

/** The place of the row that names a date and an amount; null when none does. */
export function headOf(rows: readonly { cells: readonly string[] }[], asset: string): number | null {
  const place = rows.slice(0, MAX_LEAD).findIndex(({ cells }) => {
    const fields = namedFields(cells, asset);
    const isTable =
      fields.includes('date') &&
      ['amount', 'paidIn', 'paidOut'].some((one) => fields.includes(one as StatementField));
    return cells.filter((cell) => ALL_NAMES.has(nameOf(cell))).length >= (isTable ? 2 : 3);
  });
  return place < 0 ? null : place;
}

/** Null: staff chose no column, so the header decides. */
export function chosenFields({ columns }: StatementChoice): Fields | null {
  if (columns === undefined) return null;
  const fields: (StatementField | undefined)[] = [];
  for (const pair of columns.split(',').filter(Boolean)) {
    const [field, place] = pair.split(':') as [StatementField, string];
    if (!fields.includes(field) || SHARED_FIELDS.includes(field)) fields[Number(place)] = field;
  }
  return Array.from(fields);
}

const PLACEHOLDER = /^([-–—/.*]+|n\/?a|null|none)$/i;
const MAX_CODES = 8;

/**
 * What a column without a known name is, by all its values: `unclear` when only some of them are words of direction, state or currency,
 * so that staff must look at it. Undefined: it changes no row.
 * @param title of the column: one that names a state, as `Reversed` or `Refunded amount`, is looked at when a row says other than no
 * @param isUnsigned nothing else says whether the amounts came in or went out, so that codes that we don't know might
 */
export function meaningOf(
  title: string,
  values: readonly string[],
  isUnsigned: boolean,
): StatementField | 'unclear' | undefined {
  const filled = values.filter((value) => value !== '');
  const isMarked = filled.includes('+');
  const distinct = [...new Set(filled)].filter((value) => isMarked || !PLACEHOLDER.test(value));
  if (distinct.length === 0) return undefined;
  if (isFlag(title, distinct)) return 'unclear';
  if (distinct.every((value) => currenciesOf(value))) return 'currency';
  const words = distinct.map(wordOf);
  const isState = (word: Word | null) => word !== null && /^(pending|undone|failed)$/.test(word);
  const known = words.filter((word) =>
    isUnsigned ? word !== null && word !== 'done' : isState(word),
  ).length;
  const isLetters = distinct.every((value) => /^[a-z]$/i.test(value));
  if (isLetters && known > 0 && !/^(CD|HS)$/i.test(distinct.sort().join(''))) return 'unclear';
  if (words.every((word) => word !== null))
    return words.every((word) => word === 'in' || word === 'out' || word === 'neutral')
      ? 'direction'
      : 'state';
  if (known > 0) return 'unclear';
  return isUnsigned && mayBeCodes(distinct, filled.length) ? 'unclear' : undefined;
}

/** `Reversed` with a row that says more than no; `Cleared` with a row that says no. */
function isFlag(title: string, distinct: readonly string[]): boolean {
  const word = wordOf(title.replace(/\(.{0,100}\)|（.{0,100}）/, ''));
  if (word === null || word === 'in' || word === 'out') return false;
  const isNo = (value: string) => /^(no?|false|0+([.,]0+)?|否|x)$/i.test(value);
  return word === 'done' ? distinct.some(isNo) : !distinct.every(isNo);
}

/** A few short words that repeat, as codes of a bank do. */
const mayBeCodes = (distinct: readonly string[], count: number): boolean =>
  distinct.length > 1 &&
  distinct.length <= Math.min(MAX_CODES, Math.max(2, count / 2)) &&
  distinct.every((value) => value.length <= 30 && !/\d{3}|\d:\d|\d[.,]\d/.test(value));
