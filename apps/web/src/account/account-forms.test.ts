import { expect, test } from 'vitest';
import { registerFaults } from './account-forms.ts';

test('an empty registration marks every required field; the country only where the operator is live', () => {
  const empty = { account: '', password: '', confirmPassword: '', country: '', acceptRisk: false };
  const required = ['account', 'password', 'confirmPassword', 'acceptRisk'];
  expect(Object.keys(registerFaults(empty, 'demo')).sort()).toEqual([...required].sort());
  expect(Object.keys(registerFaults(empty, 'live')).sort()).toEqual([...required, 'country'].sort());
  expect(registerFaults({ ...empty, country: 'CH' }, 'live').country).toBeUndefined();
});
