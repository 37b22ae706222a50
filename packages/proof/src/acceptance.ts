import { FIX_MS } from '@fairtick/trading';
import { parseCheckpoint } from './checkpoint.ts';
import { isDecimal, RATE_PLACES } from './decimal.ts';
import { fromHex, isHash, parseWholeNumber, utf8 } from './encoding.ts';
import { leafHash, verifyInclusion } from './merkle.ts';
import { type NoteVerifier, openNote } from './note.ts';
import { sha256 } from './sha256.ts';

const ACCEPTANCE_FORMAT = 'fairtick-acceptance/4';
/** Suffix of the origin of a log of acceptances, so that no other log's checkpoint passes for one. */
export const ACCEPTANCE_ORIGIN_SUFFIX = '/acceptances';

/** The terms that a broker signs when it accepts an order, in the order of the lines. */
export interface Acceptance {
  /** `orderId`, `symbol` and `asset` have 1 to 128 visible ASCII characters, without spaces. */
  readonly orderId: string;
  /** The number of the batch that the acceptance is a leaf of, from 1. */
  readonly batch: number;
  /** The hash of what the customer asked for ({@link hashAsked}), 64 lower-case hex digits; null: the server chose the opening time. */
  readonly asked: string | null;
  readonly symbol: string;
  readonly direction: 'up' | 'down';
  readonly minutes: number;
  readonly asset: string;
  /** A decimal string in whole units of the asset, above 0, kept as written. */
  readonly amount: string;
  /** A decimal string such as `0.85`, kept as written. */
  readonly payoutRate: string;
  /** SHA-256 of the rules in force, 64 lower-case hex digits. */
  readonly rulesHash: string;
  /** Unix time in milliseconds. */
  readonly acceptedAt: number;
  /** The time from which it opens, Unix ms; a multiple of 1000. */
  readonly opensAt: number;
  /** Unix time in milliseconds. */
  readonly settlesAt: number;
  /** The price log's size when the order was accepted. */
  readonly logSize: number;
  /** The log's root at that size, 64 lower-case hex digits. */
  readonly logRoot: string;
  /** The size of the price log that the customer's client reports to have seen; null together with `seenRoot`. */
  readonly seenSize: number | null;
  /** The root at `seenSize`, 64 lower-case hex digits; null together with it. */
  readonly seenRoot: string | null;
}

const NAME = /^[\x21-\x7e]{1,128}$/;

/** Whether a text can be an order's id, its symbol or its asset. */
export const isName = (text: string): boolean => NAME.test(text);

const name = (line: string) => (isName(line) ? line : undefined);
const hash = (line: string) => (isHash(line) ? line : undefined);
const count = (line: string) => parseWholeNumber(line) ?? undefined;
const positive = (line: string) => count(line) || undefined;

/** What each line after the first holds, in their order; undefined refuses it. */
const READERS: { readonly [Name in keyof Acceptance]: (line: string) => Acceptance[Name] | undefined } = {
  orderId: name,
  batch: positive,
  asked: (line) => (line === '' ? null : hash(line)),
  symbol: name,
  direction: (line) => (line === 'up' || line === 'down' ? line : undefined),
  minutes: positive,
  asset: name,
  amount: (line) => (isDecimal(line) && /[1-9]/.test(line) ? line : undefined),
  payoutRate: (line) => (isDecimal(line, RATE_PLACES) ? line : undefined),
  rulesHash: hash,
  acceptedAt: count,
  opensAt: (line) => (Number(line) % FIX_MS === 0 ? count(line) : undefined),
  settlesAt: count,
  logSize: count,
  logRoot: hash,
  seenSize: (line) => (line === '' ? null : count(line)),
  seenRoot: (line) => (line === '' ? null : hash(line)),
};
const FIELDS = Object.keys(READERS) as (keyof Acceptance)[];
/** Lines of at most 128 characters. */
const MAX_ACCEPTANCE_LENGTH = (1 + FIELDS.length) * 129;

/** Without a newline at the end; a field that is null is an empty line. @throws RangeError for fields that can't be read back */
export function formatAcceptance(fields: Acceptance): string {
  const lines = FIELDS.map((field) => String(fields[field] ?? ''));
  const isRight = FIELDS.every((field, at) => READERS[field](lines[at] as string) === fields[field]);
  if (!isRight || !isSeenWhole(fields)) throw new RangeError('malformed acceptance');
  return `${ACCEPTANCE_FORMAT}\n${lines.join('\n')}`;
}

const isSeenWhole = ({ seenSize, seenRoot }: Acceptance): boolean =>
  (seenSize === null) === (seenRoot === null);

/** Reads the text of an acceptance; null unless it is exactly what {@link formatAcceptance} writes. */
export function parseAcceptance(text: string): Acceptance | null {
  if (text.length > MAX_ACCEPTANCE_LENGTH) return null;
  const [format, ...lines] = text.split('\n');
  if (format !== ACCEPTANCE_FORMAT || lines.length !== FIELDS.length) return null;
  const values = FIELDS.map((field, at) => READERS[field](lines[at] as string));
  if (values.includes(undefined)) return null;
  const terms = Object.fromEntries(FIELDS.map((field, at) => [field, values[at]])) as unknown as Acceptance;
  return isSeenWhole(terms) ? terms : null;
}

/** An order as its customer asks for it, with the opening time and a secret of the customer's. */
export interface AskedOrder
  extends Pick<Acceptance, 'symbol' | 'direction' | 'minutes' | 'asset' | 'amount' | 'opensAt'> {
  /** 32 lower-case hex digits, random. */
  readonly nonce: string;
}

export const isNonce = (text: string): boolean => /^[0-9a-f]{32}$/.test(text);

/** A line for each, without a newline at the end. */
export function formatAsked(order: AskedOrder): string {
  const { symbol, direction, minutes, asset, amount, opensAt, nonce } = order;
  return ['fairtick-asked/4', symbol, direction, minutes, asset, amount, opensAt, nonce].join('\n');
}

/** SHA-256 of {@link formatAsked}, which the acceptance repeats: whoever knows the nonce can show that the opening time was asked for. */
export const hashAsked = (order: AskedOrder): Uint8Array => sha256(utf8(formatAsked(order)));

export interface SignedAcceptance {
  /** The acceptance, a leaf of the log of acceptances. */
  readonly text: string;
  readonly index: number;
  readonly size: number;
  /** The inclusion proof, each hash as 64 lower-case hex digits. */
  readonly proof: readonly string[];
  /** A signed note whose text is the checkpoint of the log of acceptances. */
  readonly signed: string;
}

/** Checks that an acceptance is in a log of acceptances that one of the verifiers signed. @returns its fields, or null */
export function verifyAcceptance(
  acceptance: SignedAcceptance,
  verifiers: readonly NoteVerifier[],
): Acceptance | null {
  const fields = parseAcceptance(acceptance.text);
  const proof = acceptance.proof.map(fromHex);
  const isWhole = proof.every((bytes): bytes is Uint8Array<ArrayBuffer> => bytes !== null);
  if (fields === null || !isWhole) return null;
  const note = openNote(acceptance.signed, verifiers);
  const checkpoint = note && parseCheckpoint(note.text);
  if (!checkpoint?.origin.endsWith(ACCEPTANCE_ORIGIN_SUFFIX)) return null;
  const { index, size, text } = acceptance;
  if (checkpoint.size !== size) return null;
  return verifyInclusion({ index, size, leaf: leafHash(text), proof, root: checkpoint.root }) ? fields : null;
}
