import { createHash, randomBytes } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { toHex } from './encoding.ts';
import {
  checkOwed,
  MAX_SUM,
  type OwedLeaf,
  type OwedProof,
  owedLeaf,
  parseLiabilities,
  type SumNode,
  sumNode,
  sumTree,
} from './sum-tree.ts';

const owed = [700n, 0n, 1n, 250n, 12_345_678_901_234_567n, 3n, 9n, 40n];
const leaves: OwedLeaf[] = owed.map((amount, at) => ({
  nonce: new Uint8Array(32).fill(at + 1),
  customer: String(1000 + at),
  amount,
}));

function proofOf(tree: readonly (readonly SumNode[])[], leaf: OwedLeaf, place: number): OwedProof {
  const siblings = tree
    .slice(0, -1)
    .map((level, depth) => level[Math.floor(place / 2 ** depth) ^ 1] as SumNode);
  const path = siblings.map(({ sum, hash }) => ({ sum: String(sum), hash: toHex(hash) }));
  return { customer: leaf.customer, nonce: toHex(leaf.nonce), amount: String(leaf.amount), place, path };
}

const tree = sumTree(leaves.map((leaf) => owedLeaf(leaf)));
const top = tree.at(-1)?.[0] as SumNode;
const root = { total: top.sum, hash: toHex(top.hash) };
const proofs = leaves.map((leaf, place) => proofOf(tree, leaf, place));

/** Uses node:crypto only, none of this package's code. */
const sha = (...parts: Uint8Array[]) => createHash('sha256').update(Buffer.concat(parts)).digest();
const wide = (value: bigint) => Buffer.from(value.toString(16).padStart(32, '0'), 'hex');

describe('the sum tree of owed amounts', () => {
  test('hashes nonce, customer and amount into a leaf, and both children with their sums into a node', () => {
    const leaf = (at: number) => {
      const { nonce, customer, amount } = leaves[at] as OwedLeaf;
      return sha(Buffer.from([0]), nonce, Buffer.from([4]), Buffer.from(customer), wide(amount));
    };
    expect(Buffer.from(tree[0]?.[4]?.hash as Uint8Array)).toEqual(leaf(4));
    const node = sha(Buffer.from([1]), wide(700n), leaf(0), wide(0n), leaf(1));
    expect(Buffer.from(tree[1]?.[0]?.hash as Uint8Array)).toEqual(node);
    expect(top.sum).toBe(owed.reduce((sum, amount) => sum + amount, 0n));
  });

  test('proves to each customer that the owed amount is in it', () => {
    for (const proof of proofs) expect(checkOwed(proof, root)).toBeNull();
  });

  test('proves nothing else: every change of a proof is found', () => {
    const [proof] = proofs as [OwedProof];
    const [first, ...rest] = proof.path as [OwedProof['path'][number], ...OwedProof['path']];
    const changes: OwedProof[] = [
      { ...proof, amount: '701' },
      { ...proof, customer: '1001' },
      { ...proof, nonce: '00'.repeat(32) },
      { ...proof, place: 1 },
      { ...proof, place: 8 },
      { ...proof, place: -1 },
      { ...proof, path: rest },
      { ...proof, path: [...proof.path, first] },
      { ...proof, path: [{ ...first, sum: '1' }, ...rest] },
      { ...proof, path: [{ ...first, hash: '00'.repeat(32) }, ...rest] },
      { ...proof, amount: '7e2' },
      { ...proof, path: [] },
    ];
    for (const change of changes) expect(checkOwed(change, root)).not.toBeNull();
    expect(checkOwed(proof, { ...root, total: root.total - 1n })).toBe('total');
    expect(checkOwed(proof, { ...root, hash: 'zz' })).toBe('root');
    for (let run = 0; run < 2_000; run += 1) {
      const bytes = randomBytes(33);
      const at = (bytes[32] as number) % proof.path.length;
      const path = proof.path.map((one, place) =>
        place === at ? { ...one, hash: toHex(bytes.subarray(0, 32)) } : one,
      );
      expect(checkOwed({ ...proof, path }, root)).toBe('root');
    }
  });

  test('refuses an inner node in place of a leaf', () => {
    const [left, right] = tree[1] as [SumNode, SumNode];
    // If an inner node's bytes passed as a leaf, its author could claim half of the tree's sum.
    const proof = {
      customer: '',
      nonce: toHex(left.hash),
      amount: String(left.sum),
      place: 0,
      path: [{ sum: String(right.sum), hash: toHex(right.hash) }],
    };
    expect(checkOwed(proof, root)).not.toBeNull();
  });
});

describe('an operator who publishes less than is owed', () => {
  /** A dishonest operator's own implementation: no bounds, and sums truncated to 16 bytes. */
  const cut = (value: bigint) => ((value % (1n << 128n)) + (1n << 128n)) % (1n << 128n);
  const freeLeaf = ({ nonce, customer, amount }: OwedLeaf): SumNode => ({
    sum: cut(amount),
    hash: sha(
      Buffer.from([0]),
      nonce,
      Buffer.from([customer.length]),
      Buffer.from(customer),
      wide(cut(amount)),
    ),
  });
  const freeNode = (left: SumNode, right: SumNode): SumNode => ({
    sum: cut(left.sum + right.sum),
    hash: sha(Buffer.from([1]), wide(left.sum), left.hash, wide(right.sum), right.hash),
  });
  function freeTree(all: readonly OwedLeaf[]): SumNode[][] {
    const levels = [all.map(freeLeaf)];
    while ((levels.at(-1) as SumNode[]).length > 1) {
      const below = levels.at(-1) as SumNode[];
      levels.push(
        Array.from({ length: below.length / 2 }, (_, at) =>
          freeNode(below[at * 2] as SumNode, below[at * 2 + 1] as SumNode),
        ),
      );
    }
    return levels;
  }
  const published = (levels: SumNode[][]) => {
    const [{ sum, hash }] = levels.at(-1) as [SumNode];
    return { total: sum, hash: toHex(hash) };
  };
  const nobody = (place: number, amount: bigint): OwedLeaf => ({
    nonce: new Uint8Array(32).fill(99),
    customer: String(place),
    amount,
  });

  test('builds the same tree as this package from honest amounts', () => {
    expect(published(freeTree(leaves))).toEqual(root);
  });

  test('is found by a customer who is left out', () => {
    const without = freeTree(leaves.map((leaf, at) => (at === 4 ? nobody(4, 0n) : leaf)));
    const told = proofOf(without, leaves[4] as OwedLeaf, 4);
    expect(checkOwed(told, published(without))).toBe('root');
    expect(checkOwed(proofs[4] as OwedProof, published(without))).toBe('root');
  });

  test('is found by the neighbour of an invented negative amount', () => {
    const levels = freeTree(
      leaves.map((leaf, at) => (at === 5 ? nobody(5, -12_000_000_000_000_000n) : leaf)),
    );
    expect(published(levels).total).toBeLessThan(root.total);
    expect(checkOwed(proofOf(levels, leaves[4] as OwedLeaf, 4), published(levels))).toBe('bounds');
    // Written as a plain negative number, the sum is refused as well.
    const proof = proofOf(levels, leaves[4] as OwedLeaf, 4);
    const [first, ...rest] = proof.path as [OwedProof['path'][number], ...OwedProof['path']];
    expect(checkOwed({ ...proof, path: [{ ...first, sum: '-12000000000000000' }, ...rest] }, root)).toBe(
      'bounds',
    );
  });

  test('is found by the neighbours of invented amounts whose sum overflows', () => {
    const levels = freeTree(leaves.map((leaf, at) => (at === 5 || at === 7 ? nobody(at, 1n << 127n) : leaf)));
    // Truncated to 16 bytes, the amounts of two customers vanish from the total.
    expect(published(levels).total).toBe(root.total - 3n - 40n);
    for (const at of [4, 6])
      expect(checkOwed(proofOf(levels, leaves[at] as OwedLeaf, at), published(levels))).toBe('bounds');
  });

  test('is found by every customer if the total is not the sum', () => {
    for (const proof of proofs) expect(checkOwed(proof, { ...root, total: 1n })).toBe('total');
  });

  test('cannot use this package to build a false tree', () => {
    expect(() => owedLeaf(nobody(1, -1n))).toThrow(RangeError);
    expect(() => owedLeaf(nobody(1, MAX_SUM + 1n))).toThrow(RangeError);
    const half = owedLeaf(nobody(1, MAX_SUM));
    expect(() => sumNode(half, owedLeaf(nobody(2, 1n)))).toThrow(RangeError);
    expect(() => sumTree([half, half, half])).toThrow(RangeError);
  });
});

test('a liabilities entry of the log is parsed strictly', () => {
  const hash = 'ab'.repeat(32);
  const text = `liabilities|4|2026-11-22|1795000000000|USDT|1234.500000|${hash}|${'0'.repeat(64)}`;
  expect(parseLiabilities(text)).toEqual({
    date: '2026-11-22',
    timeMs: 1_795_000_000_000,
    asset: 'USDT',
    total: '1234.500000',
    root: hash,
    ledgerHead: '0'.repeat(64),
  });
  for (const other of [
    `${text} `,
    text.replace('1234', '01234'),
    text.replace('1234', '-1'),
    text.replace('|4|', '|3|'),
    text.replace('|1795', '|01795'),
    text.slice(0, -65),
  ])
    expect(parseLiabilities(other)).toBeNull();
});
