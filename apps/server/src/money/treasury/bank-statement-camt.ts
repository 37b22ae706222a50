import { type Document, DomHandler, type Element, isTag } from 'domhandler';
import { DomUtils, Parser } from 'htmlparser2';

export interface StatementRow {
  /** The line of the file in which the row begins, from 1; of camt.053 and MT940 the number of the entry, with 0 for our header. */
  readonly line: number;
  readonly cells: readonly string[];
  /** The end-to-end id of the payment, of camt.053 alone. */
  readonly paymentId?: string;
}

/** The columns as which camt.053 and MT940 are read; their names are among those that a table's header may have. */
export const ENTRY_COLUMNS = [
  'Date',
  'Amount',
  'Currency',
  'Direction',
  'State',
  'Reference',
  'Counterparty',
  'Bank reference',
];

/** More than twice as deep as the schema of camt.053 goes. */
const MAX_DEPTH = 40;

/** The parser takes quadratic time for deep nesting, so that is refused while it reads. Entities of a DTD are not expanded. */
function documentOf(text: string, fault: () => Error): Document {
  let depth = 0;
  const handler = new DomHandler(undefined, { xmlMode: true });
  const open = handler.onopentag.bind(handler);
  const close = handler.onclosetag.bind(handler);
  handler.onopentag = (name, attributes) => {
    depth += 1;
    if (depth > MAX_DEPTH) throw fault();
    open(name, attributes);
  };
  handler.onclosetag = () => {
    depth -= 1;
    close();
  };
  new Parser(handler, { xmlMode: true }).end(text);
  return handler.root;
}

/** The children of this name, whatever the prefix of the namespace. */
const all = (parent: Element, name: string): Element[] =>
  parent.children.filter((node): node is Element => isTag(node) && node.name.replace(/^.*:/, '') === name);

/** The first element on each of these paths, until one has text. */
function textAt(parent: Element | undefined, ...paths: readonly string[]): string {
  for (const path of paths) {
    const found = elementAt(parent, path);
    const text = found ? DomUtils.textContent(found).replace(/\s+/g, ' ').trim() : '';
    if (text !== '' && text !== 'NOTPROVIDED') return text;
  }
  return '';
}

const elementAt = (parent: Element | undefined, path: string): Element | undefined =>
  path.split('/').reduce<Element | undefined>((at, name) => at && all(at, name)[0], parent);

/**
 * The entries of a bank's statement (camt.053) or notice (052, 054) as rows below {@link ENTRY_COLUMNS}. An entry that stands for
 * several payments is as many rows if their amounts are given and add up.
 * @throws what `fault` makes, for a text that has no statement, or is cut
 */
export function camtRows(text: string, fault: (line: number, column: string) => Error): StatementRow[] {
  const root = documentOf(text, () => fault(1, '…')).children.find(isTag);
  const reports = ['BkToCstmrStmt/Stmt', 'BkToCstmrAcctRpt/Rpt', 'BkToCstmrDbtCdtNtfctn/Ntfctn'].flatMap(
    (path) => {
      const [outer = '', inner = ''] = path.split('/');
      return root ? all(root, outer).flatMap((one) => all(one, inner)) : [];
    },
  );
  if (reports.length === 0 || !/<\/(\w+:)?Document>\s*$/.test(text.slice(-200))) throw fault(1, 'Stmt');
  const entries = reports.flatMap((report) => all(report, 'Ntry'));
  return [
    { line: 0, cells: ENTRY_COLUMNS },
    ...entries.flatMap(entryRows).map((row, at) => ({ line: at + 1, ...row })),
  ];
}

type Row = Omit<StatementRow, 'line'>;

function entryRows(entry: Element): Row[] {
  const parts = all(entry, 'NtryDtls').flatMap((details) => all(details, 'TxDtls'));
  const amounts = parts.map((part) => elementAt(part, 'Amt') ?? elementAt(part, 'AmtDtls/TxAmt/Amt'));
  const whole = elementAt(entry, 'Amt');
  const adds = parts.length > 1 && amounts.every(Boolean) && sumOf(amounts) === cents(whole);
  if (!adds) return [rowOf(entry, parts.length === 1 ? parts[0] : undefined, whole, '')];
  return parts.map((part, at) => rowOf(entry, part, amounts[at], `/${at + 1}`));
}

/** As schema/money/bank-files.sql makes it. */
const OWN_PAYMENT = /^FT-\d+-\d+$/;

const cents = (amount: Element | undefined): number =>
  Math.round(Number(amount ? DomUtils.textContent(amount) : Number.NaN) * 1e5);
const sumOf = (amounts: readonly (Element | undefined)[]): number =>
  amounts.reduce((sum, amount) => sum + cents(amount), 0);

/** @param place of the part in its entry, where it is one of several */
function rowOf(entry: Element, part: Element | undefined, amount: Element | undefined, place: string): Row {
  const direction = textAt(part, 'CdtDbtInd') || textAt(entry, 'CdtDbtInd');
  const paymentId = textAt(part, 'Refs/EndToEndId').slice(0, 35);
  // A payment of ours that came back is a line of its own, because the one that went out stays.
  const isOwnReturn = direction === 'CRDT' && OWN_PAYMENT.test(paymentId);
  const isReversal = !isOwnReturn && [entry, part].some((one) => /^(true|1)$/.test(textAt(one, 'RvslInd')));
  const whole = textAt(entry, 'AcctSvcrRef');
  const number = textAt(part, 'Refs/AcctSvcrRef', 'Refs/AcctSvcrTxId') || (whole && whole + place);
  const party = direction === 'CRDT' ? 'Dbtr' : 'Cdtr';
  const counterparty = textAt(
    elementAt(part, 'RltdPties'),
    ...[`${party}/Nm`, `${party}/Pty/Nm`, `Ultmt${party}/Nm`, `Ultmt${party}/Pty/Nm`],
  );
  const lines = part ? all(part, 'RmtInf').flatMap((info) => all(info, 'Ustrd')) : [];
  const words = lines
    .map((line) => DomUtils.textContent(line).trim())
    .join(' ')
    .trim();
  const creditor = textAt(part, 'RmtInf/Strd/CdtrRefInf/Ref');
  const reference =
    (words.includes(creditor) ? words : `${creditor} ${words}`.trim()) ||
    textAt(part, 'Refs/EndToEndId', 'AddtlTxInf') ||
    textAt(entry, 'AddtlNtryInf', 'NtryRef') ||
    number ||
    counterparty ||
    textAt(entry, 'BkTxCd');
  const cells = [
    textAt(entry, 'BookgDt/Dt', 'BookgDt/DtTm', 'ValDt/Dt', 'ValDt/DtTm').slice(0, 10),
    amount ? DomUtils.textContent(amount).trim() : '',
    amount?.attribs.Ccy ?? '',
    direction,
    isReversal ? 'reversed' : textAt(entry, 'Sts/Cd', 'Sts'),
    reference.slice(0, 200),
    counterparty,
    number,
  ];
  return paymentId === '' ? { cells } : { cells, paymentId };
}
