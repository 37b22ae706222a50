import { type Element, isTag } from 'domhandler';
import { DomUtils, parseDocument } from 'htmlparser2';

export interface StatementRow {
  /** The line of the file in which the row begins, from 1; of camt.053 and MT940 the number of the entry, with 0 for our header. */
  readonly line: number;
  readonly cells: readonly string[];
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
  const root = parseDocument(text, { xmlMode: true }).children.find(isTag);
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
    ...entries.flatMap(entryRows).map((cells, at) => ({ line: at + 1, cells })),
  ];
}

function entryRows(entry: Element): string[][] {
  const parts = all(entry, 'NtryDtls').flatMap((details) => all(details, 'TxDtls'));
  const amounts = parts.map((part) => elementAt(part, 'Amt') ?? elementAt(part, 'AmtDtls/TxAmt/Amt'));
  const whole = elementAt(entry, 'Amt');
  const adds = parts.length > 1 && amounts.every(Boolean) && sumOf(amounts) === cents(whole);
  if (!adds) return [cellsOf(entry, parts.length === 1 ? parts[0] : undefined, whole, '')];
  return parts.map((part, at) => cellsOf(entry, part, amounts[at], `/${at + 1}`));
}

const cents = (amount: Element | undefined): number =>
  Math.round(Number(amount ? DomUtils.textContent(amount) : Number.NaN) * 1e5);
const sumOf = (amounts: readonly (Element | undefined)[]): number =>
  amounts.reduce((sum, amount) => sum + cents(amount), 0);

/** @param place of the part in its entry, where it is one of several */
function cellsOf(
  entry: Element,
  part: Element | undefined,
  amount: Element | undefined,
  place: string,
): string[] {
  const direction = textAt(part, 'CdtDbtInd') || textAt(entry, 'CdtDbtInd');
  const isReversal = [entry, part].some((one) => /^(true|1)$/.test(textAt(one, 'RvslInd')));
  const whole = textAt(entry, 'AcctSvcrRef');
  const number = textAt(part, 'Refs/AcctSvcrRef', 'Refs/AcctSvcrTxId') || (whole && whole + place);
  const party = direction === 'CRDT' ? 'Dbtr' : 'Cdtr';
  const counterparty = textAt(
    elementAt(part, 'RltdPties'),
    ...[`${party}/Nm`, `${party}/Pty/Nm`, `Ultmt${party}/Nm`, `Ultmt${party}/Pty/Nm`],
  );
  const lines = part ? all(part, 'RmtInf').flatMap((info) => all(info, 'Ustrd')) : [];
  const reference =
    lines
      .map((line) => DomUtils.textContent(line).trim())
      .join(' ')
      .trim() ||
    textAt(part, 'RmtInf/Strd/CdtrRefInf/Ref', 'Refs/EndToEndId', 'AddtlTxInf') ||
    textAt(entry, 'AddtlNtryInf', 'NtryRef') ||
    number ||
    counterparty ||
    textAt(entry, 'BkTxCd');
  return [
    textAt(entry, 'BookgDt/Dt', 'BookgDt/DtTm', 'ValDt/Dt', 'ValDt/DtTm').slice(0, 10),
    amount ? DomUtils.textContent(amount).trim() : '',
    amount?.attribs.Ccy ?? '',
    direction,
    isReversal ? 'reversed' : textAt(entry, 'Sts/Cd', 'Sts'),
    reference.slice(0, 200),
    counterparty,
    number,
  ];
}
