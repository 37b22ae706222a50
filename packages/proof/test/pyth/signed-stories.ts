/** Orders on a price that one source gives as Pyth's routers sign it: valid receipts, and frauds. */
import { PYTH_FEEDS, type PythPrice, type Receipt, toBase64 } from '../../src/index.ts';
import {
  AT,
  type Fraud,
  fix,
  hash,
  next,
  OPENING_PARTS,
  RULES,
  RULES_ENTRY,
  RULES_HASH,
  record,
  SETTLING_PARTS,
  type Story,
  story,
} from '../story.ts';
import { type Said, signPythUpdate, TEST_PYTH_KEYS } from './pyth-signing.ts';

type Update = NonNullable<Receipt['updates']>[number];

const FEED = PYTH_FEEDS['EUR/USD'] as string;

const { chain, emitter, fromMs, quorum, routers, untilMs } = TEST_PYTH_KEYS;
export const KEYS = { chain, emitter, fromMs, quorum, routers, untilMs };

/** The rules of the stories, with Pyth in the place of the source `d`; members in canonical order. */
export function pythRules(pyth: object = { feed: FEED, keys: [KEYS] }): string {
  const members = Object.entries({ ...RULES, sources: ['a', 'b', 'c', 'pyth'], pyth });
  const sorted = Object.fromEntries(members.sort(([one], [other]) => (one < other ? -1 : 1)));
  return RULES_ENTRY.replace(/\{.*$/, JSON.stringify(sorted));
}

/** Pyth's records: the first update of a second, whose number is that second; digits after the fifth decimal are cut off. */
const OPENED_S = AT.opens / 1_000 - 1;
const SETTLED_S = AT.settles / 1_000;
const pythAt = (price: string, second: number, closing: string) =>
  record('pyth', price, second * 1_000, { number: second, closing });
const nextAt = (price: string, second: number) => next(price, second * 1_000, second);

/** The won order, with Pyth in the place of the source `d`: at 1.08431 in its opening (entry 7), at 1.08451 in entry 10. */
function withPyth(
  updates?: readonly Update[],
  rules = pythRules(),
  [opening, settling] = [nextAt('1.08432', OPENED_S + 2), nextAt('1.08452', SETTLED_S + 1)],
): Story {
  const won = story('won');
  const renamed = (text: string) => text.replaceAll(RULES_HASH, hash(rules));
  const parts = (own: readonly string[], last: string) => [...own.slice(0, 3), last];
  const openingParts = parts(OPENING_PARTS, pythAt('1.08431', OPENED_S, opening));
  const settlingParts = parts(SETTLING_PARTS, pythAt('1.08451', SETTLED_S, settling));
  const log = won.log
    .with(7, fix({ n: 12, fixMs: AT.opens }, '1.08427', openingParts))
    .with(10, fix({ n: 13, fixMs: AT.settles }, '1.08451', settlingParts));
  return {
    ...won,
    log: log.map((text) => (text === RULES_ENTRY ? rules : renamed(text))),
    terms: { rulesHash: hash(rules) },
    ...(updates ? { updates } : {}),
  };
}

/** What Pyth says of the euro in the first slot of a second, after the second before. */
function said(second: number, mantissa: bigint, change: Partial<PythPrice> = {}): Said {
  const times = { publishTime: second, previousPublishTime: second - 1 };
  const price: PythPrice = { feed: FEED, mantissa, conf: 4n, exponent: -8, ...times, ...change };
  return { slot: BigInt(second * 20), prices: [price] };
}
const sign = (what: Said): string => toBase64(signPythUpdate(what));

const OPENING = said(OPENED_S, 108_431_999n);
const SETTLING = said(SETTLED_S, 108_451_000n);
/** None was signed in the second between. */
const AFTER_OPENING = said(OPENED_S + 2, 108_432_000n, { previousPublishTime: OPENED_S });
const AFTER_SETTLING = said(SETTLED_S + 1, 108_452_000n);
const opening = (what: Said = OPENING, later: Said | null = AFTER_OPENING): Update => ({
  index: 7,
  update: sign(what),
  next: later && sign(later),
});
const settling = (what: Said = SETTLING, later: Said | null = AFTER_SETTLING): Update => ({
  index: 10,
  update: sign(what),
  next: later && sign(later),
});

export const SIGNED_STORIES: Readonly<Record<string, Story>> = {
  'won, both records of Pyth shown as signed': withPyth([opening(), settling()]),
  'won, records of Pyth without the one after': withPyth([opening(), settling(SETTLING, null)], pythRules(), [
    nextAt('1.08432', OPENED_S + 2),
    'said',
  ]),
  'won, one record of Pyth shown as signed': withPyth([settling({ ...SETTLING, signers: [1, 2, 3, 4] })]),
  'won, no record of Pyth shown as signed': withPyth(),
};

const fraud = (fault: string, told: Story): Fraud => ({
  told,
  fault: `updates: the signed update of ${fault}`,
});

const OTHER_RECORD = 'is not the record of the entry';
export const PYTH_FRAUDS: Readonly<Record<string, Fraud>> = {
  'a price that Pyth did not say': fraud(
    `the entry at 7 ${OTHER_RECORD}`,
    withPyth([opening(said(OPENED_S, 108_430_999n))]),
  ),
  'a price that Pyth said a second before': fraud(
    `the entry at 10 ${OTHER_RECORD}`,
    withPyth([settling(said(SETTLED_S - 1, 108_451_000n))]),
  ),
  'a price that Pyth said a second later': fraud(
    `the entry at 10 ${OTHER_RECORD}`,
    withPyth([settling(said(SETTLED_S + 1, 108_451_000n))]),
  ),
  'a price that Pyth said later in the same second': fraud(
    `the entry at 10 ${OTHER_RECORD}`,
    withPyth([settling(said(SETTLED_S, 108_451_000n, { previousPublishTime: SETTLED_S }))]),
  ),
  'a price of another feed': fraud(
    'the entry at 7 is not one of the product’s feed alone',
    withPyth([opening(said(OPENED_S, 108_431_000n, { feed: PYTH_FEEDS['GBP/USD'] as string }))]),
  ),
  'prices of two feeds': fraud(
    'the entry at 7 is not one of the product’s feed alone',
    withPyth([
      opening({
        ...OPENING,
        prices: [...OPENING.prices, ...said(OPENED_S, 1n, { feed: PYTH_FEEDS['GBP/USD'] as string }).prices],
      }),
    ]),
  ),
  'two routers that signed': fraud(
    'the entry at 7 is signed by too few of the keys that the rules name',
    withPyth([opening({ ...OPENING, signers: [3, 4] })]),
  ),
  'a router that signed twice': fraud(
    'the entry at 7 is not signed by the keys that the rules name',
    withPyth([opening({ ...OPENING, signers: [2, 3, 3] })]),
  ),
  'routers of no rules': fraud(
    'the entry at 7 is not signed by the keys that the rules name',
    withPyth([opening()], pythRules({ feed: FEED, keys: [{ ...KEYS, routers: [...routers].reverse() }] })),
  ),
  'keys of a later time': fraud(
    'the entry at 7 is of a time for which the rules name no keys',
    withPyth([opening()], pythRules({ feed: FEED, keys: [{ ...KEYS, fromMs: OPENED_S * 1_000 + 1 }] })),
  ),
  'what was signed for another chain': fraud(
    'the entry at 7 is not of the place that the rules name',
    withPyth([opening({ ...OPENING, chain: 1 })]),
  ),
  'an update of an entry that is no price of the order': fraud(
    'the entry at 8 is shown for an entry without a record of Pyth',
    withPyth([{ ...opening(), index: 8 }]),
  ),
  'an update under rules without Pyth': fraud(
    'the entry at 7 is shown for an entry without a record of Pyth',
    { ...story('won'), updates: [opening()] },
  ),
  'a next update that leaves one out': fraud(
    'the entry at 7 has a next one that does not follow it',
    withPyth([opening(OPENING, said(OPENED_S + 2, 108_432_000n))]),
  ),
  'a next update of before': fraud(
    `the entry at 10 has a next one that ${OTHER_RECORD}`,
    withPyth([settling(SETTLING, SETTLING)]),
  ),
  'a next update of another price': fraud(
    `the entry at 10 has a next one that ${OTHER_RECORD}`,
    withPyth([settling(SETTLING, said(SETTLED_S + 1, 108_453_000n))]),
  ),
  'a next update of another feed': fraud(
    'the entry at 10 has a next one that is not one of the product’s feed alone',
    withPyth([settling(SETTLING, said(SETTLED_S + 1, 1n, { feed: 'ab'.repeat(32) }))]),
  ),
  'a next update that too few signed': fraud(
    'the entry at 10 has a next one that is signed by too few of the keys that the rules name',
    withPyth([settling(SETTLING, { ...AFTER_SETTLING, signers: [0, 1] })]),
  ),
  'no next update where the entry has a record after': fraud(
    'the entry at 10 has a next one where the entry has none, or the other way round',
    withPyth([settling(SETTLING, null)]),
  ),
};
