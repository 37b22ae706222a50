import { bytesToHex, hexToBytes } from '@noble/hashes/utils.js';

const encoder = new TextEncoder();

/** Whether a string has no lone surrogate. (`String.prototype.isWellFormed` is newer than the oldest browsers.) */
export const isWellFormed = (text: string): boolean => !/\p{Surrogate}/u.test(text);

/** UTF-8 of a string. Lone surrogates become U+FFFD; check {@link isWellFormed} first where that matters. */
export const utf8 = (text: string): Uint8Array => encoder.encode(text);

/** Lower-case hex, two digits a byte. */
export const toHex: (bytes: Uint8Array) => string = bytesToHex;

/** Whether a value is a hash in lower-case hex, 64 digits. */
export const isHash = (value: unknown): value is string =>
  typeof value === 'string' && /^[0-9a-f]{64}$/.test(value);

/** Null unless as {@link toHex} writes it, so that each value has one spelling. */
export function fromHex(text: string): Uint8Array | null {
  if (text.length % 2 !== 0 || !/^[0-9a-f]*$/.test(text)) return null;
  return hexToBytes(text);
}

/** Standard base64 with padding (RFC 4648, section 4). */
export function toBase64(bytes: Uint8Array): string {
  return btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(''));
}

/** Null unless exactly as {@link toBase64} writes it: a laxer reader would let one signature be written in several ways. */
export function fromBase64(text: string): Uint8Array | null {
  if (text.length % 4 !== 0 || !/^[A-Za-z0-9+/]*={0,2}$/.test(text)) return null;
  const bytes = Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
  return toBase64(bytes) === text ? bytes : null;
}

/** Whether two byte strings are the same. Not constant-time: the bytes compared here are public. */
export function equalBytes(left: Uint8Array, right: Uint8Array): boolean {
  if (left.length !== right.length) return false;
  for (let index = 0; index < left.length; index += 1) {
    if (left[index] !== right[index]) return false;
  }
  return true;
}

/** Whether a text has an ASCII control character (below U+0020) other than `allowed`. */
export function hasControl(text: string, allowed = ''): boolean {
  for (let at = 0; at < text.length; at += 1) {
    if (text.charCodeAt(at) < 0x20 && text.charAt(at) !== allowed) return true;
  }
  return false;
}

/** Unicode code points in a text. */
export const charactersIn = (text: string): number =>
  text.length - (text.match(/[\ud800-\udbff][\udc00-\udfff]/g)?.length ?? 0);

/** Reads a whole number in decimal without sign or leading zeros; null when malformed or not below 2^53. */
export function parseWholeNumber(text: string): number | null {
  if (!/^(0|[1-9][0-9]{0,15})$/.test(text)) return null;
  const value = Number(text);
  return Number.isSafeInteger(value) ? value : null;
}
