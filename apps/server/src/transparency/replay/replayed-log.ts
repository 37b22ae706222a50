import { TILE_WIDTH } from '@fairtick/proof';
import type { LogReader } from '../../market/log/log-reader.ts';

/** Bundles that one statement reads: some megabytes. */
const BUNDLES_A_READ = 64;

/** A run of consecutive log lines. */
export interface Lines {
  readonly from: number;
  readonly texts: readonly string[];
}

/**
 * The log's lines from an index on, archived ones included. The next run is read while the current one is used.
 * @param reader of one connection, in a transaction of one snapshot
 */
export async function* replayedLog(
  reader: LogReader,
  { from, size }: { from: number; size: number },
): AsyncGenerator<Lines> {
  const step = BUNDLES_A_READ * TILE_WIDTH;
  const first = Math.floor(from / step) * step;
  let next = first < size ? readLines(reader, { from: first, size }) : null;
  for (let at = first; next !== null; at += step) {
    const lines: Lines = await next;
    next = at + step < size ? readLines(reader, { from: at + step, size }) : null;
    const skipped = Math.max(0, from - lines.from);
    yield { from: lines.from + skipped, texts: lines.texts.slice(skipped) };
  }
}

async function readLines(reader: LogReader, { from, size }: { from: number; size: number }): Promise<Lines> {
  const until = Math.min(size, from + BUNDLES_A_READ * TILE_WIDTH);
  const bundles = Array.from({ length: Math.ceil((until - from) / TILE_WIDTH) }, (_, place) =>
    reader.bundle(from / TILE_WIDTH + place),
  );
  const texts = (await Promise.all(bundles)).flat();
  if (texts.length < until - from) throw new Error(`the log has no entry ${from + texts.length}`);
  return { from, texts: texts.slice(0, until - from) };
}
