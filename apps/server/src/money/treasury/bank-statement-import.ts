import type { OfficeData } from '@fairtick/protocol/office';
import type { Asset } from '../../platform/assets.ts';
import type { Pool } from '../../platform/db/database.ts';
import { NamedCall } from '../../platform/db/named-call.ts';
import { RefusalError } from '../../platform/http/context.ts';
import { LateWorkError, WorkThread } from '../../platform/threads/work-thread.ts';
import type { StatementInput } from './bank-statement-payments.ts';
import type { BankStatementWork } from './bank-statement-worker.ts';

const IMPORT = new NamedCall('statement_import', {
  staff: 'bigint',
  asset: 'smallint',
  hashes: 'bytea[]',
  days: 'date[]',
  amounts: 'bigint[]',
  references: 'text[]',
  counterparties: 'text[]',
});

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
    const { hashes, ...columns } = await this.#thread.run('columns', input, asset).catch(tooSlow);
    const { rows } = await this.#pool.query<{ result: number }>(
      IMPORT.with({ staff: staffId, asset: asset.id, hashes: hashes.map(ofHex), ...columns }),
    );
    return { lines: hashes.length, new: (rows[0] as { result: number }).result };
  }

  /** The file's columns and rows, and the lines that an import would add; or else the row that can't be read. */
  async preview(input: StatementInput, asset: Asset): Promise<OfficeData<'statement/preview'>> {
    const { hashes, items, ...sight } = await this.#thread.run('sight', input, asset).catch(tooSlow);
    const { rows } = await this.#pool.query<{ hash: string }>(
      `select encode(line_hash, 'hex') as hash from statement_lines where line_hash = any ($1)`,
      [hashes.map(ofHex)],
    );
    const known = new Set(rows.map(({ hash }) => hash));
    return {
      ...sight,
      lines: hashes.length,
      new: hashes.filter((hash) => !known.has(hash)).length,
      items: items.map((item, place) => ({ ...item, isKnown: known.has(hashes[place] as string) })),
    };
  }
}

const ofHex = (hash: string): Buffer => Buffer.from(hash, 'hex');

/** A file that takes too long is refused like one that can't be read. */
function tooSlow(error: unknown): never {
  if (error instanceof LateWorkError)
    throw new RefusalError('INVALID_VALUE', { fields: { file: 'INVALID_VALUE' } });
  throw error;
}
