import { createHash } from 'node:crypto';

/**
 * Ground rules of docs/receipt-format.md: JSON, numbers, hashes and the trees of RFC 9162. The second verifier is written from that
 * page and the specifications it names; it must not import anything of the project.
 */
export class Refused extends Error {
  /** The check of the page that refuses, by the names of its last section. */
  readonly check: string;
  constructor(check: string, why: string) {
    super(why);
    this.check = check;
  }
}

export const fail = (check: string, why: string): never => {
  throw new Refused(check, why);
};
export const must = (holds: boolean, check: string, why: string): void => {
  if (!holds) fail(check, why);
};

/** Whether a character below a space stands in the text. */
export const hasControls = (text: string): boolean => [...text].some((sign) => sign < ' ');

/** Fixes stand at multiples of it, and so does every opening time. */
export const FIX_MS = 1000;

/* ---- JSON ---- */

export type Json = null | boolean | number | string | Json[] | { [name: string]: Json };

const SPACE = /[ \t\r\n]*/y;
const STRING = /"(?:[^"\\]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*"/y;
const WORD = /null|true|false/y;
const NUMBER = /(?:0|[1-9][0-9]{0,15})(?![0-9.eE])/y;
/** Deeper documents than any of this page would only exhaust the stack. */
const DEPTH = 64;

/** Strict JSON: no member stands twice, numbers are plain and whole, and no text has half a surrogate. */
class JsonReader {
  readonly #text: string;
  #at = 0;

  constructor(text: string) {
    this.#text = text;
  }

  document(): Json {
    const value = this.#value(0);
    this.#take(SPACE);
    return this.#at === this.#text.length ? value : this.#fail('more after it');
  }

  #fail(why: string): never {
    throw new Refused('form', `not the JSON of this page: ${why} at ${this.#at}`);
  }

  #take(pattern: RegExp): string | null {
    pattern.lastIndex = this.#at;
    const found = pattern.exec(this.#text)?.[0] ?? null;
    if (found !== null) this.#at += found.length;
    return found;
  }

  #isNext(sign: string): boolean {
    this.#take(SPACE);
    if (this.#text[this.#at] !== sign) return false;
    this.#at += 1;
    return true;
  }

  #value(depth: number): Json {
    if (depth > DEPTH) return this.#fail('too deep');
    if (this.#isNext('{')) return this.#object(depth);
    if (this.#isNext('[')) return this.#array(depth);
    const word = this.#take(WORD);
    if (word !== null) return word === 'null' ? null : word === 'true';
    const number = this.#take(NUMBER);
    if (number !== null)
      return Number.isSafeInteger(Number(number)) ? Number(number) : this.#fail('too large a number');
    return this.#string();
  }

  #string(): string {
    const found = this.#take(STRING) ?? this.#fail('no value');
    if (hasControls(found)) this.#fail('a control character as it is');
    const text: string = JSON.parse(found);
    return text.isWellFormed() ? text : this.#fail('half a surrogate');
  }

  #array(depth: number): Json[] {
    const all: Json[] = [];
    if (this.#isNext(']')) return all;
    do all.push(this.#value(depth + 1));
    while (this.#isNext(','));
    return this.#isNext(']') ? all : this.#fail('a list without end');
  }

  #object(depth: number): { [name: string]: Json } {
    const all = new Map<string, Json>();
    if (this.#isNext('}')) return {};
    do {
      this.#take(SPACE);
      const name = this.#string();
      if (all.has(name)) this.#fail(`${name} twice`);
      if (!this.#isNext(':')) this.#fail('a name without a value');
      all.set(name, this.#value(depth + 1));
    } while (this.#isNext(','));
    return this.#isNext('}') ? Object.fromEntries(all) : this.#fail('an object without end');
  }
}

export const readJson = (text: string): Json => new JsonReader(text).document();

/**
 * The JSON of rules, whose numbers may be of any kind: canonical (RFC 8785), which no text is in which a member stands twice. Null
 * for any other text.
 */
export function readCanonical(text: string): unknown {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return null;
  }
  return canonical(value) === text ? value : null;
}

/** Objects and lists are nested at most so deep in rules. */
const RULES_DEPTH = 16;

/** Null where text is not well-formed, or lists and objects are nested too deep. */
export function canonical(value: unknown, depth = 1): string | null {
  if (typeof value === 'string') return value.isWellFormed() ? JSON.stringify(value) : null;
  if (value === null || typeof value !== 'object') return JSON.stringify(value);
  if (depth > RULES_DEPTH) return null;
  const isList = Array.isArray(value);
  const members = isList
    ? value.map((each): [null, unknown] => [null, each])
    : Object.entries(value).sort(byName);
  const parts = members.map(([name, each]) => {
    const [key, written] = [name === null ? '' : canonical(name, depth), canonical(each, depth + 1)];
    return key === null || written === null ? null : name === null ? written : `${key}:${written}`;
  });
  if (parts.includes(null)) return null;
  return isList ? `[${parts.join()}]` : `{${parts.join()}}`;
}

/** By UTF-16 units. */
const byName = ([one]: [string, unknown], [other]: [string, unknown]): number => (one < other ? -1 : 1);

/* ---- texts ---- */

export const HASH = /^[0-9a-f]{64}$/;
export const DECIMAL = /^(0|[1-9][0-9]{0,18})(\.[0-9]{1,18})?$/;
export const RATE = /^(0|[1-9][0-9]{0,18})(\.[0-9]{1,4})?$/;
export const NAME = /^[!-~]{1,128}$/;

/** Null for anything but a whole number of the page, and never NaN, which compares false with everything. */
export function readWhole(text: string | undefined): number | null {
  if (text === undefined || !/^(0|[1-9][0-9]{0,15})$/.test(text)) return null;
  return Number.isSafeInteger(Number(text)) ? Number(text) : null;
}

/** Standard, padded, unused bits zero; else null. */
export function readBase64(text: string): Buffer | null {
  const bytes = Buffer.from(text, 'base64');
  return bytes.toString('base64') === text ? bytes : null;
}

export const decimalsOf = (decimal: string): number => decimal.split('.')[1]?.length ?? 0;
export const unitsOf = (decimal: string): bigint => BigInt(decimal.replace('.', ''));

/* ---- trees ---- */

export function sha256(...parts: readonly (string | Uint8Array)[]): Buffer {
  const hash = createHash('sha256');
  for (const part of parts) hash.update(part);
  return hash.digest();
}
export const leafOf = (bytes: string | Uint8Array): Buffer => sha256(Uint8Array.of(0), bytes);
export const nodeOf = (left: Uint8Array, right: Uint8Array): Buffer => sha256(Uint8Array.of(1), left, right);

/** The largest power of two below a size above 1. */
function splitOf(size: number): number {
  let part = 1;
  while (part * 2 < size) part *= 2;
  return part;
}

/** The root that an inclusion proof of RFC 9162, 2.1.3, leads to, from its last hash down; null if it has another length. */
function rootBy(leaf: Buffer, index: number, size: number, proof: readonly Buffer[]): Buffer | null {
  if (size === 1) return proof.length === 0 ? leaf : null;
  const sibling = proof.at(-1);
  if (!sibling) return null;
  const split = splitOf(size);
  const below = proof.slice(0, -1);
  if (index < split) {
    const left = rootBy(leaf, index, split, below);
    return left && nodeOf(left, sibling);
  }
  const right = rootBy(leaf, index - split, size - split, below);
  return right && nodeOf(sibling, right);
}

export function isIncluded(
  leaf: Buffer,
  index: number,
  size: number,
  proof: readonly Buffer[],
  root: Buffer,
): boolean {
  return index < size && rootBy(leaf, index, size, proof)?.equals(root) === true;
}

/**
 * Both roots that a consistency proof of RFC 9162, 2.1.4, leads to. `known` is the first root while the first tree may still be
 * the left-most whole subtree, which the proof then leaves out.
 */
function rootsBy(
  first: number,
  second: number,
  proof: readonly Buffer[],
  known: Buffer | null,
): [Buffer, Buffer] | null {
  if (first === second) {
    if (known) return proof.length === 0 ? [known, known] : null;
    const [whole] = proof;
    return whole && proof.length === 1 ? [whole, whole] : null;
  }
  const sibling = proof.at(-1);
  if (!sibling) return null;
  const split = splitOf(second);
  const below = proof.slice(0, -1);
  if (first <= split) {
    const left = rootsBy(first, split, below, known);
    return left && [left[0], nodeOf(left[1], sibling)];
  }
  const right = rootsBy(first - split, second - split, below, null);
  return right && [nodeOf(sibling, right[0]), nodeOf(sibling, right[1])];
}

export function isConsistent(
  first: { readonly size: number; readonly root: Buffer },
  second: { readonly size: number; readonly root: Buffer },
  proof: readonly Buffer[],
): boolean {
  if (first.size > second.size) return false;
  if (first.size === second.size) return proof.length === 0 && first.root.equals(second.root);
  if (first.size === 0) return proof.length === 0 && first.root.equals(sha256());
  const roots = rootsBy(first.size, second.size, proof, first.root);
  if (!roots) return false;
  return roots[0].equals(first.root) && roots[1].equals(second.root);
}
