import { createPublicKey, type KeyObject, verify } from 'node:crypto';
import { fail, hasControls, must, readBase64, readWhole, sha256 } from './ground.ts';

/** Signed notes, checkpoints, cosignatures and the keys that make them. */
export interface TrustedKey {
  readonly name: string;
  readonly id: Buffer;
  readonly publicKey: Buffer;
}

/** The types of key: of a log, and of a witness. */
const ED25519 = 1;
const COSIGNATURE = 4;
const NOTE_BYTES = 128 * 1024;
const WITNESS_SECONDS = 300;

/** `NAME+ID+BASE64` of signed-note: the id in hex; base64 of a byte for the type, and the key. Null if it is no key. */
export function parseKey(text: string, type = ED25519): TrustedKey | null {
  const found = /^([^\p{White_Space}+]+)\+([0-9a-f]{8})\+([A-Za-z0-9+/=]+)$/u.exec(text);
  if (!found) return null;
  const [, name = '', id, base64 = ''] = found;
  const bytes = readBase64(base64);
  if (bytes?.length !== 33 || bytes[0] !== type) return null;
  const made = sha256(name, '\n', bytes).subarray(0, 4);
  return made.toString('hex') === id ? { name, id: made, publicKey: bytes.subarray(1) } : null;
}

/** @throws Error if the text is no verifier key */
export function readKey(text: string): TrustedKey {
  const key = parseKey(text);
  if (!key) throw new Error(`not a key: ${text}`);
  return key;
}

/** @throws Error if the text is no witness's verifier key */
export function readWitness(text: string): TrustedKey {
  const key = parseKey(text, COSIGNATURE);
  if (!key) throw new Error(`not a witness's key: ${text}`);
  return key;
}

function opened(publicKey: Buffer): KeyObject {
  const spki = Buffer.concat([Buffer.from('302a300506032b6570032100', 'hex'), publicKey]);
  return createPublicKey({ key: spki, format: 'der', type: 'spki' });
}
export const isSigned = (text: string, signature: Buffer, { publicKey }: TrustedKey): boolean =>
  signature.length === 64 && verify(null, Buffer.from(text), opened(publicKey), signature);

interface Line {
  readonly name: string;
  readonly id: Buffer;
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

/** A note, whoever signed it. */
export function readNote(note: string, check: string): Note {
  must(Buffer.byteLength(note) <= NOTE_BYTES, check, 'the note is too long');
  must(!hasControls(note.replaceAll('\n', '')), check, 'control characters');
  const end = note.lastIndexOf('\n\n');
  must(end >= 0 && note.endsWith('\n') && end + 2 < note.length, check, 'not a note');
  const lines = note.slice(end + 2, -1).split('\n');
  must(lines.length <= 16, check, 'too many signatures');
  return { text: note.slice(0, end + 1), lines: lines.map((line) => readLine(line, check)) };
}

function readLine(line: string, check: string): Line {
  const found = /^— ([^\p{White_Space}+]+) ([A-Za-z0-9+/=]+)$/u.exec(line);
  const bytes = found && readBase64(found[2] as string);
  if (!found || !bytes || bytes.length < 5) return fail(check, 'not a signature line');
  return { name: found[1] as string, id: bytes.subarray(0, 4), rest: bytes.subarray(4) };
}

const isOf = (line: Line, key: TrustedKey): boolean => line.name === key.name && line.id.equals(key.id);

/** Signed by this key; a line of any trusted key, or pinned witness, that does not verify makes the note refused. */
export function checkSigned(
  note: Note,
  key: TrustedKey,
  {
    trusted,
    witnesses,
  }: { readonly trusted: readonly TrustedKey[]; readonly witnesses: readonly TrustedKey[] },
  check: string,
): void {
  for (const line of note.lines) {
    const isWrong =
      trusted.some((each) => isOf(line, each) && !isSigned(note.text, line.rest, each)) ||
      witnesses.some((each) => isOf(line, each) && !isCosigned(note.text, line.rest, each));
    must(!isWrong, check, 'a line of a trusted key does not verify');
  }
  must(
    note.lines.some((line) => isOf(line, key)),
    check,
    'not signed by the key',
  );
}

function isCosigned(text: string, rest: Buffer, witness: TrustedKey): boolean {
  if (rest.length !== 72) return false;
  const signed = `cosignature/v1\ntime ${rest.readBigUInt64BE(0)}\n${text}`;
  return isSigned(signed, rest.subarray(8), witness);
}

export function readCheckpoint({ text }: Note, check: string): Checkpoint {
  const [origin = '', size, base64 = '', ...extensions] = text.slice(0, -1).split('\n');
  const root = readBase64(base64);
  const count = readWhole(size);
  if (count === null || root?.length !== 32) return fail(check, 'not a checkpoint');
  return { origin, size: count, root, extensions };
}

/** How many of the witnesses signed this checkpoint, all of whose lines verify, within 300 seconds of its own time. */
export function witnessesOf({ lines }: Note, timeMs: number, witnesses: readonly TrustedKey[]): number {
  const isNear = ({ rest }: Line): boolean => {
    const away = rest.readBigUInt64BE(0) * 1000n - BigInt(timeMs);
    return away <= WITNESS_SECONDS * 1000 && away >= -WITNESS_SECONDS * 1000;
  };
  const signed = (witness: TrustedKey) => lines.some((line) => isOf(line, witness) && isNear(line));
  return witnesses.filter(signed).length;
}
