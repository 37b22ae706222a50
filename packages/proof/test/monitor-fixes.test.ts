/** Fixes, closes and sources that are left out in a signed log: the faults that a monitor finds, and what it reports. */
import { describe, expect, test } from 'vitest';
import { at, begin, faultIn, faultOf, LOG, orders, reportsOf, START_MS, second } from './monitoring.ts';
import { ShownLog } from './shown-log.ts';
import { agreedFix, DAY_MS, fix, hash, openedAndClosed, record, recordsAt, thinFix } from './story.ts';

/** The time of the n-th second after the log's prices. */
const T = (n: number) => START_MS + 10_000 + n * 1_000;
const AGREED = ['1.08410', '1.08410', '1.08410', '1.08410'] as const;
const fixAt = (n: number, fixMs = T(n), price = '1.08410') => agreedFix({ n, fixMs }, price);
const away = (n: number, timeMs: number, state: 'on' | 'off', source = 'd') =>
  `away|4|${n}|${timeMs}|${source}|${state}`;
const withoutD = (n: number, fixMs: number) =>
  fix({ n, fixMs }, '1.08410', [...recordsAt(fixMs, AGREED).slice(0, 3), 'd,away']);
const [OPEN, CLOSE] = openedAndClosed(1, T(1), '1.08407', '1.08447');
/** Something of a later time. */
const later = (timeMs: number) => `halt|4|1|${timeMs}|on|the cause`;

describe('fixes in a log', () => {
  test('of rising seconds, thin or not, are right, read as a whole or from the middle', async () => {
    const texts = [...LOG, fixAt(1), fixAt(2, T(5)), thinFix(3, T(20), '1.08426', ['1.08425', '1.08427'])];
    expect(await faultOf(texts)).toBe(null);
    const late = await begin(new ShownLog(texts.slice(0, -1)), true);
    expect(await faultIn(new ShownLog(texts), late)).toBe(null);
  });

  test('that are left out, written twice or out of order are found', async () => {
    expect(await faultOf([...LOG, fixAt(2)])).toMatch(/fix 2 of EUR\/USD stands where 1 is next/);
    expect(await faultOf([...LOG, fixAt(1), fixAt(1)])).toMatch(/fix 1 of EUR\/USD stands where 2 is next/);
    expect(await faultOf([...LOG, fixAt(1), fixAt(2, T(1), '1.08411')])).toMatch(
      /of this second or a later one already/,
    );
    const dayLate = fix({ n: 1, fixMs: T(1), timeMs: T(1) + DAY_MS + 1 }, '1.08410', recordsAt(T(1), AGREED));
    expect(await faultOf([...LOG, dayLate])).toMatch(/more than 24 hours after its second/);
  });

  test('that do not follow from their records and rules are found', async () => {
    const wrong = fix({ n: 1, fixMs: T(1) }, '1.08411', recordsAt(T(1), AGREED));
    expect(await faultOf([...LOG, wrong])).toMatch(/not what the rule makes of its records/);
    const early = OPEN.replace(String(T(1) + 3_000), String(T(1) + 2_999));
    expect(await faultOf([...LOG, early])).toMatch(/before enough records were closed/);
    const rules = second(T(100));
    const under = (fixMs: number) => agreedFix({ n: 1, fixMs, rulesHash: hash(rules) }, '1.08410');
    expect(await faultOf([...LOG, rules, under(T(99))])).toMatch(/not in force yet/);
    expect(await faultOf([...LOG, rules, under(T(100))])).toBe(null);
    expect(await faultOf([...LOG, rules, fixAt(1, T(100))])).toMatch(/superseded/);
    expect(await faultOf([...LOG, under(T(1))])).toMatch(/not logged before it/);
  });

  test('whose sources go back, or have two records of one number, are found', async () => {
    const after = (d: string) => [
      ...LOG,
      fixAt(1),
      fix({ n: 2, fixMs: T(5), timeMs: T(8) }, '1.08410', [...recordsAt(T(5), AGREED).slice(0, 3), d]),
    ];
    expect(await faultOf(after(record('d', '1.08410', T(1))))).toBe(null);
    expect(await faultOf(after(record('d', '1.08411', T(1))))).toMatch(/two records with one number of d/);
    expect(await faultOf(after(record('d', '1.08410', T(1) - 1)))).toMatch(/passes over a record of d/);
    expect(await faultOf(after(record('d', '1.08410', T(4), { number: 5 })))).toMatch(/the time falls/);
    expect(await faultOf(after('d,none'))).toMatch(/d had a record before and has none/);
    expect(await faultOf(after(record('d', '1.08410', T(1), { number: T(1) + 1 })))).toMatch(
      /a record of d that was passed over before/,
    );
  });
});

describe('closes in a log', () => {
  test('within 24 hours are right, and reported where they change a price', async () => {
    expect(await reportsOf([...LOG, OPEN, CLOSE])).toEqual([
      'entry 11: the close of fix 1 of EUR/USD makes its price 1.08432 where it was 1.08422: its orders count by the better result',
    ]);
    const [open, close] = openedAndClosed(1, T(1), '1.08407', '1.08407');
    const between = fix({ n: 2, fixMs: T(2), timeMs: T(1) + 3_200 }, '1.08410', [
      ...recordsAt(T(2), AGREED).slice(0, 3),
      record('d', '1.08407', T(1) - 10),
    ]);
    expect(await reportsOf([...LOG, open, between, close])).toEqual([]);
  });

  test('that are missing after 24 hours are found', async () => {
    expect(await faultOf([...LOG, OPEN, later(T(1) + DAY_MS)])).toBe(null);
    expect(await faultOf([...LOG, OPEN, later(T(1) + DAY_MS + 1)])).toMatch(
      /fix 1 of EUR\/USD has an open record, and no close within 24 hours/,
    );
    expect(await faultOf([...LOG, OPEN, CLOSE, later(T(1) + DAY_MS + 1)])).toBe(null);
  });

  test('of no fix, of one that is closed, or of another one are found', async () => {
    const none = /no fix waits for this close/;
    expect(await faultOf([...LOG, CLOSE])).toMatch(none);
    expect(await faultOf([...LOG, OPEN, CLOSE, CLOSE])).toMatch(none);
    expect(await faultOf([...LOG, fixAt(1), CLOSE])).toMatch(none);
    const moved = fix({ kind: 'close', n: 1, fixMs: T(2), timeMs: T(6) }, '1.08410', recordsAt(T(2), AGREED));
    expect(await faultOf([...LOG, OPEN, moved])).toMatch(/closes another fix than number 1 of EUR\/USD/);
    expect(await faultOf([...LOG, OPEN, CLOSE.replace(`b,${T(1) - 70}`, `b,${T(1) - 71}`)])).toMatch(
      /it changes b, which was not open/,
    );
    // Of a fix from before reading began nothing is known.
    const late = await begin(new ShownLog([...LOG, OPEN]), true);
    expect(await faultIn(new ShownLog([...LOG, OPEN, fixAt(2, T(4)), CLOSE]), late)).toBe(null);
  });

  test('that a later fix does not take into account are found', async () => {
    const ignoring = fix({ n: 2, fixMs: T(2), timeMs: T(6) }, '1.08427', [
      ...recordsAt(T(2), ['1.08427', '1.08427', '1.08427', '1.08427']).slice(0, 3),
      record('d', '1.08407', T(1) - 30, { closing: 'open' }),
    ]);
    expect(await faultOf([...LOG, OPEN, CLOSE, ignoring])).toMatch(/passes over a record of d/);
    expect(await faultOf([...LOG, OPEN, ignoring])).toBe(null);
  });
});

describe('sources that are left out', () => {
  test('are left out of every fix between the entries that say so, and of no other', async () => {
    const texts = [...LOG, fixAt(1), away(1, T(2), 'on'), withoutD(2, T(3))];
    const back = [...texts, away(2, T(5), 'off'), fixAt(3, T(6))];
    expect(await faultOf(back)).toBe(null);
    expect(await faultOf([...texts, fixAt(3, T(6))])).toMatch(/d takes part, though it is left out/);
    expect(await faultOf([...LOG, withoutD(1, T(1))])).toMatch(/d is left out, which no entry says/);
    expect(await faultOf([...back, withoutD(4, T(7))])).toMatch(/d is left out, which no entry says/);
    const late = await begin(new ShownLog(texts.slice(0, -1)), true);
    expect(await faultIn(new ShownLog(back), late)).toBe(null);
  });

  test('are numbered, and their states alternate', async () => {
    expect(await faultOf([...LOG, away(2, T(1), 'on')])).toMatch(/away 2 stands where 1 is next/);
    expect(await faultOf([...LOG, away(1, T(1), 'off')])).toMatch(/d was not left out/);
    expect(await faultOf([...LOG, away(1, T(1), 'on'), away(2, T(1), 'on')])).toMatch(/left out already/);
    const other = away(2, T(1), 'on', 'constructor');
    expect(await faultOf([...LOG, away(1, T(1), 'on'), other])).toBe(null);
  });

  test('for more than five minutes of a day are reported, once', async () => {
    const times = (ms: number) => [away(1, T(1), 'on'), away(2, T(1) + ms, 'off')];
    expect(await reportsOf([...LOG, ...times(300_000)])).toEqual([]);
    expect(await reportsOf([...LOG, ...times(300_001)])).toEqual([
      'entry 11: d is left out of all fixes for more than 5 minutes of a day',
    ]);
    const twice = [...times(200_000), away(3, T(500), 'on'), away(4, T(500) + 100_002, 'off')];
    expect((await reportsOf([...LOG, ...twice])).length).toBe(1);
    const nextDay = [
      ...times(300_000),
      away(3, T(1) + DAY_MS, 'on'),
      away(4, T(1) + DAY_MS + 300_000, 'off'),
    ];
    expect(await reportsOf([...LOG, ...nextDay])).toEqual([]);
  });
});

test('an order that two entries name is reported', async () => {
  const [one, other] = ['1'.repeat(32), '2'.repeat(32)];
  const named = (grid: number, batch: number, asked: readonly string[]) =>
    orders(grid, batch, batch, [at(grid), at(grid)], asked);
  expect(await reportsOf([...LOG, named(10, 1, [one]), named(11, 2, [other])])).toEqual([]);
  expect(await reportsOf([...LOG, named(10, 1, [one]), named(11, 2, [one, other])])).toEqual([
    `entry 11: the order ${one} is named a second time`,
  ]);
});

test('rules that let old or far-off records count are reported', async () => {
  expect(await reportsOf([...LOG, second(T(100), { quietMs: 10_001, outlierBps: 201 })])).toEqual([
    'entry 10: rules 2 of EUR/USD are loose: a record further than 2 % from the others counts',
    'entry 10: rules 2 of EUR/USD are loose: a record older than 10 s counts',
  ]);
});
