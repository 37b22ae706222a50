import { equalBytes, fromHex, utf8 } from './encoding.ts';
import { HASH_BYTES, type Sha256, sha256 } from './sha256.ts';

/**
 * A Merkle tree that adds up: what is owed to every customer in one asset. Both sums are hashed into each node, so that nothing
 * can hide behind a total. Sums are 16 bytes, big-endian, and never above {@link MAX_SUM}: none can run over, and what would be
 * negative in two's complement is far above it.
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
  /** 32 random bytes: without them nobody can guess at another's leaf. */
  readonly nonce: Uint8Array;
  readonly customer: string;
  readonly amount: bigint;
}

export const MAX_SUM = (1n << 126n) - 1n;
export const NONCE_BYTES = 32;
/** No tree is deeper: more customers than there are people. */
export const MAX_SUM_DEPTH = 40;
const SUM_BYTES = 16;
const MAX_CUSTOMER_BYTES = 255;

/** @throws RangeError for an amount that is negative or above the bound: a tree with one is not made */
export function owedLeaf({ nonce, customer, amount }: OwedLeaf, hash: Sha256 = sha256): SumNode {
  const name = utf8(customer);
  if (nonce.length !== NONCE_BYTES || name.length > MAX_CUSTOMER_BYTES || !isSum(amount))
    throw new RangeError('not a leaf of what is owed');
  const bytes = new Uint8Array(1 + NONCE_BYTES + 1 + name.length + SUM_BYTES);
  bytes.set(nonce, 1);
  bytes[1 + NONCE_BYTES] = name.length;
  bytes.set(name, 2 + NONCE_BYTES);
  bytes.set(sumBytes(amount), 2 + NONCE_BYTES + name.length);
  return { sum: amount, hash: hash(bytes) };
}

/** @throws RangeError where a sum is out of bounds */
export function sumNode(left: SumNode, right: SumNode, hash: Sha256 = sha256): SumNode {
  const sum = left.sum + right.sum;
  if (!isSum(left.sum) || !isSum(right.sum) || !isSum(sum)) throw new RangeError('a sum is out of bounds');
  const bytes = new Uint8Array(1 + 2 * (SUM_BYTES + HASH_BYTES));
  bytes[0] = 0x01;
  bytes.set(sumBytes(left.sum), 1);
  bytes.set(left.hash, 1 + SUM_BYTES);
  bytes.set(sumBytes(right.sum), 1 + SUM_BYTES + HASH_BYTES);
  bytes.set(right.hash, 1 + 2 * SUM_BYTES + HASH_BYTES);
  return { sum, hash: hash(bytes) };
}

/**
 * All levels, the leaves first and the root last.
 * @param leaves a power of two of them: whoever makes the tree pads it with leaves of nobody, of nothing
 */
export function sumTree(leaves: readonly SumNode[], hash: Sha256 = sha256): SumNode[][] {
  if (leaves.length < 2 || (leaves.length & (leaves.length - 1)) !== 0)
    throw new RangeError('a sum tree has a power of two of leaves');
  const levels: SumNode[][] = [[...leaves]];
  for (let below = levels[0] as SumNode[]; below.length > 1; below = levels.at(-1) as SumNode[]) {
    const level: SumNode[] = [];
    for (let at = 0; at < below.length; at += 2)
      level.push(sumNode(below[at] as SumNode, below[at + 1] as SumNode, hash));
    levels.push(level);
  }
  return levels;
}

/** The neighbours of a leaf on its way up. */
export function sumPath(levels: readonly (readonly SumNode[])[], place: number): SumNode[] {
  return levels.slice(0, -1).map((level, depth) => {
    const neighbour = level[Math.floor(place / 2 ** depth) ^ 1];
    if (!neighbour) throw new RangeError('no such leaf');
    return neighbour;
  });
}

/** What a customer is told of the tree: their own leaf and its neighbours on the way up. Sums are decimal strings. */
export interface OwedProof {
  readonly customer: string;
  /** 64 hex digits, as the hashes. */
  readonly nonce: string;
  readonly amount: string;
  readonly place: number;
  readonly path: readonly { readonly sum: string; readonly hash: string }[];
}

/**
 * Whether an amount owed is in the tree with this root and total. It proves that it was counted, and that nothing on its way
 * up is negative or runs over: an operator who wants a smaller total has to leave somebody out, who can see it here.
 * @returns null where it is; else in what way it is not
 */
export function checkOwed(
  proof: OwedProof,
  root: { readonly total: bigint; readonly hash: string },
  hash: Sha256 = sha256,
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
  let node = owedLeaf({ nonce, customer, amount }, hash);
  for (const [depth, one] of path.entries()) {
    const sum = readSum(one.sum);
    const neighbour = fromHex(one.hash);
    if (sum === null || neighbour?.length !== HASH_BYTES) return 'form';
    if (!isSum(sum) || !isSum(sum + node.sum)) return 'bounds';
    const other = { sum, hash: neighbour };
    const isLeft = Math.floor(place / 2 ** depth) % 2 === 0;
    node = isLeft ? sumNode(node, other, hash) : sumNode(other, node, hash);
  }
  const wanted = fromHex(root.hash);
  if (wanted === null || !equalBytes(node.hash, wanted)) return 'root';
  return node.sum === root.total ? null : 'total';
}

/** `liabilities|1|date|asset|total|rootHash`, as it stands in the log. */
export interface LiabilitiesEntry {
  readonly date: string;
  readonly asset: string;
  /** With the asset's decimals. */
  readonly total: string;
  readonly root: string;
}

export function formatLiabilities({ date, asset, total, root }: LiabilitiesEntry): string {
  return `liabilities|1|${date}|${asset}|${total}|${root}`;
}

/** Null for what is not exactly in the grammar. */
export function parseLiabilities(text: string): LiabilitiesEntry | null {
  const match =
    /^liabilities\|1\|(\d{4}-\d{2}-\d{2})\|([A-Z]{2,8})\|((?:0|[1-9]\d{0,37})(?:\.\d{1,18})?)\|([0-9a-f]{64})$/.exec(
      text,
    );
  if (!match) return null;
  const [, date, asset, total, root] = match as unknown as [string, string, string, string, string];
  return { date, asset, total, root };
}

const isSum = (value: bigint): boolean => value >= 0n && value <= MAX_SUM;

/** Whole smallest units, also above the bound: that is told apart from what is no number. */
function readSum(text: string): bigint | null {
  return /^-?(0|[1-9]\d{0,59})$/.test(text) ? BigInt(text) : null;
}

function sumBytes(value: bigint): Uint8Array {
  const bytes = new Uint8Array(SUM_BYTES);
  let rest = value;
  for (let at = SUM_BYTES - 1; at >= 0; at -= 1) {
    bytes[at] = Number(rest & 0xffn);
    rest >>= 8n;
  }
  return bytes;
}
