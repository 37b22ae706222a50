import { describe, expect, test } from 'vitest';
import { asTyped, parseDecimal, readAmount, readCode, readDigits } from './index.ts';

/** The value, `decimal|whole` for two readings, or the fault. */
function reading(typed: string, field?: Parameters<typeof readAmount>[1]): string {
  const read = readAmount(typed, field);
  if ('value' in read) return read.value;
  return 'readings' in read ? read.readings.join('|') : read.fault;
}

/** Amounts as people of each country type and paste them. */
const TYPED: Readonly<Record<string, readonly (readonly [typed: string, reading: string])[]>> = {
  'United States': [
    ['1.5', '1.5'],
    ['1,234.56', '1234.56'],
    ['1,234,567', '1234567'],
    ['1,234,567.8', '1234567.8'],
    ['1,234.567', '1234.567'],
    ['.5', '0.5'],
    ['1.', '1'],
    ['1,234.', '1234'],
    ['00010', '10'],
    ['0.123', '0.123'],
    ['1.0845', '1.0845'],
    ['1,234', '1.2340|1234'],
    ['$100', 'unreadable'],
    ['100 USD', 'unreadable'],
    ['1e3', 'unreadable'],
    ['0x10', 'unreadable'],
    ['+5', 'unreadable'],
    ['-5', 'unreadable'],
    ['5%', 'unreadable'],
    ['ten', 'unreadable'],
    ['1,23,45', 'unreadable'],
    ['1.2.3', 'unreadable'],
    ['1..2', 'unreadable'],
    ['100\t200', 'unreadable'],
    ['1_000', 'unreadable'],
  ],
  'United Kingdom': [
    ['1·5', '1.5'],
    ['12,345.67', '12345.67'],
    ['£5', 'unreadable'],
    ['1.234', '1.2340|1234'],
    ['12.500', '12.5000|12500'],
    ['1½', 'unreadable'],
    ['10²', 'unreadable'],
  ],
  Germany: [
    ['1,5', '1.5'],
    ['1,50', '1.5'],
    ['1.234,56', '1234.56'],
    ['1.234.567', '1234567'],
    ['1.234.567,89', '1234567.89'],
    ['0,001', '0.001'],
    [',5', '0.5'],
    ['1.234', '1.2340|1234'],
    ['1,234', '1.2340|1234'],
    ['1‚5', '1.5'],
    ['1,5 €', 'unreadable'],
    ['100,-', 'unreadable'],
    ['1.23,45', 'unreadable'],
    ['1.234,567', '1234.567'],
  ],
  France: [
    ['1\u202f234,56', '1234.56'],
    ['1 234,5', '1234.5'],
    ['12\u00a0345', '12345'],
    ['1 234 567', '1234567'],
    ['12 345,678', '12345.678'],
    ['1 234,567', '1234.567'],
    ['5 0', '50'],
    ['5\u00a00', '50'],
  ],
  Switzerland: [
    ["1'234.50", '1234.5'],
    ['1’234’567', '1234567'],
    ["12'345,5", '12345.5'],
    ["1'234", '1234'],
    ['1´000', '1000'],
    ["1'23", 'unreadable'],
  ],
  Spain: [
    ['2.500,00', '2500'],
    ['0,5', '0.5'],
    ['10.000', '10.0000|10000'],
  ],
  Brazil: [
    ['R$ 10', 'unreadable'],
    ['10,00', '10'],
    ['12.345.678,90', '12345678.9'],
  ],
  Sweden: [
    ['1 000,50', '1000.5'],
    ['10 000', '10000'],
    ['1:50', 'unreadable'],
  ],
  Russia: [
    ['3 000', '3000'],
    ['1\u00a0000\u00a0000,01', '1000000.01'],
    ['5 руб', 'unreadable'],
    ['О5', 'unreadable'],
  ],
  Türkiye: [
    ['1.250,75', '1250.75'],
    ['7,25', '7.25'],
    ['₺7', 'unreadable'],
  ],
  India: [
    ['1,00,000', '100000'],
    ['1,00,000.50', '100000.5'],
    ['12,34,56,789', '123456789'],
    ['१२३.५', '123.5'],
    ['१,२३,४५६', '123456'],
    ['1,00,00', 'unreadable'],
    ['₹500', 'unreadable'],
  ],
  China: [
    ['１００', '100'],
    ['１００．５', '100.5'],
    ['１００。５', '100.5'],
    ['1，234．5', '1234.5'],
    ['100\u3000', '100'],
    ['1,0000,0000', '100000000'],
    ['1,0000', '1.0000|10000'],
    ['100元', 'unreadable'],
    ['一百', 'unreadable'],
    ['1万', 'unreadable'],
    ['①', 'unreadable'],
  ],
  Taiwan: [
    ['５', '5'],
    ['NT$500', 'unreadable'],
    ['２，５００．２５', '2500.25'],
  ],
  Japan: [
    ['１，２３４，５６７', '1234567'],
    ['￥500', 'unreadable'],
    ['３｡５', '3.5'],
    ['500円', 'unreadable'],
  ],
  Egypt: [
    ['٥٠', '50'],
    ['١٬٢٣٤٫٥', '1234.5'],
    ['١٬٢٣٤', '1234'],
    ['٠٫٥', '0.5'],
    ['١،٥', '1.5'],
    ['\u200f٥٠\u200e', '50'],
  ],
  Iran: [
    ['۱۲۳', '123'],
    ['۱٬۲۳۴٬۵۶۷', '1234567'],
    ['۱٫۵', '1.5'],
    ['\u202b۱۰\u202c', '10'],
  ],
  Thailand: [
    ['๑๐๐', '100'],
    ['๑,๒๓๔.๕๐', '1234.5'],
    ['฿10', 'unreadable'],
  ],
  'a page': [
    [' 100\n', '100'],
    ['\ufeff100', '100'],
    ['1\u200b0\u20600', '100'],
    ['1\ufe0f', '1'],
    ['1\u2009234.5', '1234.5'],
    ['𝟏𝟐', '12'],
    ['', 'empty'],
    [' \u200b', 'empty'],
    ['.', 'unreadable'],
    ['1.,', 'unreadable'],
    ['9'.repeat(65), 'unreadable'],
  ],
};

describe('a typed amount', () => {
  const rows = Object.entries(TYPED).flatMap(([country, each]) =>
    each.map((row) => [country, ...row] as const),
  );

  test('is the amount that was meant, or is refused', () => {
    expect(rows.length).toBeGreaterThan(100);
    expect(rows.map(([country, typed]) => [country, typed, reading(typed)])).toEqual(rows);
  });

  test('is in the grammar of the wire', () => {
    for (const [, , value] of rows)
      if (/^\d/.test(value) && !value.includes('|'))
        expect([value, parseDecimal(value, 8)]).not.toContain(null);
  });

  test('with two readings can be entered in either of the spellings that are offered', () => {
    for (const typed of ['1.234', '1,234', '999,999', '1,2345', '5.000']) {
      const read = readAmount(typed);
      if (!('readings' in read)) throw new Error(`${typed} has one reading`);
      const [decimal, whole] = read.readings;
      expect([decimal, whole].map((text) => reading(text))).toEqual([
        decimal.replace(/0+$/, '').replace(/\.$/, ''),
        whole,
      ]);
    }
  });

  test('in a field of whole numbers only groups, and has no decimals', () => {
    const whole = (typed: string) => reading(typed, { isWhole: true });
    expect(['1.234', '1,234', '12', '１２', '1.5', '1,0', '1,2345'].map(whole)).toEqual([
      ...['1234', '1234', '12', '12'],
      ...['unreadable', 'unreadable', 'unreadable'],
    ]);
  });

  test('near a present price is the reading that is near it, and neither if both or none are', () => {
    expect(reading('151,234', { near: '150.9' })).toBe('151.234');
    expect(reading('1,0845', { near: '1.0812' })).toBe('1.0845');
    expect(reading('64.250', { near: '63900' })).toBe('64250');
    expect(reading('1.234', { near: '40' })).toBe('1.2340|1234');
    expect(reading('1.234', { near: undefined })).toBe('1.2340|1234');
  });

  test('is read as itself where the app fills it in', () => {
    for (const value of ['1.234', '12.345', '0.001', '1234', '1234.567', '1.2', '100.1234'])
      expect(reading(asTyped(value))).toBe(value);
  });

  test('of random characters is never another number than its digits spell', () => {
    const letters = ['0', '1', '5', '９', '٣', '.', ',', "'", ' ', '٬', '٫', '。', '\u200b', '-', 'e'];
    let state = 7;
    const next = (count: number) => {
      state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
      return Math.floor((state / 2_147_483_648) * count);
    };
    let read = 0;
    for (let round = 0; round < 20_000; round += 1) {
      const typed = Array.from({ length: 1 + next(8) }, () => letters[next(letters.length)]).join('');
      const said = readAmount(typed);
      if (!('value' in said)) continue;
      read += 1;
      const digits = typed.replaceAll('９', '9').replaceAll('٣', '3').replaceAll(/\D/g, '');
      const spelt = said.value.replace('.', '');
      // Zeros at the ends are all that may be left out or put in front of a point.
      expect([typed, digits.replace(/^0+/, '').startsWith(spelt.replace(/^0+/, ''))]).toEqual([typed, true]);
      expect(typed).not.toMatch(/[-e]/);
    }
    expect(read).toBeGreaterThan(1000);
  });
});

describe('a typed code', () => {
  test.each([
    '123 456',
    '123-456',
    '１２３４５６',
    ' 123456 ',
    '123\u00a0456',
    '123\u200b456',
    '١٢٣٤٥٦',
    '123–456',
  ])('of digits is the same however it is spaced: %j', (typed) => {
    expect([readDigits(typed), readCode(typed)]).toEqual(['123456', '123456']);
  });

  test('of digits alone is refused with letters in it', () => {
    expect(['12345O', '12 34 5l', '12.34', '①23'].map(readDigits)).toEqual([null, null, null, null]);
    expect(readDigits(' ')).toBe('');
  });

  test('keeps letters in capitals', () => {
    expect(readCode(' abcd-ＥＦＧＨ jkmn\u2060')).toBe('ABCDEFGHJKMN');
    expect(['6222 0200 0000 0000 001', '６２２２－０２', '\u20606222'].map(readCode)).toEqual([
      ...['6222020000000000001', '622202', '6222'],
    ]);
  });
});
