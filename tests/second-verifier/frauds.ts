import {
  hashOf,
  KEYS,
  Log,
  type Outcome,
  priced,
  restart,
  rulesEntry,
  type Shown,
  STAKE,
  voided,
} from './house.ts';
import {
  ACCEPTED,
  type Choices,
  END,
  FROM,
  honest,
  OPENS,
  RULES,
  SETTLES,
  START,
  type Story,
  tell,
} from './story.ts';
import { type Verdict, verify } from './verify.ts';

/** Frauds that a receipt shows by itself, by the check that refuses them. */
const textOf = (story: Story, shown: Partial<Shown> = {}, outcome: Partial<Outcome> = {}): string => {
  const told = honest(story);
  const receipt = new Log(story.entries, END).receipt(
    story.order,
    { ...told.shown, ...shown },
    { ...told.outcome, ...outcome },
  );
  return JSON.stringify(receipt);
};
export const judge = (...told: Parameters<typeof textOf>): Verdict => verify(textOf(...told), KEYS);
export const said = (verdict: Verdict): string =>
  verdict.valid
    ? `valid: ${verdict.outcome.result} ${verdict.outcome.voidReason}`
    : `${verdict.refusedBy}: ${verdict.why}`;
export const checkOf = (verdict: Verdict): string => (verdict.valid ? said(verdict) : verdict.refusedBy);

export const LOSS = { result: 'loss', payout: '0.00', voidReason: null };
/** The place of the entry of a kind at this time. */
export const placeOf = ({ entries }: Story, timeMs: number, kind = 'tick'): number =>
  entries.findIndex((text) => text.startsWith(`${kind}|`) && text.split('|')[4] === String(timeMs));
const placesOf = (story: Story, ...timesMs: readonly number[]): number[] =>
  timesMs.map((timeMs) => placeOf(story, timeMs));
/** No entry at these times. */
export const silentAt = (...timesMs: readonly number[]): Choices => ({
  at: (timeMs, _n, tick) => (timesMs.includes(timeMs) ? null : tick),
});

export interface Fraud {
  readonly choices?: Choices;
  /** Places of what the house shows in the place of what it should. */
  readonly shown?: (story: Story) => Partial<Shown>;
  readonly outcome?: (story: Story) => Partial<Outcome>;
}
/** The receipt of a fraud, as text. */
export const commit = ({ choices, shown, outcome }: Fraud): string => {
  const story = tell(choices);
  return textOf(story, shown?.(story), outcome?.(story));
};

/** The honest tick of a time with one of its parts exchanged. */
const editedAt = (when: number, edit: (tick: string) => string): Choices => ({
  at: (timeMs, _n, tick) => (timeMs === when ? edit(tick) : tick),
});
export const field = (place: number, value: string) => (text: string) =>
  text.split('|').with(place, value).join('|');
const quotes = (edit: (quotes: string[]) => string[]) => (text: string) =>
  field(7, edit((text.split('|')[7] as string).split(';')).join(';'))(text);
const part = (quote: number, place: number, change: (old: string) => string) =>
  quotes((all) =>
    all.with(
      quote,
      (all[quote] as string)
        .split(',')
        .map((old, at) => (at === place ? change(old) : old))
        .join(),
    ),
  );
export const priceOf = (story: Story, timeMs: number): string =>
  (story.entries[placeOf(story, timeMs)] as string).split('|')[5] as string;

const GRID_MS = START + 4_000;
export const OTHER = 'GBP/USD';
const SECOND = rulesEntry(2, START + 10_000, RULES, { quorum: 1 });
/** Rules that follow the first at this time, and the prices that name them from then on. */
const changed = (entry: string, atMs: number): Choices => ({
  before: (timeMs) => (timeMs === atMs ? [entry] : []),
  at: (timeMs, _n, tick) => (timeMs >= atMs ? field(6, hashOf(entry))(tick) : tick),
});
const withRules = (entry: string) => (story: Story) => ({ rules: [0, story.entries.indexOf(entry)] });

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
      at: (timeMs, n, tick) =>
        timeMs === OPENS
          ? [
              priced(
                n,
                FROM + 10,
                hashOf(RULES),
                [0, 1, 2].map(() => ({ price: 111_000, sourceMs: FROM, receivedMs: FROM })),
              ),
            ]
          : tick,
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

const privateFeed = rulesEntry(1, START + 60_000, null, { quorum: 1 });
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
  'a lower payout rate for one customer': { choices: { terms: { lines: { 11: '0.7' } } } },
  'a cycle that the rules do not have': { choices: { terms: { minutes: 2 } } },
  'an asset that the rules do not take': { choices: { terms: { lines: { 9: 'USD' } } } },
  'an amount of other decimals': { choices: { terms: { lines: { 10: '100.010' } } } },
  'another time of settlement': { choices: { terms: { lines: { 14: String(SETTLES - 1000) } } } },
};

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
  'an opening from quotes that are older than the order': {
    choices: {
      sent: (timeMs, source, it) =>
        timeMs > ACCEPTED && timeMs <= OPENS && source !== 'alpha'
          ? { ...it, sourceMs: ACCEPTED - 100, receivedMs: ACCEPTED - 50 }
          : it,
    },
    shown: (story) => ({ opening: placesOf(story, GRID_MS, OPENS) }),
  },
  'an opening from quotes that half of the sources sent before the order': {
    choices: {
      sent: (timeMs, source, it) => {
        if (source === 'gamma' && timeMs <= OPENS) return null;
        return timeMs > ACCEPTED && timeMs <= OPENS && source === 'beta'
          ? { ...it, sourceMs: ACCEPTED - 100, receivedMs: ACCEPTED - 50 }
          : it;
      },
    },
    shown: (story) => ({ opening: placesOf(story, GRID_MS, OPENS) }),
  },
  "another symbol's tick that opens it": {
    choices: {
      at: (timeMs, n, tick) => (timeMs === OPENS ? field(2, OTHER)(tick) : field(3, String(n))(tick)),
    },
    shown: (story) => ({ opening: placesOf(story, GRID_MS, OPENS) }),
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

const SETTLEMENTS: Readonly<Record<string, Fraud>> = {
  'a tick after the settlement time': { shown: (story) => ({ settling: placesOf(story, SETTLES + 250) }) },
  'a tick before it, as if none had come at the time': {
    shown: (story) => ({ settling: placesOf(story, SETTLES - 250, SETTLES + 250) }),
  },
  'a tick before it, with the one at the time': {
    shown: (story) => ({ settling: placesOf(story, SETTLES - 250, SETTLES) }),
  },
  'a tick before the last one in time': {
    choices: silentAt(SETTLES),
    shown: (story) => ({ settling: placesOf(story, SETTLES - 500, SETTLES - 250, SETTLES + 250) }),
  },
  'a tick before the last one in time, and another that shows how late it is': {
    choices: {
      at: (timeMs, _n, tick) => {
        if (timeMs < SETTLES) return tick;
        return timeMs > SETTLES ? field(2, OTHER)(tick) : null;
      },
    },
    shown: (story) => ({
      settling: placesOf(story, SETTLES - 500, SETTLES - 250),
      head: placeOf(story, SETTLES + 250),
    }),
  },
  'no sign that it had become late': {
    choices: silentAt(SETTLES),
    shown: (story) => ({ settling: placesOf(story, SETTLES - 250) }),
  },
  'more than the tick that settles it': {
    shown: (story) => ({ settling: placesOf(story, SETTLES, SETTLES + 250) }),
  },
  'a gap in the place of the tick that settles it': {
    choices: { at: (timeMs, n, tick) => (timeMs === SETTLES ? restart(n, timeMs, hashOf(RULES)) : tick) },
    shown: (story) => ({ settling: [placeOf(story, SETTLES, 'gap')] }),
  },
};

const OUTCOMES: Readonly<Record<string, Fraud>> = {
  'a win as a loss': { outcome: () => LOSS },
  'a win as void': { outcome: () => ({ ...voided('hole') }) },
  'a win that pays less': { outcome: () => ({ payout: '180.00' }) },
  'a missing settlement tick decided against the customer': {
    choices: { price: (timeMs) => 111_000 - Math.floor((timeMs - START) / 1000), ...silentAt(SETTLES) },
    outcome: () => LOSS,
  },
  'a win with no tick at the settlement, void': {
    choices: silentAt(SETTLES),
    outcome: () => ({ result: 'none', payout: STAKE, voidReason: 'no_settle' }),
  },
  'another opening price': { outcome: () => ({ openPrice: '1.10006' }) },
  'void for another reason': { choices: silentAt(OPENS), outcome: () => voided('gap') },
};

/** By the check that refuses them. */
export const FRAUDS: Readonly<Record<string, Readonly<Record<string, Fraud>>>> = {
  prices: PRICES,
  rules: RULES_FRAUDS,
  opening: OPENINGS,
  settlement: SETTLEMENTS,
  outcome: OUTCOMES,
};
