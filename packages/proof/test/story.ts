/**
 * A small log with one order, made from fixed keys: the base of the receipt tests and of the vectors in the documentation. A test
 * plays a fraud by giving other entries, or by changing the result.
 */
import {
  type Acceptance,
  consistencyProof,
  formatAcceptance,
  formatCheckpoint,
  formatEntry,
  formatKeyEntry,
  generateNoteKey,
  inclusionProof,
  leafHash,
  type NoteSigner,
  type NoteVerifier,
  nobleSigner,
  nobleVerifier,
  type Receipt,
  type ReceiptOutcome,
  type ReceiptRole,
  rootOf,
  signNote,
  type TrustedKeys,
  toHex,
} from '../src/index.ts';

export const ORIGIN = 'example.com/api/transparency';
export const ACCEPTED_MS = 1_780_000_000_100;
const GRID_MS = 250;

const keyOf = (name: string, fill: number) => generateNoteKey(name, new Uint8Array(32).fill(fill));
export const LOG_KEY = keyOf(ORIGIN, 1);
export const ACCEPTANCES_KEY = keyOf(`${ORIGIN}/acceptances`, 2);
export const STRANGERS_KEY = keyOf(ORIGIN, 3);
/** Those that the first keys handed over to. */
export const NEXT_LOG_KEY = keyOf(ORIGIN, 4);
export const NEXT_ACCEPTANCES_KEY = keyOf(`${ORIGIN}/acceptances`, 5);

const signer = (key: string) => nobleSigner(key) as NoteSigner;
const verifier = (key: string) => nobleVerifier(key) as NoteVerifier;
export const TRUSTED: TrustedKeys = {
  log: [verifier(LOG_KEY.verifierKey)],
  acceptances: [verifier(ACCEPTANCES_KEY.verifierKey)],
  witnesses: [],
};

export const RULES = {
  cycles: [{ minutes: 1, payoutRate: '0.8' }],
  decimals: 5,
  delayMs: 1000,
  outlierBps: 100,
  quorum: 2,
  settleBoundMs: 2000,
  sources: ['a', 'b', 'c', 'd'],
  staleMs: 5000,
  symbol: 'EUR/USD',
};

const hash = (text: string) => toHex(leafHash(text));
export const RULES_ENTRY = `rules|1|example/EUR/USD|1779990000000|${JSON.stringify(RULES)}`;
export const RULES_HASH = hash(RULES_ENTRY);

/** A quote as written in a tick: price, time of receipt, use. */
export type QuoteText = readonly [source: string, price: string, receivedMs: number, use?: string];

export function tick(
  at: { n: number; timeMs: number; symbol?: string; rulesHash?: string },
  price: string,
  quotes: readonly QuoteText[],
  word: 'new' | 'same' = 'new',
): string {
  const list = quotes.map(
    ([source, quoted, receivedMs, use = 'use']) =>
      `${source},${quoted},${receivedMs - 40},${receivedMs},${receivedMs},${use}`,
  );
  const { n, timeMs, symbol = 'EUR/USD', rulesHash = RULES_HASH } = at;
  return `tick|1|${symbol}|${n}|${timeMs}|${price}|${word}|${rulesHash}|${list.join(';')}`;
}

/** Three sources that agree, received just before the tick. */
export const agreed = (n: number, timeMs: number, price: string): string =>
  tick({ n, timeMs }, price, [
    ['a', price, timeMs - 30],
    ['b', price, timeMs - 20],
    ['c', price, timeMs - 10],
  ]);

export const gap = (n: number, timeMs: number, reason = 'quorum'): string =>
  formatEntry({ kind: 'gap', symbol: 'EUR/USD', n, timeMs, reason: reason as 'quorum' });

/** Grid times around the order. */
const grid = (ms: number) => Math.ceil(ms / GRID_MS) * GRID_MS;
export const AT = {
  before: grid(ACCEPTED_MS) - 2 * GRID_MS,
  logged: grid(ACCEPTED_MS),
  early: grid(ACCEPTED_MS) + 2 * GRID_MS,
  open: grid(ACCEPTED_MS + 1_000) + GRID_MS,
  settles: Math.ceil((ACCEPTED_MS + 60_000) / 1000) * 1000,
};

export const TERMS: Acceptance = {
  orderId: '7169',
  idempotencyKeyHash: hash('the key'),
  symbol: 'EUR/USD',
  direction: 'up',
  minutes: 1,
  asset: 'USDT',
  amount: '100.000001',
  payoutRate: '0.8',
  rulesHash: RULES_HASH,
  acceptedAt: ACCEPTED_MS,
  settlesAt: AT.settles,
  logSize: 5,
  logRoot: '',
  seenSize: 3,
  seenRoot: '',
};

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
  readonly checkpointKey?: string;
  readonly acceptancesKey?: string;
}

export const ORDERS = 'the entry that carries the batch';
const BATCH = 7;

/** The receipt that an operator would issue for this log. */
export function receiptOf(story: Story): Receipt {
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
  const batchRoot = rootOf(batchLeaves);
  const accepting = story.acceptancesKey ?? ACCEPTANCES_KEY.signerKey;
  const batchNote = { origin: `${ORIGIN}/acceptances`, size: batchLeaves.length, root: batchRoot };
  const roots = [...others, batchRoot].map((root) => leafHash(root));
  const ordersEntry = formatEntry({
    kind: 'orders',
    timeMs: story.loggedMs ?? AT.logged,
    firstBatch: BATCH - neighbours,
    lastBatch: BATCH,
    accepted: 3,
    refused: 1,
    root: toHex(rootOf(roots)),
  });
  const texts = log.map((entry) => (entry === ORDERS ? ordersEntry : entry));
  const leaves = texts.map((entry) => leafHash(entry));
  const head = { origin: ORIGIN, size: leaves.length, root: rootOf(leaves) };
  const hexes = (hashes: readonly Uint8Array[]) => hashes.map(toHex);
  const growth = (fromSize: number, fromRoot: string, all: readonly Uint8Array[]) => ({
    fromSize,
    fromRoot,
    // An operator that names an older log than the customer saw has no proof to give.
    proof: fromSize > all.length ? [] : hexes(consistencyProof(all, fromSize)),
  });
  return {
    version: 1,
    acceptance: {
      text,
      index: neighbours,
      size: batchLeaves.length,
      proof: hexes(inclusionProof(batchLeaves, neighbours)),
      signed: signNote(formatCheckpoint(batchNote), signer(accepting)),
    },
    batch: log.includes(ORDERS) ? { number: BATCH, proof: hexes(inclusionProof(roots, neighbours)) } : null,
    entries: story.shown.map(([role, index]) => ({
      role,
      index,
      entry: texts[index] as string,
      proof: hexes(inclusionProof(leaves, index)),
    })),
    checkpoint: signNote(formatCheckpoint(head), signer(story.checkpointKey ?? LOG_KEY.signerKey)),
    consistency: growth(logSize, terms.logRoot, leaves),
    seen: terms.seenSize === null ? null : growth(terms.seenSize, terms.seenRoot ?? '', before),
    outcome: story.outcome,
  };
}

const OTHER = (timeMs: number) =>
  tick({ n: 1, timeMs, symbol: 'GBP/USD' }, '1.27000', [
    ['a', '1.27000', timeMs - 5],
    ['b', '1.27000', timeMs - 5],
  ]);

const START = [RULES_ENTRY, OTHER(AT.before - 500), agreed(40, AT.before - 250, '1.08390'), OTHER(AT.before)];
/** The log up to the order: five entries, with the product's newest price, 1.08400, as its number 41. */
export const BEGINNING = [...START, agreed(41, AT.before, '1.08400'), ORDERS];

const OPENED = [
  ...BEGINNING,
  OTHER(AT.logged),
  agreed(42, AT.early, '1.08410'),
  // Three quotes received since acceptance + D, the fourth before it.
  tick({ n: 43, timeMs: AT.open }, '1.08427', [
    ['a', '1.08426', AT.open - 1_100],
    ['b', '1.08427', AT.open - 30],
    ['c', '1.08427', AT.open - 20],
    ['d', '1.08431', AT.open - 10],
  ]),
  OTHER(AT.open + 250),
];

const settleWith = (price: string): string[] => [
  agreed(90, AT.settles - 750, '1.08440'),
  OTHER(AT.settles - 500),
  agreed(91, AT.settles, price),
  OTHER(AT.settles + 250),
  agreed(92, AT.settles + 500, '1.08460'),
  OTHER(AT.settles + 750),
];

const SHOWN_OPENING = [
  ['rules', 0],
  ['beforeAccept', 4],
  ['orders', 5],
  ['beforeOpen', 4],
  ['beforeOpen', 7],
  ['open', 8],
] as const;
const SHOWN_OPENED = [...SHOWN_OPENING, ['beforeSettle', 10], ['settle', 12], ['afterSettle', 14]] as const;

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

const NOTHING = { openPrice: null, settlePrice: null, result: 'none', payout: '100.000001' } as const;
const LATE_MS = AT.open + 5_000;
const NOT_LOGGED_MS = AT.logged + 2_250;

/** One of each form. */
export const STORIES: Readonly<Record<string, Story>> = {
  won: opened('1.08451', {}),
  lost: opened('1.08401', { result: 'loss', payout: '0.000000' }),
  tied: opened('1.08427', { result: 'none', payout: '100.000001' }),
  'won, with nothing seen': opened('1.08401', {}, { direction: 'down', seenSize: null, seenRoot: null }),
  'void, its last price too old': {
    log: [
      ...OPENED,
      agreed(90, AT.settles - 3_000, '1.08440'),
      agreed(91, AT.settles - 2_250, '1.08401'),
      agreed(92, AT.settles + 250, '1.08460'),
    ],
    shown: [...SHOWN_OPENING, ['beforeSettle', 10], ['settle', 11], ['afterSettle', 12]],
    outcome: { ...NOTHING, openPrice: '1.08427', settlePrice: '1.08401', voidReason: 'stale' },
  },
  'void, prices stopped before they settled it and are still away': {
    log: [
      ...OPENED,
      agreed(90, AT.settles - 4_000, '1.08440'),
      agreed(91, AT.settles - 3_500, '1.08401'),
      gap(92, AT.settles - 500),
      OTHER(AT.settles + 250),
    ],
    shown: [...SHOWN_OPENING, ['beforeSettle', 10], ['settle', 11], ['afterSettle', 12], ['head', 13]],
    outcome: { ...NOTHING, openPrice: '1.08427', settlePrice: '1.08401', voidReason: 'stale' },
  },
  'void, no opening price in time': {
    log: [
      ...BEGINNING,
      OTHER(AT.logged),
      agreed(42, AT.early, '1.08410'),
      agreed(43, LATE_MS + 1_250, '1.08500'),
    ],
    shown: [...SHOWN_OPENING.slice(0, 5), ['open', 8]],
    outcome: { ...NOTHING, voidReason: 'no_open' },
  },
  'void, a gap before it opened': {
    log: [...BEGINNING, OTHER(AT.logged), agreed(42, AT.early, '1.08410'), gap(43, AT.early + 250)],
    shown: [...SHOWN_OPENING.slice(0, 5), ['open', 8]],
    outcome: { ...NOTHING, voidReason: 'gap' },
  },
  'void, prices had stopped before it was logged': {
    log: [
      ...BEGINNING.slice(0, -1),
      gap(42, AT.logged - 250),
      ORDERS,
      OTHER(AT.logged),
      OTHER(LATE_MS + 2_000),
    ],
    shown: [
      ['rules', 0],
      ['beforeAccept', 4],
      ['orders', 6],
      ['beforeOpen', 4],
      ['beforeOpen', 5],
      ['head', 8],
    ],
    outcome: { ...NOTHING, voidReason: 'no_open' },
  },
  'void, logged too late': {
    log: [...BEGINNING, OTHER(NOT_LOGGED_MS)],
    loggedMs: NOT_LOGGED_MS,
    shown: SHOWN_OPENING.slice(0, 3),
    outcome: { ...NOTHING, voidReason: 'not_logged' },
  },
  'won, signed with keys that followed': signedAnew(opened('1.08451', {})),
  'void, never logged': {
    log: [...BEGINNING.slice(0, -1), OTHER(AT.logged), OTHER(NOT_LOGGED_MS), OTHER(NOT_LOGGED_MS + 250)],
    shown: [
      ['rules', 0],
      ['beforeAccept', 4],
      ['head', 6],
    ],
    outcome: { ...NOTHING, voidReason: 'not_logged' },
  },
};

export const story = (name: string): Story => STORIES[name] as Story;
