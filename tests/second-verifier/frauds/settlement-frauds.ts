import { hashOf, type Outcome, restart, SOURCES, STAKE, voided } from '../house.ts';
import { type Choices, OPENS, RULES, SETTLES, START, type Story } from '../story.ts';
import { type Fraud, field, LOSS, OTHER, placeOf, placesOf, priceOf, silentAt } from './fraud.ts';

const FALLING = (timeMs: number): number => 111_000 - Math.floor((timeMs - START) / 1000);
/** The two entries around a settlement time that has none, or the one of that time. */
const around = (story: Story): number[] => placesOf(story, SETTLES - 250, SETTLES + 250);
const atSettlement = (entry: (n: number, tick: string) => string): Choices => ({
  at: (timeMs, n, tick) => (timeMs === SETTLES ? entry(n, tick) : tick),
});
/** Two of the sources have sent nothing for this long at the settlement. */
const heldBack = (ms: number): Choices => ({
  sent: (timeMs, source, it) =>
    source === 'gamma' || timeMs > SETTLES || timeMs <= SETTLES - ms
      ? it
      : { ...it, sourceMs: SETTLES - ms - 80, receivedMs: SETTLES - ms - 50 },
});

export const SETTLEMENTS: Readonly<Record<string, Fraud>> = {
  'a tick after the settlement time': { shown: (story) => ({ settling: placesOf(story, SETTLES + 250) }) },
  'a tick before it alone': { shown: (story) => ({ settling: placesOf(story, SETTLES - 250) }) },
  'those before and after it, as if none had come at the time': {
    shown: (story) => ({ settling: around(story) }),
    outcome: () => ({ settlePrice: null }),
  },
  'the tick of its time, and the next': {
    shown: (story) => ({ settling: placesOf(story, SETTLES, SETTLES + 250) }),
  },
  'the tick before it, and that of its time': {
    shown: (story) => ({ settling: placesOf(story, SETTLES - 250, SETTLES) }),
  },
  'two entries before it': {
    choices: silentAt(SETTLES),
    shown: (story) => ({ settling: placesOf(story, SETTLES - 500, SETTLES - 250) }),
  },
  'two entries after it': {
    choices: silentAt(SETTLES),
    shown: (story) => ({ settling: placesOf(story, SETTLES + 250, SETTLES + 500) }),
  },
  'silence told by the tick before it alone, the next entry hidden': {
    choices: { price: FALLING, ...silentAt(SETTLES) },
    shown: (story) => ({ settling: placesOf(story, SETTLES - 250) }),
    outcome: (story) => ({ ...LOSS, settlePrice: priceOf(story, SETTLES - 250) }),
  },
  'silence told by the tick after it, the one before hidden': {
    choices: { price: FALLING, ...silentAt(SETTLES) },
    shown: (story) => ({ settling: placesOf(story, SETTLES + 250) }),
    outcome: (story) => ({ ...LOSS, settlePrice: priceOf(story, SETTLES + 250) }),
  },
  'a number that is skipped around it': {
    choices: {
      at: (timeMs, _n, tick) => {
        if (timeMs === SETTLES) return null;
        const [, , , n] = tick.split('|');
        return timeMs > SETTLES ? field(3, String(Number(n) + 1))(tick) : tick;
      },
    },
    shown: (story) => ({ settling: around(story) }),
  },
  'a number that stands before and after it': {
    choices: {
      at: (timeMs, _n, tick) => {
        if (timeMs === SETTLES) return null;
        const [, , , n] = tick.split('|');
        return timeMs > SETTLES ? field(3, String(Number(n) - 1))(tick) : tick;
      },
    },
    shown: (story) => ({ settling: around(story) }),
  },
  "another symbol's tick of its time": {
    choices: atSettlement((_n, tick) => field(2, OTHER)(tick)),
    shown: (story) => ({ settling: placesOf(story, SETTLES) }),
  },
  "another symbol's tick after it": {
    choices: { at: (timeMs, _n, tick) => (timeMs === SETTLES + 250 ? field(2, OTHER)(tick) : tick) },
    shown: (story) => ({ settling: around(story) }),
  },
  'a tick of its time with a number from before the opening': {
    choices: atSettlement((_n, tick) => field(3, '3')(tick)),
  },
};

/** What silence, an old tick or a missing source must not be told as. */
const silenceAs = (choices: Choices, outcome: Partial<Outcome>): Fraud => ({
  choices: { price: FALLING, ...choices },
  outcome: () => outcome,
});
const VOID = { result: 'none', payout: STAKE };
const restarted = atSettlement((n) => restart(n, SETTLES, hashOf(RULES)));
const lossBy =
  (price: (story: Story) => string) =>
  (story: Story): Partial<Outcome> => ({ ...LOSS, settlePrice: price(story) });
/** One source is stale at a time, and the others stand apart. */
const away = (when: number, direction: 'up' | 'down', spread: number): Choices => ({
  direction,
  price: () => 110_000,
  sent: (timeMs, source, it) => {
    const price = it.price + (timeMs === when && source === 'gamma' ? spread : 0);
    if (source !== 'alpha' || timeMs > when || timeMs <= when - 2_500) return { ...it, price };
    return { price, sourceMs: when - 2_580, receivedMs: when - 2_550 };
  },
});
/** One source has sent nothing for half a second at a time, and its quote is between those of the others. */
const heldOne = (when: number, direction: 'up' | 'down'): Choices => ({
  direction,
  price: () => 110_000,
  sent: (timeMs, source, it) => {
    const price = it.price + (source === 'gamma' ? 4 : source === 'alpha' ? 3 : 0);
    if (source !== 'alpha' || timeMs > when || timeMs <= when - 500) return { ...it, price };
    return { price, sourceMs: when - 580, receivedMs: when - 550 };
  },
});
/** What the quote of a source says at a time. */
const quoteOf = (story: Story, timeMs: number, source: (typeof SOURCES)[number]): string => {
  const listed = (story.entries[placeOf(story, timeMs)] as string).split('|')[7] as string;
  return listed.split(';')[SOURCES.indexOf(source)]?.split(',')[1] as string;
};

export const OUTCOMES: Readonly<Record<string, Fraud>> = {
  'a win as a loss': { outcome: () => LOSS },
  'a win as void': { outcome: () => ({ ...voided('hole') }) },
  'a win that pays less': { outcome: () => ({ payout: '180.00' }) },
  'another opening price': { outcome: () => ({ openPrice: '1.10007' }) },
  'a void that returns the stake alone': {
    choices: silentAt(OPENS),
    outcome: () => ({ payout: STAKE }),
  },
  'a void whose tenth is rounded up': { choices: silentAt(OPENS), outcome: () => ({ payout: '110.02' }) },
  'a late order that returns the stake alone': {
    choices: { ordersMs: OPENS },
    outcome: () => ({ payout: STAKE }),
  },
  'a tie that pays as a void': {
    choices: { price: () => 110_000 },
    outcome: () => ({ payout: voided('gap').payout }),
  },
  'void for another reason': { choices: silentAt(OPENS), outcome: () => voided('gap') },
  'silence at the settlement as a loss': silenceAs(silentAt(SETTLES), LOSS),
  'silence at the settlement as a tie': silenceAs(silentAt(SETTLES), VOID),
  'silence at the settlement as void': silenceAs(silentAt(SETTLES), voided('hole')),
  'silence for a while as a loss': silenceAs(silentAt(SETTLES - 500, SETTLES - 250, SETTLES), LOSS),
  'a gap at the settlement as a loss': silenceAs(restarted, LOSS),
  'a gap at the settlement as void': silenceAs(restarted, voided('gap')),
  'silence, with the price of the tick before': {
    choices: { price: FALLING, ...silentAt(SETTLES) },
    outcome: lossBy((story) => priceOf(story, SETTLES - 250)),
  },
  'a win by silence, with the price of the tick before': {
    choices: silentAt(SETTLES),
    outcome: (story) => ({ settlePrice: priceOf(story, SETTLES - 250) }),
  },
  'quotes held back at the settlement as a loss': {
    choices: { price: FALLING, ...heldBack(250) },
    outcome: lossBy((story) => priceOf(story, SETTLES)),
  },
  'quotes held back at the settlement as void': {
    choices: { price: FALLING, ...heldBack(1_000) },
    outcome: () => voided('no_open'),
  },
  'a source left away at the settlement of an up, and the price of the tick': {
    choices: away(SETTLES, 'up', 4),
    outcome: (story) => ({ settlePrice: priceOf(story, SETTLES) }),
  },
  'a source left away at the settlement of an up, and the lowest quote': {
    choices: away(SETTLES, 'up', 4),
    outcome: lossBy((story) => quoteOf(story, SETTLES, 'beta')),
  },
  'a source left away at the settlement of a down, and the highest quote': {
    choices: away(SETTLES, 'down', 4),
    outcome: lossBy((story) => quoteOf(story, SETTLES, 'gamma')),
  },
  'a source left away at the settlement, and what the stale quote says': {
    choices: away(SETTLES, 'up', -4),
    outcome: lossBy((story) => quoteOf(story, SETTLES, 'alpha')),
  },
  'one source held back at the settlement of an up, and the price of the tick': {
    choices: heldOne(SETTLES, 'up'),
    outcome: (story) => ({ settlePrice: priceOf(story, SETTLES) }),
  },
  'one source held back at the settlement of an up, and its own quote': {
    choices: heldOne(SETTLES, 'up'),
    outcome: (story) => ({ settlePrice: quoteOf(story, SETTLES, 'alpha') }),
  },
  'one source held back at the opening of a down, and the price of the tick': {
    choices: heldOne(OPENS, 'down'),
    outcome: (story) => ({ openPrice: priceOf(story, OPENS) }),
  },
  'a source left away at the opening of an up, and the price of the tick': {
    choices: away(OPENS, 'up', 4),
    outcome: (story) => ({ openPrice: priceOf(story, OPENS) }),
  },
  'a source left away at the opening of an up, and the highest quote': {
    choices: away(OPENS, 'up', 4),
    outcome: (story) => ({ openPrice: quoteOf(story, OPENS, 'gamma') }),
  },
  'a source left away at the opening of a down, and the lowest quote': {
    choices: away(OPENS, 'down', 4),
    outcome: (story) => ({ openPrice: quoteOf(story, OPENS, 'beta') }),
  },
};
