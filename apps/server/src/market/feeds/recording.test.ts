import { describe, expect, test } from 'vitest';
import { parseRecording } from './recording.ts';

const parse = (lines: readonly string[], decimals = 5) =>
  parseRecording(lines.join('\n'), { decimals }).map(({ timeMs, price }) => [
    new Date(timeMs).toISOString(),
    Number(price),
  ]);

describe('a recording of ticks', () => {
  const expected = [
    ['2026-01-05T08:00:00.123Z', 108_455],
    ['2026-01-05T08:00:01.000Z', 108_460],
  ];

  test.each<[string, string[]]>([
    ['TrueFX', ['20260105 08:00:00.123,1.08451,1.08459', '20260105 08:00:01.000,1.08456,1.08464']],
    [
      'TrueFX with the symbol',
      ['EUR/USD,20260105 08:00:00.123,1.08451,1.08459', 'EUR/USD,20260105 08:00:01.000,1.08456,1.08464'],
    ],
    [
      'TrueFX with a header and ISO times',
      [
        'timestamp,bid,ask',
        '2026-01-05 08:00:00.123000+00:00,1.08451,1.08459',
        '2026-01-05 08:00:01+00:00,1.08456,1.08464',
      ],
    ],
    ['HistData', ['20260105 030000123,1.084510,1.084590,0', '20260105 030001000,1.084560,1.084640,0']],
    ['times in milliseconds', ['1767600000123,1.08451,1.08459', '1767600001000,1.08456,1.08464']],
    [
      'ISO times of another zone',
      ['2026-01-05T10:00:00.123+02:00,1.08451,1.08459', '2026-01-05T03:00:01-05:00,1.08456,1.08464'],
    ],
  ])('in the form %s gives the middle of bid and ask', (_form, lines) => {
    expect(parse(lines)).toEqual(expected);
    expect(parse([...lines, '', ''])).toEqual(expected);
    expect(parse([`\uFEFF${lines[0]}`, ...lines.slice(1)])).toEqual(expected);
    expect(parseRecording(lines.join('\r\n'), { decimals: 5 })).toHaveLength(2);
  });

  test('gives prices rounded down once, to the product’s decimals', () => {
    expect(parse(['20260105 08:00:00.000,86.655,86.728'], 3)[0]?.[1]).toBe(86_691);
    expect(parse(['20260105 08:00:00.000,1.000009,1.000010'])[0]?.[1]).toBe(100_000);
    expect(parse(['20260105 08:00:00.000,1.99999,1.99999'], 2)[0]?.[1]).toBe(199);
  });

  test('reads HistData’s times with the same offset in summer and winter', () => {
    expect(parse(['20260705 030000000,1.1,1.1,0'])[0]?.[0]).toBe('2026-07-05T08:00:00.000Z');
  });

  test('keeps the order of two quotes in one millisecond', () => {
    const lines = ['20260105 08:00:00.123,1.1,1.1', '20260105 08:00:00.123,1.2,1.2'];
    expect(parse(lines).map(([, price]) => price)).toEqual([110_000, 120_000]);
  });
});

describe('a recording of candles', () => {
  const at = (seconds: string) => `2026-01-05T08:${seconds}Z`;

  test.each<[string, string[]]>([
    [
      'OHLC',
      [
        'timestamp,open,high,low,close',
        '2026-01-05 08:00:00+00:00,1.10,1.13,1.09,1.12',
        '2026-01-05 08:01:00+00:00,1.12,1.14,1.08,1.11',
      ],
    ],
    [
      'OHLC with volume and no header',
      ['2026-01-05 08:00:00,1.10,1.13,1.09,1.12,77', '2026-01-05 08:01:00,1.12,1.14,1.08,1.11,78'],
    ],
    ['HistData', ['20260105 030000;1.10;1.13;1.09;1.12;0', '20260105 030100;1.12;1.14;1.08;1.11;0']],
  ])(
    'in the form %s gives four quotes per row: the low before the high in a rising row, else after it',
    (_form, lines) => {
      expect(parse(lines, 2)).toEqual([
        [at('00:00.000'), 110],
        [at('00:15.000'), 109],
        [at('00:30.000'), 113],
        [at('00:59.999'), 112],
        [at('01:00.000'), 112],
        [at('01:15.000'), 114],
        [at('01:30.000'), 108],
        [at('01:59.999'), 111],
      ]);
    },
  );

  test('has rows as long as the shortest step between two rows', () => {
    const lines = [
      '2026-01-05 08:00:00,1,3,1,2',
      '2026-01-05 10:00:00,2,4,2,3',
      '2026-01-05 10:05:00,3,5,3,4',
    ];
    const times = parse(lines, 0).map(([time]) => time);
    expect(times[3]).toBe('2026-01-05T08:04:59.999Z');
    expect(parse(['2026-01-05 08:00:00,1,3,1,2'], 0)[3]?.[0]).toBe(at('00:59.999'));
  });

  test('is refused if two rows have the same time', () => {
    const row = '2026-01-05 08:00:00,1,3,1,2';
    expect(() => parse([row, row])).toThrow('line 2');
  });
});

describe('an invalid or empty recording', () => {
  const good = '20260105 08:00:00.123,1.08451,1.08459';

  test.each([
    ['hello, world', 2],
    ['20260105 08:00:00.124,1.08451', 2],
    ['20260105 08:00:00.124,1.08451,', 2],
    ['20260105 08:00:00.124,1.08451,NaN', 2],
    ['20260105 08:00:00.124,1.08451,1e3', 2],
    ['20260105 08:00:00.124,1.08451,-1.08459', 2],
    ['20260105 08:00:00.124,0,0', 2],
    ['20260105 08:00:00.122,1.08451,1.08459', 2],
    ['20261305 08:00:00.124,1.08451,1.08459', 2],
    ['20260105 08:61:00.124,1.08451,1.08459', 2],
    ['20260230 030000124,1.08451,1.08459', 2],
  ])('is refused with the line’s number: %j', (line, number) => {
    expect(() => parse([good, line])).toThrow(`line ${number}`);
  });

  test('is refused if its first row is invalid and no header', () => {
    expect(() => parse(['20261305 08:00:00.123,1.08451,1.08459', good])).toThrow('line 1');
    expect(() => parse(['1.08451,1.08459', good])).toThrow('line 1');
  });

  test('gives no quotes if the file is empty or has only a header', () => {
    expect(parse([''])).toEqual([]);
    expect(parse(['timestamp,bid,ask'])).toEqual([]);
  });
});
