import type { AppConfig } from '@fairtick/protocol';
import type { Faults } from '../parts/use-form.ts';

const ACCOUNT = /^[A-Za-z][A-Za-z0-9_]{5,17}$/;
const MIN_PASSWORD = 8;

export function loginFaults(form: { account: string; password: string }): Faults<'account' | 'password'> {
  return {
    ...(form.account.trim() === '' ? { account: 'fault.accountRequired' } : {}),
    ...(form.password === '' ? { password: 'fault.passwordRequired' } : {}),
  };
}

export function passwordFaults(form: {
  password: string;
  confirmPassword: string;
}): Faults<'password' | 'confirmPassword'> {
  const faults: Faults<'password' | 'confirmPassword'> = {};
  if (form.password === '') faults.password = 'fault.passwordRequired';
  else if ([...form.password].length < MIN_PASSWORD) faults.password = 'fault.passwordTooShort';
  if (form.confirmPassword === '') faults.confirmPassword = 'fault.confirmRequired';
  // A refused password is typed again, so it does not matter that the other one differs.
  else if (!faults.password && form.confirmPassword !== form.password)
    faults.confirmPassword = 'fault.passwordsDiffer';
  return faults;
}

export function registerFaults(
  form: {
    account: string;
    password: string;
    confirmPassword: string;
    country: string;
    acceptRisk: boolean;
  },
  mode: AppConfig['mode'],
): Faults<'account' | 'password' | 'confirmPassword' | 'country' | 'acceptRisk'> {
  const account = form.account.trim();
  return {
    ...(account === ''
      ? { account: 'fault.accountRequired' as const }
      : ACCOUNT.test(account)
        ? {}
        : { account: 'fault.accountFormat' as const }),
    ...passwordFaults(form),
    ...(mode === 'live' && form.country === '' ? { country: 'fault.countryRequired' as const } : {}),
    ...(form.acceptRisk ? {} : { acceptRisk: 'fault.consentRequired' as const }),
  };
}
