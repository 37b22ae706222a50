import { hashOf, LATE, type Outcome, QUIET, STAKE, tickEntry, UNFIXED, UNOPENED, WON } from '../house.ts';
import { type Choices, DAY, OPENS, RULES, SETTLES, START, type Story, tell } from '../story.ts';
import { editedAt, type Fraud, field, LOSS, OTHER, placeOf, placesOf, priceOf, unfixedAt } from './fraud.ts';

/** Frauds about which fixes an order opens and settles at, and about what it pays. */
type Frauds = Readonly<Record<string, Fraud>>;

export const FALLING = (timeMs: number): number => 111_000 - Math.floor((timeMs - START) / 1000);
/** Ticks of a day after a fix, and of a millisecond before that. */
const dayAfter = (fixMs: number): Required<Choices>['more'] =>
  [fixMs + DAY - 1, fixMs + DAY].map((timeMs) => [timeMs, () => [tickEntry(999, timeMs, hashOf(RULES))]]);
/** A fix that nobody wrote, and the entries that show that a day is over. */
export const unfixed = (fixMs: number): Choices => ({ ...unfixedAt(fixMs), more: dayAfter(fixMs) });
/** Too few sources count in the fix of a time. */
export const thinAt = (when: number): Choices => ({
  record: (fixMs, source, it) =>
    fixMs === when && source !== 'gamma' ? { ...it, timeMs: when - QUIET - 1 } : it,
});
/** One source is open in the fix of a time. */
export const openAt =
  (when: number): Required<Choices>['record'] =>
  (fixMs, source, it) =>
    fixMs === when && source === 'alpha' ? { ...it, closing: 'open' } : it;
/** The close of a fix with an open record, by which its source says that this was the last. */
const closeOf = (fix: string, timeMs: number): string =>
  field(4, String(timeMs))(fix.replace('fix|', 'close|').replace(',open', ',said'));
/** The house writes another close of a fix than the honest one, and shows it. */
const closes = (role: 'opening' | 'settling', edit: (close: string) => string, waitedMs = 6_000): Fraud => {
  const when = role === 'opening' ? OPENS : SETTLES;
  const late = ({ entries }: Story): string[] => {
    const fix = entries.find((text) => text.startsWith('fix|') && text.split('|')[5] === String(when));
    return [edit(closeOf(fix as string, when + waitedMs))];
  };
  return {
    choices: { record: openAt(when), close: () => null, more: [[when + waitedMs, late]] },
    shown: (story) => ({ [role]: [placeOf(story, when), story.entries.findIndex(isClose)] }),
  };
};
const isClose = (text: string): boolean => text.startsWith('close|');
const next = (text: string): string => field(3, String(Number(text.split('|')[3]) + 1))(text);

/** The fix of a time as an honest house would have written it, a day and a millisecond late. */
const lateFix = (when: number): string => {
  const { entries } = tell();
  const fix = entries.find((text) => text.startsWith('fix|') && text.split('|')[5] === String(when));
  return field(4, String(when + DAY + 1))(fix as string);
};

const pairs = (role: 'opening' | 'settling', when: number, other: number): Frauds => ({
  'the fix of another time': { shown: (story) => ({ [role]: placesOf(story, other) }) },
  "another symbol's fix": {
    choices: editedAt(when, field(2, OTHER)),
    shown: (story) => ({ opening: placesOf(story, OPENS), settling: placesOf(story, SETTLES), waited: [] }),
    outcome: () => LOSS,
  },
  'a close alone': {
    choices: { record: openAt(when) },
    shown: (story) => ({ [role]: [story.entries.findIndex(isClose)] }),
  },
  'two fixes': { shown: (story) => ({ [role]: placesOf(story, OPENS, SETTLES) }) },
  "another symbol's close": closes(role, field(2, OTHER)),
  'a close of another number': closes(role, next),
  'a close of another time': closes(role, field(5, String(when + 1_000))),
  'a close by other rules': closes(role, field(7, '0'.repeat(64))),
  'a fix later than a day': {
    choices: {
      ...unfixedAt(when),
      more: [[when + DAY + 1, () => [lateFix(when)]]],
    },
    shown: (story) => ({ opening: placesOf(story, OPENS), settling: placesOf(story, SETTLES), waited: [] }),
    outcome: () => LOSS,
  },
  'a close later than a day': closes(role, (close) => close, DAY + 1),
});

export const OPENINGS: Frauds = {
  ...pairs('opening', OPENS, OPENS - 2_000),
  'too few sources that count, and opened': {
    choices: thinAt(OPENS),
    shown: (story) => ({ settling: placesOf(story, SETTLES) }),
    outcome: (story) => ({ ...LOSS, openPrice: priceOf(story, OPENS), settlePrice: priceOf(story, SETTLES) }),
  },
  'sources enough, and void for want of a price': {
    shown: () => ({ settling: [] }),
    outcome: () => UNOPENED,
  },
  'too few sources that count, and not fixed': {
    choices: { ...thinAt(OPENS), more: dayAfter(SETTLES) },
    shown: (story) => ({ waited: [story.entries.length - 1] }),
    outcome: () => UNFIXED,
  },
};

export const SETTLEMENTS: Frauds = {
  ...pairs('settling', SETTLES, OPENS - 2_000),
  'the fix of the opening': { shown: (story) => ({ settling: placesOf(story, OPENS) }) },
  'a fix with the number of the opening': { choices: editedAt(SETTLES, field(3, '2')) },
  'not fixed, and not waited for a day': {
    choices: unfixed(SETTLES),
    shown: (story) => ({ waited: [story.entries.length - 2] }),
  },
  'not opened, and not waited for a day': {
    choices: unfixed(OPENS),
    shown: (story) => ({ waited: [story.entries.length - 2] }),
  },
  'opened, and waited for a day from there': {
    choices: unfixedAt(SETTLES),
    shown: (story) => ({ waited: [story.entries.length - 1] }),
  },
};

const VOID = { result: 'none', payout: STAKE };
/** Two sources settle below and above the opening, and the third one decides: below in the fix, above in the close. */
export const BETTER: Choices = {
  price: () => 110_000,
  record: (fixMs, source, it) => {
    if (fixMs !== SETTLES) return it;
    if (source !== 'alpha') return { ...it, price: source === 'beta' ? 109_990 : 110_010 };
    return { ...it, number: it.number - 1, timeMs: it.timeMs - 400, price: 109_980, closing: 'open' };
  },
  later: (_fixMs, _source, it) => ({ ...it, price: 110_020 }),
};
/** The close of the opening comes after everything else. */
export function openingClosedLast(choices: Choices): Choices {
  const kept: string[] = [];
  return {
    ...choices,
    close: (fixMs, close) => {
      if (fixMs !== OPENS) return close;
      kept.push(field(4, String(SETTLES + 7_000))(close));
      return null;
    },
    more: [[SETTLES + 7_000, () => kept]],
  };
}
const UNITS: Readonly<Record<string, readonly [opening: number, settling: number]>> = {
  alpha: [110_010, 110_000],
  beta: [109_985, 109_980],
  gamma: [110_001, 109_990],
};
/** Two losses, by the fixes and by both closes; the close of the opening with the fix of the settlement is a win. */
export const BETWEEN: Choices = {
  record: (fixMs, source, it) => {
    if (fixMs < OPENS) return it;
    const price = UNITS[source]?.[fixMs === OPENS ? 0 : 1] as number;
    if (source !== 'alpha') return { ...it, price };
    return { ...it, price, number: it.number - 1, timeMs: it.timeMs - 400, closing: 'open' };
  },
  later: (_fixMs, _source, it) => ({ ...it, price: 109_960 }),
};
const fixPrices = (story: Story): Partial<Outcome> => ({
  openPrice: priceOf(story, OPENS),
  settlePrice: priceOf(story, SETTLES),
});
const closePrices = (story: Story): Partial<Outcome> => ({
  ...fixPrices(story),
  settlePrice: priceOf(story, SETTLES, 'close'),
});

export const OUTCOMES: Frauds = {
  'a win as a loss': { outcome: () => LOSS },
  'a win as void': { outcome: () => UNOPENED },
  'a win that pays less': { outcome: () => ({ payout: '180.00' }) },
  'a win without its prices': { outcome: () => ({ openPrice: null, settlePrice: null }) },
  'another opening price': { outcome: () => ({ openPrice: '1.10007' }) },
  'a void that returns a tenth more': {
    choices: thinAt(OPENS),
    outcome: () => ({ payout: LATE.payout }),
  },
  'a void for another reason': { choices: thinAt(OPENS), outcome: () => LATE },
  'a void with a price': {
    choices: thinAt(OPENS),
    outcome: (story) => ({ openPrice: priceOf(story, OPENS) }),
  },
  'a late order whose tenth is rounded up': {
    choices: { ordersMs: OPENS },
    outcome: () => ({ payout: '110.02' }),
  },
  'a late order that returns the stake alone': {
    choices: { ordersMs: OPENS },
    outcome: () => ({ payout: STAKE }),
  },
  'a late order for want of a price': { choices: { ordersMs: OPENS }, outcome: () => UNOPENED },
  'a tie that pays as a void': {
    choices: { price: () => 110_000 },
    outcome: () => ({ payout: LATE.payout }),
  },
  'a tie as a loss': { choices: { price: () => 110_000 }, outcome: () => LOSS },
  'a settlement of too few sources as void': { choices: thinAt(SETTLES), outcome: () => UNOPENED },
  'a settlement of too few sources as a tie': { choices: thinAt(SETTLES), outcome: () => VOID },
  'no fix of the settlement as a loss': {
    choices: unfixed(SETTLES),
    outcome: (story) => ({ ...LOSS, openPrice: priceOf(story, OPENS) }),
  },
  'no fix of the settlement as void': { choices: unfixed(SETTLES), outcome: () => UNOPENED },
  'no fix of the opening as void': { choices: unfixed(OPENS), outcome: () => UNOPENED },
  'no fix of the settlement, with a price': {
    choices: unfixed(SETTLES),
    outcome: (story) => ({ openPrice: priceOf(story, OPENS) }),
  },
  'a close that is better, and the loss of its fix': {
    choices: BETTER,
    outcome: (story) => ({ ...LOSS, ...fixPrices(story) }),
  },
  'a close that is better, with the prices of the fix': { choices: BETTER, outcome: fixPrices },
  'a close of the opening in time, and the loss of the fixes': {
    choices: BETWEEN,
    outcome: (story) => ({ ...LOSS, ...fixPrices(story) }),
  },
  'a close of the opening after that of the settlement, as a win': {
    choices: openingClosedLast(BETWEEN),
    outcome: (story) => ({
      ...fixPrices(story),
      openPrice: priceOf(story, OPENS, 'close'),
      result: 'profit',
      payout: WON,
    }),
  },
  'a close that is worse, and its loss': {
    choices: { ...BETTER, direction: 'down' },
    outcome: (story) => ({ ...LOSS, ...closePrices(story) }),
  },
  'a close that is worse, with its prices': {
    choices: { ...BETTER, direction: 'down' },
    outcome: closePrices,
  },
};
