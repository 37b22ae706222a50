import { describe, expect, test } from 'vitest';
import { rootOf } from '../test/rfc-proofs.ts';
import { utf8 } from './encoding.ts';
import { Frontier } from './frontier.ts';
import { inclusionProofFrom, rootAt } from './hash-reader.ts';
import { leafHash, verifyInclusion } from './merkle.ts';
import {
  decodeEntryBundle,
  encodeEntryBundle,
  formatTilePath,
  hashInTile,
  parseTilePath,
  type Tile,
  tilePlaceOf,
  tileWidthAt,
} from './tile.ts';

describe('paths', () => {
  // 1234067 is the example in C2SP tlog-tiles; the others follow its rules.
  test.each<[string, Tile]>([
    ['tile/0/x001/x234/067', { level: 0, index: 1_234_067, width: 256 }],
    ['tile/entries/x001/x234/067', { level: 'entries', index: 1_234_067, width: 256 }],
    ['tile/entries/x001/x234/067.p/8', { level: 'entries', index: 1_234_067, width: 8 }],
    ['tile/0/x001/x234/067.p/8', { level: 0, index: 1_234_067, width: 8 }],
    ['tile/entries/000.p/1', { level: 'entries', index: 0, width: 1 }],
    ['tile/entries/000.p/255', { level: 'entries', index: 0, width: 255 }],
    ['tile/entries/010', { level: 'entries', index: 10, width: 256 }],
    ['tile/2/000.p/1', { level: 2, index: 0, width: 1 }],
    ['tile/63/999', { level: 63, index: 999, width: 256 }],
    ['tile/10/x001/000', { level: 10, index: 1000, width: 256 }],
    ['tile/0/x999/999', { level: 0, index: 999_999, width: 256 }],
    ['tile/0/x001/x000/000', { level: 0, index: 1_000_000, width: 256 }],
    ['tile/0/x009/x007/x199/x254/x740/991', { level: 0, index: Number.MAX_SAFE_INTEGER, width: 256 }],
  ])('%s is written and read', (path, tile) => {
    expect(formatTilePath(tile)).toBe(path);
    expect(parseTilePath(path)).toEqual(tile);
  });

  test.each([
    '',
    'tile',
    'tile/0',
    'tile/0/',
    '/tile/0/000',
    'tile/0/000/',
    'tile/0/000\n',
    'tile/00/000',
    'tile/01/000',
    'tile/64/000',
    'tile/-1/000',
    'tile/data/000',
    'tile/entries',
    'tile/0/0',
    'tile/0/00',
    'tile/0/0000',
    'tile/0/x000',
    'tile/0/x000/000',
    'tile/0/x000/x001/000',
    'tile/0/001/000',
    'tile/0/001/x000',
    'tile/0/X001/000',
    'tile/0/x001//000',
    'tile/0/x1/000',
    'tile/0/000.p',
    'tile/0/000.p/',
    'tile/0/000.p/0',
    'tile/0/000.p/01',
    'tile/0/000.p/256',
    'tile/0/000.p/1000',
    'tile/0/000.p/-1',
    'tile/0/000.p/1/2',
    'tile/0/000.P/1',
    'tile/0/x009/x007/x199/x254/x740/992',
    'tile/0/x999/x999/x999/x999/x999/999',
    'tile/0/x001/x000/x000/x000/x000/x000/000',
    'tile/0/٠٠٠',
    'tile/3/5/x123/x456/078',
    'tile/8/0/001',
  ])('refuses %j', (path) => {
    expect(parseTilePath(path)).toBeNull();
  });

  test.each<Tile>([
    { level: 64, index: 0, width: 1 },
    { level: -1, index: 0, width: 1 },
    { level: 0.5, index: 0, width: 1 },
    { level: 0, index: -1, width: 1 },
    { level: 0, index: 2 ** 53, width: 1 },
    { level: 0, index: 0, width: 0 },
    { level: 0, index: 0, width: 257 },
    { level: 'entries', index: Number.NaN, width: 1 },
  ])('does not write %j', (tile) => {
    expect(() => formatTilePath(tile)).toThrow(RangeError);
  });
});

describe('widths', () => {
  test('are those of the example of C2SP tlog-tiles', () => {
    expect(tileWidthAt(0, 272, 70_000)).toBe(256);
    expect(tileWidthAt(0, 273, 70_000)).toBe(112);
    expect(tileWidthAt('entries', 273, 70_000)).toBe(112);
    expect(tileWidthAt(0, 274, 70_000)).toBe(0);
    expect(tileWidthAt(1, 0, 70_000)).toBe(256);
    expect(tileWidthAt(1, 1, 70_000)).toBe(17);
    expect(tileWidthAt(2, 0, 70_000)).toBe(1);
    expect(tileWidthAt(3, 0, 70_000)).toBe(0);
    expect(tileWidthAt(0, 0, 256)).toBe(256);
    expect(tileWidthAt(1, 0, 256)).toBe(1);
  });

  test('are right for the largest tree and for the empty one', () => {
    expect(tileWidthAt(6, 0, Number.MAX_SAFE_INTEGER)).toBe(31);
    expect(tileWidthAt(7, 0, Number.MAX_SAFE_INTEGER)).toBe(0);
    expect(tileWidthAt(63, 0, Number.MAX_SAFE_INTEGER)).toBe(0);
    expect(tileWidthAt(0, 0, 0)).toBe(0);
  });
});

describe('places', () => {
  test.each([
    [0, 0, { level: 0, index: 0, start: 0, count: 1 }],
    [0, 257, { level: 0, index: 1, start: 1, count: 1 }],
    [3, 33, { level: 0, index: 1, start: 8, count: 8 }],
    [7, 1, { level: 0, index: 0, start: 128, count: 128 }],
    [8, 0, { level: 1, index: 0, start: 0, count: 1 }],
    [17, 300, { level: 2, index: 2, start: 88, count: 2 }],
    [0, Number.MAX_SAFE_INTEGER, { level: 0, index: 2 ** 45 - 1, start: 255, count: 1 }],
    [7, Number.MAX_SAFE_INTEGER, { level: 0, index: 2 ** 52 - 1, start: 128, count: 128 }],
  ])('the hash at level %d, index %d has its place', (level, index, place) => {
    expect(tilePlaceOf(level, index)).toEqual(place);
  });

  test('an invalid level or index has no place', () => {
    expect(() => tilePlaceOf(-1, 0)).toThrow(RangeError);
    expect(() => tilePlaceOf(0, 0.5)).toThrow(RangeError);
  });

  test('proofs read from tiles verify', async () => {
    const size = 1000;
    const leaves = Array.from({ length: size }, (_, index) => leafHash(`entry ${index}`));
    const tiles = new Map<string, number[]>();
    new Frontier().appendMany(leaves, (level, index, hash) => {
      if (level % 8 !== 0) return;
      const key = `${level / 8}/${Math.floor(index / 256)}`;
      tiles.set(key, [...(tiles.get(key) ?? []), ...hash]);
    });
    const reader = {
      async read(level: number, index: number) {
        const place = tilePlaceOf(level, index);
        const bytes = Uint8Array.from(tiles.get(`${place.level}/${place.index}`) ?? []);
        expect(bytes).toHaveLength(32 * tileWidthAt(place.level, place.index, size));
        const hash = hashInTile(bytes, place);
        if (hash === null) throw new Error('not in its tile');
        return hash;
      },
    };
    const root = await rootAt(size, reader);
    expect(root).toEqual(rootOf(leaves));
    for (const index of [0, 255, 256, 700, 768, 999]) {
      const proof = await inclusionProofFrom(reader, index, size);
      expect(verifyInclusion({ index, size, leaf: leaves[index]!, proof, root })).toBe(true);
    }
  });

  test('a tile that is malformed or too narrow gives no hash', () => {
    const place = { level: 0, index: 0, start: 4, count: 4 };
    expect(hashInTile(new Uint8Array(8 * 32), place)).toHaveLength(32);
    expect(hashInTile(new Uint8Array(7 * 32), place)).toBeNull();
    expect(hashInTile(new Uint8Array(8 * 32 + 1), place)).toBeNull();
    expect(hashInTile(new Uint8Array(257 * 32), place)).toBeNull();
    expect(hashInTile(new Uint8Array(0), { ...place, start: 0, count: 1 })).toBeNull();
  });
});

describe('entry bundles', () => {
  const entries = ['', 'a', 'zażółć', 'x'.repeat(300)].map(utf8);

  test('have a big-endian length before each entry', () => {
    expect(encodeEntryBundle([utf8('ab'), utf8('')])).toEqual(Uint8Array.of(0, 2, 97, 98, 0, 0));
    expect(encodeEntryBundle([new Uint8Array(0x0102)]).subarray(0, 2)).toEqual(Uint8Array.of(1, 2));
  });

  test('are decoded as they were encoded', () => {
    const framed = Uint8Array.of(7, ...encodeEntryBundle(entries), 7).subarray(1, -1);
    expect(decodeEntryBundle(framed, 4)).toEqual(entries);
    const full = Array.from({ length: 256 }, (_, at) => Uint8Array.of(at));
    expect(decodeEntryBundle(encodeEntryBundle(full), 256)).toEqual(full);
    const longest = [new Uint8Array(65_535).fill(1)];
    expect(decodeEntryBundle(encodeEntryBundle(longest), 1)).toEqual(longest);
  });

  test('are refused when cut short, too long, or of another width', () => {
    const bytes = encodeEntryBundle(entries);
    for (let length = 0; length < bytes.length; length += 1) {
      expect(decodeEntryBundle(bytes.subarray(0, length), 4)).toBeNull();
    }
    expect(decodeEntryBundle(Uint8Array.of(...bytes, 0), 4)).toBeNull();
    for (const width of [3, 5, 0, -1, 257, 1.5, Number.NaN])
      expect(decodeEntryBundle(bytes, width)).toBeNull();
    expect(decodeEntryBundle(new Uint8Array(0), 0)).toBeNull();
  });

  test('hold at least one entry, at most 256, and none longer than 65 535 bytes', () => {
    expect(() => encodeEntryBundle([])).toThrow(RangeError);
    expect(() => encodeEntryBundle(Array.from({ length: 257 }, () => new Uint8Array(0)))).toThrow(RangeError);
    expect(() => encodeEntryBundle([new Uint8Array(65_536)])).toThrow(RangeError);
  });
});
