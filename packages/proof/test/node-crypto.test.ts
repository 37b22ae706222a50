/** Node's hash, and the signatures that a server makes and checks with Node, beside the portable ones. */
import { createPrivateKey, createPublicKey, type KeyObject, sign, verify } from 'node:crypto';
import { sha256 as portable } from '@noble/hashes/sha2.js';
import { describe, expect, test } from 'vitest';
import {
  Frontier,
  generateNoteKey,
  leafHash,
  type NoteSigner,
  type NoteVerifier,
  nobleSigner,
  nobleVerifier,
  openNote,
  parseSignerKey,
  rootOf,
  sha256,
  signNote,
} from '../src/index.ts';

/** The bytes before an Ed25519 seed in PKCS #8 and before a public key in SPKI (RFC 8410). */
const PKCS8_PREFIX = Buffer.from('302e020100300506032b657004220420', 'hex');
const SPKI_PREFIX = Buffer.from('302a300506032b6570032100', 'hex');

function keyObjects(seed: Uint8Array, publicKey: Uint8Array): { secret: KeyObject; open: KeyObject } {
  const der = (prefix: Uint8Array, key: Uint8Array) => Buffer.concat([prefix, key]);
  return {
    secret: createPrivateKey({ key: der(PKCS8_PREFIX, seed), format: 'der', type: 'pkcs8' }),
    open: createPublicKey({ key: der(SPKI_PREFIX, publicKey), format: 'der', type: 'spki' }),
  };
}

test("Node's SHA-256 gives the digests of the portable one", () => {
  for (const length of [0, 1, 55, 56, 64, 4095, 4096, 65_537]) {
    const data = Uint8Array.from({ length }, (_, at) => (at * 7) % 256);
    expect(sha256(data)).toEqual(portable(data));
  }
});

test('a digest shares no memory with another', () => {
  const told: Uint8Array[] = [];
  const leaf = leafHash('one');
  const frontier = new Frontier();
  frontier.append(leaf, (_level, _index, subtree) => told.push(subtree));
  const before = rootOf([leafHash('one')]);
  leaf.fill(0);
  expect(told[0]).toEqual(before);
  expect(frontier.root()).toEqual(before);
  expect(Frontier.fromBytes(Buffer.from(frontier.toBytes()))?.root()).toEqual(before);
});

describe("Node's Ed25519", () => {
  const { signerKey, verifierKey } = generateNoteKey('fairtick.example', new Uint8Array(32).fill(9));
  const parts = parseSignerKey(signerKey)!;
  const { name, keyId } = parts;
  const { secret, open } = keyObjects(parts.seed, parts.publicKey);
  const signer: NoteSigner = { name, keyId, sign: (message) => sign(null, message, secret) };
  const verifier: NoteVerifier = {
    name,
    keyId,
    verify: (message, signature) => verify(null, message, open, signature),
  };

  test('signs the same notes as the portable code, and each verifies the signatures of the other', () => {
    const [nobleS, nobleV] = [nobleSigner(signerKey)!, nobleVerifier(verifierKey)!];
    for (const text of ['a\n', 'zażółć\n\n', `${'long '.repeat(5000)}\n`]) {
      const note = signNote(text, signer);
      expect(note).toBe(signNote(text, nobleS));
      expect(openNote(note, [nobleV])?.text).toBe(text);
      expect(openNote(note, [verifier])?.text).toBe(text);
      expect(openNote(`x${note}`, [verifier])).toBeNull();
    }
  });
});
