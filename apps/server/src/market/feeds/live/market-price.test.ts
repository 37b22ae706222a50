import { describe, expect, test } from 'vitest';
import { marketPrice } from './market-price.ts';
import { at, isoMicrosOf, readFrame } from './venue.ts';

describe('the price of a market', () => {
  test.each([
    [['17165.16'], 2, 1_716_516n],
    [['105944.20'], 2, 10_594_420n],
    [['4.97800000'], 4, 49_780n],
    [['8476.97', '8476.98'], 2, 847_697n],
    [['0.1', '0.3'].map((one) => `100${one.slice(1)}`), 1, 1_002n],
    [
      ['123456789.123456789123456789', '123456789.123456789123456789'],
      18,
      123_456_789_123_456_789_123_456_789n,
    ],
    [['1.05944e5'], 2, 10_594_400n],
    [['67131e-6'], 5, 6_713n],
    [['0.999'], 2, 99n],
  ] as const)('%j at %i decimals is %i', (prices, decimals, points) => {
    const expected = points > 1n << 62n ? null : points;
    expect(marketPrice(prices as readonly [string], decimals)).toBe(expected);
  });

  test.each([
    '0',
    '0.00',
    '-1',
    'NaN',
    'Infinity',
    '1e400',
    '1e-400',
    '',
    ' 1',
    '1 ',
    '0x10',
    '١',
    `1${'0'.repeat(40)}`,
    '1,5',
    'null',
    '.5',
    '1.',
    '0.004',
  ])('"%s" is none', (text) => {
    expect(marketPrice([text], 2)).toBeNull();
  });

  test('a bid above the ask, and a spread above a twentieth, are none', () => {
    expect(marketPrice(['100.01', '100'], 2)).toBeNull();
    expect(marketPrice(['94.9', '100'], 2)).toBeNull();
    expect(marketPrice(['95', '100'], 2)).toBe(9_750n);
  });
});

test('numbers of a frame are the digits that were written', () => {
  const frame = readFrame('{"a":105944.20,"b":[0.1000000000000000055,12345678901234567890],"c":1e400}');
  expect([at(frame, 'a'), at(frame, 'b', 0), at(frame, 'b', 1), at(frame, 'c')]).toEqual([
    '105944.20',
    '0.1000000000000000055',
    '12345678901234567890',
    '1e400',
  ]);
  expect(at(readFrame('{"__proto__":{"x":1}}'), 'x')).toBeUndefined();
});

test('times of one millisecond are told apart by their microseconds', () => {
  expect(isoMicrosOf('2022-12-01T00:00:00.122581Z')).toBe(1_669_852_800_122_581n);
  expect(isoMicrosOf('2022-12-01T00:00:00Z')).toBe(1_669_852_800_000_000n);
  expect(isoMicrosOf('yesterday')).toBeNull();
});
