import { describe, expect, test } from 'vitest';
import { currenciesOf, currencyIn } from './currencies.ts';
import { decodeMostly, decodeText } from './decode-text.ts';
import { dayOrderOf, readEpoch, readMoment } from './moments.ts';
import { decimalMarkOf, plainNumber, signedNumber } from './numbers.ts';
import { cellsOf, delimiterOf, linesOf } from './tables.ts';

const bytes = (hex: string) => Buffer.from(hex.replaceAll(' ', ''), 'hex');
/** 测试客户甲 in GBK, 測試客戶 in Big5, Müller in Windows-1252, 联通 in GBK, whose bytes are almost UTF-8. */
const GBK = bytes('b2e2 cad4 bfcd bba7 bcd7');
const BIG5 = bytes('b4fa b8d5 abc8 a4e1');
const LATIN = bytes('4dfc6c6c6572');
const wide = Buffer.from('a,测\n', 'utf16le');

describe('a file’s text', () => {
  test.each<[string, Uint8Array, string[], string | null]>([
    ['GBK', GBK, [], 'gb18030 测试客户甲'],
    ['GBK in a Latin transport', GBK, ['iso-8859-1'], 'gb18030 测试客户甲'],
    ['GBK labelled UTF-8', GBK, ['utf-8'], 'gb18030 测试客户甲'],
    ['GBK labelled Big5', GBK, ['big5'], 'gb18030 测试客户甲'],
    ['two characters of GBK', bytes('c1aacda8'), [], 'gb18030 联通'],
    ['Big5', BIG5, [], 'big5 測試客戶'],
    ['Big5 labelled GB 2312', BIG5, ['gb2312'], 'big5 測試客戶'],
    ['Windows-1252', LATIN, [], 'windows-1252 Müller'],
    ['Windows-1252 that looks like a pair of Big5', bytes('c16c76617265 7a'), [], 'windows-1252 Álvarez'],
    ['Cyrillic by its label', bytes('cff0e8e2e5f2'), ['windows-1251'], 'windows-1251 Привет'],
    ['Korean by its label', bytes('bec8b3e7'), ['euc-kr'], 'euc-kr 안녕'],
    ['UTF-8', Buffer.from('测'), ['gb2312'], 'utf-8 测'],
    ['UTF-8 of Latin letters, labelled GBK', Buffer.from('café'), ['gbk'], 'utf-8 café'],
    ['UTF-8 with a mark', Buffer.from('\uFEFFx'), [], 'utf-8 x'],
    ['UTF-16 with a mark', Buffer.concat([bytes('fffe'), wide]), [], 'utf-16le a,测\n'],
    ['UTF-16 without one', wide, ['utf-8'], 'utf-16le a,测\n'],
    ['UTF-16, the other way round', Buffer.from(wide).swap16(), [], 'utf-16be a,测\n'],
    ['an unknown label', Buffer.from('x'), ['no-such'], 'utf-8 x'],
    ['a packed file', bytes('504b0304 0000 0000 80 02'), [], null],
    ['an earlier reading’s losses', Buffer.from('a\uFFFDb'), [], null],
    ['broken UTF-8', Buffer.concat([Buffer.from('测试客户甲'.repeat(5)), bytes('e4bd')]), [], null],
  ])('of %s is found', (_what, file, labels, found) => {
    const decoded = decodeText(file, labels);
    expect(decoded && `${decoded.encoding} ${decoded.text}`).toBe(found);
  });

  test('may lose a few broken characters where a reader prefers the rest', () => {
    const cut = Buffer.concat([Buffer.from('测试客户甲'.repeat(5)), bytes('e4bd'), Buffer.from('.')]);
    expect(decodeMostly(cut)?.text).toBe(`${'测试客户甲'.repeat(5)}.`);
    expect(decodeMostly(Buffer.from('a\uFFFDb'))?.text).toBe('ab');
    expect(decodeMostly(bytes('504b0304 0000 0000 80 02'))).toBeNull();
  });
});

describe('a written day', () => {
  const iso = (text: string) => {
    const moment = readMoment(text);
    if (moment === null || moment === 'ambiguous') return moment;
    return `${new Date(Date.parse(moment.day) + moment.ofDayMs).toISOString().slice(0, 19)} ${moment.zone}`;
  };
  test.each([
    ['2026-11-25', '2026-11-25T00:00:00 null'],
    ['20261125', '2026-11-25T00:00:00 null'],
    ['20261125101112', '2026-11-25T10:11:12 null'],
    ['2026/1/5 9:05', '2026-01-05T09:05:00 null'],
    ['25.11.2026', '2026-11-25T00:00:00 null'],
    ['25.11.26', '2026-11-25T00:00:00 null'],
    ['25/11/2026', '2026-11-25T00:00:00 null'],
    ['11/25/2026 10:00 PM', '2026-11-25T22:00:00 null'],
    ['03/04/2026', 'ambiguous'],
    ['115/11/25', '2026-11-25T00:00:00 null'],
    ['1151125', '2026-11-25T00:00:00 null'],
    ['２０２６年１１月２５日 下午 3:05', '2026-11-25T15:05:00 null'],
    ['25-Nov-2026', '2026-11-25T00:00:00 null'],
    ['November 25, 2026', '2026-11-25T00:00:00 null'],
    ['Wed,25 Nov 26 10:00:00 CST', '2026-11-25T10:00:00 CST'],
    ['Wed Nov 25 10:00:00 CST 2026', '2026-11-25T10:00:00 CST'],
    ['Wed Nov 25 2026 10:00:00 GMT+0800 (China Standard Time)', '2026-11-25T10:00:00 480'],
    ['Thu, 26 Nov 2026 24:00:00 GMT', '2026-11-27T00:00:00 GMT'],
    ['2026-11-25T10:00:00.5-03:30', '2026-11-25T10:00:00 -210'],
    ['2026-02-31', null],
    ['2026-11-25 10:61', null],
    ['25 Foo 2026', null],
    ['100.00', null],
    ['soon', null],
  ])('%s is %s', (text, read) => expect(iso(text)).toBe(read));

  test('of two orders is told by the other days of its column', () => {
    expect(dayOrderOf(['03/04/2026', '13/04/2026'])).toBe('dayFirst');
    expect(dayOrderOf(['03/04/2026', '04/13/2026'])).toBe('monthFirst');
    expect(dayOrderOf(['03/04/2026', '05/06/2026'])).toBeNull();
    expect(dayOrderOf(['13/04/2026', '04/13/2026'])).toBeNull();
  });

  test('may be an epoch in four units', () => {
    const units = ['1767600000', '1767600000000', '1767600000000000', '1767600000000000000'];
    expect(units.map(readEpoch)).toEqual(units.map(() => 1_767_600_000_000));
    expect(['17676', '20261125101112', '1.5'].map(readEpoch)).toEqual([null, null, null]);
  });
});

describe('a column of numbers', () => {
  test.each<[string[], string | null]>([
    [['1.234,56', '100'], ','],
    [['1,234.56', '100'], '.'],
    [['1.234', '5,5'], ','],
    [['1.234.567'], ','],
    [['0.123'], '.'],
    [['100', '-5'], '.'],
    [['1.234'], null],
    [['1,000', '2,000'], null],
    [['1,5', '1.5'], null],
  ])('%j has the decimal mark %s', (texts, mark) => expect(decimalMarkOf(texts)).toBe(mark));

  test.each<[string, '.' | ',', string | null]>([
    ['1,234.56', '.', '1234.56'],
    ['1.234,56', ',', '1234.56'],
    ['12,34,567.8', '.', '1234567.8'],
    ['1 234,5', ',', '1234.5'],
    ["1'234.5", '.', '1234.5'],
    ['１，２３４．５', '.', '1234.5'],
    ['1.2e-5', '.', '0.000012'],
    ['1.5E+3', '.', '1500'],
    ['007.50', '.', '7.50'],
    ['.5', '.', '0.5'],
    ['1,5', '.', null],
    ['1.2.3', '.', null],
    ['1e999', '.', null],
    ['x', '.', null],
    ['', '.', null],
  ])('%s with %s is %s', (text, mark, plain) => expect(plainNumber(text, mark)).toBe(plain));

  test.each([
    ['-100.00', '-100.00'],
    ['100.00-', '-100.00'],
    ['(1,000.00)', '-1000.00'],
    ['−5', '-5'],
    ['+7', '7'],
    ['¥1,000', '1000 ¥'],
    ['HK$100', '100 HK$'],
    ['100.00 CR', '100.00'],
    ['100.00 DR', '-100.00'],
    ['USD 5', '5 USD'],
    ['5 USDC', '5 USDC'],
    ['Rs.5', '5 Rs.'],
    ['$5 USD', '5 $ USD'],
    ['5.00 USD DR', '-5.00 USD'],
    ['--5', null],
    ['(-5)', null],
    ['1e3', null],
    ['five', null],
  ])('%s is the amount %s', (text, amount) => {
    const read = signedNumber(text, '.');
    expect(read && [`${read.isNegative ? '-' : ''}${read.text}`, ...read.units].join(' ')).toBe(amount);
  });
});

test.each([
  ['HKD', ['HKD']],
  ['usd', ['USD']],
  ['¥', ['CNY', 'JPY']],
  ['港幣', ['HKD']],
  ['USDT-TRC20', ['USDT']],
  ['Completed', null],
])('%s names the currencies %j', (text, codes) => expect(currenciesOf(text)).toEqual(codes));

test.each([
  ['Credit (HKD)', 'HKD'],
  ['Amount in EUR', 'EUR'],
  ['交易金额（美元）', '美元'],
  ['人民币金额', '人民币'],
  ['ALL CREDITS', null],
  ['Transaction amount', null],
])('the title %s names the currency %s', (title, unit) => expect(currencyIn(title).unit).toBe(unit));

test('a table has lines by any line end, and cells by the delimiter that fits most lines', () => {
  expect([...linesOf('a\r\nb\rc\nd')]).toEqual(['a', 'b', 'c', 'd']);
  expect(delimiterOf(['a title, with a comma', 'd;1,5;x', 'e;2,5;y'])).toBe(';');
  expect(cellsOf('"a, ""b""",="007", c ', ',')).toEqual(['a, "b"', '007', 'c']);
});
