import { equalBytes, fromHex, utf8 } from './encoding.ts';
import { HASH_BYTES, sha256 } from './sha256.ts';

/**
 * A Merkle sum tree: the amounts owed to every customer in one asset. Each node hashes both child sums, so that a total can't
 * hide a leaf. Sums are 16 bytes, big-endian, and never above {@link MAX_SUM}, so none can overflow, and any negative number in
 * two's complement is far above the bound.
 *
 *   leaf  H(0x00 ‖ nonce ‖ customer ‖ amount)       nonce: 32 bytes; customer: the UTF-8 of the id after one byte of its length
 *   node  H(0x01 ‖ sum left ‖ hash left ‖ sum right ‖ hash right)
 */
export interface SumNode {
  /** In the asset's smallest unit. */
  readonly sum: bigint;
  readonly hash: Uint8Array;
}

export interface OwedLeaf {
  /** 32 random bytes, which prevent others from guessing a leaf's content. */
  readonly nonce: Uint8Array;
  readonly customer: string;
  readonly amount: bigint;
}

export const MAX_SUM = (1n << 126n) - 1n;
const NONCE_BYTES = 32;
/** Maximum depth: allows more customers than there are people. */
const MAX_SUM_DEPTH = 40;
const SUM_BYTES = 16;
const MAX_CUSTOMER_BYTES = 255;

/** @throws RangeError for a bad nonce or customer id, or an amount that is negative or above {@link MAX_SUM} */
export function owedLeaf({ nonce, customer, amount }: OwedLeaf): SumNode {
  const name = utf8(customer);
  if (nonce.length !== NONCE_BYTES || name.length > MAX_CUSTOMER_BYTES || !isSum(amount))
    throw new RangeError('not a leaf of what is owed');
  const bytes = new Uint8Array(1 + NONCE_BYTES + 1 + name.length + SUM_BYTES);
  bytes.set(nonce, 1);
  bytes[1 + NONCE_BYTES] = name.length;
  bytes.set(name, 2 + NONCE_BYTES);
  bytes.set(sumBytes(amount), 2 + NONCE_BYTES + name.length);
  return { sum: amount, hash: sha256(bytes) };
}

/** @throws RangeError if a sum is out of bounds */
export function sumNode(left: SumNode, right: SumNode): SumNode {
  const sum = left.sum + right.sum;
  if (!isSum(left.sum) || !isSum(right.sum) || !isSum(sum)) throw new RangeError('a sum is out of bounds');
  const bytes = new Uint8Array(1 + 2 * (SUM_BYTES + HASH_BYTES));
  bytes[0] = 0x01;
  bytes.set(sumBytes(left.sum), 1);
  bytes.set(left.hash, 1 + SUM_BYTES);
  bytes.set(sumBytes(right.sum), 1 + SUM_BYTES + HASH_BYTES);
  bytes.set(right.hash, 1 + 2 * SUM_BYTES + HASH_BYTES);
  return { sum, hash: sha256(bytes) };
}

/** All levels, the leaves first. @param leaves a power of two of them: the caller pads with zero leaves of no customer */
export function sumTree(leaves: readonly SumNode[]): SumNode[][] {
  if (leaves.length < 2 || (leaves.length & (leaves.length - 1)) !== 0)
    throw new RangeError('a sum tree has a power of two of leaves');
  const levels: SumNode[][] = [[...leaves]];
  for (let below = levels[0] as SumNode[]; below.length > 1; below = levels.at(-1) as SumNode[]) {
    const level: SumNode[] = [];
    for (let at = 0; at < below.length; at += 2)
      level.push(sumNode(below[at] as SumNode, below[at + 1] as SumNode));
    levels.push(level);
  }
  return levels;
}

/** The proof given to a customer: their own leaf and its siblings on the way up. Sums are decimal strings. */
export interface OwedProof {
  readonly customer: string;
  /** 64 hex digits, like the hashes. */
  readonly nonce: string;
  readonly amount: string;
  readonly place: number;
  readonly path: readonly { readonly sum: string; readonly hash: string }[];
}

/**
 * Whether an amount owed is in the tree with this root and total. It proves that the amount was counted, and that no sum on its
 * way up is negative or overflows. To publish a smaller total, an operator must leave a customer out, and that customer's check
 * fails.
 * @returns null if it is; otherwise the check that failed
 */
export function checkOwed(
  proof: OwedProof,
  root: { readonly total: bigint; readonly hash: string },
): 'form' | 'bounds' | 'root' | 'total' | null {
  const { customer, place, path } = proof;
  const nonce = fromHex(proof.nonce);
  const amount = readSum(proof.amount);
  const isShaped =
    nonce?.length === NONCE_BYTES &&
    utf8(customer).length <= MAX_CUSTOMER_BYTES &&
    path.length >= 1 &&
    path.length <= MAX_SUM_DEPTH &&
    Number.isSafeInteger(place) &&
    place >= 0 &&
    place < 2 ** path.length;
  if (!isShaped || amount === null) return 'form';
  if (!isSum(amount)) return 'bounds';
  let node = owedLeaf({ nonce, customer, amount });
  for (const [depth, one] of path.entries()) {
    const sum = readSum(one.sum);
    const neighbour = fromHex(one.hash);
    if (sum === null || neighbour?.length !== HASH_BYTES) return 'form';
    if (!isSum(sum) || !isSum(sum + node.sum)) return 'bounds';
    const other = { sum, hash: neighbour };
    const isLeft = Math.floor(place / 2 ** depth) % 2 === 0;
    node = isLeft ? sumNode(node, other) : sumNode(other, node);
  }
  const wanted = fromHex(root.hash);
  if (wanted === null || !equalBytes(node.hash, wanted)) return 'root';
  return node.sum === root.total ? null : 'total';
}

/** The log entry `liabilities|4|date|timeMs|asset|total|rootHash|ledgerHead`. */
export interface LiabilitiesEntry {
  readonly date: string;
  /** When the balances were taken, Unix ms; not the time of the entry. */
  readonly timeMs: number;
  readonly asset: string;
  /** With the asset's decimals. */
  readonly total: string;
  readonly root: string;
  /** The head of the ledger's chain that covers all movements in the balances and no others; 64 lower-case hex digits. */
  readonly ledgerHead: string;
}

const LIABILITIES =
  /^liabilities\|4\|(?<date>\d{4}-\d{2}-\d{2})\|(?<timeMs>0|[1-9]\d{0,14})\|(?<asset>[A-Z]{2,8})\|(?<total>(?:0|[1-9]\d{0,37})(?:\.\d{1,18})?)\|(?<root>[0-9a-f]{64})\|(?<ledgerHead>[0-9a-f]{64})$/;

/** Null unless exactly in the grammar. */
export function parseLiabilities(text: string): LiabilitiesEntry | null {
  const fields = LIABILITIES.exec(text)?.groups as Record<keyof LiabilitiesEntry, string> | undefined;
  return fields ? { ...fields, timeMs: Number(fields.timeMs) } : null;
}

const isSum = (value: bigint): boolean => value >= 0n && value <= MAX_SUM;

/** Whole smallest units, also above the bound: the caller distinguishes out of bounds from malformed. */
function readSum(text: string): bigint | null {
  return /^-?(0|[1-9]\d{0,59})$/.test(text) ? BigInt(text) : null;
}

function sumBytes(value: bigint): Uint8Array {
  const bytes = new Uint8Array(SUM_BYTES);
  const view = new DataView(bytes.buffer);
  view.setBigUint64(0, value >> 64n);
  view.setBigUint64(8, BigInt.asUintN(64, value));
  return bytes;
}
