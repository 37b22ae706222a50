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
  generateNoteKey(`witness.example/${fill}`, new Uint8Array(32).fill(fill), undefined, COSIGNATURE_TYPE),
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
  freshMs: 2300,
  lagMs: 0,
  limits: [{ asset: 'USDT', scale: 6 }],
  openWithinMs: 5000,
  outlierBps: 100,
  quorum: 3,
  sources: ['a', 'b', 'c', 'd'],
  staleMs: 10_000,
  symbol: 'EUR/USD',
};

export const hash = (text: string) => toHex(leafHash(text));
const NO_RULES = '0'.repeat(64);

/** A rules entry; `change` are members of its JSON, which stays canonical for members that are there already. */
export const rules = (n: number, effectiveMs: number, previousHash: string, change: object = {}): string =>
  `rules|3|EUR/USD|${n}|${effectiveMs}|${previousHash}|${JSON.stringify({ ...RULES, ...change })}`;
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
  return `tick|3|${symbol}|${n}|${timeMs}|${price}|${rulesHash}|${listed(quotes)}`;
}

/** Four sources that agree, received just before the tick. */
export const agreed = (n: number, timeMs: number, price: string, rulesHash = RULES_HASH): string =>
  tick({ n, timeMs, rulesHash }, price, [
    ['a', price, timeMs - 30],
    ['b', price, timeMs - 20],
    ['c', price, timeMs - 10],
    ['d', price, timeMs - 10],
  ]);

/** Grid times around the order. */
const SECOND = ACCEPTED_MS - 100;
export const AT = {
  before: SECOND,
  logged: SECOND + 250,
  /** The last time of the entry that carries the batch. */
  deadline: SECOND + 1_250,
  /** The last grid time before the opening time. */
  grid: SECOND + 2_000,
  /** The opening time, which is the first grid time at or after acceptance + D. */
  early: SECOND + 2_250,
  open: SECOND + 2_500,
  /** The last grid time at which the order may open. */
  until: SECOND + 7_250,
  settles: SECOND + 63_000,
};

/** The time of the last quotes of `c` and `d` before the order opens: a millisecond too early to open it. */
export const QUIET_MS = AT.early - RULES.delayMs - 1;

/** A current tick in which two of four sources have quotes that may open, which opens nothing. The price is from 1.08400 to 1.08431. */
export const halfNew = (n: number, timeMs: number, price: string): string =>
  tick({ n, timeMs }, price, [
    ['a', price, timeMs - 30],
    ['b', price, timeMs - 20],
    ['c', '1.08400', QUIET_MS],
    ['d', '1.08431', QUIET_MS],
  ]);

export const gap = (
  n: number,
  timeMs: number,
  reason = 'restart',
  quotes: readonly QuoteText[] = [],
  rulesHash = RULES_HASH,
): string => `gap|3|EUR/USD|${n}|${timeMs}|${reason}|${rulesHash}|${listed(quotes)}`;

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
  opensAt: AT.early,
  settlesAt: AT.settles,
  logSize: 5,
  logRoot: '',
  seenSize: 3,
  seenRoot: '',
};
