import type { OfficeData } from '@fairtick/protocol/office';
import type { Asset } from '../../platform/assets.ts';
import { call } from '../../platform/db/call.ts';
import type { Pool } from '../../platform/db/database.ts';
import { refusalOf } from '../../platform/http/context.ts';
import { LateWorkError, WorkThread } from '../../platform/threads/work-thread.ts';
import { previewed, type StatementInput } from './bank-statement-work.ts';
import type { BankStatementWork } from './bank-statement-worker.ts';

type LineState = 'new' | 'known' | 'repeat';

/** Banks' statements, whose files a thread reads. */
export class BankStatements {
  readonly #pool: Pool;
  readonly #thread = new WorkThread<BankStatementWork>(
    new URL('./bank-statement-worker.ts', import.meta.url),
  );

  constructor(pool: Pool) {
    this.#pool = pool;
  }

  /**
   * Importing the same file again, or one that overlaps it, adds nothing twice.
   * @throws RefusalError that names the line and column that can't be read
   */
  async import(
    input: StatementInput,
    asset: Asset,
    staffId: string,
  ): Promise<{ lines: number; new: number }> {
    const { fileHash, hashes, ...columns } = await this.#thread.run('columns', input, asset).catch(tooSlow);
    const own = { staff: staffId, asset: asset.id, file: ofHex(fileHash), hashes: hashes.map(ofHex) };
    const values = { ...own, ...columns };
    return { lines: hashes.length, new: await call(this.#pool, 'statement_import', values) };
  }

  /** The file's columns and rows, and the lines that an import would add; or else the row that can't be read. */
  async preview(input: StatementInput, asset: Asset): Promise<OfficeData<'statement/preview'>> {
    const { all, items, ...sight } = await this.#thread.run('sight', input, asset).catch(tooSlow);
    const { rows } = await this.#pool.query<{ state: LineState }>(
      'select state from statement_states($1, $2, $3) order by number',
      [ofHex(all.fileHash), all.hashes.map(ofHex), all.marks],
    );
    const lines = items.map(({ isUnclear, ...item }, place) => {
      const { state } = rows[place] as { state: LineState };
      return { ...item, state: isUnclear && state !== 'known' ? ('unclear' as const) : state };
    });
    const fresh = lines.filter(({ state }) => state === 'new').length;
    return { ...sight, lines: items.length, new: fresh, items: previewed(lines) };
  }
}

const ofHex = (hash: string): Buffer => Buffer.from(hash, 'hex');

/** A file that takes too long is refused like one that can't be read. */
function tooSlow(error: unknown): never {
  if (error instanceof LateWorkError) throw refusalOf('INVALID_VALUE', 'file');
  throw error;
}
