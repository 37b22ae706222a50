import { readCode, readDigits } from '@fairtick/money';
import type { Faults } from '../parts/use-form.ts';

/** How the withdrawal password is set: for the first time, by the old one, or by the account's password. */
export type Way = 'set' | 'change' | 'forgotten';

export interface WithdrawalPasswordForm {
  readonly oldPayWord: string;
  readonly password: string;
  readonly payWord: string;
  readonly confirmPayWord: string;
}
export type WithdrawalPasswordField = keyof WithdrawalPasswordForm;

export const EMPTY_WITHDRAWAL_PASSWORD: WithdrawalPasswordForm = {
  oldPayWord: '',
  password: '',
  payWord: '',
  confirmPayWord: '',
};
export const DIGITS = 6;

/** Whether a text, which may be pasted with spaces or in full-width digits, has exactly six digits. */
const isWithdrawalPassword = (typed: string): boolean => readDigits(typed)?.length === DIGITS;

export function errors(form: WithdrawalPasswordForm, way: Way): Faults<WithdrawalPasswordField> {
  const faults: Faults<WithdrawalPasswordField> = {};
  if (way === 'change') {
    if (form.oldPayWord === '') faults.oldPayWord = 'withdrawalPassword.oldRequired';
    else if (!isWithdrawalPassword(form.oldPayWord)) faults.oldPayWord = 'withdrawalPassword.format';
  }
  if (way === 'forgotten' && form.password === '') faults.password = 'fault.passwordRequired';
  if (form.payWord === '') faults.payWord = 'withdrawalPassword.required';
  else if (!isWithdrawalPassword(form.payWord)) faults.payWord = 'withdrawalPassword.format';
  if (form.confirmPayWord === '') faults.confirmPayWord = 'withdrawalPassword.confirmRequired';
  else if (readCode(form.confirmPayWord) !== readCode(form.payWord))
    faults.confirmPayWord = 'withdrawalPassword.differ';
  return faults;
}

export interface WithdrawalPasswordSummary {
  /** An easily guessed password: equal digits or a run. It only gives advice and refuses nothing. */
  readonly isEasy: boolean;
  readonly fields: Readonly<Partial<Record<WithdrawalPasswordField, string>>>;
}

export function summarise(form: WithdrawalPasswordForm, way: Way): WithdrawalPasswordSummary {
  const [payWord, confirmPayWord, oldPayWord] = [form.payWord, form.confirmPayWord, form.oldPayWord].map(
    readCode,
  ) as [string, string, string];
  const { password } = form;
  const proof = { set: {}, change: { oldPayWord }, forgotten: { password } }[way];
  return { isEasy: isEasy(payWord), fields: { payWord, confirmPayWord, ...proof } };
}

function isEasy(password: string): boolean {
  if (!isWithdrawalPassword(password)) return false;
  const steps = [...password].slice(1).map((digit, at) => Number(digit) - Number(password[at]));
  return [0, 1, -1].some((step) => steps.every((taken) => taken === step));
}
