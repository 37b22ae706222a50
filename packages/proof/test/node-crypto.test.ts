/**
 * The Node implementations that a server passes in place of the portable hash and signatures. They are outside src because src
 * must not depend on Node.
 */
import { createPrivateKey, createPublicKey, hash, type KeyObject, sign, verify } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import {
  consistencyProof,
  Frontier,
  generateNoteKey,
  inclusionProof,
  leafHash,
  type NoteSigner,
  type NoteVerifier,
  nobleSigner,
  nobleVerifier,
  openNote,
  parseSignerKey,
  rootOf,
  type Sha256,
  signNote,
  verifyConsistency,
  verifyInclusion,
} from '../src/index.ts';

const nodeSha256: Sha256 = (data) => hash('sha256', data, 'buffer');

/** Several times as fast as requesting a Buffer, whose memory Node allocates outside the JavaScript heap. */
const fastSha256: Sha256 = (data) => {
  const digest = hash('sha256', data, 'binary');
  const bytes = new Uint8Array(32);
  for (let at = 0; at < bytes.length; at += 1) bytes[at] = digest.charCodeAt(at);
  return bytes;
};

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

describe.each([
  ['as a Buffer', nodeSha256],
  ['as a string', fastSha256],
])("Node's SHA-256 %s", (_form, native256) => {
  const entries = Array.from({ length: 40 }, (_, index) => 'entry '.repeat(index));
  const portable = entries.map((entry) => leafHash(entry));
  const native = entries.map((entry) => leafHash(entry, native256));

  test('gives the same trees and proofs', () => {
    const frontier = new Frontier(native256);
    frontier.appendMany(native);
    expect(Buffer.from(frontier.root())).toEqual(Buffer.from(rootOf(portable)));
    const [root, oldRoot] = [rootOf(native, native256), rootOf(native.slice(0, 13), native256)];
    for (let index = 0; index < entries.length; index += 1) {
      const proof = inclusionProof(native, index, native256);
      const claim = { index, size: 40, leaf: portable[index]!, proof, root };
      expect(verifyInclusion(claim)).toBe(true);
      expect(verifyInclusion(claim, native256)).toBe(true);
    }
    const proof = consistencyProof(native, 13, native256);
    expect(verifyConsistency({ oldSize: 13, oldRoot, newSize: 40, newRoot: root, proof })).toBe(true);
  });

  test('results share no memory, although slices of a Buffer do', () => {
    const told: Uint8Array[] = [];
    const leaf = leafHash('one', native256);
    const frontier = new Frontier(native256);
    frontier.append(leaf, (_level, _index, subtree) => told.push(subtree));
    const before = rootOf([leafHash('one')]);
    leaf.fill(0);
    expect(told[0]).toEqual(before);
    expect(frontier.root()).toEqual(before);
    expect(Frontier.fromBytes(Buffer.from(frontier.toBytes()))?.root()).toEqual(before);
  });
});

describe("Node's Ed25519", () => {
  const { signerKey, verifierKey } = generateNoteKey('fairtick.example', new Uint8Array(32).fill(9));
  const parts = parseSignerKey(signerKey, nodeSha256)!;
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
