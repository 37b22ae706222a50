import { hashOf, QUIET, type Recorded, rulesEntry } from '../house.ts';
import { type Choices, DUE, END, type Held, OPENS, RULES, SETTLES, START, type Story } from '../story.ts';
import { editedAt, type Fraud, field, OTHER, part, parts, plus } from './fraud.ts';
import { PLACES } from './log-frauds.ts';
import { OPENINGS, OUTCOMES, SETTLEMENTS } from './settlement-frauds.ts';
import { UPDATES } from './update-frauds.ts';

type Frauds = Readonly<Record<string, Fraud>>;

const SECOND = rulesEntry(2, START + 10_000, RULES, { quorum: 3 });
/** The fix of the settlement names these rules. */
const settledBy = (entry: string): Required<Choices>['fix'] =>
  editedAt(SETTLES, field(7, hashOf(entry))).fix as Required<Choices>['fix'];
/** Rules that follow the first at this time. */
const changed = (entry: string, atMs: number): Choices => ({
  more: [[atMs, () => [entry]]],
  fix: settledBy(entry),
});
const withRules = (entry: string) => (story: Story) => ({ rules: [0, story.entries.indexOf(entry)] });

const said =
  (when: number, of: string, change: (honest: Held) => Recorded): Required<Choices>['record'] =>
  (fixMs, source, honest) =>
    fixMs === when && source === of ? change(honest) : honest;
const earlier = ({ number, timeMs, price, closing }: Held, ms: number) => ({
  number: number - 1,
  timeMs: timeMs - ms,
  price,
  closing,
});
const open = (honest: Held): Recorded => ({ ...honest, closing: 'open' });
/** Alpha is open in a fix, and in its close it is this. */
const closed = (later: (honest: Held) => Recorded, fix: (honest: Held) => Recorded = open): Fraud => ({
  choices: { record: said(SETTLES, 'alpha', fix), later: (_, __, honest) => later(honest) },
});
const closedAs = (edit: (close: string) => string): Fraud => ({
  choices: {
    record: said(SETTLES, 'alpha', open),
    close: (fixMs, close) => (fixMs === SETTLES ? edit(close) : close),
  },
});

/** Of five sources one is open at the settlement, and of another one nothing is known. */
export const ONE_UNKNOWN: Choices = {
  rules: rulesEntry(1, START, null, { sources: ['alpha', 'beta', 'delta', 'epsilon', 'gamma'], quorum: 3 }),
  record: (fixMs, source, it) => {
    if (source === 'beta') return 'none';
    return fixMs === SETTLES && source === 'alpha' ? open(it) : it;
  },
};

const RECORDS: Frauds = {
  'a settlement price that no source gave': { choices: editedAt(SETTLES, field(6, '1.09000')) },
  'an opening price that no source gave': { choices: editedAt(OPENS, field(6, '1.11000')) },
  'a source left out of the settlement': {
    choices: editedAt(
      SETTLES,
      parts((all) => all.slice(1)),
    ),
  },
  'a source left out of the opening': {
    choices: editedAt(
      OPENS,
      parts((all) => all.slice(0, 2)),
    ),
  },
  'a source more': {
    choices: editedAt(
      SETTLES,
      parts((all) => [...all, (all[0] as string).replace('alpha', 'house')]),
    ),
  },
  'a record after the time of the fix': {
    choices: { record: said(SETTLES, 'beta', (it) => ({ ...it, timeMs: SETTLES + 1 })) },
  },
  'a record after it that comes at the time of the fix': {
    choices: {
      record: said(SETTLES, 'beta', (it) => ({ ...it, closing: { ...it.closing, timeMs: SETTLES } })),
    },
  },
  'a record after it with its own number': {
    choices: {
      record: said(SETTLES, 'beta', (it) => ({ ...it, closing: { ...it.closing, number: it.number } })),
    },
  },
  'a record after it with a lower number': {
    choices: {
      record: said(OPENS, 'beta', (it) => ({ ...it, closing: { ...it.closing, number: it.number - 1 } })),
    },
  },
  'a record called quiet': {
    choices: editedAt(
      SETTLES,
      part(0, 4, () => 'quiet'),
    ),
  },
  'a record called an outlier': {
    choices: editedAt(
      SETTLES,
      part(2, 4, () => 'outlier'),
    ),
  },
  'an outlier that is used': {
    choices: editedAt(
      SETTLES,
      part(2, 3, () => '1.20000'),
    ),
  },
  'old records, used': {
    choices: editedAt(SETTLES, (fix) => [0, 1, 2].reduce((text, at) => part(at, 2, plus(-QUIET))(text), fix)),
  },
  'the median of fewer than all, where too few have use': {
    choices: {
      record: (fixMs, source, it) =>
        fixMs === SETTLES && source !== 'gamma' ? { ...it, timeMs: SETTLES - QUIET - 1 } : it,
      fix: (fixMs, fix) => (fixMs === SETTLES ? field(6, '1.10067')(fix) : fix),
    },
  },
  'other decimals': {
    choices: editedAt(SETTLES, (fix) => fix.replaceAll(/1\.1[0-9]{4}/g, (price) => `${price}0`)),
  },
};

const FITTING: Frauds = {
  'a number of a source that falls': {
    choices: { record: said(SETTLES, 'alpha', (it) => ({ ...it, number: 5 })) },
  },
  'a time of a source that falls': {
    choices: {
      rules: rulesEntry(1, START, null, { quietMs: 86_400_000 }),
      record: said(SETTLES, 'alpha', (it) => ({ ...it, timeMs: OPENS - 600 })),
    },
  },
  'a record from before the one that was said to follow': {
    choices: {
      record: (fixMs, source, it) => {
        if (source !== 'alpha') return it;
        const first = { number: 1_000, timeMs: OPENS - 200, price: it.price };
        const after = { number: 1_001, timeMs: OPENS + 200, price: it.price };
        if (fixMs === OPENS) return { ...first, closing: after };
        return fixMs === SETTLES ? { ...first, closing: it.closing } : it;
      },
    },
  },
  'a record after it from before the one that was said to follow': {
    choices: {
      record: (fixMs, source, it) => {
        if (source !== 'alpha') return it;
        const first = { number: 1_000, timeMs: OPENS - 200, price: it.price };
        const after = (more: number) => ({
          number: 1_000 + more,
          timeMs: SETTLES + 100 * more,
          price: it.price,
        });
        return { ...first, closing: after(fixMs === OPENS ? 3 : 2) };
      },
    },
  },
  'one number of a source with two prices': {
    choices: {
      record: (fixMs, source, it) =>
        source === 'alpha' && fixMs >= OPENS ? { ...it, number: 7, timeMs: OPENS - 10, closing: 'said' } : it,
      rules: rulesEntry(1, START, null, { quietMs: 86_400_000 }),
    },
  },
  'one number of a source at two times': {
    choices: {
      price: () => 110_000,
      record: (fixMs, source, it) =>
        source === 'alpha' && fixMs >= OPENS ? { ...it, number: 7, closing: 'said' } : it,
    },
  },
  'a source that is as if it had never said anything': {
    choices: { record: said(SETTLES, 'gamma', () => 'none') },
  },
};

const WAITS: Frauds = {
  'an open record that is not waited for': {
    choices: {
      record: said(SETTLES, 'alpha', open),
      fix: (fixMs, fix) => (fixMs === SETTLES ? field(4, String(SETTLES + 2_999))(fix) : fix),
      at: (timeMs, tick) => (timeMs > SETTLES + 2_500 ? null : tick),
      close: () => null,
    },
  },
  'a source of which nothing is known, not waited for': {
    choices: {
      record: (_, source, it) => (source === 'alpha' ? 'none' : it),
      fix: (fixMs, fix) => (fixMs === OPENS ? field(4, String(OPENS + 2_999))(fix) : fix),
      at: (timeMs, tick) => (timeMs > OPENS + 2_500 && timeMs < OPENS + 3_500 ? null : tick),
    },
  },
  'open, and too few others': {
    choices: { record: (fixMs, source, it) => (fixMs === SETTLES && source !== 'gamma' ? open(it) : it) },
  },
  'open, and one of the others an outlier': {
    choices: {
      record: (fixMs, source, it) => {
        if (fixMs !== SETTLES || source === 'beta') return it;
        return source === 'alpha' ? open(it) : { ...it, price: 120_000 };
      },
    },
  },
};

const EARLIER = { number: 1_010, timeMs: OPENS - 1_890 };
const CLOSES: Frauds = {
  'a close with a record that is still open': closed(open),
  'a close with an earlier record': closed((it) => earlier(it, 10)),
  'a close with another price of the same record': closed((it) => ({ ...it, price: it.price + 1 })),
  'a close with another time of the same record': closed((it) => ({ ...it, timeMs: it.timeMs - 1 })),
  'a close in which the record is none': closed(() => 'none'),
  'a close in which the source is away': closed(() => 'away'),
  'a close in which a source of which nothing was known is away': {
    choices: { ...ONE_UNKNOWN, later: (_, source, it) => (source === 'beta' ? 'away' : it) },
  },
  'a close of a fix without an open record': {
    choices: {
      fix: (fixMs, fix) =>
        fixMs === SETTLES ? [fix, field(0, 'close')(field(4, String(SETTLES + 450))(fix))] : fix,
    },
  },
  'an open record that passes over one that a close before it shows': {
    choices: {
      record: (fixMs, source, it) =>
        source === 'alpha' && fixMs >= OPENS ? { ...it, ...EARLIER, closing: 'open' } : it,
    },
  },
  'a close that changes a record that is not open': closedAs(part(1, 7, plus(1))),
  'a close that changes what closed a record': closedAs(part(1, 5, plus(1))),
  'a close that leaves a source away': closedAs(parts((all) => all.with(1, 'beta,away'))),
  'a close with a price of its own': closedAs(field(6, '1.10000')),
};

const RULED: Frauds = {
  'rules that were logged after the fix that names them': {
    choices: { more: [[SETTLES + 900, () => [SECOND]]], fix: settledBy(SECOND) },
    shown: withRules(SECOND),
  },
  'a fix under rules that were superseded': {
    choices: { more: [[START + 3_400, () => [rulesEntry(2, START + 4_100, RULES)]]] },
    shown: withRules(rulesEntry(2, START + 4_100, RULES)),
  },
  'rules that nothing names': {
    choices: { more: [[SETTLES + 900, () => [rulesEntry(2, END, RULES)]]] },
    shown: withRules(rulesEntry(2, END, RULES)),
  },
  'rules that are not shown': { choices: changed(SECOND, START + 10_000), shown: () => ({ rules: [0] }) },
};

const privateFeed = rulesEntry(1, START + 60_000, null, { quorum: 3 });
const strangers = rulesEntry(2, START + 10_000, privateFeed);
const wide = rulesEntry(2, START + 2_000, RULES);
const others = rulesEntry(2, START + 10_000, RULES, { symbol: OTHER });
const RULES_FRAUDS: Frauds = {
  'a private feed: first rules once more': {
    choices: changed(privateFeed, START + 60_000),
    shown: withRules(privateFeed),
  },
  'rules that follow others than those before them': {
    choices: changed(strangers, START + 10_000),
    shown: withRules(strangers),
  },
  'an acceptance under rules that were superseded': {
    choices: { more: [[START + 500, () => [wide]]], fix: settledBy(wide) },
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
    choices: { ordersMs: DUE - 500, terms: { acceptedAt: OPENS - 2_000 + 1 } },
  },
  'an opening sooner than D after the acceptance': { choices: { terms: { opensAt: OPENS - 1_000 } } },
  'an opening more than ten seconds later than it may be': {
    choices: { terms: { opensAt: OPENS + 10_000 } },
  },
  'an opening that the house moved where the customer named none': {
    choices: { terms: { opensAt: OPENS + 1_000, nonce: null } },
  },
  'an opening that was named, with the name taken away': {
    choices: { terms: { opensAt: OPENS + 1_000, lines: { 4: '' } } },
  },
};

/** By the check that refuses them. */
export const FRAUDS: Readonly<Record<string, Frauds>> = {
  prices: { ...RECORDS, ...FITTING, ...WAITS, ...CLOSES, ...RULED },
  rules: RULES_FRAUDS,
  ...PLACES,
  opening: OPENINGS,
  settlement: SETTLEMENTS,
  updates: UPDATES,
  outcome: OUTCOMES,
};
