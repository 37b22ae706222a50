import { expect, test } from 'vitest';
import { registerFaults } from './account-forms.ts';

test('an empty registration marks every required field; the country only where the operator is live', () => {
  const empty = { account: '', password: '', confirmPassword: '', country: '', acceptRisk: false };
  const required = ['account', 'password', 'confirmPassword', 'acceptRisk'];
  expect(Object.keys(registerFaults(empty, 'demo')).sort()).toEqual([...required].sort());
  expect(Object.keys(registerFaults(empty, 'live')).sort()).toEqual([...required, 'country'].sort());
  expect(registerFaults({ ...empty, country: 'CH' }, 'live').country).toBeUndefined();
});

test('two passwords are compared only once the first one is long enough', () => {
  const form = {
    account: 'a23456',
    password: '1234567',
    confirmPassword: 'other',
    country: '',
    acceptRisk: true,
  };
  expect(registerFaults(form, 'demo')).toEqual({ password: 'fault.passwordTooShort' });
  expect(registerFaults({ ...form, password: '12345678' }, 'demo')).toEqual({
    confirmPassword: 'fault.passwordsDiffer',
  });
});
