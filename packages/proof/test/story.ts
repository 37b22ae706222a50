/** Logs with one order each, one for each form of a receipt and more: the base of the receipt tests and of the vectors. */
import type { VoidReason } from '@fairtick/trading';
import { type Acceptance, formatKeyEntry, type ReceiptOutcome, timeExtension } from '../src/index.ts';
import {
  ACCEPTANCES_KEY,
  AT,
  agreed,
  gap,
  halfNew,
  hash,
  LOG_KEY,
  NEXT_ACCEPTANCES_KEY,
  NEXT_LOG_KEY,
  QUIET_MS,
  RULES_ENTRY,
  RULES_HASH,
  rules,
  signer,
  TERMS,
  tick,
} from './entries.ts';
import { logOf, ORDERS, SIGNED_MS, type Story } from './issuing.ts';

export * from './entries.ts';
export * from './issuing.ts';

export const OTHER = (timeMs: number) =>
  tick({ n: 1, timeMs, symbol: 'GBP/USD' }, '1.27000', [
    ['a', '1.27000', timeMs - 5],
    ['b', '1.27000', timeMs - 5],
  ]);

const START = [RULES_ENTRY, OTHER(AT.before - 500), agreed(40, AT.before - 250, '1.08390'), OTHER(AT.before)];
/** The log up to the order: five entries, with the product's newest price, 1.08400, as its number 41. */
export const BEGINNING = [...START, agreed(41, AT.before, '1.08400'), ORDERS];

/** Up to the last grid time before the opening time, which is entry 9, number 45. */
const TICKING = [
  ...BEGINNING,
  halfNew(42, AT.logged, '1.08402'),
  halfNew(43, AT.logged + 250, '1.08404'),
  halfNew(44, AT.logged + 500, '1.08406'),
  halfNew(45, AT.grid, '1.08408'),
];

/** Three of four sources have quotes that may open. */
const OPENING = tick({ n: 47, timeMs: AT.open }, '1.08427', [
  ['a', '1.08426', AT.open - 40],
  ['b', '1.08427', AT.open - 30],
  ['c', '1.08427', AT.open - 20],
  ['d', '1.08431', QUIET_MS],
]);
const OPENED = [...TICKING, halfNew(46, AT.early, '1.08410'), OPENING, OTHER(AT.open + 250)];

const settleWith = (price: string, atMs = AT.settles): string[] => [
  agreed(90, atMs - 250, '1.08440'),
  OTHER(atMs - 250),
  agreed(91, atMs, price),
  OTHER(atMs),
  agreed(92, atMs + 250, '1.08460'),
  OTHER(atMs + 250),
];

const SHOWN = [
  ['rules', 0],
  ['beforeAccept', 4],
  ['orders', 5],
] as const;
const SHOWN_OPENING = [...SHOWN, ['opening', 9], ['opening', 10], ['opening', 11]] as const;
const SHOWN_OPENED = [...SHOWN_OPENING, ['settling', 15]] as const;

const opened = (price: string, outcome: Partial<ReceiptOutcome>, terms: Partial<Acceptance> = {}): Story => ({
  log: [...OPENED, ...settleWith(price)],
  shown: SHOWN_OPENED,
  terms,
  outcome: {
    openPrice: '1.08427',
    settlePrice: price,
    result: 'profit',
    payout: '180.000001',
    voidReason: null,
    ...outcome,
  },
});

/** Opened, and followed by entries from index 13 on; those at the given indexes are shown. */
function settledBy(
  entries: readonly string[],
  settling: readonly number[],
  outcome: Partial<ReceiptOutcome>,
): Story {
  return {
    log: [...OPENED, ...entries],
    shown: [...SHOWN_OPENING, ...settling.map((index) => ['settling', index] as const)],
    outcome: { ...opened('1.08401', {}).outcome, ...outcome },
  };
}

/** Named 12 s after the newest entry, which is the latest for an order that is accepted in that moment. */
const LATEST_MS = AT.before + 12_000;
export function openedLatest(terms: Partial<Acceptance> = {}): Story {
  const settlesAt = LATEST_MS + 60_000;
  return {
    ...opened('1.08451', {}, { acceptedAt: AT.before, opensAt: LATEST_MS, settlesAt, ...terms }),
    log: [
      ...BEGINNING,
      agreed(42, LATEST_MS - 250, '1.08410'),
      agreed(43, LATEST_MS, '1.08427'),
      OTHER(LATEST_MS + 250),
      ...settleWith('1.08451', settlesAt),
    ],
    shown: [...SHOWN, ['opening', 6], ['opening', 7], ['settling', 11]],
    extensions: [timeExtension(settlesAt + 2_000)],
  };
}

/** The story with the entry that carries the batch at another place of the log, and of another time. */
export const loggedAt = (told: Story, index: number, loggedMs: number): Story => ({
  ...told,
  log: told.log.filter((text) => text !== ORDERS).toSpliced(index, 0, ORDERS),
  shown: told.shown.map(([role, at]) => [role, role === 'orders' ? index : at] as const),
  loggedMs,
});

const OF_SYMBOL = /^(tick|gap)\|3\|EUR\/USD\|/;

/** Void: these entries follow the log's first `from`, and the opening is shown from index `first` on. */
function unopened(
  reason: VoidReason,
  entries: readonly string[],
  { first = 9, from = 10 }: { first?: number; from?: number } = {},
): Story {
  const log = [...TICKING.slice(0, from), ...entries];
  const shown = log.flatMap((text, at) =>
    at >= first && OF_SYMBOL.test(text) ? [['opening', at] as const] : [],
  );
  return { log, shown: [...SHOWN, ...shown], outcome: { ...NOTHING, voidReason: reason } };
}

/** The entry by which one key hands over to another. */
export const handOver = (timeMs: number, from: { signerKey: string }, to: { verifierKey: string }): string =>
  formatKeyEntry(timeMs, to.verifierKey, signer(from.signerKey));

const HAND_OVERS = [
  handOver(AT.before - 1_000, ACCEPTANCES_KEY, NEXT_ACCEPTANCES_KEY),
  handOver(AT.before - 1_000, LOG_KEY, NEXT_LOG_KEY),
];

/** The story with entries inserted into its log, and the indexes of shown entries shifted. */
export function withMore(told: Story, at: number, ...entries: string[]): Story {
  const moved = told.shown.map(
    ([role, index]) => [role, index < at ? index : index + entries.length] as const,
  );
  return { ...told, log: told.log.toSpliced(at, 0, ...entries), shown: moved };
}

/** The story with some log entries replaced, by index. */
export const withEntries = (of: Story, entries: Readonly<Record<number, string>>): Story => ({
  ...of,
  log: of.log.map((text, index) => entries[index] ?? text),
});

/** Hands over both keys before the order, at log indexes 2 and 3, and signs the later parts with the new keys. */
function signedAnew(told: Story): Story {
  const { log, shown } = withMore(told, 2, ...HAND_OVERS);
  return {
    ...told,
    log,
    shown: [...shown, ['key', 2], ['key', 3]],
    terms: { ...told.terms, logSize: TERMS.logSize + 2 },
    checkpointKey: NEXT_LOG_KEY.signerKey,
    acceptancesKey: NEXT_ACCEPTANCES_KEY.signerKey,
  };
}

/** The same tick, before `d` has sent anything: the other three give the same price. */
const withoutD = (text: string): string => text.replace(/;d,[^;|]*$/, ';d,none');

/** Opened at 1.08426, 1.08427 and 1.08429 while `d` was missing, and settled at 1.08427. */
export function openedWithoutD(direction: 'up' | 'down'): Story {
  const opening = tick({ n: 46, timeMs: AT.early }, '1.08427', [
    ['a', '1.08426', AT.early - 40],
    ['b', '1.08427', AT.early - 30],
    ['c', '1.08429', AT.early - 20],
    ['d'],
  ]);
  const told = opened('1.08427', { openPrice: direction === 'up' ? '1.08426' : '1.08429' }, { direction });
  return {
    ...told,
    log: [...TICKING.map(withoutD), opening, OTHER(AT.open), ...settleWith('1.08427')],
    shown: [...SHOWN, ['opening', 9], ['opening', 10], ['settling', 14]],
  };
}

/** Settled by the quotes of three sources, ascending, while that of `d` was stale. */
export function settledWithoutD(
  direction: 'up' | 'down',
  prices: readonly [string, string, string],
  outcome: Partial<ReceiptOutcome> = {},
): Story {
  const [low, middle, high] = prices;
  const priced = (n: number, timeMs: number) =>
    tick({ n, timeMs }, middle, [
      ['a', low, timeMs - 30],
      ['b', middle, timeMs - 20],
      ['c', high, timeMs - 10],
      ['d', '1.08431', QUIET_MS, 'stale'],
    ]);
  const told = opened(direction === 'up' ? high : low, outcome, { direction });
  return withEntries(told, { 13: priced(90, AT.settles - 250), 15: priced(91, AT.settles) });
}

/** All agree, but at the settlement the quotes of `c` and `d` are a millisecond older than fresh ones. */
export const halfOld = (n: number, timeMs: number, oldMs = AT.settles - 2_301): string =>
  tick({ n, timeMs }, '1.08401', [
    ['a', '1.08401', timeMs - 30],
    ['b', '1.08401', timeMs - 20],
    ['c', '1.08401', oldMs + 40],
    ['d', '1.08401', AT.settles - 2_261],
  ]);

/** Rules with another number of decimals, logged before the order, that take effect between its opening and its settlement. */
export const LATER_RULES = rules(2, AT.settles - 250, RULES_HASH, { decimals: 6 });
function underLaterRules(): Story {
  const told = opened('1.084511', {});
  const settling = agreed(91, AT.settles, '1.084511', hash(LATER_RULES));
  const moved = withMore(withEntries(told, { 15: settling }), 12, LATER_RULES);
  return { ...moved, shown: [['rules', 0], ['rules', 12], ...moved.shown.slice(1)] };
}

const NOTHING = { openPrice: null, settlePrice: null, result: 'none', payout: '110.000001' } as const;
const NOT_LOGGED = { ...NOTHING, voidReason: 'not_logged' } as const;
/** Without a current tick of the settlement time the order wins. */
const NO_PRICE = { settlePrice: null } as const;
const slow = Array.from({ length: 21 }, (_, at) =>
  halfNew(46 + at, AT.early + at * 250, `1.084${String(10 + at)}`),
);

/** One of each form. */
export const STORIES: Readonly<Record<string, Story>> = {
  won: opened('1.08451', {}),
  lost: opened('1.08401', { result: 'loss', payout: '0.000000' }),
  tied: opened('1.08427', { result: 'none', payout: '100.000001' }),
  'won, with nothing seen': opened('1.08401', {}, { direction: 'down', seenSize: null, seenRoot: null }),
  'won, signed with keys that followed': signedAnew(opened('1.08451', {})),
  'won, cosigned by two witnesses': {
    ...opened('1.08451', {}),
    cosignedMs: [SIGNED_MS - 5_000, SIGNED_MS + 5_000],
  },
  'won, the server chose the opening time': opened('1.08451', {}, { asked: null }),
  'won, opened at the latest time that may be named': {
    ...openedLatest(),
    held: { timeMs: LATEST_MS - 2_000, cosignedMs: [LATEST_MS - 1, LATEST_MS] },
  },
  'won, witnessed before it opened': {
    ...opened('1.08451', {}),
    held: { cosignedMs: [AT.before + 1_000, AT.early] },
  },
  'won, its batch amid others': { ...opened('1.08451', {}), followers: 1 },
  'won, its batch the first of others': { ...opened('1.08451', {}), neighbours: 0, followers: 1 },
  'won, its batch alone': { ...opened('1.08451', {}), neighbours: 0 },
  'won, under rules that changed before it settled': underLaterRules(),
  'won, no entry of the settlement time': settledBy(
    [agreed(90, AT.settles - 250, '1.08401'), OTHER(AT.settles), agreed(91, AT.settles + 250, '1.08401')],
    [13, 15],
    NO_PRICE,
  ),
  'won, prices had stopped at the settlement time': settledBy(
    [agreed(90, AT.settles - 250, '1.08401'), gap(91, AT.settles), agreed(92, AT.settles + 250, '1.08401')],
    [14],
    NO_PRICE,
  ),
  'won, the tick of the settlement time is not current': settledBy(
    [halfOld(90, AT.settles - 250), halfOld(91, AT.settles), agreed(92, AT.settles + 250, '1.08401')],
    [14],
    NO_PRICE,
  ),
  'won up, a source missing at the opening': openedWithoutD('up'),
  'won down, a source missing at the settlement': settledWithoutD('down', ['1.08425', '1.08427', '1.08429']),
  'void, no opening tick in time': unopened('no_open', slow),
  'void, a gap before it opened': unopened('gap', [
    halfNew(46, AT.early, '1.08410'),
    gap(47, AT.open, 'quorum', [
      ['a', '1.05000', AT.open - 10, 'outlier'],
      ['b', '1.08000', AT.open - 10, 'outlier'],
      ['c', '1.12000', AT.open - 10, 'outlier'],
      ['d', '1.16000', AT.open - 10, 'outlier'],
    ]),
  ]),
  'void, a hole before it opened': unopened('hole', [agreed(46, AT.open, '1.08410')]),
  'void, a hole that the next entry shows much later': unopened('hole', [
    OTHER(AT.open),
    agreed(46, AT.until + 10_000, '1.08410'),
  ]),
  'void, prices had stopped': unopened('gap', [gap(45, AT.grid), halfNew(46, AT.early, '1.08408')], {
    from: 9,
  }),
  'void, a hole before the opening time': unopened('hole', [halfNew(45, AT.early, '1.08408')], {
    first: 8,
    from: 9,
  }),
  'void, logged too late': loggedAt(
    { log: [...TICKING, OTHER(AT.early)], shown: SHOWN, outcome: NOT_LOGGED },
    8,
    AT.deadline + 1,
  ),
};

/**
 * The batch of a won order is carried a second time, and later. The receipt that shows only the second place is valid by itself: who
 * reads the whole log, or holds the first place, sees the fraud.
 */
export function carriedAgain(): Story {
  const won = opened('1.08451', {});
  const log = won.log.with(5, logOf(won).orders).toSpliced(11, 0, ORDERS);
  return { log, loggedMs: AT.early, shown: [...SHOWN.slice(0, 2), ['orders', 11]], outcome: NOT_LOGGED };
}

export const story = (name: string): Story => STORIES[name] as Story;

/** A story and its fault, as `step: fault`. */
export interface Fraud {
  readonly told: Story;
  readonly fault: string;
}
