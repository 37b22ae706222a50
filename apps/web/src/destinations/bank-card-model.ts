import { readDigits } from '@fairtick/money';
import {
  type AccountFault,
  hasIban,
  hasShortCode,
  readAccount,
  readCardNumber,
} from '@fairtick/protocol/bank-accounts';
import type { MessageId } from '../messages/text.ts';
import type { Fault, Faults } from '../parts/use-form.ts';

/** The form of one card or account. The API never returns a number, so every change requires it again. */
export interface BankCardForm {
  readonly kind: 'card' | 'account';
  readonly country: string;
  readonly bankCode: string;
  readonly holder: string;
  readonly bank: string;
  readonly branch: string;
  /** As shown in the field; a card's in groups of four. */
  readonly cardNumber: string;
  /** The customer compared a number whose last digit is no check digit. */
  readonly checked: boolean;
}
type BankCardField = keyof BankCardForm;

export const EMPTY_CARD: BankCardForm = {
  kind: 'card',
  country: '',
  bankCode: '',
  holder: '',
  bank: '',
  branch: '',
  cardNumber: '',
  checked: false,
};

const grouped = (digits: string): string => digits.replaceAll(/(\d{4})(?=\d)/g, '$1 ');

/** Another kind has other numbers. */
export const ofKind = (kind: BankCardForm['kind']) => ({ kind, cardNumber: '', checked: false });

export const groupedIn = ({ kind, cardNumber }: BankCardForm): string =>
  kind === 'card' ? regrouped(cardNumber) : cardNumber;

/** A text with other signs than digits stays as it is, so that these are seen and refused. */
function regrouped(typed: string): string {
  const digits = readDigits(typed);
  return digits === null ? typed : grouped(digits);
}

/**
 * Groups the digits while they are typed at the end. A number edited in the middle stays as typed until the field is left,
 * because regrouping would move the cursor.
 */
export function numberTyped({ kind, cardNumber }: BankCardForm, typed: string) {
  const isAppended = readDigits(typed)?.startsWith(readDigits(cardNumber) ?? '');
  return { cardNumber: kind === 'card' && isAppended ? regrouped(typed) : typed, checked: false };
}

export function errors(form: BankCardForm): Faults<BankCardField, MessageId | Fault> {
  const faults: Faults<BankCardField, MessageId | Fault> = {};
  const needed = ['holder', 'bank', 'cardNumber'] as const;
  for (const field of form.kind === 'card' ? ([...needed, 'branch'] as const) : needed) {
    if (form[field].trim() === '') faults[field] = 'fault.required';
  }
  if (form.kind === 'account') {
    const read = readAccount({ ...form, number: form.cardNumber });
    if ('fault' in read)
      faults[read.field === 'number' ? 'cardNumber' : read.field] = accountFault(read, form.country);
  } else if (!faults.cardNumber) {
    const read = readCardNumber(form.cardNumber);
    if (typeof read === 'string') faults.cardNumber = `card.${read}`;
    else if (!read.hasCheckDigit && !form.checked) faults.checked = 'card.checkFirst';
  }
  return faults;
}

function accountFault(found: AccountFault, country: string): MessageId | Fault {
  switch (found.fault) {
    case 'missing':
      return 'fault.required';
    case 'letters':
      return 'account.letters';
    case 'code':
      return hasShortCode(country) ? 'account.shortCode' : 'account.code';
    case 'iban':
      return { id: 'account.ibanWrong', values: { country } };
    case 'length':
      return { id: 'account.length', values: { least: found.least, most: found.most } };
  }
}

/**
 * What follows from the fields. `isUnusual`: the number is that of no card that has a check digit, a warning, because not all cards have
 * one. `understood`: the account as it was read, to be compared; null while it can't be read. `fields`: what is sent.
 */
export function summarise(form: BankCardForm) {
  const texts = {
    holder: form.holder.trim(),
    bank: form.bank.trim(),
    branch: form.branch.trim() || undefined,
  };
  const needsIban = form.kind === 'account' && hasIban(form.country);
  const needsCode = form.kind === 'account' && !needsIban;
  if (form.kind === 'card') {
    const read = readCardNumber(form.cardNumber);
    const isUnusual = typeof read !== 'string' && !read.hasCheckDigit;
    const cardNumber = typeof read === 'string' ? form.cardNumber : read.number;
    const checked = isUnusual && form.checked ? 'true' : undefined;
    return { isUnusual, needsCode, needsIban, understood: null, fields: { ...texts, cardNumber, checked } };
  }
  const read = readAccount({ ...form, number: form.cardNumber });
  const account = 'fault' in read ? { ...form, number: form.cardNumber } : read;
  const { country, bankCode, number } = account;
  return {
    isUnusual: false,
    needsCode,
    needsIban,
    understood: 'fault' in read ? null : `${bankCode}${number}`,
    fields: {
      ...texts,
      kind: 'account',
      country,
      bankCode: needsCode ? bankCode : undefined,
      cardNumber: number,
    },
  };
}
