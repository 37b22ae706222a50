/** Orders on a price that one source gives as Pyth's routers sign it: valid receipts, and frauds. */
import { PYTH_FEEDS, type PythPrice, type Receipt, toBase64 } from '../../src/index.ts';
import { AT, type Fraud, hash, RULES, RULES_ENTRY, RULES_HASH, type Story, story } from '../story.ts';
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

/** The won order, with Pyth in the place of the source `d`: at 1.08431 in its opening tick (entry 11), at 1.08451 in entry 15. */
function withPyth(updates?: readonly Update[], rules = pythRules()): Story {
  const won = story('won');
  const renamed = (text: string) =>
    text.startsWith('tick|3|EUR/USD|')
      ? text.replace(';d,', ';pyth,').replace(RULES_HASH, hash(rules))
      : text;
  return {
    ...won,
    log: won.log.map((text) => (text === RULES_ENTRY ? rules : renamed(text))),
    terms: { rulesHash: hash(rules) },
    ...(updates ? { updates } : {}),
  };
}

/** What Pyth says of the euro at a time, which is on its grid of 50 ms. */
function said(timeMs: number, mantissa: bigint, change: Partial<PythPrice> = {}): Said {
  const publishTime = Math.floor(timeMs / 1000);
  const times = { publishTime, previousPublishTime: publishTime - 1 };
  const price: PythPrice = { feed: FEED, mantissa, conf: 4n, exponent: -8, ...times, ...change };
  return { slot: BigInt(timeMs / 50), prices: [price] };
}
const sign = (what: Said): string => toBase64(signPythUpdate(what));

/** The quote of the opening is from 2.041 s before AT.early. */
const OPENING_MS = AT.early - 2_000;
const OPENING = said(OPENING_MS, 108_431_999n);
const SETTLING_MS = AT.settles - 50;
const SETTLING = said(SETTLING_MS, 108_451_000n);
const opening = (what: Said = OPENING, next: Said | null = null): Update => ({
  index: 11,
  update: sign(what),
  next: next && sign(next),
});
const settling = (what: Said = SETTLING, next: Said | null = null): Update => ({
  index: 15,
  update: sign(what),
  next: next && sign(next),
});
const after = (timeMs: number, previousMs: number): Said =>
  said(timeMs, 108_400_000n, { previousPublishTime: Math.floor(previousMs / 1000) });

const NEWEST = after(AT.open + 600, OPENING_MS);
const LATE = after(SETTLING_MS + 50, SETTLING_MS - 1_000);

export const SIGNED_STORIES: Readonly<Record<string, Story>> = {
  'won, both prices of Pyth shown as signed': withPyth([
    opening(OPENING, NEWEST),
    settling(SETTLING, after(AT.settles + 50, SETTLING_MS)),
  ]),
  'won, an update of Pyth that came too late': withPyth([opening(OPENING, NEWEST), settling(SETTLING, LATE)]),
  'won, an update of Pyth named that came too late': withPyth([
    opening(OPENING, after(AT.open + 1_600, OPENING_MS + 1_000)),
    settling(),
  ]),
  'won, updates of Pyth missing after the one used': withPyth([
    opening(OPENING, after(AT.open + 5_000, AT.open + 4_000)),
    settling(),
  ]),
  'won, one price of Pyth shown as signed': withPyth([settling({ ...SETTLING, signers: [1, 2, 3, 4] })]),
  'won, no price of Pyth shown as signed': withPyth(),
};

const fraud = (fault: string, told: Story): Fraud => ({
  told,
  fault: `updates: the signed update of ${fault}`,
});

export const PYTH_FRAUDS: Readonly<Record<string, Fraud>> = {
  'a price that Pyth did not say': fraud(
    'the entry at 11 says another price or time than the quote',
    withPyth([opening(said(OPENING_MS, 108_430_999n))]),
  ),
  'a price that Pyth said a second before': fraud(
    'the entry at 15 says another price or time than the quote',
    withPyth([settling(said(SETTLING_MS - 1_000, 108_451_000n))]),
  ),
  'a price that Pyth said one step before': fraud(
    'the entry at 15 says another price or time than the quote',
    withPyth([settling(said(SETTLING_MS - 50, 108_451_000n))]),
  ),
  'a price that Pyth said a second later': fraud(
    'the entry at 15 says another price or time than the quote',
    withPyth([settling(said(SETTLING_MS + 1_000, 108_451_000n))]),
  ),
  'a price of a feed whose market is closed': fraud(
    'the entry at 15 says another price or time than the quote',
    withPyth([settling(said(SETTLING_MS, 108_451_000n, { publishTime: SETTLING_MS / 1_000 - 90.95 }))]),
  ),
  'a price of another feed': fraud(
    'the entry at 11 is not one of the product’s feed alone',
    withPyth([opening(said(OPENING_MS, 108_431_000n, { feed: PYTH_FEEDS['GBP/USD'] as string }))]),
  ),
  'prices of two feeds': fraud(
    'the entry at 11 is not one of the product’s feed alone',
    withPyth([
      opening({
        ...OPENING,
        prices: [
          ...OPENING.prices,
          ...said(OPENING_MS, 1n, { feed: PYTH_FEEDS['GBP/USD'] as string }).prices,
        ],
      }),
    ]),
  ),
  'two routers that signed': fraud(
    'the entry at 11 is signed by too few of the keys that the rules name',
    withPyth([opening({ ...OPENING, signers: [3, 4] })]),
  ),
  'a router that signed twice': fraud(
    'the entry at 11 is not signed by the keys that the rules name',
    withPyth([opening({ ...OPENING, signers: [2, 3, 3] })]),
  ),
  'routers of no rules': fraud(
    'the entry at 11 is not signed by the keys that the rules name',
    withPyth([opening()], pythRules({ feed: FEED, keys: [{ ...KEYS, routers: [...routers].reverse() }] })),
  ),
  'keys of a later time': fraud(
    'the entry at 11 is of a time for which the rules name no keys',
    withPyth(
      [opening()],
      pythRules({ feed: FEED, keys: [{ ...KEYS, fromMs: Math.floor(OPENING_MS / 1000) * 1000 + 1 }] }),
    ),
  ),
  'what was signed for another chain': fraud(
    'the entry at 11 is not of the place that the rules name',
    withPyth([opening({ ...OPENING, chain: 1 })]),
  ),
  'an update of an entry that did not decide': fraud(
    'the entry at 10 is shown for an entry that did not decide by a quote of Pyth',
    withPyth([{ ...opening(), index: 10 }]),
  ),
  'an update under rules without Pyth': fraud(
    'the entry at 11 is shown for an entry that did not decide by a quote of Pyth',
    { ...story('won'), updates: [opening()] },
  ),
  'a next update of before': fraud(
    'the entry at 15 has a next one that is not later',
    withPyth([settling(SETTLING, SETTLING)]),
  ),
  'a next update of another feed': fraud(
    'the entry at 15 has a next one that is not one of the product’s feed alone',
    withPyth([settling(SETTLING, said(AT.settles, 1n, { feed: 'ab'.repeat(32) }))]),
  ),
  'a next update that too few signed': fraud(
    'the entry at 15 has a next one that is signed by too few of the keys that the rules name',
    withPyth([settling(SETTLING, { ...NEWEST, signers: [0, 1] })]),
  ),
};
