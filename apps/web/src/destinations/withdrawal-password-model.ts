import { readCode, readDigits } from '@fairtick/money';
import type { Faults } from '../parts/use-form.ts';

export type Way = 'set' | 'change' | 'forgotten';

export const EMPTY_WITHDRAWAL_PASSWORD = { oldPayWord: '', password: '', payWord: '', confirmPayWord: '' };
export type WithdrawalPasswordForm = Readonly<typeof EMPTY_WITHDRAWAL_PASSWORD>;
export const DIGITS = 6;

/** Whether a text, which may be pasted with spaces or in full-width digits, has exactly six digits. */
const isWithdrawalPassword = (typed: string): boolean => readDigits(typed)?.length === DIGITS;

export function errors(form: WithdrawalPasswordForm, way: Way): Faults<keyof WithdrawalPasswordForm> {
  const faults: Faults<keyof WithdrawalPasswordForm> = {};
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

/** `isEasy`: an easily guessed password, equal digits or a run. It only gives advice and refuses nothing. */
export function summarise(form: WithdrawalPasswordForm, way: Way) {
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
