import { equalBytes } from '../encoding.ts';
import { Frontier } from '../frontier.ts';
import { subtreesOf } from '../ranges.ts';
import { HASH_BYTES } from '../sha256.ts';
import { hashInTile, type Tile, tilePlaceOf, tileWidthAt } from '../tile.ts';

/** The right edge of a log of this size, computed from its tiles; null if they do not give the signed root. */
export async function frontierFromTiles(
  { size, root }: { readonly size: number; readonly root: Uint8Array },
  readTile: (tile: Tile) => Promise<Uint8Array>,
): Promise<Frontier | null> {
  const peaks = size === 0 ? [] : subtreesOf({ start: 0, end: size });
  const bytes = new Uint8Array(8 + peaks.length * HASH_BYTES);
  new DataView(bytes.buffer).setBigUint64(0, BigInt(size));
  for (const [at, { level, index }] of peaks.entries()) {
    const place = tilePlaceOf(level, index);
    const width = tileWidthAt(place.level, place.index, size);
    const tile = await readTile({ level: place.level, index: place.index, width });
    const peak = hashInTile(tile, place);
    if (peak === null) return null;
    bytes.set(peak, 8 + at * HASH_BYTES);
  }
  const frontier = Frontier.fromBytes(bytes);
  return frontier && equalBytes(frontier.root(), root) ? frontier : null;
}
