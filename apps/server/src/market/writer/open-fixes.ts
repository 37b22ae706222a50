import { parseEntry, TILE_WIDTH } from '@fairtick/proof';
import { MOST_FIX_WAIT_MS } from '@fairtick/trading';
import type { Queryable } from '../../platform/db/database.ts';
import type { LogReader } from '../log/log-reader.ts';
import type { OpenFix } from './fix-writer.ts';

/** How many open fixes are looked at in one turn. */
const PER_TURN = 50;

/** Goes round the fixes of the last day that have an open record and no `close`. */
export class OpenFixes {
  readonly #db: Queryable;
  readonly #reader: LogReader;
  /** By index in the log: an entry never changes. */
  #known = new Map<number, OpenFix>();
  /** Where the last turn ended. */
  #place = [0, 0];

  constructor(db: Queryable, reader: LogReader) {
    this.#db = db;
    this.#reader = reader;
  }

  /** The fixes of the next turn. */
  async next(timeMs: number): Promise<readonly OpenFix[]> {
    const { rows } = await this.#db.query<{ product_id: number; fix_ms: string; index: string }>({
      name: 'open-fixes',
      text: `select product_id, fix_ms, index from logged_fixes where is_open and close_index is null
          and fix_ms > $1 and (fix_ms, product_id) > ($2, $3) order by fix_ms, product_id limit $4`,
      values: [timeMs - MOST_FIX_WAIT_MS, ...this.#place, PER_TURN],
    });
    const last = rows.length < PER_TURN ? undefined : rows.at(-1);
    this.#place = last ? [Number(last.fix_ms), last.product_id] : [0, 0];
    const known = new Map<number, OpenFix>();
    for (const { product_id, index } of rows)
      known.set(
        Number(index),
        this.#known.get(Number(index)) ?? (await this.#read(product_id, Number(index))),
      );
    this.#known = known;
    return [...known.values()];
  }

  async #read(productId: number, index: number): Promise<OpenFix> {
    const texts = await this.#reader.bundle(Math.floor(index / TILE_WIDTH));
    const fix = parseEntry(texts[index % TILE_WIDTH] ?? '');
    if (fix?.kind !== 'fix') throw new Error(`the entry at ${index} is not of kind fix`);
    return { productId, fix };
  }
}
