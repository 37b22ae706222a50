import { describe, expect, test } from 'vitest';
import { equalBytes, fromBase64, fromHex, parseWholeNumber, toBase64, toHex, utf8 } from './encoding.ts';
import { sha256 } from './sha256.ts';

/** Deterministic bytes that differ for each length. */
function someBytes(length: number): Uint8Array {
  return Uint8Array.from({ length }, (_, at) => (at * 167 + length * 31) % 256);
}

describe('hex', () => {
  test('reads back what it wrote', () => {
    for (let length = 0; length < 70; length += 1) {
      expect(fromHex(toHex(someBytes(length)))).toEqual(someBytes(length));
    }
  });

  test.each(['0', 'ABCD', 'abcg', ' ab ', 'ab\n', '0xab', 'ab cd ', '١٢'])('refuses %j', (text) => {
    expect(fromHex(text)).toBeNull();
  });
});

describe('base64', () => {
  // RFC 4648, section 10.
  test.each([
    ['', ''],
    ['f', 'Zg=='],
    ['fo', 'Zm8='],
    ['foo', 'Zm9v'],
    ['foob', 'Zm9vYg=='],
    ['fooba', 'Zm9vYmE='],
    ['foobar', 'Zm9vYmFy'],
  ])('writes %j as %j', (plain, base64) => {
    expect(toBase64(utf8(plain))).toBe(base64);
    expect(fromBase64(base64)).toEqual(utf8(plain));
  });

  test('agrees with the built-in implementation for every length, in both directions', () => {
    for (let length = 0; length < 200; length += 1) {
      const bytes = someBytes(length);
      const expected = btoa(String.fromCharCode(...bytes));
      expect(toBase64(bytes)).toBe(expected);
      expect(fromBase64(expected)).toEqual(bytes);
    }
  });

  test.each([
    'Zg',
    'Zg=',
    'Zg===',
    'Z===',
    '====',
    '=',
    'Zh==',
    'Zm9=',
    'Zm9v\n',
    ' Zm9',
    'Zm-_',
    'Zm=v',
    'Zg==Zg==',
    'Zmé9',
  ])('refuses %j', (text) => {
    expect(fromBase64(text)).toBeNull();
  });
});

test('whole numbers have one spelling and stay exact', () => {
  expect(parseWholeNumber('0')).toBe(0);
  expect(parseWholeNumber('9007199254740991')).toBe(Number.MAX_SAFE_INTEGER);
  for (const text of [
    '',
    '00',
    '01',
    '-1',
    '+1',
    '1.0',
    '1e3',
    ' 1',
    '1\n',
    '9007199254740992',
    '99999999999999999',
    '١',
  ]) {
    expect(parseWholeNumber(text), text).toBeNull();
  }
});

test('equality compares every byte and the length', () => {
  expect(equalBytes(someBytes(33), someBytes(33))).toBe(true);
  expect(equalBytes(someBytes(33), someBytes(33).subarray(1))).toBe(false);
  for (let at = 0; at < 33; at += 1) {
    const changed = someBytes(33);
    changed[at] = (changed[at] ?? 0) ^ 1;
    expect(equalBytes(someBytes(33), changed)).toBe(false);
  }
});

// FIPS 180-4 examples.
test.each([
  ['', 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855'],
  ['abc', 'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad'],
])('SHA-256 of %j is the published digest', (text, digest) => {
  expect(toHex(sha256(utf8(text)))).toBe(digest);
});
