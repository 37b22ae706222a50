/**
 * Receipts of a dishonest operator who signs them with the real keys: every hash, proof and signature is correct, so only a
 * verifier that judges the content finds the fault. Also honest receipts that are close to a fraud.
 */
import { leafHash, rootOf, toHex } from '../src/index.ts';
import {
  ACCEPTED_MS,
  AT,
  agreed,
  gap,
  type QuoteText,
  RULES,
  type Story,
  story,
  TERMS,
  tick,
  withEntries,
} from './story.ts';

/** A story and its fault, as `step: fault`. */
export interface Fraud {
  readonly told: Story;
  readonly fault: string;
}

const won = story('won');
const lost = story('lost');
const away = story('void, prices stopped before they settled it and are still away');

/** The story with other entries shown under some roles. */
export const showing = (of: Story, places: readonly (readonly [string, number])[]): Story => ({
  ...of,
  shown: places as Story['shown'],
});

const laterOpening = { ...won, log: won.log.with(9, agreed(44, AT.open + 500, '1.08449')) };
const NOT_FIRST = 'opening: the opening tick is not the first that may open the order';
const OPENINGS: Readonly<Record<string, Fraud>> = {
  'another tick opens, and the one before it is not shown': {
    told: showing(laterOpening, [...won.shown.slice(0, 5), ['open', 9], ...won.shown.slice(6)]),
    fault: 'opening: between 7 and 9 the numbers do not follow',
  },
  'another tick opens, and the right one is shown before it': {
    told: showing(laterOpening, [
      ...won.shown.slice(0, 5),
      ['beforeOpen', 8],
      ['open', 9],
      ...won.shown.slice(6),
    ]),
    fault: NOT_FIRST,
  },
  'a tick opens that came too early': {
    told: showing(won, [...won.shown.slice(0, 4), ['open', 7], ...won.shown.slice(6)]),
    fault: NOT_FIRST,
  },
  'void for a gap where there was a price': {
    told: withEntries(story('void, a gap before it opened'), { 8: agreed(43, AT.early + 250, '1.08420') }),
    fault: 'opening: nothing shown kept the order from opening',
  },
};

const settledEarlier = showing(
  withEntries(won, { 10: agreed(44, AT.settles - 750, '1.08440'), 12: agreed(45, AT.settles, '1.08451') }),
  [...won.shown.slice(0, 6), ['beforeSettle', 8], ['settle', 10], ['afterSettle', 12]],
);
const NOT_LAST = 'settlement: the settlement tick is not the last at or before the settlement time';
const SETTLEMENTS: Readonly<Record<string, Fraud>> = {
  'an earlier tick settles': { told: settledEarlier, fault: NOT_LAST },
  'an earlier tick settles, and the next two are shown': {
    told: showing(withEntries(settledEarlier, { 14: agreed(46, AT.settles + 500, '1.08460') }), [
      ...settledEarlier.shown,
      ['afterSettle', 14],
    ]),
    fault: NOT_LAST,
  },
  'a tick settles that came after the settlement time': {
    told: showing({ ...won, log: [...won.log, agreed(93, AT.settles + 1_000, '1.08470')] }, [
      ...won.shown.slice(0, 6),
      ['beforeSettle', 12],
      ['settle', 14],
      ['afterSettle', 16],
    ]),
    fault: 'settlement: the settlement tick is later than the settlement time',
  },
  'a tick left out': {
    told: withEntries(won, { 14: agreed(93, AT.settles + 500, '1.08460') }),
    fault: 'settlement: between 12 and 14 the numbers do not follow',
  },
  'a tick inserted': {
    told: withEntries(won, { 12: agreed(90, AT.settles, '1.08451') }),
    fault: 'settlement: between 10 and 12 the numbers do not follow',
  },
  'a number used twice': {
    told: withEntries(won, {
      10: agreed(42, AT.settles - 750, '1.08440'),
      12: agreed(43, AT.settles, '1.08451'),
      14: agreed(44, AT.settles + 500, '1.08460'),
    }),
    fault: 'settlement: the entries at 7 and 10 are not of one series',
  },
  'a gap hidden before the settlement time': {
    told: withEntries(away, { 12: gap(93, AT.settles - 500) }),
    fault: 'settlement: between 11 and 12 the numbers do not follow',
  },
  'a price hidden before the settlement time': {
    told: showing(withEntries(away, { 13: agreed(93, AT.settles - 250, '1.08460') }), [
      ...away.shown.slice(0, -1),
      ['afterSettle', 13],
    ]),
    fault: NOT_LAST,
  },
};

const AT_SETTLEMENT = { n: 91, timeMs: AT.settles };
const SINCE = AT.settles - 20;
const OLD_QUOTES: readonly QuoteText[] = [
  ['a', '1.08440', AT.settles - 1_000],
  ['b', '1.08440', AT.settles - 1_000],
  ['c', '1.08440', AT.settles - 1_000],
];
const FRESH_QUOTES: readonly QuoteText[] = [['a', '1.08440', AT.settles - 10], ...OLD_QUOTES.slice(1)];
/** The middle two are 1.08424 and 1.08436; the price before was 1.08440, so the rule takes the second. */
const FOUR_QUOTES: readonly QuoteText[] = [
  ['a', '1.08420', SINCE],
  ['b', '1.08424', SINCE],
  ['c', '1.08436', SINCE],
  ['d', '1.08440', SINCE],
];
const TWO_QUOTES: readonly QuoteText[] = [
  ['a', '1.08451', SINCE],
  ['b', '1.08451', SINCE],
];
const settledAt = (
  of: Story,
  price: string,
  quotes: readonly QuoteText[],
  word: 'new' | 'same' = 'new',
): Story => ({
  ...withEntries(of, { 12: tick(AT_SETTLEMENT, price, quotes, word) }),
  outcome: { ...of.outcome, settlePrice: price },
});
const PRICES: Readonly<Record<string, Fraud>> = {
  'a restated price passed off as new': {
    told: settledAt(won, '1.08440', OLD_QUOTES, 'new'),
    fault: 'prices: the tick at 12: it repeats a price but says new',
  },
  'a new price passed off as restated': {
    told: settledAt(won, '1.08440', FRESH_QUOTES, 'same'),
    fault: 'prices: the tick at 12: it is new but says the same',
  },
  'an even median taken from the other side': {
    told: settledAt(lost, '1.08424', FOUR_QUOTES),
    fault: 'prices: the tick at 12: its price is not what the rule makes of its quotes',
  },
  'a quote set aside that counts': {
    told: settledAt(won, '1.08451', [...TWO_QUOTES, ['c', '1.08401', SINCE, 'outlier']]),
    fault: 'prices: the tick at 12: a quote was judged against the rule',
  },
  'a source that is none': {
    told: settledAt(won, '1.08451', [...TWO_QUOTES, ['z', '1.08451', SINCE]]),
    fault: 'prices: the tick at 12: a source is none of the product’s',
  },
  'too few sources': {
    told: settledAt(won, '1.08451', TWO_QUOTES.slice(1)),
    fault: 'prices: the tick at 12: there were too few sources for a price',
  },
};

const KINDER = { ...RULES, cycles: [{ minutes: 1, payoutRate: '0.7' }] };
const rule = (effectiveMs: number): string =>
  `rules|1|example/EUR/USD|${effectiveMs}|${JSON.stringify(KINDER)}`;
/** The order under the rules entry at this log index. */
const byRules = (entry: string, at: number): Story => ({
  ...won,
  log: won.log.with(at, entry),
  shown: [['rules', 0], ['rules', at], ...won.shown.slice(1)],
  terms: { rulesHash: toHex(leafHash(entry)), payoutRate: '0.7' },
  outcome: { ...won.outcome, payout: '170.000001' },
});
const TERMS_AND_OUTCOMES: Readonly<Record<string, Fraud>> = {
  'rules logged afterwards': {
    told: byRules(rule(1_779_990_000_000), 6),
    fault: 'rules: the rules were logged after the order was accepted',
  },
  'rules that did not hold yet': {
    told: byRules(rule(ACCEPTED_MS + 1), 1),
    fault: 'rules: the rules were not in force yet',
  },
  'a payout rate for one customer': {
    told: {
      ...won,
      terms: { payoutRate: '0.81' },
      outcome: { ...won.outcome, payout: '181.000001' },
    },
    fault: 'rules: the payout rate is not that of the rules',
  },
  'a later settlement time for one customer': {
    told: { ...won, terms: { settlesAt: TERMS.settlesAt + 1_000 } },
    fault: 'rules: the settlement time is not acceptance plus cycle',
  },
  'a payout for one customer': {
    told: { ...won, outcome: { ...won.outcome, payout: '181.000001' } },
    fault: 'outcome: the payout is 181.000001 where the rules make it 180.000001',
  },
};

/** Accepted at `ms`, with the settlement time that follows for one minute. */
const acceptedAt = (ms: number): Story => ({
  ...won,
  terms: { acceptedAt: ms, settlesAt: Math.ceil((ms + 60_000) / 1000) * 1000 },
});
const olderLog: Story = {
  ...won,
  shown: [won.shown[0] as Story['shown'][number], ['beforeAccept', 3], ...won.shown.slice(2)],
};
const seenRoot = toHex(rootOf(won.log.slice(0, 5).map((text) => leafHash(text))));
const neverLogged = story('void, never logged');
const TIMES: Readonly<Record<string, Fraud>> = {
  'an acceptance backdated': {
    told: acceptedAt(AT.before - 1),
    fault: 'consistency: the acceptance says an earlier time than the log that it names had reached',
  },
  'an acceptance postdated': {
    told: acceptedAt(AT.logged + 1),
    fault: 'logged: the orders entry is older than the acceptance',
  },
  'an acceptance with an older log than was seen': {
    told: { ...olderLog, terms: { logSize: 4, seenSize: 5, seenRoot } },
    fault: 'seen: the acceptance names an older log than the customer had seen',
  },
  'said to be logged too late': {
    told: showing({ ...won, outcome: story('void, logged too late').outcome }, won.shown.slice(0, 3)),
    fault: 'logged: the orders entry came in time',
  },
  'logged too late, and settled': {
    told: { ...won, loggedMs: AT.logged + 2_250 },
    fault: 'logged: the orders entry came too late, which voids the order',
  },
  'said never to be logged while it could be': {
    told: showing(neverLogged, [...neverLogged.shown.slice(0, 2), ['head', 5]]),
    fault: 'logged: the log had not passed the two seconds in which the acceptance has to be logged',
  },
};

export const SIGNED_FRAUDS: Readonly<Record<string, Fraud>> = {
  ...OPENINGS,
  ...SETTLEMENTS,
  ...PRICES,
  ...TERMS_AND_OUTCOMES,
  ...TIMES,
};

/** Valid receipts, each close to the fraud with a similar name. */
export const CLOSE_TO_FRAUD: Readonly<Record<string, Story>> = {
  'won, by a restated price': settledAt(won, '1.08440', OLD_QUOTES, 'same'),
  'won, by an even median': settledAt(won, '1.08436', FOUR_QUOTES),
  'won, by a quote that is too old and one that is too far': settledAt(won, '1.08451', [
    ...TWO_QUOTES,
    ['c', '1.20000', SINCE, 'outlier'],
    ['d', '1.08451', AT.settles - 5_001, 'stale'],
  ]),
  'won, accepted with an older log': { ...olderLog, terms: { logSize: 4 } },
};
