/**
 * Reads numbers as people type and paste them: in the digits and separators of their country, with the spaces and invisible
 * characters of the page that they copied from. The wire's own grammar stays strict (`parseDecimal`).
 */

import { withoutTrailingZeros } from './trailing-zeros.ts';

/** A number as the wire spells it, or why the text is none. `ambiguous` has both readings, spelled so that each is read as itself. */
export type TypedAmount =
  | { readonly value: string }
  | { readonly fault: 'empty' | 'unreadable' }
  | { readonly fault: 'ambiguous'; readonly readings: readonly [decimal: string, whole: string] };

export interface AmountField {
  /** The field takes whole numbers only, so that `1.234` has one reading. */
  readonly isWhole?: boolean;
  /** The present price. Of two readings, which differ a thousandfold, the one within ten times of it is meant. */
  readonly near?: string | undefined;
}

/** No number of any field is longer, with all its separators. */
const LONGEST = 64;

/** The form of a number after {@link plain}. `٬` and `'` only group, `٫` and `·` only begin decimals. */
const NUMBER = /^[.,'٬٫· ]*\d[\d.,'٬٫· ]*$/;
/** Groups of three, of India (1,00,000) and of China and Japan (1,0000,0000); the separator is the same throughout. */
const GROUPED =
  /^(?:\d{1,3}(?:([.'٬ ])\d{3})(?:\1\d{3})*|\d{1,3}(?:,\d{3})+|\d{1,2}(?:,\d{2})+,\d{3}|\d{1,4}(?:,\d{4}){2,})$/;

/** Reads an amount, a price or a rate. It never drops a character that could change the number, and never guesses. */
export function readAmount(typed: string, field: AmountField = {}): TypedAmount {
  const text = plain(typed.slice(0, LONGEST + 1));
  if (text === '') return { fault: 'empty' };
  if (typed.length > LONGEST || !NUMBER.test(text)) return { fault: 'unreadable' };
  const [whole, fraction] = split(text);
  // Spaces inside digits mean nothing (`5 0`), unless they group and thereby decide what another separator is.
  const digits = GROUPED.test(whole) ? whole.replace(/\D/g, '') : whole.replaceAll(' ', '');
  const decimals = fraction.replaceAll(' ', '');
  if (!/^\d*$/.test(digits) || !/^\d*$/.test(decimals)) return { fault: 'unreadable' };
  const value = canonical(digits, decimals);
  const grouped = possibleGroups(text);
  if (grouped !== null) return choose(decimals, value, grouped, field);
  return field.isWhole && decimals !== '' ? { fault: 'unreadable' } : { value };
}

/** The value that {@link readAmount} reads; null for everything that it refuses. */
export function amountTyped(typed: string, field?: AmountField): string | null {
  const read = readAmount(typed, field);
  return 'value' in read ? read.value : null;
}

/** Splits at the decimal separator: the last separator, unless it is one that groups or is there more than once. */
function split(text: string): [whole: string, fraction: string] {
  const at = Math.max(...['.', ',', '٫', '·'].map((mark) => text.lastIndexOf(mark)));
  const mark = text.charAt(at);
  const isDecimal = at >= 0 && text.indexOf(mark) === at && !/['٬]/.test(text.slice(at));
  return isDecimal ? [text.slice(0, at).trim(), text.slice(at + 1)] : [text, ''];
}

/** The digits, if the only separator may as well group them: `1.234`, `1,234`, or four as in China (`1,2345`). */
function possibleGroups(text: string): string | null {
  const isOpen = /^[1-9]\d{0,2}[.,]\d{3}$|^[1-9]\d{0,3},\d{4}$/.test(text.replaceAll(' ', ''));
  // A space that groups in front of the separator leaves it one reading: 12 345,678.
  return isOpen && !/^\d+ \d{3}[.,]/.test(text) ? text.replace(/\D/g, '') : null;
}

function choose(decimals: string, asDecimal: string, asWhole: string, field: AmountField): TypedAmount {
  if (field.isWhole) return decimals.length === 3 ? { value: asWhole } : { fault: 'unreadable' };
  const near = Number(field.near ?? Number.NaN);
  const fits = [asDecimal, asWhole].filter((value) => Number(value) < near * 10 && Number(value) > near / 10);
  if (fits.length === 1) return { value: fits[0] as string };
  const digits = asWhole.slice(0, -decimals.length);
  return { fault: 'ambiguous', readings: [`${digits}.${decimals.padEnd(4, '0')}`, asWhole] };
}

/** Without zeros that mean nothing, as the wire wants it. */
function canonical(digits: string, decimals: string): string {
  const whole = digits.replace(/^0+(?=\d)/, '') || '0';
  return withoutTrailingZeros(`${whole}.${decimals}`);
}

/** A value that the app itself puts into a field, spelled so that {@link readAmount} reads it as itself: 1.234 is 1.2340. */
export const asTyped = (value: string): string => (/^[1-9]\d{0,2}\.\d{3}$/.test(value) ? `${value}0` : value);

/**
 * The digits of a code, a card or a telephone, typed with spaces and hyphens in any script.
 * @returns null if anything else is in it; an empty text has no digits
 */
export function readDigits(typed: string): string | null {
  const code = readCode(typed);
  return /^\d*$/.test(code) ? code : null;
}

/**
 * A code of letters and digits as it is compared: in capitals, digits and full-width forms in ASCII, without spaces, hyphens and
 * invisible characters. Other characters stay, so that they can be refused.
 */
export const readCode = (typed: string): string =>
  plainForm(typed)
    .replaceAll(/[\s\p{Pd}\u2212]/gu, '')
    .toUpperCase();

/** Text in which width, script and invisible characters make no difference: a document's number, a code, an amount. */
export function plainForm(typed: string): string {
  const visible = typed.replaceAll(/\p{Default_Ignorable_Code_Point}/gu, '');
  // NFKC would turn 10² into 102 and ① into 1; these stay and are refused.
  const compatible = /[\p{No}\p{Nl}]/u.test(visible) ? visible : visible.normalize('NFKC');
  return compatible
    .replaceAll(/\p{Nd}/gu, asciiDigit)
    .replaceAll(/\p{Zs}/gu, ' ')
    .trim();
}

/** The plain form of an amount, with one separator for those that look alike. */
function plain(typed: string): string {
  return plainForm(typed.replaceAll(/[´`‘’ʼ′]/g, "'"))
    .replaceAll('。', '.')
    .replaceAll(/[‚،、]/g, ',');
}

/** Unicode has the decimal digits of each script in a row from zero to nine; rows may follow each other. */
function asciiDigit(digit: string): string {
  const code = digit.codePointAt(0) as number;
  let before = 0;
  while (/\p{Nd}/u.test(String.fromCodePoint(code - before - 1))) before += 1;
  return String(before % 10);
}
