import { fromHex } from './encoding.ts';
import { leafHash, verifyInclusion } from './merkle.ts';
import type { RangedVerifier } from './rotation.ts';
import { HASH_BYTES } from './sha256.ts';
import { isInLog, type LoggedRoot } from './verify-owed.ts';

/** That a customer's address for deposits is a leaf of the tree whose root is in the log. */
export interface AddressClaim {
  readonly chain: string;
  readonly address: string;
  readonly customer: string;
  /** 64 hex digits, which prevent others from finding whose address it is. */
  readonly salt: string;
  readonly place: number;
  readonly size: number;
  /** 64 hex digits, like the hashes of the proof. */
  readonly root: string;
  readonly proof: readonly string[];
  readonly logged: LoggedRoot | null;
}

/**
 * - `address`: of another address or another customer
 * - `tree`: the leaf is not in the tree
 * - `unlogged`: not in the log yet; ask again later
 * - `entry`: the log's entry differs
 * - `log`: the entry is not in the log of a checkpoint with a trusted signature
 */
export type AddressFault = 'address' | 'tree' | 'unlogged' | 'entry' | 'log';

/** The log entry `addresses|4|timeMs|size|root`. */
export interface AddressesEntry {
  readonly timeMs: number;
  readonly size: number;
  readonly root: string;
}

const ADDRESSES = /^addresses\|4\|(0|[1-9]\d{0,14})\|([1-9]\d{0,9})\|([0-9a-f]{64})$/;

/** Null unless exactly in the grammar. */
export function parseAddresses(text: string): AddressesEntry | null {
  const [, timeMs, size, root] = ADDRESSES.exec(text) ?? [];
  return root === undefined ? null : { timeMs: Number(timeMs), size: Number(size), root };
}

/** Null if the log says that this address is this customer's. */
export function verifyAddress(
  claim: AddressClaim,
  { address, customer, keys }: { address: string; customer: string; keys: readonly RangedVerifier[] },
): AddressFault | null {
  const { chain, salt, place, size, logged } = claim;
  if (claim.address !== address || claim.customer !== customer) return 'address';
  const [root, ...proof] = [claim.root, ...claim.proof].map(fromHex);
  const isWhole = (hash: Uint8Array | null | undefined): hash is Uint8Array<ArrayBuffer> =>
    hash?.length === HASH_BYTES;
  if (!isWhole(root) || !proof.every(isWhole)) return 'tree';
  const leaf = leafHash(['address', 4, chain, address, customer, salt].join('|'));
  if (!verifyInclusion({ index: place, size, leaf, proof, root })) return 'tree';
  if (logged === null) return 'unlogged';
  const said = parseAddresses(logged.entry);
  if (said === null || said.size !== size || said.root !== claim.root) return 'entry';
  return isInLog(logged, keys) ? null : 'log';
}
