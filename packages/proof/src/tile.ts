import { rootOf } from './merkle-tree.ts';
import { HASH_BYTES } from './sha256.ts';

/** Hashes in a full tile, and entries in a full bundle. */
export const TILE_WIDTH = 256;
/** Levels of the tree that one tile covers: each of its hashes covers 2^8 times as many leaves as one of the tile below. */
const TILE_HEIGHT = 8;
const MAX_TILE_LEVEL = 63;
/** Bytes in the largest entry that a bundle can hold. */
export const MAX_ENTRY_BYTES = 0xffff;

/** A tile of hashes, or the bundle of the entries under a tile of level 0 (C2SP tlog-tiles). */
export interface Tile {
  readonly level: number | 'entries';
  readonly index: number;
  /** Hashes or entries in it: 256 when full, less when it is the partial one at the right edge. */
  readonly width: number;
}

/** `tile/<L>/<N>` or `tile/entries/<N>`, with `.p/<W>` after it when it is partial (C2SP tlog-tiles, "Merkle Tree"). */
export function formatTilePath(tile: Tile): string {
  const { level, index, width } = tile;
  const levelFits = level === 'entries' || (isWithin(level, 0) && level <= MAX_TILE_LEVEL);
  if (!levelFits || !isWithin(index, 0) || !isWithin(width, 1) || width > TILE_WIDTH) {
    throw new RangeError('no such tile');
  }
  let path = String(index % 1000).padStart(3, '0');
  for (let rest = Math.floor(index / 1000); rest > 0; rest = Math.floor(rest / 1000)) {
    path = `x${String(rest % 1000).padStart(3, '0')}/${path}`;
  }
  return `tile/${level}/${path}${width === TILE_WIDTH ? '' : `.p/${width}`}`;
}

const TILE_PATH =
  /^tile\/(entries|0|[1-9][0-9]?)\/((?:x[0-9]{3}\/){0,5}[0-9]{3})(?:\.p\/([1-9][0-9]{0,2}))?$/;

/** Reads a path as {@link formatTilePath} writes it; null for every other spelling. */
export function parseTilePath(path: string): Tile | null {
  const match = TILE_PATH.exec(path);
  if (match === null) return null;
  const [, levelText = '', groups = '', widthText] = match;
  const level = levelText === 'entries' ? levelText : Number(levelText);
  const index = Number(groups.replaceAll(/[x/]/g, ''));
  // A leading group of zeros would give one tile two paths.
  if (groups.startsWith('x000') || !Number.isSafeInteger(index)) return null;
  if (level !== 'entries' && level > MAX_TILE_LEVEL) return null;
  if (widthText === undefined) return { level, index, width: TILE_WIDTH };
  const width = Number(widthText);
  return width < TILE_WIDTH ? { level, index, width } : null;
}

/** The location of a complete subtree's hash in the tiles. */
export interface TilePlace {
  readonly level: number;
  readonly index: number;
  readonly start: number;
  /** Number of hashes covered: a power of two from 1 to 128. With 1, it is the hash itself. */
  readonly count: number;
}

/**
 * The tile that holds the hash of the subtree of 2^level leaves at position `index`. Tiles store only every eighth level; on a
 * level in between, the hash is the root over `count` of the tile's hashes.
 * @throws RangeError when level or index is negative or not whole
 */
export function tilePlaceOf(level: number, index: number): TilePlace {
  if (!isWithin(level, 0) || !isWithin(index, 0)) throw new RangeError('no such subtree');
  const count = 2 ** (level % TILE_HEIGHT);
  // Divides before it multiplies, so that every intermediate value is an exact integer.
  const perTile = TILE_WIDTH / count;
  return {
    level: Math.floor(level / TILE_HEIGHT),
    index: Math.floor(index / perTile),
    start: (index % perTile) * count,
    count,
  };
}

/** Null when the tile, which may be partial, is malformed or too short. */
export function hashInTile(tile: Uint8Array, place: TilePlace): Uint8Array | null {
  const { start, count } = place;
  if (tile.length % HASH_BYTES !== 0 || tile.length > TILE_WIDTH * HASH_BYTES) return null;
  if ((start + count) * HASH_BYTES > tile.length) return null;
  const hashes = Array.from({ length: count }, (_, at) =>
    tile.subarray((start + at) * HASH_BYTES, (start + at + 1) * HASH_BYTES),
  );
  return rootOf(hashes).slice();
}

/** 256, fewer for the partial tile at the right edge, or 0 when a tree of `size` leaves has no such tile. */
export function tileWidthAt(level: number | 'entries', index: number, size: number): number {
  const below = level === 'entries' ? 0 : level * TILE_HEIGHT;
  // Exact: dividing by a power of two only changes the exponent.
  const hashes = Math.floor(size / 2 ** below);
  return Math.max(0, Math.min(TILE_WIDTH, hashes - index * TILE_WIDTH));
}

/** Each entry is prefixed with its length as a big-endian uint16 (C2SP tlog-tiles, "Log entries"). */
export function encodeEntryBundle(entries: readonly Uint8Array[]): Uint8Array {
  if (entries.length === 0 || entries.length > TILE_WIDTH) throw new RangeError('not 1 to 256 entries');
  if (entries.some((entry) => entry.length > MAX_ENTRY_BYTES)) throw new RangeError('an entry is too long');
  const bytes = new Uint8Array(entries.reduce((length, entry) => length + 2 + entry.length, 0));
  const view = new DataView(bytes.buffer);
  let at = 0;
  for (const entry of entries) {
    view.setUint16(at, entry.length);
    bytes.set(entry, at + 2);
    at += 2 + entry.length;
  }
  return bytes;
}

/** The entries, as views into `bytes`; null unless there are exactly `width` and nothing after them. */
export function decodeEntryBundle(bytes: Uint8Array, width: number): Uint8Array[] | null {
  if (!isWithin(width, 1) || width > TILE_WIDTH) return null;
  const entries: Uint8Array[] = [];
  let at = 0;
  while (entries.length < width) {
    const [high, low] = [bytes[at], bytes[at + 1]];
    if (high === undefined || low === undefined) return null;
    const end = at + 2 + high * 256 + low;
    if (end > bytes.length) return null;
    entries.push(bytes.subarray(at + 2, end));
    at = end;
  }
  return at === bytes.length ? entries : null;
}

function isWithin(value: number, least: number): boolean {
  return Number.isSafeInteger(value) && value >= least;
}
