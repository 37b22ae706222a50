import { sha256 } from '@noble/hashes/sha2.js';
import { createBase58check, hex } from '@scure/base';

/** The encoding of extended keys and of TRON's addresses. Both directions throw where the input is malformed. */
export const base58check = createBase58check(sha256);

/** The first byte of each TRON address, which has 21 bytes. */
const TRON_PREFIX = '41';

/** @param account 40 hex digits, as logs have them */
export const tronAddressOf = (account: string): string =>
  base58check.encode(hex.decode(`${TRON_PREFIX}${account}`));

/** The 40 hex digits of an address, as logs have them; null: it is no address of TRON. */
export function tronAccountOf(address: string): string | null {
  try {
    const bytes = hex.encode(base58check.decode(address));
    return /^41[0-9a-f]{40}$/.test(bytes) ? bytes.slice(2) : null;
  } catch {
    return null;
  }
}
