import { ENTRY_COLUMNS, type StatementRow } from './bank-statement-camt.ts';

/** `:61:`: value date, entry date, mark, third letter of the currency, amount, kind, the customer's reference, the bank's. */
const ENTRY = /^(\d{2})(\d{2})(\d{2})(\d{4})?(E?R?[CD])([A-Z])?(\d[\d,]*)([A-Z][A-Z0-9]{3})(.*)$/;
const BALANCE = /^[CD]\d{6}([A-Z]{3})/;

/**
 * The entries of an MT940 (or 942) as rows below {@link ENTRY_COLUMNS}; several statements may follow one another.
 * @throws what `fault` makes, for an entry that can't be read
 */
export function mt940Rows(text: string, fault: (line: number, column: string) => Error): StatementRow[] {
  const rows: StatementRow[] = [{ line: 0, cells: ENTRY_COLUMNS }];
  let currency = '';
  let isEntry = false;
  for (const { tag, value } of fieldsOf(text)) {
    if (/^(60|62)[FM]$/.test(tag)) currency = BALANCE.exec(value)?.[1] ?? currency;
    if (/^34F$/.test(tag)) currency = /^[A-Z]{3}/.exec(value)?.[0] ?? currency;
    if (tag === '61')
      rows.push({ line: rows.length, cells: entryCells(value, currency) ?? refuse(rows, fault) });
    // What stands after an entry explains it; after the closing balance it belongs to the statement.
    if (tag === '86' && isEntry) explain((rows.at(-1) as StatementRow).cells as string[], value);
    isEntry = tag === '61';
  }
  if (rows.length === 1 && currency === '') throw fault(1, ':60F:');
  for (const { cells } of rows.slice(1)) (cells as string[])[5] ||= cells[7] || cells[6] || 'MT940';
  return rows;
}

function refuse(rows: readonly StatementRow[], fault: (line: number, column: string) => Error): never {
  throw fault(rows.length, ':61:');
}

/** The tagged fields, with the lines that continue each; what is around the statement's own block is left out. */
function fieldsOf(text: string): { tag: string; value: string }[] {
  const fields: { tag: string; value: string }[] = [];
  for (const line of text.split('\n')) {
    const plain = line.replace(/^(\{[1-35]:[^{}]*\})*\{4:/, '').trimEnd();
    const [, tag, value = ''] = /^:(\d{2}[A-Z]?):(.*)$/.exec(plain) ?? [];
    const last = fields.at(-1);
    if (tag !== undefined) fields.push({ tag, value });
    else if (last && !/^(-|-\}.*|\{.*)?$/.test(plain)) last.value += `\n${plain}`;
  }
  return fields;
}

function entryCells(value: string, currency: string): string[] | null {
  const [first = '', ...more] = value.split('\n');
  const [matched, year, month, day, entry, mark = '', , amount = '', , references = ''] =
    ENTRY.exec(first) ?? [];
  if (matched === undefined) return null;
  const [customer = '', bank = ''] = references.split(/\/\/(.*)/);
  // The entry date has no year: that of the value date, or the one beside it at the turn of a year.
  const turn = entry === undefined ? 0 : Math.round((Number(month) - Number(entry.slice(0, 2))) / 12);
  const date = `${2000 + Number(year) + turn}-${entry?.slice(0, 2) ?? month}-${entry?.slice(2) ?? day}`;
  const isBack = mark.includes('R');
  const isIn = mark.endsWith('C') !== isBack;
  const reference = /^(NONREF|NOTPROVIDED)?$/.test(customer.trim()) ? '' : customer.trim();
  return [
    date,
    amount.replace(',', '.').replace(/\.$/, ''),
    currency,
    isIn ? 'credit' : 'debit',
    isBack ? 'reversed' : mark.startsWith('E') ? 'pending' : 'booked',
    reference || more.join(' ').trim(),
    '',
    bank.trim(),
  ];
}

/** `:86:` in one of its three usual forms: fields of two digits, words between slashes, or plain text. */
function explain(cells: string[], value: string): void {
  const text = value.replaceAll('\n', '');
  const sign = /^(?:\d{3})?([?>~@|])(?=\d{2})/.exec(text)?.[1];
  let [reference, name] = [value.replaceAll('\n', ' '), ''];
  if (sign !== undefined) {
    const parts = text.split(sign).filter((part) => /^\d{2}/.test(part));
    const join = (digits: RegExp) =>
      parts
        .filter((part) => digits.test(part))
        .map((part) => part.slice(2))
        .join('');
    reference = join(/^(2\d|6[0-3])/) || join(/^00/);
    name = join(/^3[23]/);
  } else if (/^\/[A-Z]{2,4}\//.test(text)) {
    const word = (words: string) =>
      new RegExp(`/(?:${words})/+(?:USTD//|STRD/CUR/)?(.+?)(?=/[A-Z]{3,4}/|$)`)
        .exec(text)?.[1]
        ?.replace(/\/{1,9}$/, '');
    reference = word('REMI') ?? word('EREF') ?? reference;
    name = word('NAME') ?? word('ORDP|BENM') ?? '';
  }
  const purpose = /(?:SVWZ|REMI)\+(.+?)(?=(?:EREF|KREF|MREF|CRED|ABWA|ABWE|IBAN|BIC)\+|$)/.exec(
    reference,
  )?.[1];
  cells[5] = (purpose ?? reference).replace(/\s+/g, ' ').trim().slice(0, 200) || (cells[5] ?? '');
  cells[6] = name.trim().slice(0, 200);
}
