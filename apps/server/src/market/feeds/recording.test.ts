import { describe, expect, test } from 'vitest';
import { quotesOf, readRecording } from './recording.ts';

const read = (text: string | Uint8Array) => readRecording(Buffer.from(text as string));
const parse = (lines: readonly string[], decimals = 5) =>
  quotesOf(read(lines.join('\n')), { decimals }).map(({ timeMs, price }) => [
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
    ['times in seconds', ['1767600000.123,1.08451,1.08459', '1767600001,1.08456,1.08464']],
    ['times in microseconds', ['1767600000123000,1.08451,1.08459', '1767600001000000,1.08456,1.08464']],
    ['times in nanoseconds', ['1767600000123000000,1.08451,1.08459', '1767600001000000000,1.08456,1.08464']],
    [
      'Dukascopy without a header: ask, bid and their volumes',
      ['1767600000123,1.08459,1.08451,0.75,1.5', '1767600001000,1.08464,1.08456,1.12,0.9'],
    ],
    [
      'Dukascopy with a header',
      [
        'Gmt time,Ask,Bid,AskVolume,BidVolume',
        '05.01.2026 08:00:00.123,1.08459,1.08451,1,1',
        '05.01.2026 08:00:01.000,1.08464,1.08456,1,1',
      ],
    ],
    [
      'MetaTrader 5',
      [
        '<DATE>,<TIME>,<BID>,<ASK>,<LAST>,<FLAGS>',
        '2026.01.05,08:00:00.123,1.08451,1.08459,,6',
        '2026.01.05,08:00:01.000,1.08456,1.08464,,6',
      ],
    ],
    [
      'exponents',
      ['time,bid,ask', '1767600000123,108451e-5,1.08459E+0', '1767600001000,0.108456e1,10846.4e-4'],
    ],
    [
      'ISO times of another zone',
      ['2026-01-05T10:00:00.123+02:00,1.08451,1.08459', '2026-01-05T03:00:01-05:00,1.08456,1.08464'],
    ],
  ])('in the form %s gives the middle of bid and ask', (_form, lines) => {
    expect(parse(lines)).toEqual(expected);
    expect(parse([...lines, '', ''])).toEqual(expected);
    expect(parse([`\uFEFF${lines[0]}`, ...lines.slice(1)])).toEqual(expected);
    for (const end of ['\r\n', '\r']) expect(parse([lines.join(end)])).toEqual(expected);
    for (const sign of ['\t', '|', ';'])
      expect(parse(lines.map((line) => line.replaceAll(',', sign)))).toEqual(expected);
    expect(parse(lines.map((line) => `"${line.replaceAll(',', '","')}"`))).toEqual(expected);
    const header = lines.slice(0, -2);
    expect(parse([...header, ...lines.slice(-2).toReversed()])).toEqual(expected);
    const wide = Buffer.from(lines.join('\n'), 'utf16le');
    for (const bytes of [wide, Buffer.from(wide).swap16(), Buffer.concat([Buffer.from([0xff, 0xfe]), wide])])
      expect(read(bytes).rows).toEqual(read(lines.join('\n')).rows);
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
    ['decimal commas', ['05.01.2026 08:00;1,10;1,13;1,09;1,12', '05.01.2026 08:01;1,12;1,14;1,08;1,11']],
    ['MetaTrader 4', ['2026.01.05,08:00,1.10,1.13,1.09,1.12,7', '2026.01.05,08:01,1.12,1.14,1.08,1.11,8']],
    [
      'Binance of two years, falling, under a title, with a repeated row',
      [
        'https://example.com',
        'open_time,open,high,low,close,volume,close_time',
        '1767600060000000,1.12,1.14,1.08,1.11,3,1767600119999999',
        '1767600060000000,1.12,1.14,1.08,1.11,3,1767600119999999',
        '1767600000000,1.10,1.13,1.09,1.12,2,1767600059999',
      ],
    ],
    [
      'Dukascopy with a weekend',
      [
        'Gmt time,Open,High,Low,Close,Volume',
        '05.01.2026 08:00:00.000,1.10,1.13,1.09,1.12,2.5',
        '05.01.2026 08:01:00.000,1.12,1.14,1.08,1.11,1',
        '05.01.2026 08:02:00.000,1.11,1.11,1.11,1.11,0',
      ],
    ],
    [
      'days that only one row tells from months',
      [
        'Date;Price;Open;High;Low',
        '01/05/2026 08:00;1.12;1.10;1.13;1.09',
        '01/05/2026 08:01;1.11;1.12;1.14;1.08',
        '01/13/2026 08:01;1.11;1.12;1.14;1.08',
      ],
    ],
  ])(
    'in the form %s gives four quotes per row: the low before the high in a rising row, else after it',
    (_form, lines) => {
      expect(parse(lines, 2).slice(0, 8)).toEqual([
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

  test('is refused if two rows have the same time and other prices', () => {
    const row = '2026-01-05 08:00:00,1,3,1,2';
    expect(() => parse([row, row.replace('3', '4')])).toThrow('line 2: repeats a time with other prices');
  });

  test('says what was recognised', () => {
    const lines = ['1767600060,1.10,1.13,1.09,1.12,7', '1767600000,1.12,1.12,1.12,1.12,0'];
    expect(read(lines.join('\n')).description).toBe(
      'candles of 60 s: time, open, high, low, close between commas, utf-8; 1 rows; falling times turned; 1 rows without trades left out',
    );
    const ticks = read(Buffer.from(lines.map((line) => line.slice(0, 20)).join('\n'), 'utf16le'));
    expect(ticks.description).toContain('ticks: time, bid, ask between commas, utf-16le; 2 rows');
  });

  test.each([
    ['1767600060,100,90,110,100', 'line 2: the high 90 is below the low 110'],
    ['1767600060,100,101,99,102', 'line 2: the high 101 is below open or close'],
    ['1767600060,100,102,100.5,101', 'line 2: the low 100.5 is above open or close'],
    ['1767600060,100,101,0,100', 'line 2: no price above 0: 100, 101, 0, 100'],
  ])('is refused for a candle that no market makes: %s', (row, reason) => {
    expect(() => parse(['1767600000,100,101,99,100', row, '1767600120,100,101,99,100'])).toThrow(reason);
  });

  test('is refused if it has no volume and never moves, and accepted if only its volumes are missing', () => {
    const idle = ['1767600000,100,100,100,100,0', '1767600060,100,100,100,100,0'];
    expect(() => parse(idle)).toThrow('line 1: no market: no row has a volume or moves');
    expect(parse([...idle, '1767600120,100,101,100,100,0'])).toHaveLength(12);
  });

  test('is refused if no row tells days from months', () => {
    expect(() => parse(['01/02/2026,1,2,1,2', '03/02/2026,1,2,1,2'])).toThrow(
      'line 1: no row tells whether the day or the month comes first',
    );
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
    ['20260105 08:00:00.124,1.08459,1.08451', 2],
    ['20260105 08:00:00.124,1.08451,0.75', 2],
    ['20260105 08:00:00.124,1.08451,-1.08459', 2],
    ['20260105 08:00:00.124,0,0', 2],
    ['20261305 08:00:00.124,1.08451,1.08459', 2],
    ['20260105 08:61:00.124,1.08451,1.08459', 2],
    ['20260230 030000124,1.08451,1.08459', 2],
  ])('is refused with the line’s number: %j', (line, number) => {
    expect(() => parse([good, line])).toThrow(`line ${number}`);
  });

  test('is refused if its times go back, or if it is no text', () => {
    const [before, after] = [good.replace('00.123', '00.122'), good.replace('00.123', '00.124')];
    expect(() => parse([good, before, after])).toThrow('line 2: goes back in time');
    expect(() => read(Buffer.from([0x50, 0x4b, 3, 4, 0, 0, 0, 0, 0x80, 2]))).toThrow('is not text');
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
