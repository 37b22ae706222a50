/**
 * A small log with one order, made from fixed keys: the base of the receipt tests and of the vectors in the documentation. A test
 * plays a fraud by giving other entries, or by changing the result.
 */
import type { VoidReason } from '@fairtick/trading';
import {
  type Acceptance,
  consistencyProof,
  formatAcceptance,
  formatCheckpoint,
  formatEntry,
  formatKeyEntry,
  inclusionProof,
  type LoggedAnswer,
  leafHash,
  type NoteSigner,
  type Receipt,
  type ReceiptOutcome,
  type ReceiptRole,
  rootOf,
  signNote,
  timeExtension,
  toHex,
  witnessSigner,
} from '../src/index.ts';
import {
  ACCEPTANCES_KEY,
  AT,
  agreed,
  BATCH,
  gap,
  halfNew,
  hash,
  LOG_KEY,
  NEXT_ACCEPTANCES_KEY,
  NEXT_LOG_KEY,
  ORIGIN,
  QUIET_MS,
  RULES_ENTRY,
  RULES_HASH,
  rules,
  signer,
  TERMS,
  tick,
  WITNESSES,
} from './entries.ts';

export * from './entries.ts';

/** A story; entries of the log are texts, and `ORDERS` stands for the entry that carries the batch. */
export interface Story {
  readonly log: readonly string[];
  /** Which entry is shown in which role, by its index in `log`. */
  readonly shown: readonly (readonly [ReceiptRole, number])[];
  readonly outcome: ReceiptOutcome;
  readonly terms?: Partial<Acceptance>;
  readonly loggedMs?: number;
  /** Number of other acceptances before this one in the batch, and of other batches before this one in the same entry. */
  readonly neighbours?: number;
  /** Lane of the `orders` entry. */
  readonly lane?: number;
  readonly checkpointKey?: string;
  /** Extension lines of the checkpoint; its time, by default. */
  readonly extensions?: readonly string[];
  readonly acceptancesKey?: string;
  /** Times at which the witnesses cosign, Unix ms. */
  readonly cosignedMs?: readonly number[];
}

export const ORDERS = 'the entry that carries the batch';
export const SIGNED_MS = AT.settles + 2_000;

/** The log of a story, with the entry that carries the batch, and what the acceptance's signature covers. */
export function logOf(story: Story) {
  const { log, neighbours = 2 } = story;
  const logSize = story.terms?.logSize ?? TERMS.logSize;
  const before = log.slice(0, logSize).map((text) => leafHash(text));
  const seenSize = story.terms?.seenSize === undefined ? TERMS.seenSize : story.terms.seenSize;
  const terms: Acceptance = {
    ...TERMS,
    logRoot: toHex(rootOf(before)),
    seenRoot: seenSize === null ? null : toHex(rootOf(before.slice(0, seenSize))),
    ...story.terms,
  };
  const text = formatAcceptance(terms);
  const others = Array.from({ length: neighbours }, (_, place) => leafHash(`another acceptance ${place}`));
  const batchLeaves = [...others, leafHash(text)];
  const roots = [...others, rootOf(batchLeaves)].map((root) => leafHash(root));
  const orders = formatEntry({
    kind: 'orders',
    timeMs: story.loggedMs ?? AT.logged,
    lane: story.lane ?? 0,
    firstBatch: BATCH - neighbours,
    lastBatch: BATCH,
    accepted: 3,
    refused: 1,
    root: toHex(rootOf(roots)),
  });
  const texts = log.map((entry) => (entry === ORDERS ? orders : entry));
  return { texts, terms, text, before, batchLeaves, roots, orders };
}

/** The receipt that an operator would issue for this log. */
export function receiptOf(story: Story): Receipt {
  const { neighbours = 2, extensions = [timeExtension(SIGNED_MS)], cosignedMs = [] } = story;
  const { texts, terms, text, before, batchLeaves, roots } = logOf(story);
  const accepting = story.acceptancesKey ?? ACCEPTANCES_KEY.signerKey;
  const batchNote = {
    origin: `${ORIGIN}/acceptances`,
    size: batchLeaves.length,
    root: rootOf(batchLeaves),
  };
  const leaves = texts.map((entry) => leafHash(entry));
  const head = { origin: ORIGIN, size: leaves.length, root: rootOf(leaves), extensions };
  const cosigners = cosignedMs.map(
    (ms, at) => witnessSigner(WITNESSES[at]?.signerKey ?? '', ms) as NoteSigner,
  );
  const growth = (fromSize: number, fromRoot: string, all: readonly Uint8Array[]) => ({
    fromSize,
    fromRoot,
    // An operator that names an older log than the customer saw has no proof to give.
    proof: fromSize > all.length ? [] : hexes(consistencyProof(all, fromSize)),
  });
  return {
    version: 2,
    acceptance: {
      text,
      index: neighbours,
      size: batchLeaves.length,
      proof: hexes(inclusionProof(batchLeaves, neighbours)),
      signed: signNote(formatCheckpoint(batchNote), signer(accepting)),
    },
    batch: { proof: hexes(inclusionProof(roots, neighbours)) },
    entries: story.shown.map(([role, index]) => ({
      role,
      index,
      entry: texts[index] as string,
      proof: hexes(inclusionProof(leaves, index)),
    })),
    checkpoint: signNote(
      formatCheckpoint(head),
      signer(story.checkpointKey ?? LOG_KEY.signerKey),
      ...cosigners,
    ),
    consistency: growth(terms.logSize, terms.logRoot, leaves),
    seen: terms.seenSize === null ? null : growth(terms.seenSize, terms.seenRoot ?? '', before),
    outcome: story.outcome,
  };
}

/** What the server answers about the order while its log has this many entries. */
export function loggedOf(story: Story, size: number): LoggedAnswer {
  const { neighbours = 2 } = story;
  const { texts, roots, orders } = logOf(story);
  const leaves = texts.slice(0, size).map((text) => leafHash(text));
  const head = { origin: ORIGIN, size, root: rootOf(leaves), extensions: [timeExtension(SIGNED_MS)] };
  const index = texts.indexOf(orders);
  return {
    orders: { index, entry: orders, proof: hexes(inclusionProof(leaves, index)) },
    batch: { proof: hexes(inclusionProof(roots, neighbours)) },
    checkpoint: signNote(formatCheckpoint(head), signer(LOG_KEY.signerKey)),
    keys: story.shown
      .filter(([role]) => role === 'key')
      .map(([, at]) => ({ index: at, entry: texts[at] as string, proof: hexes(inclusionProof(leaves, at)) })),
  };
}

const hexes = (hashes: readonly Uint8Array[]) => hashes.map(toHex);

export const OTHER = (timeMs: number) =>
  tick({ n: 1, timeMs, symbol: 'GBP/USD' }, '1.27000', [
    ['a', '1.27000', timeMs - 5],
    ['b', '1.27000', timeMs - 5],
  ]);

const START = [RULES_ENTRY, OTHER(AT.before - 500), agreed(40, AT.before - 250, '1.08390'), OTHER(AT.before)];
/** The log up to the order: five entries, with the product's newest price, 1.08400, as its number 41. */
export const BEGINNING = [...START, agreed(41, AT.before, '1.08400'), ORDERS];

/** Up to the last grid time before acceptance + D, which is entry 9, number 45. */
export const TICKING = [
  ...BEGINNING,
  halfNew(42, AT.logged, '1.08402'),
  halfNew(43, AT.logged + 250, '1.08404'),
  halfNew(44, AT.logged + 500, '1.08406'),
  halfNew(45, AT.grid, '1.08408'),
];

/** Three of four sources have moved since the acceptance. */
const OPENING = tick({ n: 47, timeMs: AT.open }, '1.08427', [
  ['a', '1.08426', AT.open - 40],
  ['b', '1.08427', AT.open - 30],
  ['c', '1.08427', AT.open - 20],
  ['d', '1.08431', QUIET_MS],
]);
const OPENED = [...TICKING, halfNew(46, AT.early, '1.08410'), OPENING, OTHER(AT.open + 250)];

const settleWith = (price: string): string[] => [
  agreed(90, AT.settles - 250, '1.08440'),
  OTHER(AT.settles - 250),
  agreed(91, AT.settles, price),
  OTHER(AT.settles),
  agreed(92, AT.settles + 250, '1.08460'),
  OTHER(AT.settles + 250),
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

/** Opened, and settled by what follows: entries from index 13 on, each shown, the last as `head` if that is wanted. */
function settledBy(entries: readonly string[], outcome: Partial<ReceiptOutcome>, hasHead = false): Story {
  const last = 12 + entries.length;
  const shown = entries.map((_, at) => [hasHead && 13 + at === last ? 'head' : 'settling', 13 + at] as const);
  return {
    log: [...OPENED, ...entries],
    shown: [...SHOWN_OPENING, ...shown],
    outcome: { ...opened('1.08401', {}).outcome, ...outcome },
  };
}

/** Void: these entries follow the log's first `from`, and the opening is shown from index `first` on. */
function unopened(
  reason: VoidReason,
  entries: readonly string[],
  { first = 9, from = 10, hasHead = false } = {},
): Story {
  const log = [...TICKING.slice(0, from), ...entries];
  const shown = log.flatMap((_, at) => {
    if (at < first) return [];
    return [[hasHead && at === log.length - 1 ? 'head' : 'opening', at] as const];
  });
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

/** Rules with another number of decimals, logged before the order, that take effect between its opening and its settlement. */
export const LATER_RULES = rules(2, AT.settles - 250, RULES_HASH, { decimals: 6 });
function underLaterRules(): Story {
  const told = opened('1.084511', {});
  const settling = agreed(91, AT.settles, '1.084511', hash(LATER_RULES));
  const moved = withMore(withEntries(told, { 15: settling }), 12, LATER_RULES);
  return { ...moved, shown: [['rules', 0], ['rules', 12], ...moved.shown.slice(1)] };
}

const NOTHING = { openPrice: null, settlePrice: null, result: 'none', payout: '100.000001' } as const;
const NO_SETTLE = { result: 'none', payout: '100.000001', voidReason: 'no_settle' } as const;
const slow = Array.from({ length: 20 }, (_, at) =>
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
    cosignedMs: [SIGNED_MS - 299_000, SIGNED_MS + 300_000],
  },
  'won, under rules that changed before it settled': underLaterRules(),
  'won by the last tick before the settlement time': settledBy(
    [agreed(90, AT.settles - 250, '1.08451'), agreed(91, AT.settles + 250, '1.08401')],
    { settlePrice: '1.08451' },
  ),
  'void, no tick at the settlement time': settledBy(
    [
      agreed(90, AT.settles - 500, '1.08401'),
      gap(91, AT.settles - 250),
      agreed(92, AT.settles + 250, '1.08402'),
    ],
    NO_SETTLE,
  ),
  'void, no tick at the settlement time and none since': settledBy(
    [agreed(90, AT.settles - 500, '1.08401'), gap(91, AT.settles), OTHER(AT.settles + 250)],
    NO_SETTLE,
    true,
  ),
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
  'void, no entry since': unopened('hole', [OTHER(AT.open)], { hasHead: true }),
  'void, prices had stopped': unopened('gap', [gap(45, AT.grid), OTHER(AT.early)], {
    from: 9,
    hasHead: true,
  }),
  'void, a hole before acceptance + D': unopened('hole', [halfNew(45, AT.early, '1.08408')], {
    first: 8,
    from: 9,
  }),
  'void, logged too late': {
    log: [...TICKING.filter((text) => text !== ORDERS), ORDERS, OTHER(AT.early)],
    loggedMs: AT.early,
    shown: [...SHOWN.slice(0, 2), ['orders', 9]],
    outcome: { ...NOTHING, voidReason: 'not_logged' },
  },
};

/**
 * The batch of a won order is carried a second time, and later. The receipt that shows only the second place is valid by itself: who
 * reads the whole log, or holds the first place, sees the fraud.
 */
export function carriedAgain(): Story {
  const won = opened('1.08451', {});
  const log = won.log.with(5, logOf(won).orders).toSpliced(11, 0, ORDERS);
  const outcome = { ...NOTHING, voidReason: 'not_logged' } as const;
  return { log, loggedMs: AT.early, shown: [...SHOWN.slice(0, 2), ['orders', 11]], outcome };
}

export const story = (name: string): Story => STORIES[name] as Story;
