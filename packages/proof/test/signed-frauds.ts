/**
 * Receipts of a dishonest operator who signs them with the real keys: every hash, proof and signature is correct, so only a
 * verifier that judges the content finds the fault. Also honest receipts that are close to a fraud.
 */
import { leafHash, toHex } from '../src/index.ts';
import { CLOSE_TO_FIX_FRAUD, FIX_FRAUDS } from './false-fixes.ts';
import { CLOSE_IN_TIME, HELD_FRAUDS, TIMES } from './false-times.ts';
import {
  ACCEPTED_MS,
  AT,
  agreedFix,
  type Fraud,
  fix,
  LATER_RULES,
  loggedAt,
  logOf,
  RULES_HASH,
  record,
  recordsAt,
  rules,
  SETTLING,
  type Story,
  story,
  TERMS,
  withEntries,
} from './story.ts';

const won = story('won');
const late = story('void, logged too late');

/** The story with other entries shown. */
const showing = (of: Story, places: readonly (readonly [string, number])[]): Story => ({
  ...of,
  shown: places as Story['shown'],
});
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
    told: loggedAt(won, 6, AT.deadline + 1),
    fault: 'logged: the orders entry came too late, which voids the order',
  },
  'another batch of the same entry': {
    told: { ...won, terms: { batch: TERMS.batch - 1 } },
    fault: 'logged: the batch is not under the root of the orders entry',
  },
  'an entry that does not name the order': {
    told: { ...won, asked: [] },
    fault: 'logged: the orders entry does not name what was asked for',
  },
  'an entry that names another order': {
    told: { ...won, asked: ['0'.repeat(32), 'f'.repeat(32)] },
    fault: 'logged: the orders entry does not name what was asked for',
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
    told: byRules(second(ACCEPTED_MS - 1), 8, 0, 8),
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
        10: agreedFix(
          { n: 13, fixMs: AT.settles, rulesHash: toHex(leafHash(second(ACCEPTED_MS))) },
          '1.08451',
        ),
      }),
      shown: [['rules', 0], ['rules', 1], ...won.shown.slice(1)],
    },
    fault: 'rules: newer rules were in force when the order was accepted',
  },
  'a fix under superseded rules': {
    told: { ...withEntries(later, { 11: SETTLING('1.08451') }), outcome: won.outcome },
    fault: 'prices: the fix at 11: its rules are not shown, or were not in force',
  },
  'a fix under rules that were logged after it': {
    told: {
      ...won,
      log: won.log.with(10, later.log[11] as string).with(11, LATER_RULES),
      shown: [['rules', 0], ['rules', 11], ...won.shown.slice(1)],
      outcome: later.outcome,
    },
    fault: 'prices: the fix at 10: its rules are not shown, or were not in force',
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
      ...withEntries(won, { 8: rules(2, AT.settles + 1_000, RULES_HASH) }),
      shown: [['rules', 0], ['rules', 8], ...won.shown.slice(1)],
    },
    fault: 'prices: rules are shown that no entry and no acceptance names',
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

/** Settled under rules with one decimal more; the record of `d` is the one of the opening, at this price. */
const settledInSixDecimals = (price: string): Story =>
  withEntries(later, {
    11: fix({ n: 13, fixMs: AT.settles, rulesHash: toHex(leafHash(LATER_RULES)) }, '1.084511', [
      ...recordsAt(AT.settles, ['1.084511', '1.084511', '1.084511', '']).slice(0, 3),
      record('d', price, AT.opens, { use: 'quiet' }),
    ]),
  });
const DECIMALS: Readonly<Record<string, Fraud>> = {
  'a record with the same digits, and another price, in other decimals': {
    told: settledInSixDecimals('0.108431'),
    fault: 'prices: the fix at 11: there are two records with one number of d',
  },
};

export const SIGNED_FRAUDS: Readonly<Record<string, Fraud>> = {
  ...LOGGED,
  ...RULES_FRAUDS,
  ...DECIMALS,
  ...TIMES,
  ...HELD_FRAUDS,
  ...FIX_FRAUDS,
};

/** Valid receipts, each close to the fraud with a similar name. */
export const CLOSE_TO_FRAUD: Readonly<Record<string, Story>> = {
  'won, with a record of before the decimals changed': settledInSixDecimals('1.084310'),
  ...CLOSE_IN_TIME,
  ...CLOSE_TO_FIX_FRAUD,
  'won, its entry names others, too': {
    ...won,
    asked: ['0'.repeat(32), logOf(won).terms.asked?.slice(0, 32) ?? '', 'f'.repeat(32)],
  },
};
