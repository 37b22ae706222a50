/**
 * False receipts made to pass, by an operator who holds the keys: not modified valid receipts, but whole logs written for the
 * fraud. Each is given to both verifiers: this package's, and a second one written only from the published specification.
 */
import { describe, expect, test } from 'vitest';
import { leafHash, timeExtension, toHex } from '../src/index.ts';
import { refused, valid } from './both-verifiers.ts';
import {
  AT,
  agreed,
  DAY_MS,
  fix,
  gap,
  OPENING,
  OTHER,
  RULES,
  RULES_ENTRY,
  RULES_HASH,
  receiptOf,
  rules,
  SETTLING as SETTLING_AT,
  SETTLING_PARTS,
  type Story,
  story,
  TERMS,
  withEntries,
} from './story.ts';

type Shown = Story['shown'];
const won = story('won');
const late = story('void, logged too late');

/** The story with another settling fix, whose price its outcome also names. */
const settledBy = (entry: string, price = '1.08451'): Story => ({
  ...withEntries(won, { 10: entry }),
  outcome: { ...won.outcome, settlePrice: price },
});
const SETTLING = SETTLING_AT('1.08451');

describe('entries shown for what they are not', () => {
  test('a fix of another product is refused at the opening and at the settlement', () => {
    refused(receiptOf(settledBy(SETTLING.replace('EUR/USD', 'GBP/USD'))), 'settlement');
    refused(receiptOf(withEntries(won, { 7: OPENING.replace('EUR/USD', 'EUR/USDT') })), 'opening');
  });

  test('an entry of a kind that is not judged is refused in place of a fix', () => {
    for (const entry of [
      `audit|4|1|${RULES_HASH}|${RULES_HASH}`,
      'key|4|1|a|b',
      `seed|4|2026-01-01|commit|${RULES_HASH}`,
      `halt|4|1|${AT.opens}|on|x`,
      agreed(43, AT.opens, '1.08427'),
      'fix|4|EUR/USD',
      OPENING.replace('fix|4|', 'fix|3|'),
    ])
      refused(receiptOf(withEntries(won, { 7: entry })), 'form');
  });

  test('before the acceptance stands an entry of a kind that has a time, of any product', () => {
    const before = (entry: string) => receiptOf(withEntries(late, { 4: entry }));
    const [timeMs, root] = [AT.before, RULES_HASH];
    for (const entry of [
      `halt|4|1|${timeMs}|on|the cause`,
      `halt|4|2|${timeMs}|off|`,
      gap(41, timeMs),
      SETTLING_AT('1.08400', timeMs - 1_000).replace(`|${timeMs - 600}|`, `|${timeMs}|`),
      `away|4|1|${timeMs}|a|on`,
      agreed(1, timeMs, '1.27000').replace('EUR/USD', 'GBP/USD'),
      `orders|4|${timeMs}|3|4|${timeMs - 5}|${timeMs}|${root}|`,
      `orders|4|${timeMs}|4|4|${timeMs}|${timeMs}|${root}|`,
      `orders|4|${timeMs}|4|4|${timeMs}|${timeMs}|${root}|${'0'.repeat(32)}${'1'.repeat(32)}`,
    ])
      valid(before(entry));
    refused(before(`halt|4|1|${AT.logged}|on|the cause`), 'consistency');
    for (const entry of [
      `seed|4|2026-01-01|reveal|${root}`,
      'key|4|1|a|b',
      RULES_ENTRY.replace('|1|', '|2|').replace('0'.repeat(64), RULES_HASH),
      'seeds|4|x',
      'halt|4|1|5|on|',
      'halt|4|1|5|off|x',
      'halt|4|0|5|on|x',
      `orders|4|${timeMs}|4|3|${timeMs}|${timeMs}|${root}|`,
      `orders|4|${timeMs}|0|1|${timeMs}|${timeMs}|${root}|`,
      `orders|4|${timeMs}|3|4|${timeMs}|${timeMs - 1}|${root}|`,
      `orders|4|${timeMs}|3|4|${timeMs}|${timeMs + 1}|${root}|`,
      `orders|4|${timeMs}|4|4|${timeMs - 1}|${timeMs}|${root}|`,
      `orders|4|${timeMs}|3|4|${root}|`,
      `orders|4|${timeMs}|4|4|${timeMs}|${timeMs}|${root}`,
      ...['0', '0'.repeat(31), '0'.repeat(64), `${'1'.repeat(32)}${'0'.repeat(32)}`, 'A'.repeat(32)].map(
        (asked) => `orders|4|${timeMs}|4|4|${timeMs}|${timeMs}|${root}|${asked}`,
      ),
      `orders|4|${timeMs}|4|4|${timeMs}|${timeMs}|${root}|${manyAsked(2_001)}`,
      `away|4|1|${timeMs}|a|`,
      `away|4|1|${timeMs}|A|on`,
      `away|4|0|${timeMs}|a|on`,
    ])
      refused(before(entry), 'form');
  });

  test('what an entry names in the open has a bound', () => {
    const asked = `orders|4|${AT.before}|4|4|${AT.before}|${AT.before}|${RULES_HASH}|${manyAsked(2_000)}`;
    valid(receiptOf(withEntries(late, { 4: asked })));
  });

  test('a fix off the whole second, or of before its second, is refused', () => {
    const at = (fixMs: number, timeMs: number) => fix({ n: 13, fixMs, timeMs }, '1.08451', SETTLING_PARTS);
    valid(receiptOf(settledBy(at(AT.settles, AT.settles + 1))));
    refused(receiptOf(settledBy(at(AT.settles + 1, AT.settles + 1))), 'form');
    refused(receiptOf(settledBy(at(AT.settles, AT.settles - 1))), 'form');
  });

  test('rules shown twice are refused', () => {
    const twice = won.log.with(1, won.log[0] as string);
    refused(
      receiptOf({ ...won, log: twice, shown: [['rules', 0], ['rules', 1], ...won.shown.slice(1)] }),
      'form',
    );
  });
});

/** So many names of orders, ascending. */
const manyAsked = (count: number): string =>
  Array.from({ length: count }, (_, at) => at.toString(16).padStart(32, '0')).join('');

describe('entries with a second spelling of one value', () => {
  test.each([
    ['a leading zero of the price', '|1.08451|', '|01.08451|'],
    ['a leading zero of the number', '|13|', '|013|'],
    ['a sign of the number', '|13|', '|+13|'],
    ['a negative price', '|1.08451|', '|-1.08451|'],
    ['a price of nothing', '|1.08451|', '|0.00000|'],
    ['an exponent', '|1.08451|', '|1.08451e0|'],
    ['more decimals', '|1.08451|', '|1.084510|'],
    ['more decimals in a record after', /,1\.08451;b/, ',1.084510;b'],
    ['fullwidth digits', '|13|', '|１３|'],
    ['a number of nothing', '|13|', '|0|'],
    ['a number beyond 2^53', '|13|', '|9007199254740993|'],
    ['minus nothing', '|13|', '|-0|'],
    ['a space', '|13|', '|13 |'],
    ['another sign that looks like it', 'EUR/USD', 'ЕUR/USD'],
    ['a capital source', '|a,', '|A,'],
    ['a source twice', ';b,', ';a,'],
    ['a record’s number of 21 digits', '|a,', '|a,00000001'],
    ['a record without a time', `,${AT.settles},1.08451,use,said`, ',,1.08451,use,said'],
    ['a source that is neither away nor without a record', /;d,.*$/, ';d,gone'],
    ['sources in another order', ';b,', ';d,'],
    ['an unknown use', ',use,', ',used,'],
    ['an unknown closing', /said$/, 'shut'],
    ['a closing of nothing', /,said$/, ''],
    ['half a record after', /,said$/, `,${AT.settles + 1},${AT.settles + 1}`],
    ['a line end', '|13|', '|13|\n'],
  ])('%s in a fix is refused', (_, from, to) => {
    expect(SETTLING).toMatch(from);
    refused(receiptOf(settledBy(SETTLING.replace(from, to))), 'form');
  });

  test.each([
    ['a member twice', (json: string) => json.replace('{', '{"quorum":4,')],
    ['a member twice, escaped once', (json: string) => json.replace('{', '{"\\u0071uorum":4,')],
    [
      'members in another order',
      (json: string) => json.replace('"decimals":5,', '').replace('{', '{"decimals":5,'),
    ],
    ['a space', (json: string) => json.replace(':', ': ')],
    ['a number with a point', (json: string) => json.replace('"quorum":3', '"quorum":3.0')],
    ['a number with an exponent', (json: string) => json.replace('"quorum":3', '"quorum":3e0')],
    ['minus nothing', (json: string) => json.replace('"outlierBps":100', '"outlierBps":-0')],
    ['a delay beyond bounds', (json: string) => json.replace('"delayMs":2000', '"delayMs":60001')],
    ['a delay below two seconds', (json: string) => json.replace('"delayMs":2000', '"delayMs":1999')],
    ['a quorum of none', (json: string) => json.replace('"quorum":3', '"quorum":0')],
    ['a quorum of half the sources', (json: string) => json.replace('"quorum":3', '"quorum":2')],
    ['a quorum of more than the sources', (json: string) => json.replace('"quorum":3', '"quorum":5')],
    ['quotes that are quiet at once', (json: string) => json.replace('"quietMs":10000', '"quietMs":0')],
    ['a wait beyond bounds', (json: string) => json.replace('"waitMs":3000', '"waitMs":60001')],
    ['no wait', (json: string) => json.replace(',"waitMs":3000', '')],
    ['half a surrogate', (json: string) => json.replace('"d"', '"d","\\ud800"')],
    ['sources in another order', (json: string) => json.replace('"a","b"', '"b","a"')],
    [
      'two rates for one cycle',
      (json: string) => json.replace('"0.8"}]', '"0.8"},{"minutes":1,"payoutRate":"0.2"}]'),
    ],
    ['two scales for one asset', (json: string) => json.replace('6}]', '6},{"asset":"USDT","scale":2}]')],
    ['no object', () => '[]'],
  ])('%s in rules is refused', (_, change) => {
    const entry = `rules|4|EUR/USD|1|1779990000000|${'0'.repeat(64)}|${change(JSON.stringify(RULES))}`;
    expect(entry).not.toBe(RULES_ENTRY);
    const rulesHash = toHex(leafHash(entry));
    const log = won.log.map((text, at) => (at === 0 ? entry : text.replaceAll(RULES_HASH, rulesHash)));
    refused(receiptOf({ ...won, log, terms: { rulesHash } }), 'form');
  });

  test('repeated members and other spellings of numbers in the document are refused', () => {
    const text = JSON.stringify(receiptOf(won));
    valid(text);
    refused(text.replace('"payout":"180.000001"', '"payout":"999.000000","payout":"180.000001"'), 'form');
    refused(text.replace('"version":4', '"version":1,"\\u0076ersion":4'), 'form');
    refused(text.replace('"size":3', '"size":3.0'), 'form');
    refused(text.replace('"index":0', '"index":-0'), 'form');
    refused(text.replace('"version":4', '"version":4.00000000000000000001'), 'form');
    refused(JSON.stringify({ code: 1, msg: '', data: receiptOf(won) }), 'form');
  });
});

describe('rules and times', () => {
  const later = (effectiveMs: number, previous = RULES_HASH) =>
    rules(2, effectiveMs, previous, { outlierBps: 1 });
  /** The settling fix under rules of its own, which stand at an index of the log. */
  const under = (entry: string, place: number): Story => {
    const settle = SETTLING.replace(RULES_HASH, toHex(leafHash(entry)));
    const shown: Shown = [['rules', 0], ['rules', place], ...won.shown.slice(1)];
    return { ...withEntries(won, { [place]: entry, 10: settle }), shown };
  };

  test('a fix is refused under rules that take effect later or are logged after it', () => {
    valid(receiptOf(under(later(AT.settles), 8)));
    refused(receiptOf(under(later(AT.settles + 1), 8)), 'prices');
    refused(receiptOf(under(later(AT.settles), 11)), 'prices');
    refused(receiptOf(under(later(AT.settles, 'cd'.repeat(32)), 8)), 'rules');
    const unnamed: Shown = [['rules', 0], ['rules', 8], ...won.shown.slice(1)];
    refused(receiptOf({ ...withEntries(won, { 8: later(AT.settles + 250) }), shown: unnamed }), 'prices');
  });

  test('payout rates are compared as numbers, however they are written', () => {
    valid(receiptOf({ ...won, terms: { payoutRate: '0.80' } }));
    refused(receiptOf({ ...won, terms: { payoutRate: '0.8001' } }), 'rules');
  });

  test('entries whose time jumps forwards or back are refused', () => {
    const early = fix({ n: 13, fixMs: AT.settles, timeMs: AT.settles + 500 }, '1.08451', SETTLING_PARTS);
    valid(receiptOf(settledBy(early)));
    refused(receiptOf({ ...settledBy(early), extensions: [timeExtension(AT.settles + 499)] }), 'entries');
    const unfixed = story('won, no price of its settlement time');
    refused(receiptOf(withEntries(unfixed, { 9: OTHER(AT.opens) })), 'entries');
    refused(receiptOf(withEntries(unfixed, { 9: OTHER(AT.settles + DAY_MS - 1) })), 'settlement');
    refused(receiptOf({ ...won, loggedMs: AT.opens + 401 }), 'entries');
    refused(
      receiptOf({ ...won, terms: { acceptedAt: TERMS.acceptedAt, settlesAt: AT.settles - 1000 } }),
      'rules',
    );
  });

  test('amounts and rates of many digits are judged as the others', () => {
    const amount = `${'9'.repeat(19)}.000001`;
    const payout = '17999999999999999998.200001';
    const large = { ...won, terms: { amount }, outcome: { ...won.outcome, payout } };
    refused(receiptOf(large), 'form');
    const fitting = `1${'0'.repeat(18)}.000001`;
    valid(
      receiptOf({
        ...won,
        terms: { amount: fitting },
        outcome: { ...won.outcome, payout: '1800000000000000000.000001' },
      }),
    );
    const dear = settledBy(SETTLING_AT(`${'9'.repeat(19)}.99999`), `${'9'.repeat(19)}.99999`);
    valid(receiptOf(dear));
  });
});
