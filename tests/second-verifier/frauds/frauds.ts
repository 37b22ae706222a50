import { hashOf, priced, rulesEntry, voided } from '../house.ts';
import { type Choices, END, OPENS, RULES, SETTLES, SINCE, START, type Story } from '../story.ts';
import {
  editedAt,
  type Fraud,
  field,
  LOSS,
  OTHER,
  part,
  placeOf,
  placesOf,
  priceOf,
  quotes,
  silentAt,
} from './fraud.ts';
import { PLACES } from './log-frauds.ts';
import { OUTCOMES, SETTLEMENTS } from './settlement-frauds.ts';

const GRID_MS = OPENS - 250;
const SECOND = rulesEntry(2, START + 10_000, RULES, { quorum: 3 });
/** Rules that follow the first at this time, and the prices that name them from then on. */
const changed = (entry: string, atMs: number): Choices => ({
  before: (timeMs) => (timeMs === atMs ? [entry] : []),
  at: (timeMs, _n, tick) => (timeMs >= atMs ? field(6, hashOf(entry))(tick) : tick),
});
const withRules = (entry: string) => (story: Story) => ({ rules: [0, story.entries.indexOf(entry)] });

/** Two of the sources have sent nothing new at a time, so that its tick is not current. */
const heldAt =
  (when: number): Required<Choices>['sent'] =>
  (timeMs, source, it) =>
    timeMs === when && source !== 'gamma' ? { ...it, sourceMs: when - 330, receivedMs: when - 300 } : it;
/** Rules by which quotes from before D ahead of the opening may still be fresh. */
const LONG_FRESH = rulesEntry(1, START, null, { freshMs: 2_300 });
const FRESH_QUOTE = { price: 111_000, sourceMs: OPENS + 50, receivedMs: OPENS + 100 };
const BESIDE = [OPENS + 110, hashOf(RULES), [FRESH_QUOTE, FRESH_QUOTE, FRESH_QUOTE]] as const;

const PRICES: Readonly<Record<string, Fraud>> = {
  'a settlement price that no source gave': { choices: editedAt(SETTLES, field(5, '1.09000')) },
  'an opening price that no source gave': { choices: editedAt(OPENS, field(5, '1.11000')) },
  'a source left out of the settlement': {
    choices: editedAt(
      SETTLES,
      quotes((all) => all.slice(1)),
    ),
  },
  'a source left out of the opening': {
    choices: editedAt(
      OPENS,
      quotes((all) => all.slice(0, 2)),
    ),
  },
  'a source more': {
    choices: editedAt(
      SETTLES,
      quotes((all) => [...all, (all[0] as string).replace('alpha', 'house')]),
    ),
  },
  'a source that is as if it had never sent anything': {
    choices: { sent: (timeMs, source, it) => (timeMs === SETTLES && source === 'gamma' ? null : it) },
  },
  'a source time that falls': {
    choices: {
      sent: (timeMs, source, it) =>
        timeMs === OPENS && source === 'alpha' ? { ...it, sourceMs: it.sourceMs - 400 } : it,
    },
  },
  'a number of a source that falls': {
    choices: editedAt(
      SETTLES,
      part(0, 3, () => '1'),
    ),
  },
  'one number of a source with two prices': {
    choices: editedAt(
      OPENS,
      part(0, 3, () => String(OPENS - 330)),
    ),
  },
  'a receive time that falls': {
    choices: {
      sent: (timeMs, source, it) =>
        timeMs === OPENS && source === 'alpha' ? { ...it, receivedMs: it.receivedMs - 300 } : it,
    },
  },
  'old quotes, used': {
    choices: editedAt(SETTLES, (tick) =>
      [0, 1, 2].reduce((text, at) => part(at, 2, (old) => String(Number(old) - 3000))(text), tick),
    ),
  },
  'a price of fewer sources than the quorum': {
    choices: editedAt(SETTLES, (tick) => {
      const old = (at: number, text: string) =>
        part(at, 5, () => 'stale')(part(at, 2, (time) => String(Number(time) - 3000))(text));
      return field(5, '1.10066')(old(0, old(1, tick)));
    }),
  },
  'a quote that was received after the tick': {
    choices: editedAt(
      SETTLES,
      part(2, 4, (old) => String(Number(old) + 200)),
    ),
  },
  'a quote called an outlier': {
    choices: editedAt(
      SETTLES,
      part(2, 5, () => 'outlier'),
    ),
  },
  'a quote called stale': {
    choices: editedAt(
      OPENS,
      part(0, 5, () => 'stale'),
    ),
  },
  'an outlier that is used': {
    choices: editedAt(SETTLES, (tick) => part(2, 1, () => '1.20000')(tick)),
  },
  'other decimals': {
    choices: editedAt(SETTLES, (tick) =>
      [0, 1, 2].reduce(
        (text, at) => part(at, 1, (old) => `${old}0`)(text),
        field(5, `${tick.split('|')[5]}0`)(tick),
      ),
    ),
  },
  'a tick beside the grid that opens it': {
    choices: {
      sent: heldAt(OPENS),
      at: (timeMs, n, tick) => (timeMs === OPENS + 250 ? priced(n, ...BESIDE) : tick),
    },
  },
  'a quorum gap where the quorum is there': {
    choices: editedAt(OPENS, (tick) => field(0, 'gap')(field(5, 'quorum')(tick))),
  },
  'rules that were logged after the tick that names them': {
    choices: {
      before: (timeMs) => (timeMs === SETTLES + 500 ? [SECOND] : []),
      at: (timeMs, _n, tick) => (timeMs === SETTLES ? field(6, hashOf(SECOND))(tick) : tick),
    },
    shown: withRules(SECOND),
  },
  'a tick under rules that were superseded': {
    choices: {
      before: (timeMs) => (timeMs === START + 3_250 ? [rulesEntry(2, START + 4_100, RULES)] : []),
      at: (timeMs, _n, tick) =>
        timeMs === OPENS ? field(6, hashOf(rulesEntry(2, START + 4_100, RULES)))(tick) : tick,
    },
    shown: withRules(rulesEntry(2, START + 4_100, RULES)),
  },
  'rules that nothing names': {
    choices: { before: (timeMs) => (timeMs === SETTLES + 500 ? [rulesEntry(2, END, RULES)] : []) },
    shown: withRules(rulesEntry(2, END, RULES)),
  },
};

const privateFeed = rulesEntry(1, START + 60_000, null, { quorum: 3 });
const strangers = rulesEntry(2, START + 10_000, privateFeed);
const wide = rulesEntry(2, START + 2_000, RULES);
const others = rulesEntry(2, START + 10_000, RULES, { symbol: OTHER });
const RULES_FRAUDS: Readonly<Record<string, Fraud>> = {
  'a private feed: first rules once more': {
    choices: changed(privateFeed, START + 60_000),
    shown: withRules(privateFeed),
  },
  'rules that follow others than those before them': {
    choices: changed(strangers, START + 10_000),
    shown: withRules(strangers),
  },
  'an acceptance under rules that were superseded': {
    choices: {
      at: (timeMs, _n, tick) => {
        if (timeMs === START + 500) return [tick, wide];
        return timeMs >= START + 2_000 ? field(6, hashOf(wide))(tick) : tick;
      },
    },
    shown: withRules(wide),
  },
  'rules of another symbol': { choices: changed(others, START + 10_000), shown: withRules(others) },
  'a lower payout rate for one customer': { choices: { terms: { lines: { 10: '0.7' } } } },
  'a cycle that the rules do not have': { choices: { terms: { minutes: 2 } } },
  'an asset that the rules do not take': { choices: { terms: { lines: { 8: 'USD' } } } },
  'an amount of other decimals': { choices: { terms: { lines: { 9: '100.010' } } } },
  'another time of settlement': { choices: { terms: { lines: { 14: String(SETTLES - 1000) } } } },
  'a settlement D after the one of its opening': {
    choices: { terms: { lines: { 14: String(SETTLES + 2000) } } },
  },
  'an answer held back until less than D before the opening time that was named': {
    choices: { ordersMs: SINCE + 50, terms: { acceptedAt: SINCE + 1 } },
  },
  'an opening sooner than D after the acceptance': { choices: { terms: { opensAt: OPENS - 250 } } },
  'an opening more than ten seconds later than it may be': {
    choices: { terms: { opensAt: OPENS + 10_000 } },
  },
  'an opening that the house moved where the customer named none': {
    choices: { terms: { opensAt: OPENS + 250, nonce: null } },
  },
  'an opening that was named, with the name taken away': {
    choices: { terms: { opensAt: OPENS + 1_000, lines: { 4: '' } } },
  },
};

const skipped = (tick: string): string => field(3, String(Number(tick.split('|')[3]) + 1))(tick);

const OPENINGS: Readonly<Record<string, Fraud>> = {
  'a hole before the opening that is passed over': {
    choices: silentAt(GRID_MS),
    shown: (story) => ({
      opening: placesOf(story, GRID_MS - 250, OPENS),
      settling: placesOf(story, SETTLES),
    }),
    outcome: (story) => ({ ...LOSS, openPrice: priceOf(story, OPENS), settlePrice: priceOf(story, SETTLES) }),
  },
  'a hole at the opening, and opened by the next': {
    choices: silentAt(OPENS),
    shown: (story) => ({
      opening: placesOf(story, GRID_MS, OPENS + 250),
      settling: placesOf(story, SETTLES),
    }),
    outcome: (story) => ({
      ...LOSS,
      openPrice: priceOf(story, OPENS + 250),
      settlePrice: priceOf(story, SETTLES),
    }),
  },
  'an opening tick that is not shown: a number is skipped': {
    shown: (story) => ({ opening: placesOf(story, GRID_MS, OPENS + 250) }),
  },
  'a later opening tick, with that before it': {
    shown: (story) => ({ opening: placesOf(story, GRID_MS, OPENS, OPENS + 250) }),
  },
  'more entries before it than needed': {
    shown: (story) => ({ opening: placesOf(story, GRID_MS - 250, GRID_MS, OPENS) }),
  },
  'no entry before it': { shown: (story) => ({ opening: placesOf(story, OPENS) }) },
  'an opening from quotes that are older than D before it': {
    choices: {
      rules: LONG_FRESH,
      sent: (timeMs, source, it) =>
        timeMs > SINCE && timeMs <= OPENS && source !== 'alpha'
          ? { ...it, sourceMs: SINCE - 1, receivedMs: SINCE + 20 }
          : it,
    },
    shown: (story) => ({ opening: placesOf(story, GRID_MS, OPENS) }),
  },
  'an opening from quotes that half of the sources sent longer than D before it': {
    choices: {
      sent: (timeMs, source, it) => {
        if (source === 'gamma' && timeMs <= OPENS) return null;
        return timeMs > SINCE && timeMs <= OPENS && source === 'beta'
          ? { ...it, sourceMs: SINCE - 1, receivedMs: SINCE + 20 }
          : it;
      },
    },
    shown: (story) => ({ opening: placesOf(story, GRID_MS, OPENS) }),
  },
  'an opening moved to the next grid time, told by a line of the acceptance': {
    choices: { terms: { lines: { 13: String(OPENS + 250) } } },
  },
  "another symbol's tick that opens it": {
    choices: {
      at: (timeMs, n, tick) => (timeMs === OPENS ? field(2, OTHER)(tick) : field(3, String(n))(tick)),
    },
    shown: (story) => ({ opening: placesOf(story, GRID_MS, OPENS) }),
  },
  'a tick that is not current, as the one that opens it': {
    choices: { sent: heldAt(OPENS) },
    shown: (story) => ({ opening: placesOf(story, GRID_MS, OPENS) }),
  },
  'a tick after the first current one, with all between': {
    shown: (story) => ({ opening: placesOf(story, GRID_MS, OPENS, OPENS + 250, OPENS + 500) }),
  },
  'a hole that is told by the entry before it alone': {
    choices: silentAt(OPENS),
    shown: (story) => ({ opening: placesOf(story, GRID_MS) }),
  },
  'a number that is skipped after the entry before it': {
    choices: { at: (timeMs, _n, tick) => (timeMs === OPENS ? skipped(tick) : tick) },
  },
  'one of two ticks at a time, numbers in order': {
    choices: {
      at: (timeMs, n, tick) => (timeMs === OPENS ? [tick, field(3, String(n + 1))(tick)] : tick),
    },
    shown: (story) => ({ opening: [placeOf(story, GRID_MS), placeOf(story, OPENS) + 1] }),
  },
  'void for want of an opening, after the first ticks': {
    shown: (story) => ({ opening: placesOf(story, GRID_MS, OPENS), settling: [] }),
    outcome: () => voided('no_open'),
  },
};

/** By the check that refuses them. */
export const FRAUDS: Readonly<Record<string, Readonly<Record<string, Fraud>>>> = {
  prices: PRICES,
  rules: RULES_FRAUDS,
  ...PLACES,
  opening: OPENINGS,
  settlement: SETTLEMENTS,
  outcome: OUTCOMES,
};
