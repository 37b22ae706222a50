/** Frauds with what a tick is worth: one that is not current, a source that is missing or held back, and no tick at all. */
import {
  ACCEPTED_MS,
  AT,
  agreed,
  BEGINNING,
  type Fraud,
  halfNew,
  halfOld,
  OTHER,
  openedWithoutD,
  QUIET_MS,
  type Story,
  settledWithoutD,
  story,
  tick,
  withEntries,
} from './story.ts';

const won = story('won');
const LOSS = { result: 'loss', payout: '0.000000' } as const;
const NOTHING_WON = { result: 'none', payout: '100.000001' } as const;

/** The story with another outcome. */
const saying = (of: Story, outcome: Partial<Story['outcome']>): Story => ({
  ...of,
  outcome: { ...of.outcome, ...outcome },
});
const wrong = (name: string, said: string | null, right: string | null): string =>
  `outcome: the ${name} is ${said} where the rules make it ${right}`;

const noTick = story('won, no entry of the settlement time');
const stopped = story('won, prices had stopped at the settlement time');
const notCurrent = story('won, the tick of the settlement time is not current');
/** The quotes of `c` are exactly as old as they may be. */
const current: Story = saying(
  withEntries(notCurrent, {
    13: halfOld(90, AT.settles - 250, AT.settles - 2_300),
    14: halfOld(91, AT.settles, AT.settles - 2_300),
  }),
  { settlePrice: '1.08401', ...LOSS },
);

/** `a` and `b` are silent since the earliest moment whose quotes may open. */
const lagging = (n: number, timeMs: number): string =>
  tick({ n, timeMs }, '1.08410', [
    ['a', '1.08410', ACCEPTED_MS + 190],
    ['b', '1.08410', ACCEPTED_MS + 190],
    ['c', '1.08400', QUIET_MS],
    ['d', '1.08431', QUIET_MS],
  ]);
const TOO_OLD_MS = AT.open + 250;
/**
 * The tick at 12 has three quotes that are late enough to open, which are older than those of a current tick may be: two by both of their
 * times, and one, just received, by its source time. The tick at 13 opens.
 */
const openedLater: Story = {
  ...won,
  log: [
    ...BEGINNING,
    halfNew(42, AT.logged, '1.08402'),
    lagging(43, AT.logged + 250),
    lagging(44, AT.logged + 500),
    lagging(45, AT.grid),
    lagging(46, AT.early),
    lagging(47, AT.open),
    tick({ n: 48, timeMs: TOO_OLD_MS }, '1.08411', [
      ['a', '1.08410', ACCEPTED_MS + 190],
      ['b', '1.08410', ACCEPTED_MS + 190],
      ['c', '1.08412', TOO_OLD_MS - 10, 'use', TOO_OLD_MS - 2_301],
      ['d', '1.08431', QUIET_MS],
    ]),
    agreed(49, TOO_OLD_MS + 250, '1.08427'),
    OTHER(TOO_OLD_MS + 250),
    ...won.log.slice(13),
  ],
  shown: [
    ...won.shown.slice(0, 3),
    ...([9, 10, 11, 12, 13] as const).map((index) => ['opening', index] as const),
    ['settling', 17],
  ],
};
const openedTooSoon: Story = saying(
  { ...openedLater, shown: openedLater.shown.toSpliced(7, 1) },
  {
    openPrice: '1.08411',
  },
);

/** The quote of `d` is of use, and too old to be fresh: it counts for the price, and not for what the tick is worth. */
const heldAt = (n: number, timeMs: number, heldMs: number): string =>
  tick({ n, timeMs }, '1.08428', [
    ['a', '1.08425', timeMs - 30],
    ['b', '1.08427', timeMs - 20],
    ['c', '1.08429', timeMs - 10],
    ['d', '1.08435', heldMs, 'use', heldMs - 40, heldMs + 1],
  ]);
const settledHeld = (heldMs: number, outcome: Partial<Story['outcome']>): Story => ({
  ...saying(
    withEntries(won, { 13: heldAt(90, AT.settles - 250, heldMs), 15: heldAt(91, AT.settles, heldMs) }),
    outcome,
  ),
  terms: { direction: 'down' },
});
const heldSettled = settledHeld(AT.settles - 2_261, { settlePrice: '1.08425' });
const allFresh = settledHeld(AT.settles - 2_260, { settlePrice: '1.08428', ...LOSS });
const heldOpened: Story = {
  ...saying(
    withEntries(openedLater, {
      13: heldAt(49, TOO_OLD_MS + 250, QUIET_MS),
      17: agreed(91, AT.settles, '1.08428'),
    }),
    { openPrice: '1.08429', settlePrice: '1.08428' },
  ),
  terms: { direction: 'down' },
};

const upOpened = openedWithoutD('up');
const downOpened = openedWithoutD('down');
const upSettled = settledWithoutD('up', ['1.08425', '1.08427', '1.08429']);
const downSettled = story('won down, a source missing at the settlement');

export const WORTH_FRAUDS: Readonly<Record<string, Fraud>> = {
  'a missing settlement tick decided as a loss': {
    told: saying(noTick, LOSS),
    fault: wrong('result', 'loss', 'profit'),
  },
  'a missing settlement tick gives the stake back': {
    told: saying(noTick, NOTHING_WON),
    fault: wrong('result', 'none', 'profit'),
  },
  'a missing settlement tick, and the price before it decides': {
    told: saying(noTick, { settlePrice: '1.08401', ...LOSS }),
    fault: wrong('settlePrice', '1.08401', null),
  },
  'a gap at the settlement time gives the stake back': {
    told: saying(stopped, NOTHING_WON),
    fault: wrong('result', 'none', 'profit'),
  },
  'a gap after the opening voids': {
    told: saying(stopped, { openPrice: null, ...NOTHING_WON, voidReason: 'gap' }),
    fault: wrong('openPrice', null, '1.08427'),
  },
  'a tick that is not current settles': {
    told: saying(notCurrent, { settlePrice: '1.08401', ...LOSS }),
    fault: wrong('settlePrice', '1.08401', null),
  },
  'a tick settles that is said not to be current': {
    told: saying(current, { settlePrice: null, result: 'profit', payout: '180.000001' }),
    fault: wrong('settlePrice', null, '1.08401'),
  },
  'a tick that is not current opens': {
    told: openedTooSoon,
    fault: 'opening: nothing that is shown decides about the opening',
  },
  'a source missing at the opening, and the price counts': {
    told: saying(downOpened, { openPrice: '1.08427', ...NOTHING_WON }),
    fault: wrong('openPrice', '1.08427', '1.08429'),
  },
  'a source missing at the opening, and the worst quote counts for up': {
    told: saying(upOpened, { openPrice: '1.08429', ...LOSS }),
    fault: wrong('openPrice', '1.08429', '1.08426'),
  },
  'a source missing at the opening, and the worst quote counts for down': {
    told: saying(downOpened, { openPrice: '1.08426', ...LOSS }),
    fault: wrong('openPrice', '1.08426', '1.08429'),
  },
  'a source missing at the settlement, and the price counts': {
    told: saying(upSettled, { settlePrice: '1.08427', ...NOTHING_WON }),
    fault: wrong('settlePrice', '1.08427', '1.08429'),
  },
  'a source missing at the settlement, and the worst quote counts for up': {
    told: saying(upSettled, { settlePrice: '1.08425', ...LOSS }),
    fault: wrong('settlePrice', '1.08425', '1.08429'),
  },
  'a source missing at the settlement, and the worst quote counts for down': {
    told: saying(downSettled, { settlePrice: '1.08429', ...LOSS }),
    fault: wrong('settlePrice', '1.08429', '1.08425'),
  },
  'a source held back at the opening, and the price counts': {
    told: saying(heldOpened, { openPrice: '1.08428', ...NOTHING_WON }),
    fault: wrong('openPrice', '1.08428', '1.08429'),
  },
  'a source held back at the settlement, and the price counts': {
    told: saying(heldSettled, { settlePrice: '1.08428', ...LOSS }),
    fault: wrong('settlePrice', '1.08428', '1.08425'),
  },
  'a source held back at the opening, and its quote counts as the best': {
    told: saying(heldOpened, { openPrice: '1.08435' }),
    fault: wrong('openPrice', '1.08435', '1.08429'),
  },
  'all quotes are fresh, and the best counts': {
    told: saying(allFresh, { settlePrice: '1.08425', result: 'profit', payout: '180.000001' }),
    fault: wrong('settlePrice', '1.08425', '1.08428'),
  },
  'a stale quote counts as the best': {
    told: saying(upSettled, { settlePrice: '1.08431' }),
    fault: wrong('settlePrice', '1.08431', '1.08429'),
  },
};

const SINCE_MS = AT.settles - 20;
/** All sources count: the quote of `d` is an outlier. */
const withOutlier: Story = saying(
  withEntries(won, {
    15: tick({ n: 91, timeMs: AT.settles }, '1.08427', [
      ['a', '1.08425', SINCE_MS],
      ['b', '1.08427', SINCE_MS],
      ['c', '1.08429', SINCE_MS],
      ['d', '1.20000', SINCE_MS, 'outlier'],
    ]),
  }),
  { settlePrice: '1.08427', ...NOTHING_WON },
);

export const CLOSE_TO_WORTH_FRAUD: Readonly<Record<string, Story>> = {
  'lost, by quotes as old as those of a current tick may be': current,
  'won, opened after a tick that is not current': openedLater,
  'won down, a source missing at the opening': downOpened,
  'won up, a source missing at the settlement': upSettled,
  'won down, a source held back at the opening': heldOpened,
  'won down, a source held back at the settlement': heldSettled,
  'lost, all quotes as old as fresh ones may be': allFresh,
  'lost, a source missing at the settlement': settledWithoutD('up', ['1.08401', '1.08403', '1.08405'], LOSS),
  'tied, a quote that is too far is no missing source': withOutlier,
  'won, no entry since the opening until after the settlement time': {
    ...saying(won, { settlePrice: null }),
    log: [...won.log.slice(0, 13), agreed(48, AT.settles + 250, '1.08401')],
    shown: [...won.shown.slice(0, 6), ['settling', 11], ['settling', 13]],
  },
};
