import { describe, expect, test } from 'vitest';
import { toBase64, utf8 } from './encoding.ts';
import {
  MAX_NOTE_BYTES,
  MAX_NOTE_SIGNATURES,
  type NoteSigner,
  type NoteVerifier,
  nobleSigner,
  nobleVerifier,
  openNote,
  signNote,
} from './note.ts';
import { formatVerifierKey, generateNoteKey, isKeyName, keyIdOf, parseVerifierKey } from './note-key.ts';

// The keys, text and signatures from the documentation and tests of the Go package golang.org/x/mod/sumdb/note.
const PETER_SIGNER = 'PRIVATE+KEY+PeterNeumann+c74f20a3+AYEKFALVFGyNhPJEMzD1QIDr+Y7hfZx09iUvxdXHKDFz';
const PETER = 'PeterNeumann+c74f20a3+ARpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TW';
const ENOCH = 'EnochRoot+af0cfe78+ATtqJ7zOtqQtYqOo0CpvDXNlMhV3HeJDpjrASKGLWdop';
const TEXT =
  "If you think cryptography is the answer to your problem,\nthen you don't know what your problem is.\n";
const PETER_LINE =
  '— PeterNeumann x08go/ZJkuBS9UG/SffcvIAQxVBtiFupLLr8pAcElZInNIuGUgYN1FFYC2pZSNXgKvqfqdngotpRZb6KE6RyyBwJnAM=\n';
const ENOCH_LINE =
  '— EnochRoot rwz+eBzmZa0SO3NbfRGzPCpDckykFXSdeX+MNtCOXm2/5n2tiOHp+vAF1aGrQ5ovTG01oOTGwnWLox33WWd1RvMc+QQ=\n';

function signerOf(key: string): NoteSigner {
  const signer = nobleSigner(key);
  if (signer === null) throw new Error('not a signer key');
  return signer;
}

function verifierOf(key: string): NoteVerifier {
  const verifier = nobleVerifier(key);
  if (verifier === null) throw new Error('not a verifier key');
  return verifier;
}

const peter = verifierOf(PETER);
const enoch = verifierOf(ENOCH);

/** A key pair from a seed of 32 equal bytes. */
function keyFrom(name: string, byte: number): { signer: NoteSigner; verifier: NoteVerifier } {
  const { signerKey, verifierKey } = generateNoteKey(name, new Uint8Array(32).fill(byte));
  return { signer: signerOf(signerKey), verifier: verifierOf(verifierKey) };
}

describe('published notes', () => {
  test('the example of the C2SP specification verifies', () => {
    const key = 'example.com/foo+530d903a+AekyeRrm56hApGFkyQR4ZCbV54Id2LKaANYcrnKv3U2k';
    const line =
      '— example.com/foo Uw2QOkn8srV1yJGh2VYRlL1Tnagv1YEq6TfXppzi2ONncAlTgK7Ztg1ERYNZXsYjOBH3mFXmRKuwHjG1Yu72IneyaQM=\n';
    const note = `This is an example message.\n\n${line}`;
    expect(openNote(note, [verifierOf(key)])?.text).toBe('This is an example message.\n');
  });

  test('signing gives the published signature', () => {
    expect(signNote(TEXT, signerOf(PETER_SIGNER))).toBe(`${TEXT}\n${PETER_LINE}`);
  });

  test('a signature of an unknown key is returned as unverified', () => {
    const opened = openNote(`${TEXT}\n${PETER_LINE}${ENOCH_LINE}`, [peter]);
    expect(opened?.text).toBe(TEXT);
    expect(opened?.verified.map(({ name, keyId }) => [name, keyId])).toEqual([['PeterNeumann', 0xc74f20a3]]);
    expect(opened?.unverified.map(({ name, keyId }) => [name, keyId])).toEqual([['EnochRoot', 0xaf0cfe78]]);
    expect(opened?.verified[0]?.signature).toHaveLength(64);
  });

  test('signatures of two known keys are both verified', () => {
    const opened = openNote(`${TEXT}\n${PETER_LINE}${ENOCH_LINE}`, [enoch, peter]);
    expect(opened?.verified.map(({ name }) => name)).toEqual(['PeterNeumann', 'EnochRoot']);
    expect(opened?.unverified).toEqual([]);
  });

  test('a note without a known signature is refused', () => {
    expect(openNote(`${TEXT}\n${PETER_LINE}${ENOCH_LINE}`, [])).toBeNull();
    expect(openNote(`${TEXT}\n${ENOCH_LINE}`, [peter])).toBeNull();
  });

  test('a repeated signature line counts once', () => {
    const changed = `${ENOCH_LINE.slice(0, 60)}ABCD${ENOCH_LINE.slice(60)}`;
    const lines = PETER_LINE + PETER_LINE + ENOCH_LINE + ENOCH_LINE + changed;
    const opened = openNote(`${TEXT}\n${lines}`, [peter]);
    expect(opened?.verified).toHaveLength(1);
    expect(opened?.unverified).toHaveLength(2);
  });

  test('a false signature of a known key makes the note refused', () => {
    const changed = `${PETER_LINE.slice(0, 60)}ABCD${PETER_LINE.slice(60)}`;
    expect(openNote(`${TEXT}\n${changed}`, [peter])).toBeNull();
    expect(openNote(`${TEXT}\n${PETER_LINE}${changed}`, [peter])).toBeNull();
    expect(openNote(`${TEXT}\n${changed}${ENOCH_LINE}`, [peter, enoch])).toBeNull();
  });

  test('two verifiers for one key throw if the note has its signature', () => {
    expect(() => openNote(`${TEXT}\n${ENOCH_LINE}`, [enoch, peter, enoch])).toThrow('EnochRoot');
    expect(openNote(`${TEXT}\n${PETER_LINE}`, [enoch, peter, enoch])).not.toBeNull();
  });

  test.each([
    ['no signatures', TEXT],
    ['no signature lines', `${TEXT}\n`],
    ['no last newline', `${TEXT}\n${PETER_LINE.slice(0, -1)}`],
    ['no blank line', `${TEXT}${PETER_LINE}`],
    ['a control character', `\x01${TEXT}\n${PETER_LINE}`],
    ['a carriage return', `${TEXT}\n${PETER_LINE.slice(0, -1)}\r\n`],
    ['a lone surrogate', `\ud800${TEXT}\n${PETER_LINE}`],
    ['a name with a space', `${TEXT}\n${PETER_LINE.replace('PeterNeumann', 'Bad Name')}`],
    ['another kind of line', `${TEXT}\n${PETER_LINE}Unexpected line.\n`],
    ['a blank line at the end', `${TEXT}\n${PETER_LINE}\n`],
    ['a hyphen for the dash', `${TEXT}\n${PETER_LINE.replace('—', '-')}`],
    ['a malformed line of an unknown key', `${TEXT}\n${PETER_LINE}— Unknown AAAA\n`],
    ['a key name with a plus', `${TEXT}\n${PETER_LINE}${ENOCH_LINE.replace('EnochRoot', 'Enoch+Root')}`],
    ['no key name', `${TEXT}\n${PETER_LINE}${ENOCH_LINE.replace('EnochRoot', '')}`],
    ['base64 with spaces', `${TEXT}\n${PETER_LINE.replace('=', '= ')}`],
    ['base64 with loose bits', `${TEXT}\n${PETER_LINE.replace('AM=', 'AN=')}`],
    ['nothing', ''],
  ])('refuses %s', (_what, note) => {
    expect(openNote(note, [peter])).toBeNull();
  });

  test('every changed byte of text or signature makes the note refused', () => {
    const note = `${TEXT}\n${PETER_LINE}`;
    const taken: string[] = [];
    for (let at = 0; at < note.length; at += 1) {
      const changed = note.slice(0, at) + String.fromCharCode(note.charCodeAt(at) ^ 1) + note.slice(at + 1);
      if (openNote(changed, [peter]) !== null) taken.push(changed);
    }
    expect(taken).toEqual([]);
  });
});

describe('limits', () => {
  const keys = Array.from({ length: MAX_NOTE_SIGNATURES + 1 }, (_, at) => keyFrom(`key-${at}`, at));
  const [first, ...rest] = keys.map(({ signer }) => signer);

  test('a note has at most sixteen signatures', () => {
    const note = signNote(TEXT, first!, ...rest.slice(0, -1));
    expect(
      openNote(
        note,
        keys.map(({ verifier }) => verifier),
      )?.verified,
    ).toHaveLength(16);
    expect(() => signNote(TEXT, first!, ...rest)).toThrow(RangeError);
    const last = signNote(TEXT, rest.at(-1)!);
    const tooMany = note + last.slice(TEXT.length + 1);
    expect(
      openNote(
        tooMany,
        keys.map(({ verifier }) => verifier),
      ),
    ).toBeNull();
    expect(openNote(`${TEXT}\n${PETER_LINE.repeat(17)}`, [peter])).toBeNull();
  });

  test('a note has at most the allowed number of bytes', () => {
    const signer = signerOf(PETER_SIGNER);
    const overhead = utf8(signNote('\n', signer)).length;
    const text = `${'a'.repeat(MAX_NOTE_BYTES - overhead)}\n`;
    const note = signNote(text, signer);
    expect(utf8(note)).toHaveLength(MAX_NOTE_BYTES);
    expect(openNote(note, [peter])?.text).toBe(text);
    expect(() => signNote(`a${text}`, signer)).toThrow(RangeError);
    expect(openNote(`a${note}`, [peter])).toBeNull();
    const wide = `${'€'.repeat(MAX_NOTE_BYTES / 3)}\n`;
    expect(() => signNote(wide, signer)).toThrow(RangeError);
    const signature = toBase64(Uint8Array.of(0xc7, 0x4f, 0x20, 0xa3, ...signer.sign(utf8(wide))));
    const tooWide = `${wide}\n— PeterNeumann ${signature}\n`;
    expect(tooWide.length).toBeLessThan(MAX_NOTE_BYTES);
    expect(openNote(tooWide, [peter])).toBeNull();
  });
});

describe('texts', () => {
  const signer = signerOf(PETER_SIGNER);

  test.each(['\n', 'one\n', 'blank\n\nlines\n\n', '\n\n\n', `${TEXT}\n${ENOCH_LINE}`, 'zażółć €\u{1f40c}\n'])(
    '%j comes back as it was',
    (text) => {
      const opened = openNote(signNote(text, signer), [peter]);
      expect(opened?.text).toBe(text);
      expect(opened?.unverified).toEqual([]);
    },
  );

  test.each(['', 'no newline', 'a\tb\n', 'a\r\n', 'a\0\n', '\ud800\n'])('%j can not be signed', (text) => {
    expect(() => signNote(text, signer)).toThrow(RangeError);
  });

  test('a signer with a bad name or an empty signature throws', () => {
    expect(() => signNote(TEXT, { ...signer, name: 'bad name' })).toThrow(RangeError);
    expect(() => signNote(TEXT, { ...signer, sign: () => new Uint8Array(0) })).toThrow(RangeError);
  });

  test('a signature of another length or value does not verify', () => {
    const message = utf8(TEXT);
    const signature = signer.sign(message);
    expect(peter.verify(message, signature)).toBe(true);
    expect(peter.verify(message, signature.subarray(1))).toBe(false);
    expect(peter.verify(message, Uint8Array.of(...signature, 0))).toBe(false);
    expect(peter.verify(message, new Uint8Array(64))).toBe(false);
  });

  test('a signature with a second encoding of its scalar does not verify', () => {
    // S + L is the same scalar; RFC 8032, section 5.1.7, requires that it be refused.
    const order = 2n ** 252n + 27742317777372353535851937790883648493n;
    const signature = signer.sign(utf8(TEXT)).slice();
    let scalar = 0n;
    for (const byte of signature.subarray(32).toReversed()) scalar = scalar * 256n + BigInt(byte);
    scalar += order;
    for (let at = 32; at < 64; at += 1) {
      signature[at] = Number(scalar & 0xffn);
      scalar >>= 8n;
    }
    expect(peter.verify(utf8(TEXT), signature)).toBe(false);
  });
});

describe('keys', () => {
  /** Every proper part of the key string, and every version with one character changed. */
  function* manglings(key: string): Generator<string> {
    for (let from = 0; from <= key.length; from += 1) {
      for (let to = from + 1; to <= key.length; to += 1) {
        if (to - from !== key.length) yield key.slice(from, to);
      }
    }
    for (let at = 0; at < key.length; at += 1) {
      yield key.slice(0, at) + String.fromCharCode(key.charCodeAt(at) + 1) + key.slice(at + 1);
    }
  }

  test('a mangled verifier key is refused', () => {
    expect([...manglings(PETER)].filter((key) => nobleVerifier(key) !== null)).toEqual([]);
  });

  test('a mangled signer key is refused', () => {
    expect([...manglings(PETER_SIGNER)].filter((key) => nobleSigner(key) !== null)).toEqual([]);
  });

  test.each([
    [
      'a longer key with its id',
      'PeterNeumann+cc469956+ARpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TWBADKEY==',
    ],
    ['another type with its id', 'PeterNeumann+173116ae+ZRpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TW'],
    ['an id in upper case', PETER.replace('c74f20a3', 'C74F20A3')],
    ['a signer key', PETER_SIGNER],
    ['a very long name', `${'a'.repeat(100_000)}+c74f20a3+AR`],
    ['nothing', ''],
  ])('refuses %s', (_what, key) => {
    expect(nobleVerifier(key)).toBeNull();
  });

  test('a key that is no point of the curve is refused, and a key of small order verifies nothing', () => {
    const notAPoint = new Uint8Array(32).fill(0xff);
    expect(nobleVerifier(formatVerifierKey('a', notAPoint))).toBeNull();
    const identity = Uint8Array.of(1, ...new Uint8Array(31));
    const smallOrder = nobleVerifier(formatVerifierKey('a', identity));
    const anyText = Uint8Array.of(...identity, ...new Uint8Array(32));
    expect(smallOrder?.verify(utf8('any text'), anyText) ?? false).toBe(false);
  });

  test('a generated key signs and verifies, also with a plus in its base64', () => {
    let withPlus = 0;
    for (let byte = 0; byte < 64; byte += 1) {
      const { signerKey, verifierKey } = generateNoteKey('EnochRoot', new Uint8Array(32).fill(byte));
      if (verifierKey.split('+').length > 3) withPlus += 1;
      expect(openNote(signNote(TEXT, signerOf(signerKey)), [verifierOf(verifierKey)])).not.toBeNull();
    }
    expect(withPlus).toBeGreaterThan(0);
  });

  test('a verifier key is split into its parts and formatted again', () => {
    const key = parseVerifierKey(PETER);
    expect(key?.name).toBe('PeterNeumann');
    expect(keyIdOf('PeterNeumann', key?.publicKey ?? new Uint8Array(32))).toBe(0xc74f20a3);
    expect(formatVerifierKey('PeterNeumann', key?.publicKey ?? new Uint8Array(32))).toBe(PETER);
    expect(toBase64(Uint8Array.of(1, ...(key?.publicKey ?? [])))).toBe(PETER.split('+').slice(2).join('+'));
  });

  test('a bad name or length throws', () => {
    expect(() => generateNoteKey('a b', new Uint8Array(32))).toThrow(RangeError);
    expect(() => generateNoteKey('a', new Uint8Array(31))).toThrow(RangeError);
    expect(() => keyIdOf('a', new Uint8Array(33))).toThrow(RangeError);
  });

  test.each(['a', 'example.com/log', 'zażółć', '蝸牛', '\u{1f40c}', '\ufeff', 'a\u200bb'])(
    '%j is a valid key name',
    (name) => {
      expect(isKeyName(name)).toBe(true);
    },
  );

  const SPACES = [
    0x09, 0x0a, 0x0b, 0x0c, 0x0d, 0x20, 0x85, 0xa0, 0x1680, 0x2000, 0x200a, 0x2028, 0x2029, 0x202f, 0x205f,
    0x3000,
  ];
  test.each([
    '',
    'a+b',
    '+',
    'a\0',
    'a\x1f',
    '\ud800',
    ...SPACES.map((code) => `a${String.fromCharCode(code)}b`),
  ])('%j is not a valid key name', (name) => {
    expect(isKeyName(name)).toBe(false);
  });
});
