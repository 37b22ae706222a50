import { fail, hasControls, must, readBase64, readWhole, sha256 } from './ground.ts';
import { isPublicKey, isSignatureOf } from './signatures.ts';

/** Verifier keys, signed notes, checkpoints and cosignatures. */
export interface TrustedKey {
  readonly name: string;
  readonly id: Buffer;
  readonly publicKey: Buffer;
}

/** The byte before the public key: of the log's keys, and of a witness's. */
const LOG = 1;
const WITNESS = 4;
const KEY_CHARACTERS = 1024;
const NOTE_LINES = 16;
const COSIGNED_WITHIN_MS = 5000n;

/** No `+` and no white space. */
const NAME = /^[^\p{White_Space}+]+$/u;
const isName = (text: string): boolean => NAME.test(text) && !hasControls(text);

/** Null if the text is no verifier key of this type. */
export function parseKey(text: string, type = LOG): TrustedKey | null {
  const [name = '', id = '', base64 = '', ...more] = splitKey(text);
  const bytes = readBase64(base64);
  if (more.length > 0 || [...text].length > KEY_CHARACTERS || !isName(name)) return null;
  if (bytes?.length !== 33 || bytes[0] !== type || !isPublicKey(bytes.subarray(1))) return null;
  const made = sha256(name, '\n', bytes).subarray(0, 4);
  return made.toString('hex') === id ? { name, id: made, publicKey: bytes.subarray(1) } : null;
}

/** Base64 may hold `+` itself. */
function splitKey(text: string): readonly string[] {
  const [name = '', id = '', ...base64] = text.split('+');
  return [name, id, base64.join('+')];
}

/** @throws Error if the text is no verifier key */
export const readKey = (text: string): TrustedKey => parseKey(text) ?? notAKey(text);
/** @throws Error if the text is no witness's verifier key */
export const readWitness = (text: string): TrustedKey => parseKey(text, WITNESS) ?? notAKey(text);
function notAKey(text: string): never {
  throw new Error(`not a key: ${text}`);
}

export const isSigned = (text: string, signature: Buffer, { publicKey }: TrustedKey): boolean =>
  isSignatureOf(Buffer.from(text), signature, publicKey);

interface Line {
  readonly name: string;
  readonly id: Buffer;
  /** Behind the id. */
  readonly rest: Buffer;
}
export interface Note {
  readonly text: string;
  readonly lines: readonly Line[];
}
export interface Checkpoint {
  readonly origin: string;
  readonly size: number;
  readonly root: Buffer;
  readonly extensions: readonly string[];
}

/** A note, whoever signed it. The last empty line ends its text. */
export function readNote(note: string, check: string): Note {
  must(!hasControls(note.replaceAll('\n', '')), check, 'control characters');
  const end = note.lastIndexOf('\n\n');
  must(end >= 0 && note.endsWith('\n') && end + 2 < note.length, check, 'not a note');
  const lines = note.slice(end + 2, -1).split('\n');
  must(lines.length <= NOTE_LINES, check, 'too many signatures');
  return { text: note.slice(0, end + 1), lines: lines.map((line) => readLine(line, check)) };
}

function readLine(line: string, check: string): Line {
  const [dash, name = '', base64 = '', ...more] = line.split(' ');
  const bytes = readBase64(base64);
  const isLine = dash === '—' && isName(name) && more.length === 0;
  if (!isLine || !bytes || bytes.length < 5) return fail(check, 'not a signature line');
  return { name, id: bytes.subarray(0, 4), rest: bytes.subarray(4) };
}

const isOf = (line: Line, key: TrustedKey): boolean => line.name === key.name && line.id.equals(key.id);

/** Trusted keys: a line of one of them that does not verify refuses the whole note. */
export interface Known {
  readonly keys: readonly TrustedKey[];
  readonly witnesses: readonly TrustedKey[];
}

/** Signed by this key, and no line of a known one is wrong. */
export function checkSigned(note: Note, key: TrustedKey, { keys, witnesses }: Known, check: string): void {
  for (const line of note.lines) {
    const isWrong =
      keys.some((each) => isOf(line, each) && !isSigned(note.text, line.rest, each)) ||
      witnesses.some((each) => isOf(line, each) && !isCosigned(note.text, line.rest, each));
    must(!isWrong, check, 'a line of a trusted key does not verify');
  }
  const isByKey = note.lines.some((line) => isOf(line, key));
  must(isByKey, check, 'not signed by the key');
}

const secondsOf = (rest: Buffer): bigint => rest.readBigUInt64BE(0);

function isCosigned(text: string, rest: Buffer, witness: TrustedKey): boolean {
  if (rest.length !== 72) return false;
  return isSigned(`cosignature/v1\ntime ${secondsOf(rest)}\n${text}`, rest.subarray(8), witness);
}

export function readCheckpoint({ text }: Note, check: string): Checkpoint {
  const [origin = '', size, base64 = '', ...extensions] = text.slice(0, -1).split('\n');
  const root = readBase64(base64);
  const count = readWhole(size);
  if (count === null || root?.length !== 32) return fail(check, 'not a checkpoint');
  return { origin, size: count, root, extensions };
}

/**
 * How many of the witnesses, all of whose lines verify, signed in their first line within five seconds of the checkpoint's own time, and
 * before the other time given. Two keys of one name are one witness.
 */
export function witnessesOf(
  { lines }: Note,
  timeMs: number,
  witnesses: readonly TrustedKey[],
  beforeMs: number | null = null,
): number {
  const isCounted = ({ rest }: Line): boolean => {
    const cosignedMs = secondsOf(rest) * 1000n;
    const away = cosignedMs - BigInt(timeMs);
    const isNear = away <= COSIGNED_WITHIN_MS && away >= -COSIGNED_WITHIN_MS;
    return isNear && (beforeMs === null || cosignedMs < BigInt(beforeMs));
  };
  const counted = witnesses.filter((each) => {
    const first = lines.find((line) => isOf(line, each));
    return first !== undefined && isCounted(first);
  });
  return new Set(counted.map(({ name }) => name)).size;
}
