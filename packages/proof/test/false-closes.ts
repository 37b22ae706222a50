/** Frauds with closes, and with the outcome that follows from fixes and closes. */
import { AT, type Fraud, fix, next, record, SETTLING_PARTS, type Story, story } from './story.ts';

const won = story('won');
export const closed = story('won, by its close');
/** Settled by fix and close, of which the close is this one. */
export const closing = (change: (close: string) => string): Story => ({
  ...closed,
  log: closed.log.with(-1, change(closed.log.at(-1) as string)),
});
const saying = (of: Story, outcome: Partial<Story['outcome']>): Story => ({
  ...of,
  outcome: { ...of.outcome, ...outcome },
});
const wrong = (name: string, said: string | null, right: string | null): string =>
  `outcome: the ${name} is ${said} where the rules make it ${right}`;
export const LOSS = { result: 'loss', payout: '0.000000' } as const;

export const CLOSES: Readonly<Record<string, Fraud>> = {
  'a close of a fix that had nothing open': {
    told: {
      ...won,
      log: [
        ...won.log,
        fix({ kind: 'close', n: 13, fixMs: AT.settles, timeMs: AT.settles + 600 }, '1.08451', SETTLING_PARTS),
      ],
      shown: [...won.shown, ['settling', 12]],
    },
    fault: 'prices: the close at 12: no record of its fix was open',
  },
  'a close with an open record': {
    told: closing((close) => close.replace(/use,[0-9.,]+$/, 'use,open')),
    fault: 'prices: the close at 12: a record of it is open',
  },
  'a close that changes a closed record': {
    told: closing((close) => close.replace(`b,${AT.settles - 70}`, `b,${AT.settles - 71}`)),
    fault: 'prices: the close at 12: it changes b, which was not open',
  },
  'a close that says why a closed record was the last': {
    told: closing((close) =>
      close.replace('1.08427,use,said', `1.08427,use,${next('1.08427', AT.settles + 5)}`),
    ),
    fault: 'prices: the close at 12: it changes b, which was not open',
  },
  'a close that leaves an open source out': {
    told: closing((close) => close.replace('1.08432', '1.08427').replace(/d,[^;|]*$/, 'd,away')),
    fault: 'prices: the close at 12: it leaves d out',
  },
  'a close with an older record than the open one': {
    told: closing((close) => close.replace(/d,[^;|]*$/, record('d', '1.08447', AT.settles - 40))),
    fault: 'prices: the close at 12: it passes over a record of d that was shown',
  },
};

export const OUTCOMES: Readonly<Record<string, Fraud>> = {
  'a close that is better, and the first result counts': {
    told: saying(closed, { settlePrice: '1.08422', ...LOSS }),
    fault: wrong('settlePrice', '1.08422', '1.08432'),
  },
  'a close that is worse, and its result counts': {
    told: saying(story('won, though its close is a loss'), { settlePrice: '1.08422', ...LOSS }),
    fault: wrong('settlePrice', '1.08422', '1.08432'),
  },
  'a close that is better, and the first result is paid': {
    told: saying(closed, LOSS),
    fault: wrong('result', 'loss', 'profit'),
  },
  'a result that a close made better is taken back by the next': {
    told: saying(story('won, by the first of its two closes'), {
      settlePrice: '1.08422',
      result: 'none',
      payout: '100.000001',
    }),
    fault: wrong('settlePrice', '1.08422', '1.08427'),
  },
  'a missing settlement price decided as a loss': {
    told: saying(story('won, no price of its settlement time'), LOSS),
    fault: wrong('result', 'loss', 'profit'),
  },
  'a missing settlement price, and the opening price is named': {
    told: saying(story('won, no price of its settlement time'), { openPrice: '1.08427' }),
    fault: wrong('openPrice', '1.08427', null),
  },
  'a missing opening price gives the stake back': {
    told: saying(story('won, no price of its opening time'), { result: 'none', payout: '100.000001' }),
    fault: wrong('result', 'none', 'profit'),
  },
  'a missing price voids': {
    told: saying(story('won, no price of its opening time'), {
      result: 'none',
      payout: '100.000001',
      voidReason: 'no_price',
    }),
    fault: wrong('result', 'none', 'profit'),
  },
  'a void for too few sources that pays a tenth': {
    told: saying(story('void, too few sources at the opening'), { payout: '110.000001' }),
    fault: wrong('payout', '110.000001', '100.000001'),
  },
};
