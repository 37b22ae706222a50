import { createHash } from 'node:crypto';
import { createBase58check } from '@scure/base';

/** The encoding of extended keys and of TRON's addresses. Both directions throw where the input is malformed. */
export const base58check = createBase58check(
  (bytes: Uint8Array) => new Uint8Array(createHash('sha256').update(bytes).digest()),
);

/** What TRON's addresses of 21 bytes begin with. */
const TRON_PREFIX = 0x41;

/** @param account 40 hex digits, as logs have them */
export const tronAddressOf = (account: string): string =>
  base58check.encode(Uint8Array.from([TRON_PREFIX, ...Buffer.from(account, 'hex')]));

/** The 40 hex digits of an address, as logs have them; null: it is no address of TRON. */
export function tronAccountOf(address: string): string | null {
  try {
    const [prefix, ...account] = base58check.decode(address);
    return prefix === TRON_PREFIX && account.length === 20 ? Buffer.from(account).toString('hex') : null;
  } catch {
    return null;
  }
}
