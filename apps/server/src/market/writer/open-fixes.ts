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
    const fixes = rows.map(async ({ product_id, index }) => ({
      productId: product_id,
      fix: await this.#reader.entry(Number(index), 'fix'),
    }));
    return Promise.all(fixes);
  }
}
