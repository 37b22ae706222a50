import { FIX_MS } from '@fairtick/trading';
import { parseCheckpoint } from './checkpoint.ts';
import { isDecimal, RATE_PLACES } from './decimal.ts';
import { fromHex, parseWholeNumber, utf8 } from './encoding.ts';
import { leafHash, MAX_PROOF_LENGTH, verifyInclusion } from './merkle.ts';
import { type NoteVerifier, openNote } from './note.ts';
import { HASH_BYTES, sha256 } from './sha256.ts';

/** The first line of every acceptance, which says how to read the rest. */
const ACCEPTANCE_FORMAT = 'fairtick-acceptance/4';
/** Suffix of the origin of a log of acceptances, so that no other log's checkpoint passes for one. */
export const ACCEPTANCE_ORIGIN_SUFFIX = '/acceptances';

const LINES = 18;
/** Upper bound: lines of at most 128 characters. */
const MAX_ACCEPTANCE_LENGTH = LINES * 129;

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
  /** How long the order runs; at least 1. */
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
const HASH = /^[0-9a-f]{64}$/;

/** Whether a text can be an order's id, its symbol or its asset. */
export const isName = (text: string): boolean => NAME.test(text);

/**
 * The text of an acceptance: the format line and one line for each field, without a newline at the end. An
 * absent `asked`, or `seenSize` and `seenRoot`, are empty lines.
 * @throws RangeError for fields that {@link parseAcceptance} would refuse
 */
export function formatAcceptance(fields: Acceptance): string {
  const text = [
    ACCEPTANCE_FORMAT,
    fields.orderId,
    fields.batch,
    fields.asked ?? '',
    fields.symbol,
    fields.direction,
    fields.minutes,
    fields.asset,
    fields.amount,
    fields.payoutRate,
    fields.rulesHash,
    fields.acceptedAt,
    fields.opensAt,
    fields.settlesAt,
    fields.logSize,
    fields.logRoot,
    fields.seenSize ?? '',
    fields.seenRoot ?? '',
  ].join('\n');
  if (!isWellFormed(fields) || text.length > MAX_ACCEPTANCE_LENGTH)
    throw new RangeError('malformed acceptance');
  return text;
}

/** Gives the same answer as {@link parseAcceptance} would, without parsing. */
function isWellFormed(fields: Acceptance): boolean {
  const { asked, rulesHash, logRoot, seenSize, seenRoot } = fields;
  return (
    [fields.orderId, fields.symbol, fields.asset].every((name) => NAME.test(name)) &&
    [asked ?? rulesHash, rulesHash, logRoot].every((hash) => HASH.test(hash)) &&
    isDecimal(fields.amount) &&
    isDecimal(fields.payoutRate, RATE_PLACES) &&
    (fields.direction === 'up' || fields.direction === 'down') &&
    !isZero(fields.amount) &&
    [fields.batch, fields.minutes, fields.acceptedAt, fields.opensAt, fields.settlesAt, fields.logSize].every(
      isWholeNumber,
    ) &&
    fields.opensAt % FIX_MS === 0 &&
    fields.batch > 0 &&
    fields.minutes > 0 &&
    (seenSize === null
      ? seenRoot === null
      : isWholeNumber(seenSize) && seenRoot !== null && HASH.test(seenRoot))
  );
}

const isZero = (decimal: string): boolean => /^[0.]+$/.test(decimal);

const isWholeNumber = (value: number): boolean => Number.isSafeInteger(value) && value >= 0;

/** Reads the text of an acceptance; null unless it is exactly what {@link formatAcceptance} writes. */
export function parseAcceptance(text: string): Acceptance | null {
  if (text.length > MAX_ACCEPTANCE_LENGTH) return null;
  const lines = text.split('\n');
  if (lines.length !== LINES || lines[0] !== ACCEPTANCE_FORMAT) return null;
  const [, orderId = '', batchText = '', askedText = '', symbol = ''] = lines;
  const [direction = '', minutesText = '', asset = '', amount = '', payoutRate = ''] = lines.slice(5);
  const [rulesHash = '', acceptedText = '', opensText = '', settlesText = ''] = lines.slice(10);
  const [logSizeText = '', logRoot = '', seenSizeText = '', seenRootText = ''] = lines.slice(14);
  const asked = askedText === '' ? null : askedText;
  if (![orderId, symbol, asset].every((name) => NAME.test(name))) return null;
  if (![asked ?? rulesHash, rulesHash, logRoot].every((hash) => HASH.test(hash))) return null;
  if (!isDecimal(amount) || isZero(amount) || !isDecimal(payoutRate, RATE_PLACES)) return null;
  if (direction !== 'up' && direction !== 'down') return null;
  const batch = parseWholeNumber(batchText);
  const minutes = parseWholeNumber(minutesText);
  const acceptedAt = parseWholeNumber(acceptedText);
  const opensAt = parseWholeNumber(opensText);
  const settlesAt = parseWholeNumber(settlesText);
  const logSize = parseWholeNumber(logSizeText);
  const seen = parseSeen(seenSizeText, seenRootText);
  if (!batch || !minutes || acceptedAt === null || settlesAt === null) return null;
  if (opensAt === null || opensAt % FIX_MS !== 0 || logSize === null || seen === null) return null;
  const order = { orderId, batch, asked, symbol, direction, minutes } as const;
  const terms = { asset, amount, payoutRate, rulesHash, acceptedAt, opensAt, settlesAt };
  return { ...order, ...terms, logSize, logRoot, ...seen };
}

function parseSeen(size: string, root: string): Pick<Acceptance, 'seenSize' | 'seenRoot'> | null {
  if (size === '' && root === '') return { seenSize: null, seenRoot: null };
  const seenSize = parseWholeNumber(size);
  return seenSize === null || !HASH.test(root) ? null : { seenSize, seenRoot: root };
}

/** An order as its customer asks for it, with the opening time and a secret of the customer's. */
export interface AskedOrder
  extends Pick<Acceptance, 'symbol' | 'direction' | 'minutes' | 'asset' | 'amount' | 'opensAt'> {
  /** 32 lower-case hex digits, random. */
  readonly nonce: string;
}

/** Whether a text can be the nonce of what was asked. */
export const isNonce = (text: string): boolean => /^[0-9a-f]{32}$/.test(text);

/**
 * The text of what a customer asked for: a line each for `fairtick-asked/4`, symbol, direction, minutes, asset, amount, opensAt and nonce,
 * without a newline at the end.
 */
export function formatAsked(order: AskedOrder): string {
  const { symbol, direction, minutes, asset, amount, opensAt, nonce } = order;
  return ['fairtick-asked/4', symbol, direction, minutes, asset, amount, opensAt, nonce].join('\n');
}

/** SHA-256 of {@link formatAsked}, which the acceptance repeats: whoever knows the nonce can show that the opening time was asked for. */
export const hashAsked = (order: AskedOrder): Uint8Array => sha256(utf8(formatAsked(order)));

/** An acceptance with its proof. */
export interface SignedAcceptance {
  /** The acceptance, a leaf of the log of acceptances. */
  readonly text: string;
  /** The acceptance's leaf index. */
  readonly index: number;
  /** The log's size in `signed`. */
  readonly size: number;
  /** The inclusion proof, each hash as 64 lower-case hex digits. */
  readonly proof: readonly string[];
  /** A signed note whose text is the checkpoint of the log of acceptances. */
  readonly signed: string;
}

/**
 * Checks that an acceptance is in the log of acceptances that a trusted key signed. The caller's list of verifiers is the trust:
 * any key in it can vouch for a log of acceptances.
 * @returns the fields; null when the text, the proof or the note is malformed, the note carries no signature of a verifier or a
 *   false one, its origin is not that of a log of acceptances, or the proof does not lead from the text to its root
 */
export function verifyAcceptance(
  acceptance: SignedAcceptance,
  verifiers: readonly NoteVerifier[],
): Acceptance | null {
  const fields = parseAcceptance(acceptance.text);
  const proof = parseProof(acceptance.proof);
  if (fields === null || proof === null) return null;
  const note = openNote(acceptance.signed, verifiers);
  const checkpoint = note && parseCheckpoint(note.text);
  if (!checkpoint?.origin.endsWith(ACCEPTANCE_ORIGIN_SUFFIX)) return null;
  const { index, size, text } = acceptance;
  if (checkpoint.size !== size) return null;
  const leaf = leafHash(text);
  return verifyInclusion({ index, size, leaf, proof, root: checkpoint.root }) ? fields : null;
}

function parseProof(proof: readonly string[]): Uint8Array[] | null {
  if (proof.length > MAX_PROOF_LENGTH) return null;
  const hashes: Uint8Array[] = [];
  for (const text of proof) {
    const bytes = text.length === 2 * HASH_BYTES ? fromHex(text) : null;
    if (bytes === null) return null;
    hashes.push(bytes);
  }
  return hashes;
}
