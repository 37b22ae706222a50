import { currenciesOf } from './currencies.ts';

export type DecimalMark = '.' | ',';

/** `either`: grouping and decimal mark look alike, as in 1.234. */
type Sign = DecimalMark | 'either' | 'none';

const SPACES = /[\s\u00a0\u2009\u202f'’`_]/g;

/** The decimal mark that the numbers of a column show. Null when they contradict each other, or can all be read both ways. */
export function decimalMarkOf(texts: Iterable<string>): DecimalMark | null {
  const found = new Set<Sign>();
  for (const text of texts) found.add(signOf(digitsOf(text).replace(/[^\d.,]/g, '')));
  if (found.has('.') && found.has(',')) return null;
  if (found.has('.')) return '.';
  if (found.has(',')) return ',';
  return found.has('either') ? null : '.';
}

function signOf(text: string): Sign {
  const [first, ...more] = text.match(/[.,]/g) ?? [];
  if (first === undefined) return 'none';
  const last = more.at(-1);
  if (last !== undefined) return last === first ? otherThan(first) : (last as DecimalMark);
  const [whole = '', fraction = ''] = text.split(first);
  return fraction.length === 3 && /^[1-9]\d{0,2}$/.test(whole) ? 'either' : (first as DecimalMark);
}

const otherThan = (mark: string): DecimalMark => (mark === '.' ? ',' : '.');

const MAX_NUMBER = 100;

/** Full-width digits and signs as usual ones, without spaces. */
const digitsOf = (text: string): string =>
  text.length > MAX_NUMBER ? '' : text.normalize('NFKC').replace(SPACES, '');

/** Plain digits with a point; null for anything else, also for grouping that is no grouping. */
export function plainNumber(text: string, mark: DecimalMark): string | null {
  if (mark === '.' && text.length <= MAX_NUMBER && PLAIN.test(text)) return text;
  const [matched, grouped = '', fraction = '', exponent = '0'] = FORMS[mark].exec(digitsOf(text)) ?? [];
  if (matched === undefined || grouped + fraction === '') return null;
  return shifted(grouped.replace(/[.,]/g, ''), fraction, Number(exponent));
}

const PLAIN = /^(?:0|[1-9]\d*)(?:\.\d+)?$/;
/** Groups of three digits; Indian ones have two before the last group. */
const FORMS = {
  '.': /^(\d+|\d{1,3}(?:,\d{2,3})*,\d{3})?(?:\.(\d*))?(?:e([+-]?\d{1,2}))?$/i,
  ',': /^(\d+|\d{1,3}(?:\.\d{2,3})*\.\d{3})?(?:,(\d*))?(?:e([+-]?\d{1,2}))?$/i,
} as const;

function shifted(whole: string, fraction: string, exponent: number): string {
  const digits = whole + fraction;
  const point = whole.length + exponent;
  const padded = digits.padStart(digits.length + Math.max(0, -point), '0').padEnd(Math.max(point, 0), '0');
  const place = Math.max(point, 0);
  const [left, right] = [padded.slice(0, place).replace(/^0+(?=\d)/, '') || '0', padded.slice(place)];
  return right === '' ? left : `${left}.${right}`;
}

export interface WrittenAmount {
  readonly text: string;
  readonly isNegative: boolean;
  /** The currencies beside the number as they are written, and any other word there. */
  readonly units: readonly string[];
}

const WRITTEN_AMOUNT =
  /^(\()?([+-]?)((?:[\p{L}\p{Sc}]{1,12}\.?)?)([+-]?)([\d.,]+)([\p{L}\p{Sc}]{0,12})([+-]?)(\))?$/u;
const SIDE = /^(.*?)(CR|DR|DB|C|D|贷|貸|借)$/iu;

/** Signs before and after, parentheses, letters for debit and credit; units are kept. */
export function signedNumber(text: string, mark: DecimalMark): WrittenAmount | null {
  const plain = digitsOf(text).replace(/[\u2212\u2013]/g, '-');
  const [, open = '', before = '', left = '', inner = '', digits = '', right = '', after = '', close = ''] =
    WRITTEN_AMOUNT.exec(plain) ?? [];
  const sides = [left, right].map((word) =>
    word === '' || currenciesOf(word) ? [word, ''] : (SIDE.exec(word)?.slice(1) ?? [word, '']),
  ) as [string, string][];
  const signs = [before, inner, after, ...sides.map(([, side]) => side)].filter(Boolean);
  if (signs.length > 1 || (open === '') !== (close === '') || (open !== '' && signs.length > 0)) return null;
  const number = plainNumber(digits, mark);
  if (number === null) return null;
  const units = sides.map(([unit]) => unit).filter(Boolean);
  return { text: number, isNegative: open !== '' || /^(-|D|DR|DB|借)$/i.test(signs[0] ?? ''), units };
}
