/** Logs with one order each, one for each form of a receipt and more: the base of the receipt tests and of the vectors. */
import { type Acceptance, formatKeyEntry, type ReceiptOutcome, timeExtension } from '../src/index.ts';
import {
  ACCEPTANCES_KEY,
  AT,
  agreed,
  agreedFix,
  DAY_MS,
  fix,
  hash,
  LOG_KEY,
  NEXT_ACCEPTANCES_KEY,
  NEXT_LOG_KEY,
  next,
  RULES_ENTRY,
  RULES_HASH,
  record,
  recordsAt,
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

/** The fix of the opening time, which is entry 7, number 12: an even median of 1.08427. */
export const OPENING_PARTS = recordsAt(AT.opens, ['1.08426', '1.08427', '1.08427', '1.08431']);
export const OPENING = fix({ n: 12, fixMs: AT.opens }, '1.08427', OPENING_PARTS);
export const SETTLING_PARTS = recordsAt(AT.settles, ['1.08451', '1.08451', '1.08451', '1.08451']);
const OPENED = [...BEGINNING, agreed(42, AT.logged, '1.08402'), OPENING, OTHER(AT.opens + 500)];

/** The fix of the settlement time, number 13, between other entries. */
const settledBy = (entry: string, atMs = AT.settles): string[] => [
  agreed(43, atMs - 250, '1.08440'),
  entry,
  OTHER(atMs + 500),
];
export const SETTLING = (price: string, atMs = AT.settles): string =>
  agreedFix({ n: 13, fixMs: atMs }, price);

const SHOWN = [
  ['rules', 0],
  ['beforeAccept', 4],
  ['orders', 5],
] as const;
const SHOWN_OPENING = [...SHOWN, ['opening', 7]] as const;

/** Opened at 1.08427 by entry 7, and settled by entry 10. */
const settled = (
  entry: string,
  price: string,
  outcome: Partial<ReceiptOutcome>,
  terms: Partial<Acceptance> = {},
): Story => ({
  log: [...OPENED, ...settledBy(entry)],
  shown: [...SHOWN_OPENING, ['settling', 10]],
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
const opened = (price: string, outcome: Partial<ReceiptOutcome>, terms: Partial<Acceptance> = {}): Story =>
  settled(SETTLING(price), price, outcome, terms);

/** Named 12 s after the newest entry, which is the latest for an order that is accepted in that moment. */
const LATEST_MS = AT.before + 12_000;
export function openedLatest(terms: Partial<Acceptance> = {}): Story {
  const settlesAt = LATEST_MS + 60_000;
  return {
    ...opened('1.08451', {}, { acceptedAt: AT.before, opensAt: LATEST_MS, settlesAt, ...terms }),
    log: [
      ...BEGINNING,
      agreed(42, LATEST_MS - 250, '1.08410'),
      agreedFix({ n: 12, fixMs: LATEST_MS }, '1.08427'),
      OTHER(LATEST_MS + 500),
      ...settledBy(SETTLING('1.08451', settlesAt), settlesAt),
    ],
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

/** A fix in which the records of `c` and `d` are a millisecond too old to count: too few sources are left. */
export const thinFix = (
  n: number,
  fixMs: number,
  price: string,
  [c, d]: readonly [string, string],
): string => {
  const oldMs = fixMs - 10_001;
  return fix({ n, fixMs }, price, [
    record('a', '1.08425', fixMs - 90),
    record('b', '1.08427', fixMs - 70),
    record('c', c, oldMs, { use: 'quiet' }),
    record('d', d, oldMs, { use: 'quiet' }),
  ]);
};

/**
 * A fix that waited for `d`, whose record is open, and its close, in which `d` has another record of before the second. The records of
 * the others are around 1.08427: the median is 1.08422, 1.08427 or 1.08432, as that of `d` is below, at or above.
 */
export function openedAndClosed(n: number, fixMs: number, before: string, after: string): [string, string] {
  const state = (kind: 'fix' | 'close', timeMs: number, d: string) => {
    const price = /\.084[01]/.test(d) ? '1.08422' : d === '1.08427' ? d : '1.08432';
    const [first, last] = [fixMs - 30, fixMs - 10];
    return fix({ kind, n, fixMs, timeMs }, price, [
      record('a', '1.08417', fixMs - 90, { closing: next('1.08417', fixMs + 120) }),
      record('b', '1.08427', fixMs - 70),
      record('c', '1.08437', fixMs - 50),
      kind === 'fix'
        ? record('d', d, first, { closing: 'open' })
        : record('d', d, last, { closing: next(d, fixMs + 3_400) }),
    ]);
  };
  return [state('fix', fixMs + 3_000, before), state('close', fixMs + 3_500, after)];
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

/** Rules with another number of decimals, logged before the order, that take effect between its opening and its settlement. */
export const LATER_RULES = rules(2, AT.settles, RULES_HASH, { decimals: 6 });
function underLaterRules(): Story {
  const entry = agreedFix({ n: 13, fixMs: AT.settles, rulesHash: hash(LATER_RULES) }, '1.084511');
  const moved = withMore(settled(entry, '1.084511', {}), 8, LATER_RULES);
  return { ...moved, shown: [['rules', 0], ['rules', 8], ...moved.shown.slice(1)] };
}

const AFTER_CLOSE = [timeExtension(AT.settles + 4_000)];
const priceOf = (entry: string): string => entry.split('|')[6] ?? '';

/** Settled by a fix with an open record, which is closed. */
export function settledAndClosed(before: string, after: string, outcome: Partial<ReceiptOutcome>): Story {
  const [entry, close] = openedAndClosed(13, AT.settles, before, after);
  const told = settled(entry, priceOf(entry), outcome);
  return {
    ...told,
    log: [...told.log.slice(0, -1), OTHER(AT.settles + 3_250), close],
    shown: [...told.shown, ['settling', 12]],
    extensions: AFTER_CLOSE,
  };
}

/** Opened by a fix with an open record, which is closed, and settled at a price. */
function closedOpening(
  before: string,
  after: string,
  price: string,
  outcome: Partial<ReceiptOutcome>,
): Story {
  const [entry, close] = openedAndClosed(12, AT.opens, before, after);
  return {
    ...opened(price, { openPrice: priceOf(entry), ...outcome }),
    log: [...OPENED.slice(0, 7), entry, OTHER(AT.opens + 3_250), close, ...settledBy(SETTLING(price))],
    shown: [...SHOWN_OPENING, ['opening', 9], ['settling', 11]],
  };
}

/** Both prices are closed, the opening first. */
function bothClosed(): Story {
  const [opening, openingClose] = openedAndClosed(12, AT.opens, '1.08447', '1.08407');
  const [settling, settlingClose] = openedAndClosed(13, AT.settles, '1.08427', '1.08407');
  return {
    ...opened('1.08427', { openPrice: '1.08422' }),
    log: [
      ...OPENED.slice(0, 7),
      opening,
      openingClose,
      ...settledBy(settling).slice(0, 2),
      OTHER(AT.settles + 3_250),
      settlingClose,
    ],
    shown: [...SHOWN_OPENING, ['opening', 8], ['settling', 10], ['settling', 12]],
    extensions: AFTER_CLOSE,
  };
}

/** The story without its last entry, which is the close. */
export const unclosed = (told: Story): Story => ({
  ...told,
  log: told.log.slice(0, -1),
  shown: told.shown.slice(0, -1),
});

/** The fix of a second is missing, and the log has gone on for a day. */
function unfixed(told: Pick<Story, 'log' | 'shown'>, fixMs: number): Story {
  const log = [...told.log, OTHER(fixMs + DAY_MS)];
  return {
    ...told,
    log,
    shown: [...told.shown, ['waited', log.length - 1]],
    outcome: { ...NOTHING, result: 'profit', payout: '180.000001', voidReason: null },
    extensions: [timeExtension(fixMs + DAY_MS + 500)],
  };
}

const NOTHING = { openPrice: null, settlePrice: null, result: 'none' } as const;
const NOT_LOGGED = { ...NOTHING, payout: '110.000001', voidReason: 'not_logged' } as const;
const NO_PRICE = { ...NOTHING, payout: '100.000001', voidReason: 'no_price' } as const;
const LOSS = { result: 'loss', payout: '0.000000' } as const;
const GONE = [...BEGINNING, agreed(42, AT.logged, '1.08402'), OTHER(AT.opens)];

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
    held: { cosignedMs: [AT.before + 1_000, AT.opens - 1_000] },
  },
  'won, its batch amid others': { ...opened('1.08451', {}), followers: 1 },
  'won, its batch the first of others': { ...opened('1.08451', {}), neighbours: 0, followers: 1 },
  'won, its batch alone': { ...opened('1.08451', {}), neighbours: 0 },
  'won, under rules that changed before it settled': underLaterRules(),
  'won, settled though too few sources count': settled(
    thinFix(13, AT.settles, '1.08433', ['1.08440', '1.08440']),
    '1.08433',
    {},
  ),
  'won, a source away at the settlement': settled(
    fix({ n: 13, fixMs: AT.settles }, '1.08451', [...SETTLING_PARTS.slice(0, 3), 'd,away']),
    '1.08451',
    {},
  ),
  'won, a source had no record yet when it opened': withEntries(opened('1.08451', {}), {
    7: fix({ n: 12, fixMs: AT.opens, timeMs: AT.opens + 3_000 }, '1.08427', [
      ...OPENING_PARTS.slice(0, 3),
      'd,none',
    ]),
    8: OTHER(AT.opens + 3_250),
  }),
  'won, a record open at the settlement': unclosed(settledAndClosed('1.08447', '1.08447', {})),
  'won, closed without a change': settledAndClosed('1.08447', '1.08447', {}),
  'won, though its close is a loss': settledAndClosed('1.08447', '1.08407', {}),
  'won, by its close': settledAndClosed('1.08407', '1.08447', { settlePrice: '1.08432' }),
  'tied, by its close': settledAndClosed('1.08407', '1.08427', {
    settlePrice: '1.08427',
    result: 'none',
    payout: '100.000001',
  }),
  'lost, and closed as a loss': settledAndClosed('1.08407', '1.08417', LOSS),
  'won, by the close of its opening': closedOpening('1.08447', '1.08407', '1.08427', {
    openPrice: '1.08422',
  }),
  'won, by the first of its two closes': bothClosed(),
  'void, too few sources at the opening': {
    log: [
      ...GONE.slice(0, 7),
      thinFix(12, AT.opens, '1.08426', ['1.08425', '1.08427']),
      OTHER(AT.opens + 500),
    ],
    shown: SHOWN_OPENING,
    outcome: NO_PRICE,
  },
  'won, no price of its opening time': unfixed({ log: GONE, shown: SHOWN }, AT.opens),
  'won, no price of its settlement time': unfixed({ log: OPENED, shown: SHOWN_OPENING }, AT.settles),
  'won, no price of its settlement time, and its opening was closed': unfixed(
    {
      log: closedOpening('1.08447', '1.08407', '1.08427', {}).log.slice(0, 10),
      shown: [...SHOWN_OPENING, ['opening', 9]],
    },
    AT.settles,
  ),
  'void, logged too late': loggedAt({ log: GONE, shown: SHOWN, outcome: NOT_LOGGED }, 6, AT.deadline + 1),
  // The landing page shows this one to people.
  'won, a stake of round figures': opened('1.08451', { payout: '180.000000' }, { amount: '100.000000' }),
};

/**
 * The batch of a won order is carried a second time, and later. The receipt that shows only the second place is valid by itself: who
 * reads the whole log, or holds the first place, sees the fraud.
 */
export function carriedAgain(): Story {
  const won = opened('1.08451', {});
  const log = won.log.with(5, logOf(won).orders).toSpliced(7, 0, ORDERS);
  return {
    log,
    loggedMs: AT.deadline + 1,
    shown: [...SHOWN.slice(0, 2), ['orders', 7]],
    outcome: NOT_LOGGED,
  };
}

export const story = (name: string): Story => STORIES[name] as Story;

/** A story and its fault, as `step: fault`. */
export interface Fraud {
  readonly told: Story;
  readonly fault: string;
}
