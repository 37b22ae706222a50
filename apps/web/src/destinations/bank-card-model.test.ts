import { describe, expect, test } from 'vitest';
import {
  type BankCardForm,
  EMPTY_CARD,
  errors,
  groupedIn,
  numberTyped,
  summarise,
} from './bank-card-model.ts';

const WHOLE: BankCardForm = {
  ...EMPTY_CARD,
  holder: ' 张三 ',
  bank: '中国银行',
  branch: '上海分行',
  cardNumber: '4111 1111 1111 1111',
};
const TEXTS = { holder: '张三', bank: '中国银行', branch: '上海分行' };
const typeNumber = (form: BankCardForm, ...values: string[]) =>
  values.reduce(
    (cardNumber, value) => numberTyped({ ...form, cardNumber }, value).cardNumber,
    form.cardNumber,
  );

describe('the form of a bank card', () => {
  test('requires holder, bank, branch and number (S3-35 to S3-38, S5-11)', () => {
    expect(errors(EMPTY_CARD)).toEqual({
      holder: 'fault.required',
      bank: 'fault.required',
      branch: 'fault.required',
      cardNumber: 'fault.required',
    });
    expect(errors(WHOLE)).toEqual({});
    expect(errors({ ...WHOLE, branch: ' ' })).toEqual({ branch: 'fault.required' });
  });

  test('refuses letters and a wrong length, and asks to compare a number without a check digit', () => {
    for (const [cardNumber, fault] of [
      ['4111', 'card.length'],
      ['0000 0000 000', 'card.length'],
      ['1'.repeat(20), 'card.length'],
      ['6222O20000000000000', 'card.letters'],
      ['4111 1111 1111 1111 x', 'card.letters'],
    ] as const)
      expect([cardNumber, errors({ ...WHOLE, cardNumber })]).toEqual([cardNumber, { cardNumber: fault }]);
    for (const cardNumber of [
      '6222020000000000000',
      '６２２２０２０００００００００００００',
      '6222-0200-0000-0000-000\u00a0',
      '\u20606222020000000000000',
    ])
      expect([
        cardNumber,
        errors({ ...WHOLE, cardNumber }),
        summarise({ ...WHOLE, cardNumber }).fields,
      ]).toEqual([cardNumber, {}, { ...TEXTS, cardNumber: '6222020000000000000' }]);
    const unusual = { ...WHOLE, cardNumber: '6222 0200 0000 0000 001' };
    expect([errors(unusual), summarise(unusual)]).toMatchObject([
      { checked: 'card.checkFirst' },
      { isUnusual: true },
    ]);
    const checked = { ...unusual, checked: true };
    expect([errors(checked), summarise(checked).fields]).toEqual([
      {},
      { ...TEXTS, cardNumber: '6222020000000000001', checked: 'true' },
    ]);
    // Another number has to be compared again.
    expect(errors({ ...checked, ...numberTyped(checked, '6222 0200 0000 0000 002') })).toHaveProperty(
      'checked',
    );
  });

  test('reads accounts by the rules of their country, and shows what was understood', () => {
    const account = (country: string, bankCode: string, cardNumber: string): BankCardForm => ({
      ...WHOLE,
      ...{ kind: 'account', branch: '', country, bankCode, cardNumber },
    });
    for (const [country, code, typed, understood] of [
      ['HK', '012', '012-345-678901-234', '012345678901234'],
      ['HK', '004', '123-456789-838', '004123456789838'],
      ['TW', '822', '822-0123456789012', '8220123456789012'],
      ['TW', '８２２', '（822）0123456789012', '8220123456789012'],
      ['TW', '822', '0123456789012', '8220123456789012'],
      ['DE', '', 'de89 3704 0044 0532 0130 00', 'DE89370400440532013000'],
      ['SG', 'DBSSSGSG', '001-2-345678', 'DBSSSGSG0012345678'],
    ] as const) {
      const form = account(country, code, typed);
      expect([typed, errors(form), summarise(form).understood]).toEqual([typed, {}, understood]);
    }
    expect(summarise(account('TW', '822', '822-0123456789012')).fields).toEqual({
      ...TEXTS,
      ...{ branch: undefined, kind: 'account', country: 'TW', bankCode: '822', cardNumber: '0123456789012' },
    });
    for (const [country, code, typed, fault] of [
      ['', '012', '345678901', { country: 'fault.required' }],
      ['HK', '', '345678901', { bankCode: 'fault.required' }],
      ['HK', '12', '345678901', { bankCode: 'account.shortCode' }],
      ['HK', '012', '34567890', { cardNumber: { id: 'account.length', values: { least: 9, most: 12 } } }],
      ['TW', '822', '01234S6789012', { cardNumber: 'account.letters' }],
      [
        'DE',
        '',
        'DE89370400440532013001',
        { cardNumber: { id: 'account.ibanWrong', values: { country: 'DE' } } },
      ],
      [
        'FR',
        '',
        'DE89370400440532013000',
        { cardNumber: { id: 'account.ibanWrong', values: { country: 'FR' } } },
      ],
    ] as const)
      expect([typed, errors(account(country, code, typed))]).toEqual([typed, fault]);
  });

  test('groups a number while it is typed, and keeps the spacing while digits inside it are edited', () => {
    expect(typeNumber(EMPTY_CARD, '4', '41', '411', '4111', '41111')).toBe('4111 1');
    expect(typeNumber(EMPTY_CARD, '4111-1111-1111-1111')).toBe('4111 1111 1111 1111');
    // Deleting a space deletes no digit, so it must not be put back, or the cursor could not pass it.
    expect(typeNumber(WHOLE, '4111 1111 1111 111')).toBe('4111 1111 1111 111');
    expect(typeNumber(WHOLE, '411 1111 1111 1111')).toBe('411 1111 1111 1111');
    expect(groupedIn({ ...WHOLE, cardNumber: '411 1111' })).toBe('4111 111');
    // The reader keeps all that was typed.
    expect(typeNumber(EMPTY_CARD, 'card 4x1')).toBe('card 4x1');
    expect(typeNumber(EMPTY_CARD, '1'.repeat(30)).replaceAll(' ', '')).toBe('1'.repeat(30));
  });

  test('sends only the digits of the number, and the texts without surrounding space', () => {
    expect(summarise(WHOLE).fields).toEqual({ ...TEXTS, cardNumber: '4111111111111111' });
  });
});
