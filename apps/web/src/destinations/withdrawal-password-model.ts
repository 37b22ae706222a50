import { readCode, readDigits } from '@fairtick/money';
import type { Faults } from '../parts/use-form.ts';

/** How the withdrawal password is set: for the first time, by the old one, or by the account's password. */
export type Way = 'set' | 'change' | 'forgotten';

export interface PayWordForm {
  readonly oldPayWord: string;
  readonly password: string;
  readonly payWord: string;
  readonly confirmPayWord: string;
}
export type PayWordField = keyof PayWordForm;

export const EMPTY_PAY_WORD: PayWordForm = {
  oldPayWord: '',
  password: '',
  payWord: '',
  confirmPayWord: '',
};
export const DIGITS = 6;

/** Whether a text, which may be pasted with spaces or in full-width digits, has exactly six digits. */
const isPayWord = (typed: string): boolean => readDigits(typed)?.length === DIGITS;

export function errors(form: PayWordForm, way: Way): Faults<PayWordField> {
  const faults: Faults<PayWordField> = {};
  if (way === 'change') {
    if (form.oldPayWord === '') faults.oldPayWord = 'payWord.oldRequired';
    else if (!isPayWord(form.oldPayWord)) faults.oldPayWord = 'payWord.format';
  }
  if (way === 'forgotten' && form.password === '') faults.password = 'fault.passwordRequired';
  if (form.payWord === '') faults.payWord = 'payWord.required';
  else if (!isPayWord(form.payWord)) faults.payWord = 'payWord.format';
  if (form.confirmPayWord === '') faults.confirmPayWord = 'payWord.confirmRequired';
  else if (readCode(form.confirmPayWord) !== readCode(form.payWord)) faults.confirmPayWord = 'payWord.differ';
  return faults;
}

export interface PayWordSummary {
  /** An easily guessed password: equal digits or a run. It only gives advice and refuses nothing. */
  readonly isEasy: boolean;
  readonly fields: Readonly<Partial<Record<PayWordField, string>>>;
}

export function summarise(form: PayWordForm, way: Way): PayWordSummary {
  const [payWord, confirmPayWord, oldPayWord] = [form.payWord, form.confirmPayWord, form.oldPayWord].map(
    readCode,
  ) as [string, string, string];
  const { password } = form;
  const proof = { set: {}, change: { oldPayWord }, forgotten: { password } }[way];
  return { isEasy: isEasy(payWord), fields: { payWord, confirmPayWord, ...proof } };
}

function isEasy(payWord: string): boolean {
  if (!isPayWord(payWord)) return false;
  const steps = [...payWord].slice(1).map((digit, at) => Number(digit) - Number(payWord[at]));
  return [0, 1, -1].some((step) => steps.every((taken) => taken === step));
}
