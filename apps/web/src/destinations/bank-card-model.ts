import isLuhnNumber from 'validator/es/lib/isLuhnNumber.js';
import type { Faults } from '../shell/use-form.ts';

/** The form of one bank card. The API never returns a card's number, so every change requires it again. */
export interface BankCardForm {
  readonly holder: string;
  readonly bank: string;
  readonly branch: string;
  /** As shown in the field, in groups of four. */
  readonly cardNumber: string;
}
export type BankCardField = keyof BankCardForm;

export const EMPTY_CARD: BankCardForm = { holder: '', bank: '', branch: '', cardNumber: '' };

export type BankCardAction =
  | { readonly type: 'text'; readonly field: Exclude<BankCardField, 'cardNumber'>; readonly value: string }
  | { readonly type: 'number'; readonly value: string }
  | { readonly type: 'group' };

const MAX_DIGITS = 19;
const digitsOf = (typed: string): string => typed.replaceAll(/\D/g, '').slice(0, MAX_DIGITS);
const grouped = (digits: string): string => digits.replaceAll(/(\d{4})(?=\d)/g, '$1 ');

export function reduce(form: BankCardForm, action: BankCardAction): BankCardForm {
  switch (action.type) {
    case 'text':
      return { ...form, [action.field]: action.value };
    case 'number':
      return { ...form, cardNumber: numberTyped(form.cardNumber, action.value) };
    case 'group':
      return { ...form, cardNumber: grouped(digitsOf(form.cardNumber)) };
  }
}

/**
 * Groups the digits while they are typed at the end. A number edited in the middle stays as typed until the field is left,
 * because regrouping would move the cursor.
 */
function numberTyped(before: string, typed: string): string {
  const digits = digitsOf(typed);
  const isAppended = digits.startsWith(digitsOf(before));
  if (isAppended) return grouped(digits);
  return typed.replaceAll(/[^\d -]/g, '').slice(0, MAX_DIGITS + 8);
}

export function errors(form: BankCardForm): Faults<BankCardField> {
  const faults: Faults<BankCardField> = {};
  for (const field of ['holder', 'bank', 'branch', 'cardNumber'] as const) {
    if (form[field].trim() === '') faults[field] = 'fault.required';
  }
  if (!faults.cardNumber && !summarise(form).isNumberRight) faults.cardNumber = 'card.numberWrong';
  return faults;
}

export interface BankCardSummary {
  readonly isNumberRight: boolean;
  /** The fields to send. */
  readonly fields: BankCardForm;
}

export function summarise(form: BankCardForm): BankCardSummary {
  const cardNumber = digitsOf(form.cardNumber);
  return {
    isNumberRight: cardNumber.length >= 12 && isLuhnNumber(cardNumber),
    fields: {
      holder: form.holder.trim(),
      bank: form.bank.trim(),
      branch: form.branch.trim(),
      cardNumber,
    },
  };
}
