import { ed25519 } from '@noble/curves/ed25519.js';
import { charactersIn, fromBase64, fromHex, hasControl, isWellFormed, toBase64, utf8 } from './encoding.ts';
import { sha256 } from './sha256.ts';

/** Bytes in an Ed25519 public key and in the seed of a private one. */
const KEY_BYTES = 32;
export const SIGNATURE_BYTES = 64;

/** The signature type of Ed25519 (C2SP signed-note, "Signature types"). */
const ED25519_TYPE = 0x01;
/** The signature type of a witness's cosignature with Ed25519 (C2SP tlog-cosignature). */
export const COSIGNATURE_TYPE = 0x04;
export type NoteKeyType = typeof ED25519_TYPE | typeof COSIGNATURE_TYPE;
const PRIVATE_PREFIX = 'PRIVATE+KEY+';
const MAX_KEY_TEXT = 1024;

/** A parsed verifier key. `keyId` is an unsigned 32-bit number. */
export interface VerifierKey {
  readonly name: string;
  readonly keyId: number;
  /** 32 bytes. */
  readonly publicKey: Uint8Array;
}

/** A parsed signer key: a verifier key and the 32-byte Ed25519 seed that must stay secret. */
export interface SignerKey extends VerifierKey {
  readonly seed: Uint8Array;
}

/** C2SP signed-note, "Format". Control characters are refused too, since no note may hold one. */
export function isKeyName(name: string): boolean {
  return name !== '' && isWellFormed(name) && !/[+\p{White_Space}]/u.test(name) && !hasControl(name);
}

/** The first four bytes of SHA-256(name ‖ 0x0A ‖ type ‖ public key), big-endian (C2SP signed-note, "Ed25519 signatures"). */
export function keyIdOf(name: string, publicKey: Uint8Array, type: NoteKeyType = ED25519_TYPE): number {
  assertKey(name, publicKey);
  const digest = sha256(joined(utf8(`${name}\n`), Uint8Array.of(type), publicKey));
  return new DataView(digest.buffer, digest.byteOffset, 4).getUint32(0);
}

/** `name+hex(key id)+base64(0x01 ‖ public key)` (C2SP signed-note, "Verifier keys") */
export function formatVerifierKey(name: string, publicKey: Uint8Array): string {
  return formatKey({ name, keyId: keyIdOf(name, publicKey), type: ED25519_TYPE }, publicKey);
}

/** Reads a verifier key string; null when it is malformed, of another type, or its id does not fit its key. */
export function parseVerifierKey(text: string, type: NoteKeyType = ED25519_TYPE): VerifierKey | null {
  const parts = parseKey(text, type);
  if (parts === null) return null;
  const { name, keyId, key: publicKey } = parts;
  if (keyIdOf(name, publicKey, type) !== keyId || !isPoint(publicKey)) return null;
  return { name, keyId, publicKey };
}

/** Reads `PRIVATE+KEY+name+hex(key id)+base64(0x01 ‖ seed)`; null when malformed, of another type, or the id does not fit. */
export function parseSignerKey(text: string, type: NoteKeyType = ED25519_TYPE): SignerKey | null {
  if (!text.startsWith(PRIVATE_PREFIX)) return null;
  const parts = parseKey(text.slice(PRIVATE_PREFIX.length), type);
  if (parts === null) return null;
  const { name, keyId, key: seed } = parts;
  const publicKey = ed25519.getPublicKey(seed);
  return keyIdOf(name, publicKey, type) === keyId ? { name, keyId, publicKey, seed } : null;
}

/** @param seed 32 random bytes @throws RangeError for a bad name or a seed that is not 32 bytes */
export function generateNoteKey(
  name: string,
  seed: Uint8Array,
  type: NoteKeyType = ED25519_TYPE,
): { signerKey: string; verifierKey: string } {
  assertKey(name, seed);
  const publicKey = ed25519.getPublicKey(seed);
  const keyId = keyIdOf(name, publicKey, type);
  return {
    signerKey: PRIVATE_PREFIX + formatKey({ name, keyId, type }, seed),
    verifierKey: formatKey({ name, keyId, type }, publicKey),
  };
}

/** The name in the text of a verifier key. */
export const nameOfKey = (text: string): string => text.slice(0, text.indexOf('+'));

function formatKey(of: { name: string; keyId: number; type: NoteKeyType }, key: Uint8Array): string {
  const id = of.keyId.toString(16).padStart(8, '0');
  return `${of.name}+${id}+${toBase64(joined(Uint8Array.of(of.type), key))}`;
}

function parseKey(text: string, type: NoteKeyType): { name: string; keyId: number; key: Uint8Array } | null {
  if (charactersIn(text) > MAX_KEY_TEXT) return null;
  // Base64 may contain '+', so everything after the second '+' is the key.
  const first = text.indexOf('+');
  const second = text.indexOf('+', first + 1);
  if (first < 0 || second < 0) return null;
  const name = text.slice(0, first);
  const id = fromHex(text.slice(first + 1, second));
  const typed = fromBase64(text.slice(second + 1));
  if (!isKeyName(name) || id?.length !== 4) return null;
  if (typed?.length !== 1 + KEY_BYTES || typed[0] !== type) return null;
  return { name, keyId: new DataView(id.buffer, id.byteOffset, 4).getUint32(0), key: typed.slice(1) };
}

function assertKey(name: string, key: Uint8Array): void {
  if (!isKeyName(name)) throw new RangeError('a key name has no white space, no plus and is not empty');
  if (key.length !== KEY_BYTES) throw new RangeError('an Ed25519 key must be 32 bytes');
}

function isPoint(publicKey: Uint8Array): boolean {
  return ed25519.utils.isValidPublicKey(publicKey, false);
}

function joined(...parts: readonly Uint8Array[]): Uint8Array {
  const bytes = new Uint8Array(parts.reduce((length, part) => length + part.length, 0));
  let at = 0;
  for (const part of parts) {
    bytes.set(part, at);
    at += part.length;
  }
  return bytes;
}
