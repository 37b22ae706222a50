import { createHash, createPublicKey, type KeyObject, verify } from 'node:crypto';

/**
 * Parsers of the second verifier: JSON, texts, notes, trees and entries. Written from docs/receipt-format.md and the
 * specifications it names; it must not import anything of the project.
 */
export class Refused extends Error {
  readonly check: string;
  constructor(check: string, why: string) {
    super(why);
    this.check = check;
  }
}

export type Json = null | boolean | number | string | Json[] | { [name: string]: Json };

const TOKEN =
  /[ \t\r\n]*([{}[\],:]|true|false|null|-?[0-9][0-9.eE+-]*|"(?:[^"\\]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*")/y;

function unescaped(token: string): string | null {
  try {
    return JSON.parse(token) as string;
  } catch {
    return null;
  }
}

/** Strict JSON: no duplicate members, only plain whole numbers, only text that UTF-8 can encode. */
export function readJson(text: string, check: string): Json {
  const fail = (why: string): never => {
    throw new Refused(check, `not the JSON of this page: ${why}`);
  };
  TOKEN.lastIndex = 0;
  const next = (): string => {
    const found = TOKEN.exec(text);
    return found ? (found[1] as string) : fail('no token');
  };
  const value = (token: string, depth: number): Json => {
    if (depth > 16) fail('too deep');
    if (token === '{') return object(depth);
    if (token === '[') return array(depth);
    if (token.startsWith('"')) return string(token);
    if (token === 'null') return null;
    if (token === 'true' || token === 'false') return token === 'true';
    if (!/^(0|[1-9][0-9]{0,15})$/.test(token) || !Number.isSafeInteger(Number(token)))
      fail(`number ${token}`);
    return Number(token);
  };
  const string = (token: string): string => {
    const read = unescaped(token) ?? fail('a control character as it is');
    return read.isWellFormed() ? read : fail('text');
  };
  const array = (depth: number): Json[] => {
    const all: Json[] = [];
    let token = next();
    if (token === ']') return all;
    for (; ; token = next()) {
      all.push(value(token, depth + 1));
      const after = next();
      if (after === ']') return all;
      if (after !== ',') fail('array');
    }
  };
  const object = (depth: number): { [name: string]: Json } => {
    const all = new Map<string, Json>();
    let token = next();
    if (token === '}') return {};
    for (; ; token = next()) {
      if (!token.startsWith('"')) fail('member');
      const name = string(token);
      if (all.has(name)) fail(`${name} twice`);
      if (next() !== ':') fail('member');
      all.set(name, value(next(), depth + 1));
      const after = next();
      if (after === '}') return Object.fromEntries(all);
      if (after !== ',') fail('object');
    }
  };
  const read = value(next(), 0);
  if (/[^ \t\r\n]/.test(text.slice(TOKEN.lastIndex))) fail('more after it');
  return read;
}

export function sha256(...parts: readonly (string | Uint8Array)[]): Buffer {
  const hash = createHash('sha256');
  for (const part of parts) hash.update(part);
  return hash.digest();
}
export const leafOf = (bytes: string | Uint8Array): Buffer => sha256(Uint8Array.of(0), bytes);
const nodeOf = (left: Buffer, right: Buffer): Buffer => sha256(Uint8Array.of(1), left, right);

/** RFC 9162, 2.1.3.2. */
export function isIncluded(
  leaf: Buffer,
  index: number,
  size: number,
  proof: readonly Buffer[],
  root: Buffer,
): boolean {
  if (index >= size) return false;
  let fn = BigInt(index);
  let sn = BigInt(size - 1);
  let r = leaf;
  for (const p of proof) {
    if (sn === 0n) return false;
    if ((fn & 1n) === 1n || fn === sn) {
      r = nodeOf(p, r);
      while (fn !== 0n && (fn & 1n) === 0n) {
        fn >>= 1n;
        sn >>= 1n;
      }
    } else r = nodeOf(r, p);
    fn >>= 1n;
    sn >>= 1n;
  }
  return sn === 0n && r.equals(root);
}

/** RFC 9162, 2.1.4.2, plus the cases that it omits. */
export function isConsistent(
  first: number,
  second: number,
  proof: readonly Buffer[],
  firstRoot: Buffer,
  secondRoot: Buffer,
): boolean {
  if (first > second) return false;
  if (first === second) return proof.length === 0 && firstRoot.equals(secondRoot);
  if (first === 0) return proof.length === 0 && firstRoot.equals(sha256());
  let fn = BigInt(first) - 1n;
  let sn = BigInt(second) - 1n;
  // A power of two is a whole subtree: its root is not in the proof.
  const path = (BigInt(first) & fn) === 0n ? [firstRoot, ...proof] : [...proof];
  while ((fn & 1n) === 1n) {
    fn >>= 1n;
    sn >>= 1n;
  }
  let fr = path[0];
  let sr = path[0];
  if (!fr || !sr) return false;
  for (const c of path.slice(1)) {
    if (sn === 0n) return false;
    if ((fn & 1n) === 1n || fn === sn) {
      fr = nodeOf(c, fr);
      sr = nodeOf(c, sr);
      while (fn !== 0n && (fn & 1n) === 0n) {
        fn >>= 1n;
        sn >>= 1n;
      }
    } else sr = nodeOf(sr, c);
    fn >>= 1n;
    sn >>= 1n;
  }
  return sn === 0n && fr.equals(firstRoot) && sr.equals(secondRoot);
}

export const WHOLE = /^(0|[1-9][0-9]{0,15})$/;
export const HASH = /^[0-9a-f]{64}$/;
export const DECIMAL = /^(0|[1-9][0-9]{0,18})(\.[0-9]{1,18})?$/;
export const RATE = /^(0|[1-9][0-9]{0,18})(\.[0-9]{1,4})?$/;
/** Returns null for anything but a whole number, and never NaN, which compares false with everything. */
export function readWhole(text: string | undefined): number | null {
  return text !== undefined && WHOLE.test(text) && Number.isSafeInteger(Number(text)) ? Number(text) : null;
}

export function readBase64(text: string): Buffer | null {
  const bytes = Buffer.from(text, 'base64');
  return bytes.toString('base64') === text ? bytes : null;
}

export interface TrustedKey {
  readonly name: string;
  readonly id: Buffer;
  readonly publicKey: Buffer;
}

/** `NAME+ID+BASE64` of signed-note: the id in hex, a byte for Ed25519, the key. */
export function readKey(text: string): TrustedKey {
  const [name = '', id = '', ...rest] = text.split('+');
  // Base64 contains `+` too.
  const bytes = readBase64(rest.join('+'));
  if (bytes?.length !== 33 || bytes[0] !== 1) throw new Error(`not a key: ${text}`);
  const made = sha256(name, '\n', bytes).subarray(0, 4);
  if (made.toString('hex') !== id) throw new Error(`not the id of this key: ${text}`);
  return { name, id: made, publicKey: bytes.subarray(1) };
}

export function publicKeyOf({ publicKey }: TrustedKey): KeyObject {
  const spki = Buffer.concat([Buffer.from('302a300506032b6570032100', 'hex'), publicKey]);
  return createPublicKey({ key: spki, format: 'der', type: 'spki' });
}

/** The size that a checkpoint names, whichever key signed it; null if it names none. */
export const sizeNamed = (note: string): number | null => readWhole(note.split('\n')[1]);

export interface Checkpoint {
  readonly size: number;
  readonly root: Buffer;
}

/** A checkpoint in a signed note of the key; the key's name is its origin. */
export function readCheckpoint(note: string, key: TrustedKey, check: string): Checkpoint {
  const fail = (why: string): never => {
    throw new Refused(check, why);
  };
  if (Buffer.byteLength(note) > 128 * 1024) fail('the note is too long');
  const end = note.lastIndexOf('\n\n');
  if (end < 0 || !note.endsWith('\n') || end + 2 >= note.length) fail('not a note');
  const text = note.slice(0, end + 1);
  if ([...note].some((sign) => sign < ' ' && sign !== '\n')) fail('control characters');
  const lines = note.slice(end + 2, -1).split('\n');
  if (lines.length > 16) fail('too many signatures');
  if (!lines.map((line) => provesText(line, text, key, fail)).includes(true)) fail('not signed by the key');
  const [origin, size, root = '', ...extensions] = text.slice(0, -1).split('\n');
  const bytes = readBase64(root);
  const count = readWhole(size);
  if (origin !== key.name || count === null || bytes?.length !== 32 || extensions.includes(''))
    return fail('not a checkpoint of this name');
  return { size: count, root: bytes };
}

function provesText(line: string, text: string, key: TrustedKey, fail: (why: string) => never): boolean {
  const found = /^— ([^\s+]+) ([A-Za-z0-9+/=]+)$/u.exec(line);
  const bytes = found && readBase64(found[2] as string);
  if (!bytes || bytes.length < 5) return fail('not a signature line');
  if (found[1] !== key.name || !bytes.subarray(0, 4).equals(key.id)) return false;
  const signature = bytes.subarray(4);
  if (signature.length !== 64 || !verify(null, Buffer.from(text), publicKeyOf(key), signature))
    fail('a signature with the name and id of the key does not verify');
  return true;
}

export interface Acceptance {
  readonly symbol: string;
  readonly direction: string;
  readonly minutes: number;
  readonly amount: string;
  readonly payoutRate: string;
  readonly rulesHash: string;
  readonly acceptedAt: number;
  readonly settlesAt: number;
  readonly logSize: number;
  readonly logRoot: Buffer;
  readonly seen: null | { readonly size: number; readonly root: Buffer };
}

const WORD = /^[!-~]{1,128}$/;
const ACCEPTANCE: readonly RegExp[] = [
  /^fairtick-acceptance\/1$/,
  WORD,
  HASH,
  WORD,
  /^(up|down)$/,
  WHOLE,
  WORD,
  DECIMAL,
  RATE,
  HASH,
  WHOLE,
  WHOLE,
  WHOLE,
  HASH,
  /^(0|[1-9][0-9]{0,15})?$/,
  /^([0-9a-f]{64})?$/,
];

export function readAcceptance(text: string): Acceptance {
  const line = text.split('\n');
  const fits = line.length === 16 && ACCEPTANCE.every((form, at) => form.test(line[at] as string));
  const [minutes, acceptedAt, settlesAt, logSize] = [5, 10, 11, 12].map((at) => readWhole(line[at]));
  const seenSize = readWhole(line[14]);
  if (!fits || (line[14] === '') !== (line[15] === '') || (line[14] !== '' && seenSize === null))
    throw new Refused('form', 'not an acceptance');
  if (!minutes || !logSize || acceptedAt == null || settlesAt == null)
    throw new Refused('form', 'numbers of the acceptance');
  return {
    symbol: line[3] as string,
    direction: line[4] as string,
    minutes,
    amount: line[7] as string,
    payoutRate: line[8] as string,
    rulesHash: line[9] as string,
    acceptedAt,
    settlesAt,
    logSize,
    logRoot: Buffer.from(line[13] as string, 'hex'),
    seen: seenSize === null ? null : { size: seenSize, root: Buffer.from(line[15] as string, 'hex') },
  };
}
