import { describe, expect, test } from 'vitest';
import {
  EMPTY_WITHDRAWAL_PASSWORD,
  errors,
  summarise,
  type WithdrawalPasswordForm,
} from './withdrawal-password-model.ts';

const typed = (values: Partial<WithdrawalPasswordForm>): WithdrawalPasswordForm => ({
  ...EMPTY_WITHDRAWAL_PASSWORD,
  ...values,
});
const PAIR = { payWord: '135790', confirmPayWord: '135790' };

describe('the form of the withdrawal password', () => {
  test('requires six digits, entered twice (S7-17)', () => {
    expect(errors(typed({}), 'set')).toEqual({
      payWord: 'withdrawalPassword.required',
      confirmPayWord: 'withdrawalPassword.confirmRequired',
    });
    expect(errors(typed({ payWord: '13579', confirmPayWord: '13579' }), 'set')).toEqual({
      payWord: 'withdrawalPassword.format',
    });
    expect(errors(typed({ ...PAIR, confirmPayWord: '135791' }), 'set')).toEqual({
      confirmPayWord: 'withdrawalPassword.differ',
    });
    expect(errors(typed(PAIR), 'set')).toEqual({});
  });

  test('requires the old one for a change, and the account’s password when the old one is forgotten', () => {
    expect(errors(typed(PAIR), 'change')).toEqual({ oldPayWord: 'withdrawalPassword.oldRequired' });
    expect(errors(typed({ ...PAIR, oldPayWord: '1' }), 'change')).toEqual({
      oldPayWord: 'withdrawalPassword.format',
    });
    expect(errors(typed(PAIR), 'forgotten')).toEqual({ password: 'fault.passwordRequired' });
    const all = typed({ ...PAIR, oldPayWord: '246810', password: 'a b 1' });
    expect([errors(all, 'change'), errors(all, 'forgotten')]).toEqual([{}, {}]);
    expect(summarise(all, 'set').fields).toEqual(PAIR);
    expect(summarise(all, 'change').fields).toEqual({ ...PAIR, oldPayWord: '246810' });
    expect(summarise(all, 'forgotten').fields).toEqual({ ...PAIR, password: 'a b 1' });
  });

  test('takes pasted digits with spaces or of full width, and refuses what is not six digits', () => {
    const pasted = typed({ payWord: ' 135 790', confirmPayWord: '１３５-７９０' });
    expect(errors(pasted, 'set')).toEqual({});
    expect(summarise(pasted, 'set').fields).toEqual(PAIR);
    for (const password of ['1357901', '13579O', 'abc'])
      expect(errors(typed({ payWord: password, confirmPayWord: password }), 'set').payWord).toBe(
        'withdrawalPassword.format',
      );
  });

  test('marks the easiest ones as easy to guess', () => {
    for (const password of ['000000', '123456', '987654'])
      expect([password, summarise(typed({ payWord: password }), 'set').isEasy]).toEqual([password, true]);
    for (const password of ['', '00000', '135790', '112233'])
      expect([password, summarise(typed({ payWord: password }), 'set').isEasy]).toEqual([password, false]);
  });
});
