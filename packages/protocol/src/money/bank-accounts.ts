import { readCode } from '@fairtick/money';
import { getCountrySpecifications, isValidIBAN } from 'ibantools';

/** Numbers of bank cards and bank accounts as people type them. The server and the browser's form read them by the same rules. */
export interface TypedAccount {
  /** ISO 3166. */
  readonly country: string;
  readonly bankCode: string;
  readonly number: string;
}

/** Letters and other signs are never dropped, because a number without them is another number. */
export type CardFault = 'letters' | 'length';
export type AccountFault =
  | {
      readonly field: 'country' | 'bankCode' | 'number';
      readonly fault: 'missing' | 'letters' | 'code' | 'iban';
    }
  | { readonly field: 'number'; readonly fault: 'length'; readonly least: number; readonly most: number };

/** @returns the digits, and whether the last one is the check digit of the others: not all cards of UnionPay have one */
export function readCardNumber(typed: string): { number: string; hasCheckDigit: boolean } | CardFault {
  const number = signs(typed);
  if (!/^\d*$/.test(number)) return 'letters';
  return /^\d{12,19}$/.test(number) ? { number, hasCheckDigit: isLuhn(number) } : 'length';
}

/**
 * Rules of countries whose accounts have a bank code and no IBAN. In Hong Kong the number begins with the branch's three digits.
 */
const NATIONAL: Readonly<Record<string, { code: RegExp; least: number; most: number }>> = {
  HK: { code: /^\d{3}$/, least: 9, most: 12 },
  TW: { code: /^\d{3}$/, least: 10, most: 16 },
};
/** Elsewhere the code is the bank's national one or its BIC. */
const ANYWHERE = { code: /^[A-Z0-9]{3,12}$/, least: 4, most: 24 };

/** An IBAN without spaces, with right check digits. */
export const isIban = (number: string): boolean => isValidIBAN(number);

/** Whether accounts of the country have an IBAN, which contains the bank code. */
export const hasIban = (country: string): boolean =>
  getCountrySpecifications()[country]?.IBANRegistry === true;

/** Whether bank codes of the country are three digits, as in Hong Kong and Taiwan. */
export const hasShortCode = (country: string): boolean => country in NATIONAL;

export function readAccount(typed: TypedAccount): TypedAccount | AccountFault {
  const { country } = typed;
  if (country === '') return { field: 'country', fault: 'missing' };
  const number = signs(typed.number);
  const bankCode = signs(typed.bankCode);
  if (number === '') return { field: 'number', fault: 'missing' };
  if (hasIban(country))
    return number.startsWith(country) && isValidIBAN(number)
      ? { country, bankCode: '', number }
      : { field: 'number', fault: 'iban' };
  const rules = NATIONAL[country] ?? ANYWHERE;
  if (bankCode === '') return { field: 'bankCode', fault: 'missing' };
  if (!rules.code.test(bankCode)) return { field: 'bankCode', fault: 'code' };
  if (!/^\d+$/.test(number)) return { field: 'number', fault: 'letters' };
  const own = withoutCode(typed.number, number, bankCode, rules.most);
  const { least, most } = rules;
  return own.length >= least && own.length <= most
    ? { country, bankCode, number: own }
    : { field: 'number', fault: 'length', least, most };
}

/** Equal for equal accounts, and for a card its number: the text of the blind index. */
export const accountKey = ({ country, bankCode, number }: TypedAccount): string =>
  number.startsWith(country) ? number : `${country}${bankCode}${number}`;

/** People write `822-0123456789012` and `(012) 345-678901`, with the bank code that has a field of its own. */
function withoutCode(typed: string, number: string, bankCode: string, most: number): string {
  const [first = ''] = typed.split(/[^\p{L}\p{N}\p{Cf}]+/u).filter(Boolean);
  const isApart = signs(first) === bankCode && number.length > bankCode.length;
  const isTooLong = number.length > most && number.startsWith(bankCode);
  return isApart || isTooLong ? number.slice(bankCode.length) : number;
}

const signs = (typed: string): string => readCode(typed).replaceAll(/[().·/]/g, '');

/** ISO/IEC 7812: every second digit from the right is doubled, and the sum of all digits is a multiple of ten. */
function isLuhn(number: string): boolean {
  const sum = [...number].reverse().reduce((total, digit, place) => {
    const value = Number(digit) * (place % 2 === 1 ? 2 : 1);
    return total + (value > 9 ? value - 9 : value);
  }, 0);
  return sum % 10 === 0;
}
