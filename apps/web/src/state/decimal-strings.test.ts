import { expect, test } from 'vitest';
import { compareDecimals, compareMoney } from './decimal-strings.ts';

test('decimals compare by value, whatever their signs and lengths', () => {
  const sorted = ['-10.5', '-2', '0', '0.00000001', '9', '10.50', '100'];
  expect([...sorted].reverse().sort(compareDecimals)).toEqual(sorted);
  expect(compareDecimals('1.50', '1.5')).toBe(0);
});

test('decimals are compared digit by digit, also while one is typed', () => {
  expect(compareDecimals('9007199254740993', '9007199254740992')).toBe(1);
  expect(compareDecimals('0.3', '0.30')).toBe(0);
  expect(compareDecimals('0.00000001', '0.00000002')).toBe(-1);
  expect(compareDecimals('100.', '100.000000')).toBe(0);
  expect(compareDecimals('99999999999999999999999', '1.000000')).toBe(1);
});

test('amounts of one asset stay together', () => {
  const money = (text: string) => {
    const [amount = '', asset = ''] = text.split(' ');
    return { amount, asset };
  };
  const sorted = ['2 BTC', '10 BTC', '-5 USDT', '1 USDT'];
  expect([...sorted].reverse().sort((a, b) => compareMoney(money(a), money(b)))).toEqual(sorted);
});
