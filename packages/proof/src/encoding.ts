import { bytesToHex, hexToBytes } from '@noble/hashes/utils.js';

const encoder = new TextEncoder();

/** Whether a string has no lone surrogate. (`String.prototype.isWellFormed` is newer than the oldest browsers.) */
export const isWellFormed = (text: string): boolean => !/\p{Surrogate}/u.test(text);

/** UTF-8 of a string. Lone surrogates become U+FFFD; check {@link isWellFormed} first where that matters. */
export function utf8(text: string): Uint8Array {
  return encoder.encode(text);
}

/** Lower-case hex, two digits a byte. */
export function toHex(bytes: Uint8Array): string {
  return bytesToHex(bytes);
}

/**
 * Reads hex as {@link toHex} writes it. Refuses upper case, odd lengths and everything else, so that each value has one spelling.
 * @returns the bytes, or null when malformed
 */
export function fromHex(text: string): Uint8Array | null {
  if (text.length % 2 !== 0 || !/^[0-9a-f]*$/.test(text)) return null;
  return hexToBytes(text);
}

const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';

/** The 6-bit value of each ASCII code, or -1. */
const SEXTETS = Int8Array.from({ length: 128 }, (_, code) => ALPHABET.indexOf(String.fromCharCode(code)));

/** Standard base64 with padding (RFC 4648, section 4). */
export function toBase64(bytes: Uint8Array): string {
  let text = '';
  for (let at = 0; at < bytes.length; at += 3) {
    const have = Math.min(3, bytes.length - at);
    const group = ((bytes[at] ?? 0) << 16) | ((bytes[at + 1] ?? 0) << 8) | (bytes[at + 2] ?? 0);
    text += ALPHABET.charAt(group >> 18) + ALPHABET.charAt((group >> 12) & 63);
    text += have > 1 ? ALPHABET.charAt((group >> 6) & 63) : '=';
    text += have > 2 ? ALPHABET.charAt(group & 63) : '=';
  }
  return text;
}

/**
 * Reads base64 exactly as {@link toBase64} writes it: padded, no white space, unused bits zero. A laxer reader
 * would let one signature be written in several ways.
 * @returns the bytes, or null when malformed
 */
export function fromBase64(text: string): Uint8Array | null {
  if (text.length % 4 !== 0) return null;
  const padding = text.endsWith('==') ? 2 : text.endsWith('=') ? 1 : 0;
  const digits = text.length - padding;
  const bytes = new Uint8Array((text.length / 4) * 3 - padding);
  let bits = 0;
  let held = 0;
  let at = 0;
  for (let index = 0; index < digits; index += 1) {
    const sextet = SEXTETS[text.charCodeAt(index)] ?? -1;
    if (sextet < 0) return null;
    bits = (bits << 6) | sextet;
    held += 6;
    if (held >= 8) {
      held -= 8;
      bytes[at] = bits >> held;
      at += 1;
      bits &= (1 << held) - 1;
    }
  }
  return bits === 0 ? bytes : null;
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
export function charactersIn(text: string): number {
  let count = text.length;
  for (let at = 1; at < text.length; at += 1)
    if ((text.charCodeAt(at) & 0xfc00) === 0xdc00 && (text.charCodeAt(at - 1) & 0xfc00) === 0xd800)
      count -= 1;
  return count;
}

/** Reads a whole number in decimal without sign or leading zeros; null when malformed or not below 2^53. */
export function parseWholeNumber(text: string): number | null {
  if (!/^(0|[1-9][0-9]{0,15})$/.test(text)) return null;
  const value = Number(text);
  return Number.isSafeInteger(value) ? value : null;
}
