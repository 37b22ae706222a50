/**
 * Receipts of a dishonest operator who signs them with the real keys: every hash, proof and signature is correct, so only a
 * verifier that judges the content finds the fault. Also honest receipts that are close to a fraud.
 */
import { leafHash, toHex } from '../src/index.ts';
import { CLOSE_IN_TIME, HELD_FRAUDS, TIMES } from './false-times.ts';
import { CLOSE_TO_WORTH_FRAUD, WORTH_FRAUDS } from './false-worth.ts';
import {
  ACCEPTED_MS,
  AT,
  agreed,
  type Fraud,
  gap,
  halfNew,
  LATER_RULES,
  loggedAt,
  QUIET_MS,
  type QuoteText,
  RULES_HASH,
  rules,
  type Story,
  story,
  TERMS,
  tick,
  withEntries,
} from './story.ts';

const won = story('won');
const lost = story('lost');
const late = story('void, logged too late');
const noTick = story('won, no entry of the settlement time');
const hole = story('void, a hole that the next entry shows much later');
const stopped = story('void, prices had stopped');

/** The story with other entries shown. */
const showing = (of: Story, places: readonly (readonly [string, number])[]): Story => ({
  ...of,
  shown: places as Story['shown'],
});
/** The same for its last entries only, from a place in the list on. */
const showingLast = (of: Story, at: number, ...places: readonly (readonly [string, number])[]): Story =>
  showing(of, [...of.shown.slice(0, at), ...places]);

const LOGGED: Readonly<Record<string, Fraud>> = {
  'a win voided as never logged': {
    told: showing({ ...won, outcome: late.outcome }, won.shown.slice(0, 2)),
    fault: 'form: the entries are not those of any kind of receipt',
  },
  'said to be logged too late': {
    told: showing({ ...won, outcome: late.outcome }, won.shown.slice(0, 3)),
    fault: 'logged: the orders entry came in time',
  },
  'logged too late, and settled': {
    told: loggedAt(won, 8, AT.deadline + 1),
    fault: 'logged: the orders entry came too late, which voids the order',
  },
  'another batch of the same entry': {
    told: { ...won, terms: { batch: TERMS.batch - 1 } },
    fault: 'logged: the batch is not under the root of the orders entry',
  },
};

const FRESH = (n: number, timeMs: number) => agreed(n, timeMs, '1.08427');
const OPENINGS: Readonly<Record<string, Fraud>> = {
  'the first tick that may open is not shown': {
    told: showing(won, [...won.shown.slice(0, 3), ['opening', 9], ['opening', 11], ...won.shown.slice(6)]),
    fault: 'opening: between 9 and 11 the numbers do not follow',
  },
  'an earlier tick would have opened': {
    told: withEntries(won, { 10: FRESH(46, AT.early) }),
    fault: 'opening: an entry before the last one shown decides about the opening',
  },
  'a tick opens whose quotes are half from longer than D before the opening time': {
    told: withEntries(won, { 11: halfNew(47, AT.open, '1.08427') }),
    fault: 'opening: nothing that is shown decides about the opening',
  },
  'a first tick with a bogus price': {
    told: withEntries(won, {
      11: tick({ n: 47, timeMs: AT.open }, '1.09900', [
        ['a', '1.08426', AT.open - 40],
        ['b', '1.08427', AT.open - 30],
        ['c', '1.08427', AT.open - 20],
        ['d', '1.08431', QUIET_MS],
      ]),
    }),
    fault: 'prices: the tick at 11: its price is not what the rule makes of its quotes',
  },
  'a hole before the opening': {
    told: withEntries(won, { 10: halfNew(46, AT.open, '1.08410'), 11: FRESH(47, AT.open + 250) }),
    fault: 'opening: an entry before the last one shown decides about the opening',
  },
  'the grid time before the opening time is left out': {
    told: showing(withEntries(won, { 9: halfNew(45, AT.early, '1.08408') }), [
      ...won.shown.slice(0, 3),
      ['opening', 8],
      ['opening', 9],
      ...won.shown.slice(4),
    ]),
    fault: 'opening: the entry at 10 is not later than the one before it',
  },
  'more is shown from before the opening time': {
    told: showing(won, [...won.shown.slice(0, 3), ['opening', 8], ...won.shown.slice(3)]),
    fault: 'opening: earlier entries are shown than the last before the opening time',
  },
  'void for a gap where there was a price': {
    told: withEntries(story('void, a gap before it opened'), { 11: halfNew(47, AT.open, '1.08420') }),
    fault: 'opening: nothing that is shown decides about the opening',
  },
  'void for a quorum that there was': {
    told: withEntries(story('void, a gap before it opened'), {
      11: gap(47, AT.open, 'quorum', [
        ['a', '1.08410', AT.open - 10],
        ['b', '1.08410', AT.open - 10],
        ['c', '1.08400', QUIET_MS],
        ['d', '1.08431', QUIET_MS],
      ]),
    }),
    fault: 'prices: the gap at 11: there were enough sources for a price',
  },
  'void for a hole, without the entry after it': {
    told: showing(hole, hole.shown.slice(0, -1)),
    fault: 'opening: nothing that is shown decides about the opening',
  },
  'void for a gap, without the entry after it': {
    told: showing(stopped, stopped.shown.slice(0, -1)),
    fault: 'opening: nothing that is shown decides about the opening',
  },
  'void for a gap, with more than the entry after it': {
    told: showing({ ...stopped, log: [...stopped.log, halfNew(47, AT.open, '1.08410')] }, [
      ...stopped.shown,
      ['opening', 11],
    ]),
    fault: 'opening: an entry before the last one shown decides about the opening',
  },
  'void for want of an opening tick, an entry too early': {
    told: showing(
      story('void, no opening tick in time'),
      story('void, no opening tick in time').shown.slice(0, -1),
    ),
    fault: 'opening: nothing that is shown decides about the opening',
  },
  'another product’s tick opens': {
    told: withEntries(won, { 11: FRESH(47, AT.open).replace('EUR/USD', 'EUR/USDT') }),
    fault: 'opening: the entry at 11 is of another product',
  },
};

const NOT_OF_TIME = 'settlement: the entry shown is not of the settlement time';
const SETTLEMENTS: Readonly<Record<string, Fraud>> = {
  'an earlier tick settles though there is one of the settlement time': {
    told: showingLast({ ...won, outcome: { ...won.outcome, settlePrice: '1.08440' } }, 6, ['settling', 13]),
    fault: NOT_OF_TIME,
  },
  'a tick settles that came after the settlement time': {
    told: showingLast(won, 6, ['settling', 17]),
    fault: NOT_OF_TIME,
  },
  'the tick of the settlement time, and the one before it': {
    told: showingLast(won, 6, ['settling', 13], ['settling', 15]),
    fault: 'settlement: the settlement time is not between the two entries shown',
  },
  'the tick of the settlement time, and the one after it': {
    told: showingLast(won, 6, ['settling', 15], ['settling', 17]),
    fault: 'settlement: the settlement time is not between the two entries shown',
  },
  'the tick of the settlement time, between both others': {
    told: showingLast(won, 6, ['settling', 13], ['settling', 15], ['settling', 17]),
    fault: 'form: the entries are not those of any kind of receipt',
  },
  'a tick of the settlement time that is hidden between two others': {
    told: showingLast({ ...lost, outcome: noTick.outcome }, 6, ['settling', 13], ['settling', 17]),
    fault: 'settlement: between 13 and 17 the numbers do not follow',
  },
  'a number left out around the settlement time': {
    told: withEntries(noTick, { 15: agreed(92, AT.settles + 250, '1.08401') }),
    fault: 'settlement: between 13 and 15 the numbers do not follow',
  },
  'a number used twice': {
    told: withEntries(noTick, {
      13: agreed(46, AT.settles - 250, '1.08401'),
      15: agreed(47, AT.settles + 250, '1.08401'),
    }),
    fault: 'settlement: the entries at 10 and 13 are not of one sequence',
  },
  'another product’s entry after the settlement time': {
    told: withEntries(noTick, { 15: agreed(91, AT.settles + 250, '1.08401').replace('EUR/USD', 'EUR/USDT') }),
    fault: 'settlement: the entry at 15 is of another product',
  },
};

const AT_SETTLEMENT = { n: 91, timeMs: AT.settles };
const SINCE = AT.settles - 20;
const OLD = AT.settles - 10_001;
/** The middle two are 1.08425 and 1.08436, and their mean 1.084305. */
const FOUR_QUOTES: readonly QuoteText[] = [
  ['a', '1.08420', SINCE],
  ['b', '1.08425', SINCE],
  ['c', '1.08436', SINCE],
  ['d', '1.08440', SINCE],
];
const TWO_QUOTES: readonly QuoteText[] = [
  ['a', '1.08451', SINCE],
  ['b', '1.08451', SINCE],
];
const settledAt = (of: Story, price: string, quotes: readonly QuoteText[]): Story => ({
  ...withEntries(of, { 15: tick(AT_SETTLEMENT, price, quotes) }),
  outcome: { ...of.outcome, settlePrice: price },
});
const NOT_ALL = 'prices: the tick at 15: its sources are not exactly those of the rules';
const JUDGED = 'prices: the tick at 15: a quote was judged against the rule';
const PRICES: Readonly<Record<string, Fraud>> = {
  'an even median rounded up': {
    told: settledAt(won, '1.08431', FOUR_QUOTES),
    fault: 'prices: the tick at 15: its price is not what the rule makes of its quotes',
  },
  'a source left out': {
    told: settledAt(won, '1.08451', [...TWO_QUOTES, ['c', '1.08451', SINCE]]),
    fault: NOT_ALL,
  },
  'a private feed': {
    told: settledAt(won, '1.08451', [...TWO_QUOTES, ['c', '1.08451', SINCE], ['own', '1.08451', SINCE]]),
    fault: NOT_ALL,
  },
  'a quote set aside that counts': {
    told: settledAt(won, '1.08451', [
      ...TWO_QUOTES,
      ['c', '1.08401', SINCE, 'outlier'],
      ['d', '1.08451', SINCE],
    ]),
    fault: JUDGED,
  },
  'a quote from the future': {
    told: settledAt(won, '1.08451', [
      ...TWO_QUOTES,
      ['c', '1.08451', SINCE],
      ['d', '1.08451', AT.settles + 1],
    ]),
    fault: JUDGED,
  },
  'too few sources': {
    told: settledAt(won, '1.08451', [
      ['a', '1.08451', SINCE],
      ['b', '1.08451', OLD, 'stale'],
      ['c', '1.08451', OLD, 'stale'],
      ['d', '1.08451', OLD, 'stale'],
    ]),
    fault: 'prices: the tick at 15: there were too few sources for a price',
  },
  'a number of a source that falls': {
    told: settledAt(lost, '1.08401', [
      ['a', '1.08401', SINCE],
      ['b', '1.08401', SINCE],
      ['c', '1.08401', SINCE],
      ['d', '1.08401', SINCE, 'use', SINCE - 40, 7],
    ]),
    fault: 'prices: the tick at 15: the number of d’s quote is lower than before',
  },
  'a source time that falls': {
    told: settledAt(lost, '1.08401', [
      ['a', '1.08401', SINCE],
      ['b', '1.08401', SINCE],
      ['c', '1.08401', SINCE],
      ['d', '1.08431', QUIET_MS - 1, 'stale'],
    ]),
    fault: 'prices: the tick at 15: a time of d is older than before',
  },
  'a source that loses its quote': {
    told: settledAt(lost, '1.08401', [
      ['a', '1.08401', SINCE],
      ['b', '1.08401', SINCE],
      ['c', '1.08401', SINCE],
      ['d'],
    ]),
    fault: 'prices: the tick at 15: d had a quote before and has none',
  },
  'a tick off the grid': {
    told: withEntries(noTick, { 15: agreed(91, AT.settles + 251, '1.08402') }),
    fault: 'prices: the tick at 15: its time is not on the grid',
  },
};

const KINDER = { cycles: [{ minutes: 1, payoutRate: '0.7' }] };
/** The order under other rules, which stand at this log index. */
const byRules = (entry: string, at: number, ...shown: readonly number[]): Story => ({
  ...won,
  log: won.log.with(at, entry),
  shown: [...shown.map((index) => ['rules', index] as const), ...won.shown.slice(1)],
  terms: { rulesHash: toHex(leafHash(entry)), payoutRate: '0.7' },
  outcome: { ...won.outcome, payout: '170.000001' },
});
const second = (effectiveMs: number, change: object = KINDER, previous = RULES_HASH) =>
  rules(2, effectiveMs, previous, change);
const later = story('won, under rules that changed before it settled');
const RULES_FRAUDS: Readonly<Record<string, Fraud>> = {
  'rules logged afterwards': {
    told: byRules(second(ACCEPTED_MS - 1), 12, 0, 12),
    fault: 'rules: the rules were logged after the order was accepted',
  },
  'rules that did not hold yet': {
    told: byRules(second(ACCEPTED_MS + 1), 1, 0, 1),
    fault: 'rules: the rules were not in force yet',
  },
  'superseded rules, with the newer ones shown': {
    told: {
      ...withEntries(won, {
        1: second(ACCEPTED_MS),
        15: agreed(91, AT.settles, '1.08451', toHex(leafHash(second(ACCEPTED_MS)))),
      }),
      shown: [['rules', 0], ['rules', 1], ...won.shown.slice(1)],
    },
    fault: 'rules: newer rules were in force when the order was accepted',
  },
  'a tick under superseded rules': {
    told: {
      ...withEntries(later, { 16: agreed(91, AT.settles, '1.08451') }),
      outcome: { ...won.outcome },
    },
    fault: 'prices: the tick at 16: its rules are not shown, or were not in force',
  },
  'rules that follow none of those before': {
    told: byRules(second(ACCEPTED_MS, KINDER, 'ab'.repeat(32)), 1, 0, 1),
    fault: 'rules: the rules at 1 name other rules before them than those at 0',
  },
  'rules of one number twice': {
    told: byRules(rules(1, ACCEPTED_MS, '0'.repeat(64), KINDER), 1, 0, 1),
    fault: 'rules: the rules at 1 do not follow those at 0',
  },
  'rules that nothing names': {
    told: {
      ...withEntries(won, { 12: LATER_RULES }),
      shown: [['rules', 0], ['rules', 12], ...won.shown.slice(1)],
    },
    fault: 'prices: the tick at 15: its rules are not shown, or were not in force',
  },
  'a payout rate for one customer': {
    told: { ...won, terms: { payoutRate: '0.81' }, outcome: { ...won.outcome, payout: '181.000001' } },
    fault: 'rules: the payout rate is not that of the rules',
  },
  'an amount with other decimals than its asset has': {
    told: { ...won, terms: { amount: '100.00' }, outcome: { ...won.outcome, payout: '180.00' } },
    fault: 'rules: the amount has not the decimals that the rules give its asset',
  },
  'a later settlement time for one customer': {
    told: { ...won, terms: { settlesAt: TERMS.settlesAt + 1_000 } },
    fault: 'rules: the settlement time is not the opening time plus the cycle',
  },
  'a void that pays back the stake alone': {
    told: { ...late, outcome: { ...late.outcome, payout: '100.000001' } },
    fault: 'outcome: the payout is 100.000001 where the rules make it 110.000001',
  },
  'an unchanged price that pays as a void': {
    told: { ...story('tied'), outcome: { ...story('tied').outcome, payout: '110.000001' } },
    fault: 'outcome: the payout is 110.000001 where the rules make it 100.000001',
  },
  'a payout for one customer': {
    told: { ...won, outcome: { ...won.outcome, payout: '181.000001' } },
    fault: 'outcome: the payout is 181.000001 where the rules make it 180.000001',
  },
};

/** Settled under rules with one decimal more, by three sources; the price of `d`'s quote is the one of the opening, or is said to be. */
const settledInSixDecimals = (price: string): Story =>
  withEntries(later, {
    16: tick({ n: 91, timeMs: AT.settles, rulesHash: toHex(leafHash(LATER_RULES)) }, '1.084511', [
      ['a', '1.084511', SINCE],
      ['b', '1.084511', SINCE],
      ['c', '1.084511', SINCE],
      ['d', price, QUIET_MS, 'stale'],
    ]),
  });
const DECIMALS: Readonly<Record<string, Fraud>> = {
  'a quote with the same digits, and another price, in other decimals': {
    told: settledInSixDecimals('0.108431'),
    fault: 'prices: the tick at 16: one number of d has two quotes',
  },
};

export const SIGNED_FRAUDS: Readonly<Record<string, Fraud>> = {
  ...LOGGED,
  ...OPENINGS,
  ...SETTLEMENTS,
  ...PRICES,
  ...RULES_FRAUDS,
  ...DECIMALS,
  ...TIMES,
  ...HELD_FRAUDS,
  ...WORTH_FRAUDS,
};

/** Valid receipts, each close to the fraud with a similar name. */
export const CLOSE_TO_FRAUD: Readonly<Record<string, Story>> = {
  'won, by an even median rounded down': settledAt(won, '1.08430', FOUR_QUOTES),
  'won, with a quote of before the decimals changed': settledInSixDecimals('1.084310'),
  ...CLOSE_IN_TIME,
  ...CLOSE_TO_WORTH_FRAUD,
};
