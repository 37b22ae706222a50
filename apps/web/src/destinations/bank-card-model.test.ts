import { describe, expect, test } from 'vitest';
import { type BankCardForm, EMPTY_CARD, errors, reduce, summarise } from './bank-card-model.ts';

const WHOLE: BankCardForm = {
  holder: ' 张三 ',
  bank: '中国银行',
  branch: '上海分行',
  cardNumber: '4111 1111 1111 1111',
};
const typeNumber = (form: BankCardForm, ...values: string[]) =>
  values.reduce((before, value) => reduce(before, { type: 'number', value }), form).cardNumber;

describe('the form of a bank card', () => {
  test('requires holder, bank, branch and number (S3-35 to S3-38, S5-11)', () => {
    expect(errors(EMPTY_CARD)).toEqual({
      holder: 'fault.required',
      bank: 'fault.required',
      branch: 'fault.required',
      cardNumber: 'fault.required',
    });
    expect(errors(WHOLE)).toEqual({});
    const blank = reduce(WHOLE, { type: 'text', field: 'branch', value: ' ' });
    expect(errors(blank)).toEqual({ branch: 'fault.required' });
  });

  test('reports a number with a wrong check digit before anything is sent', () => {
    for (const cardNumber of ['4111 1111 1111 1112', '4111', '0000 0000 000'])
      expect([cardNumber, errors({ ...WHOLE, cardNumber })]).toEqual([
        cardNumber,
        { cardNumber: 'card.numberWrong' },
      ]);
    for (const cardNumber of ['6222 0200 0000 0000 004', '378282246310005', '5555-5555-5555-4444'])
      expect([cardNumber, summarise({ ...WHOLE, cardNumber }).isNumberRight]).toEqual([
        cardNumber,
        cardNumber !== '6222 0200 0000 0000 004',
      ]);
  });

  test('groups a number while it is typed, and keeps the spacing while digits inside it are edited', () => {
    expect(typeNumber(EMPTY_CARD, '4', '41', '411', '4111', '41111')).toBe('4111 1');
    expect(typeNumber(EMPTY_CARD, '4111-1111-1111-1111')).toBe('4111 1111 1111 1111');
    // Deleting a space deletes no digit, so it must not be put back, or the cursor could not pass it.
    expect(typeNumber(WHOLE, '4111 1111 1111 111')).toBe('4111 1111 1111 111');
    expect(typeNumber(WHOLE, '411 1111 1111 1111')).toBe('411 1111 1111 1111');
    expect(reduce({ ...WHOLE, cardNumber: '411 1111' }, { type: 'group' }).cardNumber).toBe('4111 111');
    expect(typeNumber(EMPTY_CARD, 'card 4x1')).toBe('41');
    expect(typeNumber(EMPTY_CARD, '1'.repeat(30)).replaceAll(' ', '')).toBe('1'.repeat(19));
  });

  test('sends only the digits of the number, and the texts without surrounding space', () => {
    expect(summarise(WHOLE).fields).toEqual({
      holder: '张三',
      bank: '中国银行',
      branch: '上海分行',
      cardNumber: '4111111111111111',
    });
  });
});
