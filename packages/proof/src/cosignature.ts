/**
 * Cosignatures of witnesses (C2SP tlog-cosignature, Ed25519, `cosignature/v1`). A cosignature states, with a time, that its
 * witness saw the log grow consistently up to this checkpoint. Cosignatures are lines of the checkpoint's note beside the log's
 * own.
 */
import { ed25519 } from '@noble/curves/ed25519.js';
import { utf8 } from './encoding.ts';
import type { NoteSignature, NoteSigner, NoteVerifier } from './note.ts';
import { COSIGNATURE_TYPE, parseSignerKey, parseVerifierKey, SIGNATURE_BYTES } from './note-key.ts';

const TIME_BYTES = 8;
const COSIGNATURE_BYTES = TIME_BYTES + SIGNATURE_BYTES;

/** A verifier of a witness's cosignatures, for its key string (type 0x04); null when the string is no such key. */
export function witnessVerifier(verifierKey: string): NoteVerifier | null {
  const key = parseVerifierKey(verifierKey, COSIGNATURE_TYPE);
  if (key === null) return null;
  return {
    name: key.name,
    keyId: key.keyId,
    verify: (message, signature) => {
      if (signature.length !== COSIGNATURE_BYTES) return false;
      const seconds = timeIn(signature);
      const signed = cosignedMessage(message, seconds);
      return ed25519.verify(signature.subarray(TIME_BYTES), signed, key.publicKey, { zip215: false });
    },
  };
}

/** A signer that cosigns with the time `timeMs`, for a witness's signer key string; null when the string is no such key. */
export function witnessSigner(signerKey: string, timeMs: number): NoteSigner | null {
  const key = parseSignerKey(signerKey, COSIGNATURE_TYPE);
  if (key === null) return null;
  const seconds = Math.floor(timeMs / 1000);
  return {
    name: key.name,
    keyId: key.keyId,
    sign: (message) => {
      const bytes = new Uint8Array(COSIGNATURE_BYTES);
      new DataView(bytes.buffer).setBigUint64(0, BigInt(seconds));
      bytes.set(ed25519.sign(cosignedMessage(message, seconds), key.seed), TIME_BYTES);
      return bytes;
    },
  };
}

/** The time stated in a cosignature, Unix seconds, above 2^53 not exactly; null when the signature is no cosignature. */
export function cosignedAt({ signature }: Pick<NoteSignature, 'signature'>): number | null {
  return signature.length === COSIGNATURE_BYTES ? Number(timeIn(signature)) : null;
}

const timeIn = (signature: Uint8Array): bigint =>
  new DataView(signature.buffer, signature.byteOffset).getBigUint64(0);

function cosignedMessage(text: Uint8Array, seconds: bigint | number): Uint8Array {
  const head = utf8(`cosignature/v1\ntime ${seconds}\n`);
  const message = new Uint8Array(head.length + text.length);
  message.set(head);
  message.set(text, head.length);
  return message;
}
