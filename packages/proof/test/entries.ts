/** Fixed keys, times and entries of which the tests make small logs. */
import {
  type Acceptance,
  COSIGNATURE_TYPE,
  generateNoteKey,
  leafHash,
  type NoteSigner,
  type NoteVerifier,
  nobleSigner,
  nobleVerifier,
  type TrustedKeys,
  toHex,
  witnessVerifier,
} from '../src/index.ts';

export const ORIGIN = 'example.com/api/transparency';
export const ACCEPTED_MS = 1_780_000_000_100;

const keyOf = (name: string, fill: number) => generateNoteKey(name, new Uint8Array(32).fill(fill));
export const LOG_KEY = keyOf(ORIGIN, 1);
export const ACCEPTANCES_KEY = keyOf(`${ORIGIN}/acceptances`, 2);
export const STRANGERS_KEY = keyOf(ORIGIN, 3);
/** The keys to which the first ones hand over. */
export const NEXT_LOG_KEY = keyOf(ORIGIN, 4);
export const NEXT_ACCEPTANCES_KEY = keyOf(`${ORIGIN}/acceptances`, 5);

export const signer = (key: string) => nobleSigner(key) as NoteSigner;
const verifier = (key: string) => nobleVerifier(key) as NoteVerifier;
/** Independent witnesses, as a customer pins them. */
export const WITNESSES = [6, 7].map((fill) =>
  generateNoteKey(`witness.example/${fill}`, new Uint8Array(32).fill(fill), COSIGNATURE_TYPE),
);

export const TRUSTED: TrustedKeys = {
  log: [verifier(LOG_KEY.verifierKey)],
  acceptances: [verifier(ACCEPTANCES_KEY.verifierKey)],
  witnesses: [],
};

/** The same keys, with the witnesses pinned. */
export const WITNESSED: TrustedKeys = {
  ...TRUSTED,
  witnesses: WITNESSES.map(({ verifierKey }) => witnessVerifier(verifierKey) as NoteVerifier),
};

export const RULES = {
  cycles: [{ minutes: 1, payoutRate: '0.8' }],
  decimals: 5,
  delayMs: 2000,
  limits: [{ asset: 'USDT', scale: 6 }],
  outlierBps: 100,
  quietMs: 10_000,
  quorum: 3,
  sources: ['a', 'b', 'c', 'd'],
  symbol: 'EUR/USD',
  waitMs: 3000,
};

export const hash = (text: string) => toHex(leafHash(text));
const NO_RULES = '0'.repeat(64);

/** A rules entry; `change` are members of its JSON, which stays canonical for members that are there already. */
export const rules = (n: number, effectiveMs: number, previousHash: string, change: object = {}): string =>
  `rules|4|EUR/USD|${n}|${effectiveMs}|${previousHash}|${JSON.stringify({ ...RULES, ...change })}`;
export const RULES_ENTRY = rules(1, 1_779_990_000_000, NO_RULES);
export const RULES_HASH = hash(RULES_ENTRY);

/**
 * A source's quote as written in an entry: its price, time of receipt, use, source time (40 ms before the receipt, unless given)
 * and number (the time of receipt, unless given); or the source alone, without a quote.
 */
export type QuoteText =
  | readonly [
      source: string,
      price: string,
      receivedMs: number,
      use?: string,
      sourceMs?: number,
      sourceSeq?: number,
    ]
  | readonly [source: string];

const listed = (quotes: readonly QuoteText[]): string =>
  quotes
    .map(
      ([source, price, receivedMs = 0, use = 'use', sourceMs = receivedMs - 40, sourceSeq = receivedMs]) =>
        price === undefined
          ? `${source},none`
          : `${source},${price},${sourceMs},${sourceSeq},${receivedMs},${use}`,
    )
    .join(';');

export function tick(
  at: { n: number; timeMs: number; symbol?: string; rulesHash?: string },
  price: string,
  quotes: readonly QuoteText[],
): string {
  const { n, timeMs, symbol = 'EUR/USD', rulesHash = RULES_HASH } = at;
  return `tick|4|${symbol}|${n}|${timeMs}|${price}|${rulesHash}|${listed(quotes)}`;
}

/** Four sources that agree, received just before the tick. */
export const agreed = (n: number, timeMs: number, price: string, rulesHash = RULES_HASH): string =>
  tick({ n, timeMs, rulesHash }, price, [
    ['a', price, timeMs - 30],
    ['b', price, timeMs - 20],
    ['c', price, timeMs - 10],
    ['d', price, timeMs - 10],
  ]);

/** Times around the order. */
const SECOND = ACCEPTED_MS - 100;
export const AT = {
  before: SECOND,
  logged: SECOND + 250,
  /** The last time of the entry that carries the batch. */
  deadline: SECOND + 2_000,
  /** The opening time, which is the first second at or after acceptance + D. */
  opens: SECOND + 3_000,
  settles: SECOND + 63_000,
};
export const DAY_MS = 86_400_000;

/** A source's record as written in a fix: its number is its time, unless given. `closing` is `said`, `open`, or the record after it. */
export interface RecordText {
  readonly number?: number | string;
  readonly use?: string;
  readonly closing?: string;
}
export const record = (source: string, price: string, timeMs: number, more: RecordText = {}): string => {
  const { number = timeMs, use = 'use', closing = 'said' } = more;
  return [source, number, timeMs, price, use, closing].join();
};
/** A record that comes after another one. */
export const next = (price: string, timeMs: number, number: number | string = timeMs): string =>
  [number, timeMs, price].join();

export interface FixAt {
  readonly n: number;
  readonly fixMs: number;
  /** 400 ms after `fixMs`, unless given. */
  readonly timeMs?: number;
  readonly kind?: 'fix' | 'close';
  readonly symbol?: string;
  readonly rulesHash?: string;
}
export function fix(at: FixAt, price: string, records: readonly string[]): string {
  const { n, fixMs, timeMs = fixMs + 400, kind = 'fix', symbol = 'EUR/USD', rulesHash = RULES_HASH } = at;
  return `${kind}|4|${symbol}|${n}|${timeMs}|${fixMs}|${price}|${rulesHash}|${records.join(';')}`;
}

/** Records of the four sources just before a second, each at its price; those of `a` and `c` are followed by another. */
export const recordsAt = (fixMs: number, prices: readonly [string, string, string, string]): string[] => [
  record('a', prices[0], fixMs - 90, { closing: next(prices[0], fixMs + 120) }),
  record('b', prices[1], fixMs - 70),
  record('c', prices[2], fixMs - 50, { closing: next(prices[2], fixMs + 1) }),
  record('d', prices[3], fixMs),
];

/** A fix in which all sources agree. */
export const agreedFix = (at: FixAt, price: string): string =>
  fix(at, price, recordsAt(at.fixMs, [price, price, price, price]));

export const gap = (
  n: number,
  timeMs: number,
  reason = 'restart',
  quotes: readonly QuoteText[] = [],
  rulesHash = RULES_HASH,
): string => `gap|4|EUR/USD|${n}|${timeMs}|${reason}|${rulesHash}|${listed(quotes)}`;

export const BATCH = 7;
/** The customer's secret. The hash of what was asked for follows from the terms, see `logOf`. */
export const NONCE = '00112233445566778899aabbccddeeff';
export const TERMS: Acceptance = {
  orderId: '7169',
  batch: BATCH,
  asked: null,
  symbol: 'EUR/USD',
  direction: 'up',
  minutes: 1,
  asset: 'USDT',
  amount: '100.000001',
  payoutRate: '0.8',
  rulesHash: RULES_HASH,
  acceptedAt: ACCEPTED_MS,
  opensAt: AT.opens,
  settlesAt: AT.settles,
  logSize: 5,
  logRoot: '',
  seenSize: 3,
  seenRoot: '',
};
