import { describe, expect, test } from 'vitest';
import { consistencyProof, inclusionProof, rootOf } from '../test/rfc-proofs.ts';
import { fromHex, toHex, utf8 } from './encoding.ts';
import { EMPTY_ROOT, leafHash, nodeHash, verifyConsistency, verifyInclusion } from './merkle.ts';
import { sha256 } from './sha256.ts';

/** The inputs, roots and proofs that implementations of RFC 6962 and RFC 9162 share. */
const INPUTS = [
  '',
  '00',
  '10',
  '2021',
  '3031',
  '40414243',
  '5051525354555657',
  '606162636465666768696a6b6c6d6e6f',
];
const ROOTS = [
  'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855',
  '6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d',
  'fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125',
  'aeb6bcfe274b70a14fb067a5e5578264db0fa9b51af5e0ba159158f329e06e77',
  'd37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7',
  '4e3bbb1f7b478dcfe71fb631631519a3bca12c9aefca1612bfce4c13a86264d4',
  '76e67dadbcdf1e10e1b74ddc608abd2f98dfb16fbce75277b5232a127f2087ef',
  'ddb89be403809e325750d3d263cd78929c2942b7942a34b77e122c9594a74c8c',
  '5dc9da79a70659a9ad559cb701ded9a2ab9d823aad2f4960cfe370eff4604328',
];
const LEAVES = [
  '6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d',
  '96a296d224f285c67bee93c30f8a309157f0daa35dc5b87e410b78630a09cfc7',
  '0298d122906dcfc10892cb53a73992fc5b9f493ea4c9badb27b791b4127a7fe7',
  '07506a85fd9dd2f120eb694f86011e5bb4662e5c415a62917033d4a9624487e7',
  'bc1a0643b12e4d2d7c77918f44e0f4f79a838b6cf9ec5b5c283e1f4d88599e6b',
  '4271a26be0d8a84f0bd54c8c302e7cb3a3b5d1fa6780a40bcce2873477dab658',
  'b08693ec2e721597130641e8211e7eedccb4c26413963eee6c1e2ed16ffb1a5f',
  '46f6ffadd3d06a09ff3c5860d2755c8b9819db7df44251788c7d8e3180de8eb1',
];
const INCLUSION = [
  { index: 0, size: 1, proof: [] },
  {
    index: 0,
    size: 8,
    proof: [
      '96a296d224f285c67bee93c30f8a309157f0daa35dc5b87e410b78630a09cfc7',
      '5f083f0a1a33ca076a95279832580db3e0ef4584bdff1f54c8a360f50de3031e',
      '6b47aaf29ee3c2af9af889bc1fb9254dabd31177f16232dd6aab035ca39bf6e4',
    ],
  },
  {
    index: 5,
    size: 8,
    proof: [
      'bc1a0643b12e4d2d7c77918f44e0f4f79a838b6cf9ec5b5c283e1f4d88599e6b',
      'ca854ea128ed050b41b35ffc1b87b8eb2bde461e9e3b5596ece6b9d5975a0ae0',
      'd37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7',
    ],
  },
  { index: 2, size: 3, proof: ['fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125'] },
  {
    index: 1,
    size: 5,
    proof: [
      '6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d',
      '5f083f0a1a33ca076a95279832580db3e0ef4584bdff1f54c8a360f50de3031e',
      'bc1a0643b12e4d2d7c77918f44e0f4f79a838b6cf9ec5b5c283e1f4d88599e6b',
    ],
  },
];
const CONSISTENCY = [
  { oldSize: 1, newSize: 1, proof: [] },
  {
    oldSize: 1,
    newSize: 8,
    proof: [
      '96a296d224f285c67bee93c30f8a309157f0daa35dc5b87e410b78630a09cfc7',
      '5f083f0a1a33ca076a95279832580db3e0ef4584bdff1f54c8a360f50de3031e',
      '6b47aaf29ee3c2af9af889bc1fb9254dabd31177f16232dd6aab035ca39bf6e4',
    ],
  },
  {
    oldSize: 6,
    newSize: 8,
    proof: [
      '0ebc5d3437fbe2db158b9f126a1d118e308181031d0a949f8dededebc558ef6a',
      'ca854ea128ed050b41b35ffc1b87b8eb2bde461e9e3b5596ece6b9d5975a0ae0',
      'd37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7',
    ],
  },
  {
    oldSize: 2,
    newSize: 5,
    proof: [
      '5f083f0a1a33ca076a95279832580db3e0ef4584bdff1f54c8a360f50de3031e',
      'bc1a0643b12e4d2d7c77918f44e0f4f79a838b6cf9ec5b5c283e1f4d88599e6b',
    ],
  },
];

function bytes(hex: string): Uint8Array {
  const read = fromHex(hex);
  if (read === null) throw new Error(`not hex: ${hex}`);
  return read;
}

const leaves = INPUTS.map((input) => leafHash(bytes(input)));
const rootAtSize = (size: number) => bytes(ROOTS[size] ?? '');

describe('published vectors', () => {
  test('leaf hashes', () => {
    expect(leaves.map(toHex)).toEqual(LEAVES);
  });

  test('roots of the trees of 0 to 8 leaves', () => {
    expect(ROOTS.map((_, size) => toHex(rootOf(leaves.slice(0, size))))).toEqual(ROOTS);
    expect(toHex(EMPTY_ROOT)).toBe(ROOTS[0]);
  });

  test.each(INCLUSION)('inclusion of leaf $index in $size', ({ index, size, proof }) => {
    expect(inclusionProof(leaves.slice(0, size), index).map(toHex)).toEqual(proof);
    const leaf = bytes(LEAVES[index] ?? '');
    expect(verifyInclusion({ index, size, leaf, proof: proof.map(bytes), root: rootAtSize(size) })).toBe(
      true,
    );
  });

  test.each(CONSISTENCY)('consistency of $oldSize and $newSize', ({ oldSize, newSize, proof }) => {
    expect(consistencyProof(leaves.slice(0, newSize), oldSize).map(toHex)).toEqual(proof);
    const [oldRoot, newRoot] = [rootAtSize(oldSize), rootAtSize(newSize)];
    expect(verifyConsistency({ oldSize, oldRoot, newSize, newRoot, proof: proof.map(bytes) })).toBe(true);
  });
});

describe('hashing', () => {
  test('a string is hashed as its UTF-8 bytes, at every length around the buffer size', () => {
    for (const length of [0, 1, 1364, 1365, 1366, 4094, 4095, 4096, 4097, 10_000]) {
      for (const letter of ['a', 'é', '€']) {
        const text = letter.repeat(length);
        const prefixed = utf8(`\0${text}`);
        expect(leafHash(text), `${length} of ${letter}`).toEqual(sha256(prefixed));
        expect(leafHash(utf8(text)), `${length} of ${letter}`).toEqual(sha256(prefixed));
      }
    }
  });

  test('a string that has no UTF-8 form is refused', () => {
    expect(() => leafHash('a\ud800')).toThrow(RangeError);
  });

  test('earlier results are not overwritten by later ones', () => {
    const [one, two] = [leafHash('one'), leafHash('two')];
    const node = nodeHash(one, two);
    const copies = [one, two, node].map(toHex);
    nodeHash(two, one);
    leafHash('three');
    expect([one, two, node].map(toHex)).toEqual(copies);
  });

  test('children of another length are refused', () => {
    expect(() => nodeHash(new Uint8Array(31), new Uint8Array(32))).toThrow(RangeError);
    expect(() => nodeHash(new Uint8Array(32), new Uint8Array(33))).toThrow(RangeError);
  });
});

describe('no proof exists for', () => {
  test('a leaf of the empty tree', () => {
    const claim = { index: 0, size: 0, leaf: leaves[0]!, proof: [], root: EMPTY_ROOT };
    expect(verifyInclusion(claim)).toBe(false);
  });

  test('invalid sizes and indexes', () => {
    const [proof, root, leaf] = [inclusionProof(leaves, 0), rootAtSize(8), leaves[0]!];
    for (const index of [-1, 8, 9, 0.5, Number.NaN, Number.POSITIVE_INFINITY, 2 ** 53]) {
      expect(verifyInclusion({ index, size: 8, leaf, proof, root }), `index ${index}`).toBe(false);
    }
    for (const size of [-1, 0, 7.5, Number.NaN, Number.POSITIVE_INFINITY, 2 ** 53]) {
      expect(verifyInclusion({ index: 0, size, leaf, proof, root }), `size ${size}`).toBe(false);
    }
  });
});

describe('consistency at the edges', () => {
  const [root8, root4] = [rootAtSize(8), rootAtSize(4)];

  test('the empty tree is consistent with every tree', () => {
    expect(consistencyProof(leaves, 0)).toEqual([]);
    const claim = { oldSize: 0, oldRoot: EMPTY_ROOT, newSize: 8, newRoot: root8, proof: [] };
    expect(verifyConsistency(claim)).toBe(true);
    expect(verifyConsistency({ ...claim, oldRoot: root4 })).toBe(false);
    expect(verifyConsistency({ ...claim, proof: [root8] })).toBe(false);
    expect(verifyConsistency({ ...claim, newSize: 0, newRoot: EMPTY_ROOT })).toBe(true);
    expect(verifyConsistency({ ...claim, newSize: 0 })).toBe(false);
  });

  test('the same size needs the same root and no proof', () => {
    const claim = { oldSize: 8, oldRoot: root8, newSize: 8, newRoot: root8, proof: [] };
    expect(verifyConsistency(claim)).toBe(true);
    expect(verifyConsistency({ ...claim, oldRoot: root4 })).toBe(false);
    expect(verifyConsistency({ ...claim, proof: [root8] })).toBe(false);
  });

  test('a smaller new size, a missing proof and invalid sizes are refused', () => {
    const proof = consistencyProof(leaves, 4);
    const claim = { oldSize: 4, oldRoot: root4, newSize: 8, newRoot: root8, proof };
    expect(verifyConsistency(claim)).toBe(true);
    expect(verifyConsistency({ ...claim, oldSize: 8, oldRoot: root8, newSize: 4, newRoot: root4 })).toBe(
      false,
    );
    expect(verifyConsistency({ ...claim, proof: [] })).toBe(false);
    for (const size of [-1, 0.5, Number.NaN, Number.POSITIVE_INFINITY, 2 ** 53]) {
      expect(verifyConsistency({ ...claim, oldSize: size }), `old ${size}`).toBe(false);
      expect(verifyConsistency({ ...claim, newSize: size }), `new ${size}`).toBe(false);
    }
  });
});
