import { describe, expect, test } from 'vitest';
import {
  formatDecimal,
  formatRate,
  MAX_MINOR,
  parseAmount,
  parseDecimal,
  parsePrice,
  parseRate,
} from './index.ts';

/** The same numbers in every run, so that a failure can be reproduced. */
function seededBits(seed: number): () => bigint {
  let state = BigInt(seed);
  return () => {
    state = (state * 6_364_136_223_846_793_005n + 1_442_695_040_888_963_407n) & 0xffff_ffff_ffff_ffffn;
    return state >> 20n;
  };
}

const HOSTILE = [
  ['nothing', ''],
  ['not a number', 'NaN'],
  ['infinity', 'Infinity'],
  ['minus infinity', '-Infinity'],
  ['an exponent', '1e3'],
  ['a capital exponent', '1E3'],
  ['a negative exponent', '5e-1'],
  ['a plus', '+1'],
  ['a minus', '-1'],
  ['minus zero', '-0'],
  ['a space before', ' 1'],
  ['a space after', '1 '],
  ['a tab', '1\t'],
  ['a line end', '1\n'],
  ['two lines', '1\n2'],
  ['a carriage return', '1\r\n'],
  ['a null byte', '1\u0000'],
  ['a byte order mark', '\ufeff1'],
  ['a no-break space', '\u00a01'],
  ['a zero-width space', '1\u200b'],
  ['hexadecimal', '0x1'],
  ['octal', '0o7'],
  ['binary', '0b1'],
  ['a bigint literal', '1n'],
  ['a digit separator', '1_000'],
  ['a thousands comma', '1,000'],
  ['a decimal comma', '1,5'],
  ['full-width digits', '１２'],
  ['Arabic digits', '١٢'],
  ['Devanagari digits', '१२'],
  ['mathematical digits', '𝟏𝟐'],
  ['a full-width point', '1．5'],
  ['leading zeros', '00005'],
  ['two zeros', '00'],
  ['a zero before the digits', '01.5'],
  ['no whole part', '.5'],
  ['no fraction after the point', '5.'],
  ['a point alone', '.'],
  ['two points', '1.2.3'],
  ['a doubled point', '1..2'],
  ['a sign after the point', '1.-5'],
  ['a currency sign', '$1'],
  ['a percentage', '1%'],
  ['a word', 'one'],
  ['a boolean', 'true'],
  ['SQL', "1'; drop table orders; --"],
  ['thirteen whole digits', '1000000000000'],
  ['a thousand digits', '9'.repeat(1000)],
  ['a million digits', '9'.repeat(1_000_000)],
  ['one decimal too many', '1.0000001'],
  ['zeros past the last decimal', '1.0000000'],
  ['a thousand decimals', `1.${'0'.repeat(1000)}`],
] as const;

describe('the grammar of amounts', () => {
  test.each(HOSTILE)('refuses %s', (_what, text) => {
    expect(parseDecimal(text, 6)).toBeNull();
    expect(parseAmount(text, 6)).toBeNull();
    expect(parsePrice(text, 6)).toBeNull();
  });

  test.each([
    1,
    0,
    -1,
    1.5,
    Number.NaN,
    1n,
    true,
    null,
    undefined,
    {},
    [],
    ['1'],
    { toString: () => '1' },
    new String('1'),
    Symbol('1'),
    () => '1',
  ])('refuses a value that is not a string (case %#)', (value) => {
    expect(parseDecimal(value as string, 6)).toBeNull();
  });

  test.each([
    ['0', 6, 0n],
    ['0.0', 6, 0n],
    ['0.000001', 6, 1n],
    ['1', 6, 1_000_000n],
    ['1.5', 6, 1_500_000n],
    ['1.50', 6, 1_500_000n],
    ['10', 6, 10_000_000n],
    ['999999999999', 6, 999_999_999_999_000_000n],
    ['999999999999.999999', 6, 999_999_999_999_999_999n],
    ['1.08451', 5, 108_451n],
    ['0.0002', 8, 20_000n],
    ['12', 0, 12n],
    ['0', 0, 0n],
  ])('reads %s at %i decimals as %i', (text, decimals, value) => {
    expect(parseDecimal(text, decimals)).toBe(value);
  });

  test('refuses a fraction at 0 decimals', () => {
    expect(parseDecimal('1.0', 0)).toBeNull();
    expect(parseDecimal('1.', 0)).toBeNull();
    expect(parseDecimal('01', 0)).toBeNull();
  });

  test('amounts and prices of zero are refused', () => {
    for (const zero of ['0', '0.0', '0.000000']) {
      expect(parseAmount(zero, 6)).toBeNull();
      expect(parsePrice(zero, 6)).toBeNull();
    }
    expect(parseAmount('0.000001', 6)).toBe(1n);
    expect(parsePrice('0.000001', 6)).toBe(1n);
  });

  test('refuses an amount that a bigint column could not hold together with its income', () => {
    // The limit, 2^62 - 1, is 46 116 860 184.27387903 BTC at 8 decimals; one smallest unit more is refused.
    expect(MAX_MINOR).toBe(4_611_686_018_427_387_903n);
    expect(parseDecimal('46116860184.27387903', 8)).toBe(MAX_MINOR);
    expect(parseDecimal('46116860184.27387904', 8)).toBeNull();
    expect(parseDecimal('999999999999', 8)).toBeNull();
  });
});

describe('writing amounts', () => {
  test.each([
    [0n, 6, '0.000000'],
    [1n, 6, '0.000001'],
    [-1n, 6, '-0.000001'],
    [-150n, 2, '-1.50'],
    [100n, 2, '1.00'],
    [99n, 2, '0.99'],
    [108_451n, 5, '1.08451'],
    [12n, 0, '12'],
    [-12n, 0, '-12'],
    [10_000_000_000n, 6, '10000.000000'],
  ])('writes %i at %i decimals as %s', (value, decimals, text) => {
    expect(formatDecimal(value, decimals)).toBe(text);
  });

  test('a written amount is read back as the same amount, with or without its trailing zeros', () => {
    const next = seededBits(20_261);
    for (let round = 0; round < 20_000; round += 1) {
      const decimals = Number(next() % 9n);
      const value = next() % 10n ** BigInt(1 + Number(next() % BigInt(12 + decimals)));
      if (value > MAX_MINOR) continue;
      const text = formatDecimal(value, decimals);
      expect(text).toMatch(decimals === 0 ? /^\d+$/ : new RegExp(`^\\d+\\.\\d{${decimals}}$`));
      expect(parseDecimal(text, decimals)).toBe(value);
      const short = text.includes('.') ? text.replace(/\.?0+$/, '') : text;
      expect(parseDecimal(short, decimals)).toBe(value);
      expect(parseDecimal(`${text}0`, decimals) === null || decimals === 0).toBe(true);
    }
  });

  test('a mutated amount is refused or is read as exactly the amount that it spells', () => {
    const next = seededBits(77);
    const letters = '0123456789.,eE+-x _nN１ \t';
    let read = 0;
    for (let round = 0; round < 20_000; round += 1) {
      const text = formatDecimal(next() % 1_000_000_000n, 6);
      const place = Number(next() % BigInt(text.length));
      const letter = letters[Number(next() % BigInt(letters.length))] as string;
      const mutated = text.slice(0, place) + letter + text.slice(place + 1);
      const value = parseDecimal(mutated, 6);
      if (value === null) continue;
      read += 1;
      expect(mutated).toMatch(/^(0|[1-9][0-9]{0,11})(\.[0-9]{1,6})?$/);
      const [whole = '', fraction = ''] = mutated.split('.');
      expect(formatDecimal(value, 6)).toBe(`${whole}.${fraction.padEnd(6, '0')}`);
    }
    expect(read).toBeGreaterThan(1_000);
  });
});

describe('rates', () => {
  test.each([
    ['0.85', 8500],
    ['0.8', 8000],
    ['0.93', 9300],
    ['0.8501', 8501],
    ['1', 10_000],
    ['0', 0],
  ])('reads %s and writes it back', (text, bps) => {
    expect(parseRate(text)).toBe(bps);
    expect(formatRate(bps)).toBe(text);
  });

  test('refuses more than four decimals and text that is no plain decimal', () => {
    for (const text of ['0.85001', '.85', '85%', '1e-1', '-0.85', ' 0.85', '0,85']) {
      expect(parseRate(text)).toBeNull();
    }
  });
});
