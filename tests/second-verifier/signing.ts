import { createHash, createPrivateKey, createPublicKey, type KeyObject, sign } from 'node:crypto';
import { nodeOf, sha256 } from './ground.ts';
import { add, BASE, decode, encode, littleEndian, ORDER, type Point, times } from './signatures.ts';

/** Keys, trees and checkpoints of a house that signs whatever it likes, and of the witnesses that cosign them. */
const LOG_TYPE = 1;
const WITNESS_TYPE = 4;

export class Signer {
  readonly name: string;
  readonly verifierKey: string;
  readonly id: Buffer;
  readonly #key: KeyObject;
  readonly #seed: Buffer;

  constructor(name: string, type = LOG_TYPE, seed = name) {
    this.name = name;
    const pkcs8 = Buffer.from('302e020100300506032b657004220420', 'hex');
    this.#seed = sha256('seed of', seed);
    const der = Buffer.concat([pkcs8, this.#seed]);
    this.#key = createPrivateKey({ key: der, format: 'der', type: 'pkcs8' });
    const spki = createPublicKey(this.#key).export({ format: 'der', type: 'spki' });
    this.verifierKey = Signer.keyOf(name, type, spki.subarray(-32));
    this.id = Buffer.from(this.verifierKey.split('+')[1] as string, 'hex');
  }

  static keyOf(name: string, type: number, publicKey: Buffer): string {
    const bytes = Buffer.concat([Uint8Array.of(type), publicKey]);
    const id = sha256(name, '\n', bytes).subarray(0, 4).toString('hex');
    return `${name}+${id}+${bytes.toString('base64')}`;
  }

  sign(text: string): Buffer {
    return sign(null, Buffer.from(text), this.#key);
  }

  /**
   * A signature that the equation without the cofactor refuses: its R is moved by this point, which has a small order.
   * @param writtenR the bytes in which R is written, where they are not the canonical ones
   * @param multiple of the group's order that is added to S
   */
  odd(text: string, moved: Buffer, nonce = 5n, writtenR: Buffer | null = null, multiple = 0n): Buffer {
    const secret = createHash('sha512').update(this.#seed).digest().subarray(0, 32);
    secret[0] = (secret[0] as number) & 248;
    secret[31] = ((secret[31] as number) & 127) | 64;
    const a = littleEndian(secret);
    const r = writtenR ?? encode(add(times(nonce, BASE), decode(moved) as Point));
    const hash = createHash('sha512')
      .update(r)
      .update(encode(times(a, BASE)))
      .update(text);
    const s = ((nonce + littleEndian(hash.digest()) * a) % ORDER) + multiple * ORDER;
    return Buffer.concat([r, Buffer.from(s.toString(16).padStart(64, '0'), 'hex').reverse()]);
  }

  /** A signature line of a note. */
  line(...behind: readonly Buffer[]): string {
    return `— ${this.name} ${Buffer.concat([this.id, ...behind]).toString('base64')}\n`;
  }

  /** A checkpoint of these leaves in a signed note, in this name. */
  checkpoint(leaves: readonly Buffer[], ...extensions: readonly string[]): string {
    return this.note([this.name, leaves.length, rootOf(leaves).toString('base64'), ...extensions].join('\n'));
  }

  note(lines: string): string {
    const text = `${lines}\n`;
    return `${text}\n${this.line(this.sign(text))}`;
  }
}

export class Witness extends Signer {
  constructor(name: string) {
    super(name, WITNESS_TYPE);
  }

  cosigned(note: string, seconds: bigint | number): string {
    const text = note.slice(0, note.lastIndexOf('\n\n') + 1);
    const time = Buffer.alloc(8);
    time.writeBigUInt64BE(BigInt(seconds));
    return note + this.line(time, this.sign(`cosignature/v1\ntime ${seconds}\n${text}`));
  }
}

/* ---- trees (RFC 9162, 2.1) ---- */

const splitOf = (size: number): number => 2 ** Math.floor(Math.log2(size - 1));
export function rootOf(leaves: readonly Buffer[]): Buffer {
  if (leaves.length < 2) return leaves[0] ?? sha256();
  const split = splitOf(leaves.length);
  return nodeOf(rootOf(leaves.slice(0, split)), rootOf(leaves.slice(split)));
}
export function inclusion(leaves: readonly Buffer[], index: number): Buffer[] {
  if (leaves.length < 2) return [];
  const split = splitOf(leaves.length);
  const [left, right] = [leaves.slice(0, split), leaves.slice(split)];
  if (index < split) return [...inclusion(left, index), rootOf(right)];
  return [...inclusion(right, index - split), rootOf(left)];
}
export function consistency(leaves: readonly Buffer[], first: number, isWhole = true): Buffer[] {
  if (first === 0) return [];
  if (first === leaves.length) return isWhole ? [] : [rootOf(leaves)];
  const split = splitOf(leaves.length);
  const [left, right] = [leaves.slice(0, split), leaves.slice(split)];
  if (first <= split) return [...consistency(left, first, isWhole), rootOf(right)];
  return [...consistency(right, first - split, false), rootOf(left)];
}
export const hex = (hashes: readonly Buffer[]): string[] => hashes.map((hash) => hash.toString('hex'));
