import { gzipSync } from 'node:zlib';
import { strToU8, zipSync } from 'fflate';
import { describe, expect, test } from 'vitest';
import { unpacked } from '../../platform/imports/archives.ts';
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
      'candles of 60 s: time, open, high, low, close between commas, utf-8; 1 rows; times in Unix time; falling times turned; 1 rows without trades left out',
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
    expect(() => read(Buffer.from([0x50, 0x4b, 0, 4, 0, 0, 0, 0, 0x80, 2]))).toThrow('is not text');
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

/** Rows of a market that moves a little each minute. */
const minutes = (count: number, row: (timeMs: number, place: number) => string): string[] =>
  Array.from({ length: count }, (_, place) => row(1_767_600_000_000 + place * 60_000, place));

describe('a recording of several markets', () => {
  const rows = ['1767600000000,1.1,1.1002', '1767600000500,151,151.002', '1767600060000,1.1001,1.1003'];
  const named = rows.map((row) => `${row.includes('151') ? 'USDJPY' : 'EURUSD'},${row}`);

  test('is refused, and read when one of them is named', () => {
    for (const lines of [named, ['symbol,timestamp,bid,ask', ...named]]) {
      const file = Buffer.from(lines.join('\n'));
      expect(() => readRecording(file)).toThrow('has rows of several markets: EURUSD, USDJPY');
      expect(() => readRecording(file, 'XAU/USD')).toThrow('EURUSD, USDJPY; not one is XAU/USD');
      const read = readRecording(file, 'EUR/USD');
      expect(read.rows.map(({ prices }) => prices[0])).toEqual(['1.1', '1.1001']);
      expect(read.description).toContain('rows of EURUSD');
    }
  });

  test.each([
    ['Time,Deal,Symbol,Type,Price', (symbol: string) => `2026.01.05 10:00:00,5,${symbol},buy,1.1`],
    [
      '<TICKER>,<DATE>,<TIME>,<OPEN>,<HIGH>,<LOW>,<CLOSE>',
      (symbol: string) => `${symbol},20260105,000000,1,1,1,1`,
    ],
    ['Currency Pair,time,price', (symbol: string) => `${symbol},1767600000,1`],
  ])('is told by the column of its header: %s', (header, row) => {
    expect(() => parse([header, row('EURUSD'), row('GBPUSD')])).toThrow('several markets: EURUSD, GBPUSD');
  });

  test.each(['EUR_USD', 'OANDA:EURUSD', 'eurusd.pro', 'EURUSD=X'])('has EUR/USD as %s', (name) => {
    const lines = named.map((line) => line.replace('EURUSD', name));
    expect(readRecording(Buffer.from(lines.join('\n')), 'EUR/USD').rows).toHaveLength(2);
  });

  test('may be of two exchanges or two periods, which no name tells apart', () => {
    const lines = ['exchange,timestamp,price', 'one,1767600000,1', 'two,1767600001,1'];
    expect(() => parse(lines)).toThrow('several markets: one, two');
    expect(() => parse(lines.map((line) => line.replace('exchange', '<PER>')))).toThrow('several markets');
  });

  test('is not played as another one that it names', () => {
    const file = Buffer.from(`USDJPY,${rows[1]}`);
    expect(() => readRecording(file, 'EUR/USD')).toThrow('is of USDJPY, not of EUR/USD');
    // A source may have its own name for a product.
    expect(readRecording(Buffer.from(`BTCUSD,${rows[1]}`), 'BTC/USDT').rows).toHaveLength(1);
  });
});

test('a column for each market is one when it is named', () => {
  const file = Buffer.from('Date,EURUSD,USDJPY\n2026-01-05,1.1,151\n2026-01-06,1.2,152\n');
  expect(readRecording(file, 'USD/JPY').rows.map(({ prices }) => prices)).toEqual([['151'], ['152']]);
});

test('a day and a time of day are found wherever they stand', () => {
  const [at] = parse(['Time,Date,Open,High,Low,Close', '10:00:00,2026.01.05,1,1,1,1'])[0] as [string, number];
  const apart = parse(['Date,Symbol,Time,Price', '2026.01.05,EURUSD,10:00:00,1'])[0] as [string, number];
  expect([at, apart[0]]).toEqual(Array(2).fill('2026-01-05T10:00:00.000Z'));
  const rows = Array.from({ length: 5 }, (_, place) => `2026-01-05,1.100${place}`);
  expect(() => parse(['Date,Price', ...rows])).toThrow('line 2: its times have no time of day');
});

describe('the zone of a recording', () => {
  const first = (lines: string[]) => [parse(lines)[0]?.[0], read(lines.join('\n')).description] as const;

  test.each([
    ['<DATE>,<TIME>,<OPEN>,<HIGH>,<LOW>,<CLOSE>', '20260105,030000', '03:00', 'UTC (no zone is named)'],
    ['Date,Time,Open,High,Low,Close', '2026-01-05,03:00', '03:00', 'UTC (no zone is named)'],
    [
      'time,open,high,low,close',
      '20260105 030000',
      '08:00',
      'Eastern standard time, as HistData writes them',
    ],
    ['Time (EET),Open,High,Low,Close', '2026.01.05 10:00:00', '08:00', 'EET'],
    ['Time (UTC+8),Open,High,Low,Close', '2026.01.05 10:00:00', '02:00', 'UTC+8'],
    ['Gmt time,Open,High,Low,Close', '05.01.2026 10:00:00.000', '10:00', 'GMT'],
    ['time_utc,open,high,low,close', '2026-01-05 10:00', '10:00', 'UTC'],
    ['Time [America/New_York],open,high,low,close', '2026-01-05 10:00', '15:00', 'America/New_York'],
    ['Date/Time (HH:MM),open,high,low,close', '2026-01-05 10:00', '10:00', 'UTC (no zone is named)'],
    ['Local time,open,high,low,close', '05.01.2026 10:00:00.000 GMT+0200', '08:00', 'the zone of each row'],
  ])('is the one that is named, and is said: %s', (header, time, utc, zone) => {
    const [at, description] = first([header, `${time},1,1,1,1`]);
    expect(at).toBe(`2026-01-05T${utc}:00.000Z`);
    expect(description).toContain(`times in ${zone}`);
  });

  test('has its summer’s time in a heading of a region', () => {
    const summer = (zone: string) => first([`Time (${zone}),price`, '2026-07-06 10:00:00,1'])[0];
    expect([summer('EET'), summer('ET')]).toEqual(['2026-07-06T07:00:00.000Z', '2026-07-06T14:00:00.000Z']);
  });

  test('is asked for where its letters mean several, or only some rows have one', () => {
    expect(() => parse(['Time (CST),price', '2026-01-05 10:00,1'])).toThrow('a zone that is not one: CST');
    const mixed = ['time,price', '2026-01-05T10:00:00Z,1', '2026-01-05T12:01:00,1'];
    expect(() => parse(mixed)).toThrow('line 3: some times have a zone, and some have none');
  });
});

test('a side that did not change stays as it was, also where times fall', () => {
  const row = (ms: string, bid: string, ask: string) => `2026.01.05\t00:00:0${ms}\t${bid}\t${ask}\t\t\t6`;
  const lines = [
    row('0.900', '1.10000', ''),
    row('1.000', '1.10001', '1.10003'),
    row('2.037', '1.10002', ''),
    row('3.074', '', '1.10004'),
    row('4.000', '', ''),
    row('5.000', '1.10006', ''),
  ];
  const header = '<DATE>\t<TIME>\t<BID>\t<ASK>\t<LAST>\t<VOLUME>\t<FLAGS>';
  for (const rows of [lines, lines.toReversed()]) {
    const { rows: found, description } = read([header, ...rows].join('\r\n'));
    expect(found.map(({ prices }) => prices.join(' '))).toEqual([
      '1.10001 1.10003',
      '1.10002 1.10003',
      '1.10002 1.10004',
      // The old ask stands below the new bid until the source writes the next one.
      '1.10006 1.10004',
    ]);
    expect(description).toContain(
      '3 rows of one side, where the other stays; 2 rows without prices left out',
    );
  }
});

test('a row without prices is absent, and its candle’s time is still one', () => {
  const lines = ['Date,Open,High,Low,Close,Volume', '2026-01-05,1.1,1.2,1.0,1.1,0'];
  for (const nothing of ['null', 'NaN', '', '--', '#N/A', '.']) {
    const absent = `2026-01-06,${Array(5).fill(nothing).join(',')}`;
    const found = read([...lines, absent, '2026-01-07,1.1,1.2,1.0,1.1,0'].join('\n'));
    expect(found.rows).toHaveLength(2);
    expect(found.stepMs).toBe(86_400_000);
    expect(found.description).toContain('1 rows without prices left out');
  }
  expect(() => parse([...lines, '2026-01-06,1.1,null,1.0,1.1,0'])).toThrow('line 3: no price above 0');
});

describe('a recording without a header is told by all rows', () => {
  test.each<[string, string, (ms: number, place: number) => string]>([
    [
      'Coinbase',
      'low, high, open, close',
      (ms, n) => `${ms / 1_000},${99 + n},${103 + n},${101 + n},${102 + n},5`,
    ],
    [
      'KuCoin',
      'open, close, high, low',
      (ms, n) => `${ms / 1_000},${101 + n},${102 + n},${103 + n},${99 + n},5,9`,
    ],
    [
      'Binance’s trades',
      'price',
      (ms, n) => `31${n},${101 + n},0.01,520000${n},520000${n},${ms}000,True,True`,
    ],
    ['Kraken’s trades', 'price (the second', (ms, n) => `${ms / 1_000}.5,${100 + n / 100},0.0${n + 1}`],
    ['trades of one coin', 'price (the second', (ms, n) => `${ms / 1_000},${1 + (n % 3) / 1e4},1.0${n % 5}`],
    ['quotes', 'bid, ask', (ms, n) => `${ms},${100 + n / 100},${100.02 + n / 100}`],
  ])('%s', (_source, order, row) => {
    const { description, rows } = read(minutes(12, row).join('\n'));
    expect(description).toContain(`time, ${order}`);
    if (order.startsWith('low') || order.startsWith('open'))
      expect(rows[0]?.prices).toEqual(['101', '103', '99', '102']);
    else expect(Number(rows[1]?.prices[0])).toBeCloseTo(Number(rows[0]?.prices[0]), -1);
  });
});

describe('rows that are each possible and no market together are refused', () => {
  test.each<[string, string[], string]>([
    [
      'another unit',
      minutes(9, (ms, n) => `${ms},${n < 5 ? '1.1' : '110'}`),
      'line 6: the price jumps from 1.1 to 110',
    ],
    [
      'a wrong high',
      ['time,open,high,low,close', '1767600000,1.1,11.2,1.0,1.1'],
      'line 2: the price jumps from 1.1 to 11.2',
    ],
    [
      'two markets',
      minutes(12, (ms, n) => `${ms},${n % 2 ? '1.1' : '1.27'}`),
      '11 of 11 moves are above 2 %',
    ],
    [
      'two periods',
      [...minutes(6, (ms) => `${ms},1,1,1,1,7`), '1767600330000,1,1,1,1,7'],
      'line 7: begins 30 s after a candle of 60 s',
    ],
  ])('%s', (_kind, lines, reason) => expect(() => parse(lines)).toThrow(reason));
});

describe('an archive', () => {
  const text = strToU8('20260105 08:00:00.123,1.08451,1.08459\n');
  const bytes = (hex: string) => Buffer.concat([Buffer.from(hex, 'hex'), Buffer.alloc(600)]);

  test('is read when one table is in it', () => {
    const report = { 'a.csv': text, 'a.txt': strToU8('gaps: none'), '__MACOSX/._a.csv': text };
    for (const packed of [
      gzipSync(text),
      zipSync({ 'a.csv': text }),
      zipSync({ 'x/a.txt': text }),
      zipSync(report),
    ])
      expect(readRecording(packed).rows).toEqual(readRecording(text).rows);
  });

  test.each<[string, Uint8Array, string]>([
    [
      'two tables',
      zipSync({ 'a.csv': text, 'b.csv': text }),
      'is an archive with 2 tables (.csv, .txt) of 2 files: a.csv, b.csv',
    ],
    [
      'no table',
      zipSync({ 'xl/workbook.xml': text }),
      'is an archive with 0 tables (.csv, .txt) of 1 files: xl/workbook.xml',
    ],
    ['nothing', zipSync({}), 'is an archive with 0 tables'],
    ['an archive', gzipSync(zipSync({ 'a.csv': text })), 'is an archive with an archive in it'],
    ['a damaged ZIP', zipSync({ 'a.csv': text }).slice(0, 60), 'is an archive that is damaged'],
    ['a damaged gzip', gzipSync(text).subarray(0, 20), 'is an archive that is damaged'],
    ['7z', bytes('377abcaf271c'), 'is an archive (7z): unpack it'],
    ['RAR', bytes('526172211a07'), 'is an archive (RAR): unpack it'],
    ['tar', Buffer.concat([Buffer.alloc(257, 65), Buffer.from('ustar')]), 'is an archive (tar): unpack it'],
    [
      'tar in gzip',
      gzipSync(Buffer.concat([Buffer.alloc(257, 65), Buffer.from('ustar')])),
      'is an archive (tar)',
    ],
  ])('of %s is refused by its name', (_what, file, reason) => {
    expect(() => readRecording(file)).toThrow(reason);
  });

  test('is bounded in what it unpacks, whatever size it states', () => {
    const large = new Uint8Array(200_000);
    for (const packed of [gzipSync(large), zipSync({ 'a.csv': large })])
      expect(() => unpacked(packed, 100_000)).toThrow(
        'is an archive whose table is larger than 100000 bytes',
      );
    const lying = zipSync({ 'a.csv': large });
    const directory = Buffer.from(lying).indexOf('504b0102', 'hex');
    Buffer.from(lying.buffer).writeUInt32LE(50_000, directory + 24);
    expect(unpackedOrRefused(lying)).toBeLessThanOrEqual(50_000);
  });

  const unpackedOrRefused = (file: Uint8Array): number => {
    try {
      return unpacked(file, 100_000).length;
    } catch {
      return 0;
    }
  };
});

test('a page of HTML is no recording', () => {
  expect(() => read('<html><body><table><tr><td>1</td></tr></table></body></html>')).toThrow(
    'is HTML or XML',
  );
});
