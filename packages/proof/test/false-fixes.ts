/** Frauds with fixes: others than the order's, records that are not the last ones, prices that do not follow; and what is just allowed. */
import { timeExtension } from '../src/index.ts';
import { CLOSES, closed, closing, LOSS, OUTCOMES } from './false-closes.ts';
import {
  AT,
  agreedFix,
  DAY_MS,
  type Fraud,
  fix,
  hash,
  next,
  OPENING_PARTS,
  OTHER,
  openedAndClosed,
  RULES_HASH,
  record,
  recordsAt,
  rules,
  SETTLING,
  SETTLING_PARTS,
  type Story,
  story,
  thinFix,
  withEntries,
  withMore,
} from './story.ts';

const won = story('won');
const opening = (price: string, records: readonly string[], at: Partial<Parameters<typeof fix>[0]> = {}) =>
  withEntries(won, { 7: fix({ n: 12, fixMs: AT.opens, ...at }, price, records) });
const AFTER_WAIT = [timeExtension(AT.settles + 4_000)];
const settling = (
  price: string,
  records: readonly string[],
  at: Partial<Parameters<typeof fix>[0]> = {},
): Story => ({
  ...withEntries(won, { 10: fix({ n: 13, fixMs: AT.settles, ...at }, price, records) }),
  outcome: { ...won.outcome, settlePrice: price },
  extensions: AFTER_WAIT,
});
const [A, B, C, D] = SETTLING_PARTS as [string, string, string, string];
const parts = (change: Readonly<Partial<Record<'a' | 'b' | 'c' | 'd', string>>>): string[] => {
  const { a = A, b = B, c = C, d = D } = change;
  return [a, b, c, d];
};
const PLACES: Readonly<Record<string, Fraud>> = {
  'a fix of another second opens': {
    told: withEntries(won, { 7: agreedFix({ n: 12, fixMs: AT.opens + 1_000 }, '1.08427') }),
    fault: 'opening: the fix at 7 is of another second',
  },
  'another product’s fix opens': {
    told: opening('1.08427', OPENING_PARTS, { symbol: 'EUR/USDT' }),
    fault: 'opening: the fix at 7 is of another product',
  },
  'a thin fix opens': {
    told: withEntries(won, { 7: thinFix(12, AT.opens, '1.08426', ['1.08425', '1.08427']) }),
    fault: 'opening: too few sources count in the fix, so it opens nothing',
  },
  'void for too few sources where there were enough': {
    told: withEntries(story('void, too few sources at the opening'), { 7: won.log[7] as string }),
    fault: 'opening: enough sources count in the fix, so it opens the order',
  },
  'a close opens without its fix': {
    told: opening('1.08427', OPENING_PARTS, { kind: 'close' }),
    fault: 'opening: no fix is shown',
  },
  'two fixes of the opening time': {
    told: {
      ...withEntries(won, {
        8: fix({ n: 12, fixMs: AT.opens, timeMs: AT.opens + 500 }, '1.08427', OPENING_PARTS),
      }),
      shown: won.shown.toSpliced(4, 0, ['opening', 8]),
    },
    fault: 'opening: the entry at 8 does not close that fix',
  },
  'a fix written more than a day after its second': {
    told: {
      ...withEntries(won, {
        10: fix({ n: 13, fixMs: AT.settles, timeMs: AT.settles + DAY_MS + 1 }, '1.08451', SETTLING_PARTS),
      }),
      extensions: [`time ${AT.settles + DAY_MS + 1_000}`],
    },
    fault: 'settlement: the entry at 10 was written more than 24 hours after its second',
  },
  'a close of another fix': {
    told: closing((close) => close.replace('|13|', '|12|')),
    fault: 'settlement: the entry at 12 does not close that fix',
  },
  'a close of another second': {
    told: closing((close) => close.replace(`|${AT.settles}|`, `|${AT.settles - 1_000}|`)),
    fault: 'settlement: the entry at 12 does not close that fix',
  },
  'a fix of a second before the settlement time settles': {
    told: withEntries(won, { 10: SETTLING('1.08451', AT.settles - 1_000) }),
    fault: 'settlement: the fix at 10 is of another second',
  },
  'a number used twice': {
    told: settling('1.08451', SETTLING_PARTS, { n: 12 }),
    fault: 'settlement: the fix that settles does not come after the one that opens',
  },
  'said to have no price, a moment too early': {
    told: withEntries(story('won, no price of its settlement time'), {
      9: OTHER(AT.settles + DAY_MS - 1),
    }),
    fault: 'settlement: the entry shown is not 24 hours later than the fix that is missing',
  },
  'said to have no price, by the time of its opening': {
    told: withEntries(story('won, no price of its settlement time'), {
      9: OTHER(AT.opens + DAY_MS),
    }),
    fault: 'settlement: the entry shown is not 24 hours later than the fix that is missing',
  },
  'a price that is said to be missing, and shown': {
    told: {
      ...won,
      log: [...won.log, OTHER(AT.settles + DAY_MS)],
      shown: [...won.shown, ['waited', 12]],
      extensions: [`time ${AT.settles + DAY_MS}`],
    },
    fault: 'form: the entries are not those of any kind of receipt',
  },
};

const NOT_ALL = 'prices: the fix at 10: its sources are not exactly those of the rules';
const JUDGED = 'prices: the fix at 10: a record was judged against the rule';
const NOT_MEDIAN = 'prices: the fix at 10: its price is not what the rule makes of its records';
const TOO_EARLY = 'prices: the fix at 10: it was written before enough records were closed';
/** The middle two are 1.08425 and 1.08436, and their mean 1.084305. */
const EVEN = recordsAt(AT.settles, ['1.08420', '1.08425', '1.08436', '1.08440']);

const PRICES: Readonly<Record<string, Fraud>> = {
  'a price that is not the median': { told: settling('1.08452', SETTLING_PARTS), fault: NOT_MEDIAN },
  'an even median rounded up': { told: settling('1.08431', EVEN), fault: NOT_MEDIAN },
  'a source left out': { told: settling('1.08451', SETTLING_PARTS.slice(0, 3)), fault: NOT_ALL },
  'a price though all sources are away': {
    told: settling('1.08451', ['a,away', 'b,away', 'c,away', 'd,away']),
    fault: NOT_MEDIAN,
  },
  'a source of its own': {
    told: settling('1.08451', [...SETTLING_PARTS.slice(0, 3), D.replace('d,', 'own,')]),
    fault: NOT_ALL,
  },
  'an outlier that is not left out': {
    told: settling('1.08451', parts({ d: record('d', '1.20000', AT.settles) })),
    fault: JUDGED,
  },
  'a record left out as an outlier': {
    told: settling('1.08451', parts({ d: record('d', '1.08401', AT.settles, { use: 'outlier' }) })),
    fault: JUDGED,
  },
  'a quiet record that counts': {
    told: settling('1.08451', parts({ d: record('d', '1.08451', AT.settles - 10_001) })),
    fault: JUDGED,
  },
  'a record left out as quiet': {
    told: settling('1.08451', parts({ d: record('d', '1.08401', AT.settles - 10_000, { use: 'quiet' }) })),
    fault: JUDGED,
  },
  'a record of after the second': {
    told: settling('1.08451', parts({ d: record('d', '1.08451', AT.settles + 1) })),
    fault: 'prices: the fix at 10: the record of d is later than its second',
  },
  'a record after it that is of the second': {
    told: settling(
      '1.08451',
      parts({ d: record('d', '1.08451', AT.settles - 5, { closing: next('1.08401', AT.settles) }) }),
    ),
    fault: 'prices: the fix at 10: the record after that of d is none',
  },
  'a record after it with a lower number': {
    told: settling(
      '1.08451',
      parts({
        d: record('d', '1.08451', AT.settles, { closing: next('1.08401', AT.settles + 5, AT.settles) }),
      }),
    ),
    fault: 'prices: the fix at 10: the record after that of d is none',
  },
  'a fix in other decimals than its rules have': {
    told: withEntries(won, { 10: SETTLING('1.084510') }),
    fault: 'prices: the fix at 10: its prices have not the decimals of the product',
  },
  'an open record that was not waited for': {
    told: settling('1.08451', parts({ d: record('d', '1.08451', AT.settles, { closing: 'open' }) }), {
      timeMs: AT.settles + 2_999,
    }),
    fault: TOO_EARLY,
  },
  'a missing record that was not waited for': {
    told: {
      ...withEntries(story('won, a source had no record yet when it opened'), {
        7: fix({ n: 12, fixMs: AT.opens, timeMs: AT.opens + 2_999 }, '1.08427', [
          ...OPENING_PARTS.slice(0, 3),
          'd,none',
        ]),
      }),
    },
    fault: 'prices: the fix at 7: it was written before enough records were closed',
  },
  'open records without which too few count': {
    told: settling(
      '1.08451',
      parts({
        c: record('c', '1.08451', AT.settles - 50, { closing: 'open' }),
        d: record('d', '1.08451', AT.settles, { closing: 'open' }),
      }),
      { timeMs: AT.settles + 3_000 },
    ),
    fault: TOO_EARLY,
  },
};

/** Settled under rules that have other decimals, at entry 11. */
const underDecimals = (decimals: number, price: string, records: readonly string[]): Story => {
  const later = rules(2, AT.settles, RULES_HASH, { decimals });
  const { log, ...told } = settling(price, records, { rulesHash: hash(later) });
  const moved = withMore({ ...told, log }, 8, later);
  return { ...moved, shown: [['rules', 0], ['rules', 8], ...moved.shown.slice(1)] };
};
/** The record after the opening's of `a`, quiet by then, and three others. */
const recalled = (price: string, others: string): string[] => [
  record('a', price, AT.opens + 120, { use: 'quiet' }),
  ...recordsAt(AT.settles, [others, others, others, others]).slice(1),
];

const clash = (text: string) => `prices: the fix at 10: ${text}`;
const [FIX, CLOSE] = openedAndClosed(12, AT.opens, '1.08407', '1.08447');
/** Opened by a fix with an open record, whose close came while the order ran. */
const openedClosed: Story = {
  ...story('won, by the close of its opening'),
  extensions: AFTER_WAIT,
  log: story('won, by the close of its opening').log.with(7, FIX).with(9, CLOSE),
};
/** A settlement for which the source `d` has nothing newer. */
const settledByOld = (d: string): string =>
  fix({ n: 13, fixMs: AT.settles, timeMs: AT.settles + 3_000 }, '1.08427', [
    ...recordsAt(AT.settles, ['1.08427', '1.08427', '1.08427', '']).slice(0, 3),
    d,
  ]);
/** A record of `a` that is said to be the last one before another of after the settlement. */
const followed = (timeMs: number, use = 'use'): string =>
  record('a', '1.08426', timeMs, { use, closing: next('1.08426', AT.settles + 120) });
const CLASHES: Readonly<Record<string, Fraud>> = {
  'a number of a source that falls': {
    told: settling('1.08451', parts({ d: record('d', '1.08451', AT.settles, { number: 7 }) })),
    fault: clash('the time falls while the number rises, in records of d'),
  },
  'a time of a source that falls': {
    told: settling(
      '1.08451',
      parts({ d: record('d', '1.08431', AT.opens - 10, { number: AT.opens + 1, use: 'quiet' }) }),
    ),
    fault: clash('the time falls while the number rises, in records of d'),
  },
  'one number with two prices': {
    told: settling('1.08451', parts({ d: record('d', '1.08430', AT.opens, { use: 'quiet' }) })),
    fault: clash('there are two records with one number of d'),
  },
  'one number with two times': {
    told: settling('1.08451', parts({ d: record('d', '1.08431', AT.settles, { number: AT.opens }) })),
    fault: clash('there are two records with one number of d'),
  },
  'an older record than the one after the opening': {
    told: settling('1.08451', parts({ a: record('a', '1.08426', AT.opens - 90, { use: 'quiet' }) })),
    fault: clash('it passes over a record of a that was shown'),
  },
  'a record that the opening said was none': {
    told: settling(
      '1.08451',
      parts({ d: record('d', '1.08451', AT.opens, { number: AT.opens + 1, use: 'quiet' }) }),
    ),
    fault: clash('it shows a record of d that was passed over before'),
  },
  'a record between the opening’s and the one after it': {
    told: {
      ...withEntries(settling('1.08451', parts({ a: followed(AT.opens + 110, 'quiet') })), {
        7: fix({ n: 12, fixMs: AT.opens }, '1.08427', [followed(AT.opens - 90), ...OPENING_PARTS.slice(1)]),
      }),
    },
    fault: clash('it shows a record of a that was passed over before'),
  },
  'one number with two prices, under rules with fewer decimals': {
    told: underDecimals(4, '1.0845', recalled('1.0843', '1.0845')),
    fault: 'prices: the fix at 11: there are two records with one number of a',
  },
  'one number with two prices, under rules with more decimals': {
    told: underDecimals(6, '1.084511', recalled('1.084250', '1.084511')),
    fault: 'prices: the fix at 11: there are two records with one number of a',
  },
  'a source that loses its record': {
    told: settling('1.08451', parts({ d: 'd,none' }), { timeMs: AT.settles + 3_000 }),
    fault: clash('d had a record before and has none'),
  },
  'a settlement by the record that a close had overtaken': {
    told: {
      ...openedClosed,
      log: openedClosed.log.with(
        11,
        settledByOld(record('d', '1.08407', AT.opens - 30, { use: 'quiet', closing: 'open' })),
      ),
    },
    fault: 'prices: the fix at 11: it passes over a record of d that was shown',
  },
};

export const FIX_FRAUDS: Readonly<Record<string, Fraud>> = {
  ...PLACES,
  ...PRICES,
  ...CLASHES,
  ...CLOSES,
  ...OUTCOMES,
};

/** Valid, each close to a fraud above. */
export const CLOSE_TO_FIX_FRAUD: Readonly<Record<string, Story>> = {
  'won, by an even median rounded down': settling('1.08430', EVEN),
  'won, a record as old as may count': settling(
    '1.08451',
    parts({ d: record('d', '1.08451', AT.settles - 10_000) }),
  ),
  'won, an outlier left out': settling(
    '1.08451',
    parts({ d: record('d', '1.20000', AT.settles, { use: 'outlier' }) }),
  ),
  'won, the same record as at the opening': settling(
    '1.08451',
    parts({ d: record('d', '1.08431', AT.opens, { use: 'quiet' }) }),
  ),
  'won, the record after the opening is the one that settles': settling(
    '1.08451',
    parts({ a: record('a', '1.08426', AT.opens + 120, { use: 'quiet' }) }),
  ),
  'won, a record of before it opened that came to light later': {
    ...openedClosed,
    log: openedClosed.log
      .with(9, OTHER(AT.opens + 3_500))
      .with(11, settledByOld(record('d', '1.08447', AT.opens - 10, { use: 'quiet' }))),
    shown: openedClosed.shown.toSpliced(4, 1),
    outcome: { ...won.outcome, openPrice: '1.08422', settlePrice: '1.08427' },
  },
  'won, a record of both prices, under rules with fewer decimals': underDecimals(
    4,
    '1.0845',
    recalled('1.0842', '1.0845'),
  ),
  'won, a record of both prices, under rules with more decimals': underDecimals(
    6,
    '1.084511',
    recalled('1.084263', '1.084511'),
  ),
  'won, settled though half of the sources are away': settling(
    '1.08451',
    parts({ c: 'c,away', d: 'd,away' }),
  ),
  'won, its price waited for a day': {
    ...withEntries(won, {
      10: fix({ n: 13, fixMs: AT.settles, timeMs: AT.settles + DAY_MS }, '1.08451', SETTLING_PARTS),
      11: OTHER(AT.settles + DAY_MS),
    }),
    extensions: [`time ${AT.settles + DAY_MS}`],
  },
  'lost, closed with the record that was open': {
    ...closed,
    log: closed.log.with(
      -1,
      (closed.log[10] as string)
        .replace('fix|', 'close|')
        .replace(String(AT.settles + 3_000), String(AT.settles + 3_500))
        .replace(/open$/, 'said'),
    ),
    outcome: { ...closed.outcome, settlePrice: '1.08422', ...LOSS },
  },
};
