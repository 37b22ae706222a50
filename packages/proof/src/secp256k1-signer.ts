import { secp256k1 } from '@noble/curves/secp256k1.js';
import { keccak_256 } from '@noble/hashes/sha3.js';
import { toHex } from './encoding.ts';

/** The address of the key that made a signature, 40 hex digits; null where no key could have made it. */
export function signerOf(digest: Uint8Array, rs: Uint8Array, bit: number): string | null {
  if (bit !== 0 && bit !== 1) return null;
  try {
    const signature = secp256k1.Signature.fromBytes(rs, 'compact').addRecoveryBit(bit);
    return addressOfKey(signature.recoverPublicKey(digest).toBytes(false));
  } catch {
    return null;
  }
}

/** The address of a public key of 65 bytes, 40 hex digits. */
export const addressOfKey = (publicKey: Uint8Array): string =>
  toHex(keccak_256(publicKey.subarray(1)).subarray(12));
