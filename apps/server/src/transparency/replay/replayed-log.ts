import { TILE_WIDTH } from '@fairtick/proof';
import { ENTRY_COLUMNS, type EntryRow, type LogReader } from '../../market/log/log-reader.ts';
import type { Queryable } from '../../platform/db/database.ts';

/** Bundles that one statement reads: some megabytes. */
const BUNDLES_A_READ = 64;

/** A run of consecutive log lines. */
export interface Lines {
  readonly from: number;
  readonly texts: readonly string[];
}

/**
 * The log's lines from an index on, archived ones included. The next run is read while the current one is used.
 * @param db one connection, in a transaction of one snapshot
 */
export async function* replayedLog(
  db: Queryable,
  reader: LogReader,
  { from, size }: { from: number; size: number },
): AsyncGenerator<Lines> {
  const step = BUNDLES_A_READ * TILE_WIDTH;
  const first = Math.floor(from / step) * step;
  let next = first < size ? readLines(db, reader, { from: first, size }) : null;
  for (let at = first; next !== null; at += step) {
    const lines: Lines = await next;
    next = at + step < size ? readLines(db, reader, { from: at + step, size }) : null;
    const skipped = Math.max(0, from - lines.from);
    yield { from: lines.from + skipped, texts: lines.texts.slice(skipped) };
  }
}

async function readLines(
  db: Queryable,
  reader: LogReader,
  { from, size }: { from: number; size: number },
): Promise<Lines> {
  const until = Math.min(size, from + BUNDLES_A_READ * TILE_WIDTH);
  const { rows } = await db.query<EntryRow>({
    name: 'replay-lines',
    text: `select ${ENTRY_COLUMNS} from log_entries where index >= $1 and index < $2 order by index`,
    values: [from, until],
  });
  const held = Number(rows[0]?.index ?? until);
  const texts: string[] = [];
  // Archived lines, in whole bundles, come before those that the partitions hold.
  if (held > from) {
    const archived = await db.query<{ body: string }>({
      name: 'replay-archive',
      text: 'select body from log_bundles where number >= $1 and number < $2 order by number',
      values: [from / TILE_WIDTH, held / TILE_WIDTH],
    });
    for (const { body } of archived.rows) texts.push(...(await reader.unpack(body)));
  }
  texts.push(...(await reader.render(rows)));
  if (texts.length < until - from) throw new Error(`the log has no entry ${from + texts.length}`);
  return { from, texts: texts.slice(0, until - from) };
}
