import { describe, expect, test } from 'vitest';
import { parseCheckpoint } from './checkpoint.ts';
import { cosignedAt, witnessSigner, witnessVerifier } from './cosignature.ts';
import { fromBase64 } from './encoding.ts';
import { type NoteSigner, type NoteVerifier, nobleVerifier, openNote, signNote } from './note.ts';
import { COSIGNATURE_TYPE, generateNoteKey } from './note-key.ts';

// A checkpoint of a Certificate Transparency log, the cosignature of a public witness, and both published keys; taken from the
// tests of public implementations of C2SP tlog-cosignature.
const TEXT =
  'arche2025h1.staging.ct.transparency.dev\n1432088532\nU7WM79jrzyhGZ5/GUBTpM7NzwdyfFx61t3RovgcC4Ro=\n';
const WITNESS_LINE =
  '— remora.n621.de 2net5wAAAABqEiEgPlfF3V06o0Y+fHM+J5J9s27wgxxcOVSpZ/2g/KSiXCg9DEZI+aVCIobWX9sXTynk5XeU/zZ0WBxtqB0DrAWfBw==\n';
const LOG_LINE =
  '— arche2025h1.staging.ct.transparency.dev ui8GwCF1+kWqZrxGdhj4aX3gcw7XUlXQQabg/27lefwhUkzbC3NygNI75MdhL1bfTW9g8Ei59RA23oHP7Ry1k3ZFWwQ=\n';
const WITNESS = 'remora.n621.de+da77ade7+BOvN63jn/bLvkieywe8R6UYAtVtNbZpXh34x7onlmtw2';
const LOG = 'arche2025h1.staging.ct.transparency.dev+ba2f06c0+AU0vHmlGCS/PdN8b2OaGmKprLI8HKM+dJ472xgFYh15f';

const witness = witnessVerifier(WITNESS) as NoteVerifier;
const log = nobleVerifier(LOG) as NoteVerifier;

describe('a published cosignature', () => {
  test('verifies beside the log’s own signature, and tells its time', () => {
    const note = openNote(`${TEXT}\n${LOG_LINE}${WITNESS_LINE}`, [log, witness]);
    expect(note?.verified.map(({ name }) => name)).toEqual([log.name, witness.name]);
    expect(parseCheckpoint(note?.text ?? '')?.size).toBe(1_432_088_532);
    expect(cosignedAt(note?.verified[1] ?? { signature: new Uint8Array(0) })).toBe(0x6a12_2120);
  });

  test('has the time that other implementations read', () => {
    // From the tests of github.com/transparency-dev/formats/note.
    const bytes = fromBase64(
      'ZGhGuQAAAABm/qTPeyKXD+R2rzyQsxPiP8mXum7qq/iF0u4vanlqJyocWODBt97w9uL+8qT7S5gxEHWWOworDcFiEBYJXORmnFBOBA==',
    ) as Uint8Array;
    expect(cosignedAt({ signature: bytes.subarray(4) })).toBe(1_727_964_367);
    expect(cosignedAt({ signature: bytes.subarray(12) })).toBe(null);
  });

  test('is refused when a part of its note is changed', () => {
    const changed = `${TEXT}\n${LOG_LINE}${WITNESS_LINE}`;
    for (const [from, to] of [
      ['1432088532', '1432088533'],
      ['2net5wAAAABqEiEg', '2net5wAAAABqEiEh'],
      ['AWfBw==', 'AWfCw=='],
    ] as const) {
      expect(openNote(changed.replace(from, to), [witness]), from).toBe(null);
    }
  });
});

describe('keys of witnesses', () => {
  const { signerKey, verifierKey } = generateNoteKey(
    'witness.example/w1',
    new Uint8Array(32).fill(9),
    COSIGNATURE_TYPE,
  );

  test('make a cosignature that only their own verifier accepts', () => {
    const signer = witnessSigner(signerKey, 1_780_000_000_999) as NoteSigner;
    const verifier = witnessVerifier(verifierKey) as NoteVerifier;
    const note = openNote(signNote(TEXT, signer), [verifier]);
    expect(note?.verified.map((line) => cosignedAt(line))).toEqual([1_780_000_000]);
    expect(openNote(signNote(TEXT.replace('14', '15'), signer), [verifier])).not.toBe(null);
    const strange = generateNoteKey('witness.example/w1', new Uint8Array(32).fill(8), COSIGNATURE_TYPE);
    expect(openNote(signNote(TEXT, signer), [witnessVerifier(strange.verifierKey) as NoteVerifier])).toBe(
      null,
    );
  });

  test('sign any time of 64 bits', () => {
    const signer = witnessSigner(signerKey, 2 ** 63) as NoteSigner;
    const note = openNote(signNote(TEXT, signer), [witnessVerifier(verifierKey) as NoteVerifier]);
    expect(note?.verified.map((line) => cosignedAt(line))).toEqual([9_223_372_036_854_776]);
  });

  test('are not accepted as keys of logs, nor keys of logs as theirs', () => {
    expect(witnessVerifier(LOG)).toBe(null);
    expect(nobleVerifier(WITNESS)).toBe(null);
    const plain = generateNoteKey('witness.example/w1', new Uint8Array(32).fill(9));
    expect(witnessSigner(plain.signerKey, 0)).toBe(null);
    expect(plain.verifierKey).not.toBe(verifierKey);
  });
});
