import { createPublicKey, verify } from 'node:crypto';
import { type NoteVerifier, parseVerifierKey } from '@fairtick/proof';

/** The prefix of an Ed25519 public key in SPKI form (RFC 8410). */
const SPKI_PREFIX = Buffer.from('302a300506032b6570032100', 'hex');

/** A verifier on Node's own Ed25519, some twenty times as fast as the portable one; null when the string is no verifier key. */
export function nativeVerifier(verifierKey: string): NoteVerifier | null {
  const parsed = parseVerifierKey(verifierKey);
  if (parsed === null) return null;
  const key = createPublicKey({
    key: Buffer.concat([SPKI_PREFIX, parsed.publicKey]),
    format: 'der',
    type: 'spki',
  });
  const { name, keyId } = parsed;
  return { name, keyId, verify: (message, signature) => verify(null, message, key, signature) };
}
