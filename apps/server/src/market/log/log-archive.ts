import { TILE_WIDTH } from '@fairtick/proof';
import type { Logger } from 'pino';
import type { Pool } from '../../platform/db/database.ts';
import type { Products } from '../products.ts';
import { RuleBook } from '../rule-book.ts';
import { packBundle } from './bundle-codec.ts';
import { ENTRY_COLUMNS, type EntryRow, LogReader } from './log-reader.ts';

/** How often the archive looks for work, and how many bundles one round makes. */
const WAKE_EVERY_MS = 30_000;
const BUNDLES_PER_GO = 64;

/**
 * Copies complete bundles of 256 entries into the archive, and drops a partition once all its entries are archived and two days old.
 * The database takes a bundle only if its entries give the stored hash (log_archive). Runs beside the writer on its own connections and never blocks it.
 */
export class LogArchive {
  readonly #pool: Pool;
  readonly #reader: LogReader;
  #nextWakeMs = 0;
  #working: Promise<void> | null = null;

  constructor(pool: Pool, products: Products) {
    this.#pool = pool;
    this.#reader = new LogReader(pool, products, new RuleBook(pool));
  }

  /** Starts a round of work if one is due and none is in progress. */
  wake(size: number, log: Logger): void {
    const nowMs = performance.now();
    if (this.#working !== null || nowMs < this.#nextWakeMs) return;
    this.#nextWakeMs = nowMs + WAKE_EVERY_MS;
    this.#working = this.work(size)
      .then(async (done) => {
        if (done >= BUNDLES_PER_GO) this.#nextWakeMs = 0;
        await this.#pool.query('select log_drop_archived()');
      })
      .catch((error: unknown) => log.error({ err: error }, 'the log archive could not work'))
      .finally(() => {
        this.#working = null;
      });
  }

  /** Waits for the round in progress. */
  async idle(): Promise<void> {
    await this.#working;
  }

  /**
   * Archives the next bundles below `size`.
   * @returns how many
   */
  async work(size: number): Promise<number> {
    const { rows } = await this.#pool.query<{ next: string }>(
      'select coalesce(max(number) + 1, 0) as next from log_bundles',
    );
    const first = Number(rows[0]?.next);
    const end = Math.min(Math.floor(size / TILE_WIDTH), first + BUNDLES_PER_GO);
    for (let number = first; number < end; number += 1) {
      const found = await this.#pool.query<EntryRow>({
        name: 'log-bundle',
        text: `select ${ENTRY_COLUMNS} from log_entries where index >= $1 and index < $2 order by index`,
        values: [number * TILE_WIDTH, (number + 1) * TILE_WIDTH],
      });
      const texts = await this.#reader.render(found.rows);
      if (texts.length !== TILE_WIDTH) throw new Error(`bundle ${number} has ${texts.length} entries`);
      const rulesIds = found.rows.map((row) => (row.rules_id === null ? null : Number(row.rules_id)));
      await this.#pool.query('select log_archive($1, $2)', [number, packBundle(texts, rulesIds)]);
    }
    return Math.max(0, end - first);
  }
}
