import type { treasuryOperations } from '@fairtick/protocol/office';
import { RefusalError } from '../../platform/http/context.ts';
import type { OfficeHandlers } from '../../platform/office-area.ts';
import { OfficeProposals } from '../../platform/office-proposals.ts';
import { queueStart } from '../../platform/office-queries.ts';
import { pageOf } from '../../platform/paging.ts';
import { demandRequestId } from '../requests/office-cases.ts';
import { BankStatements } from './bank-statement-import.ts';
import { readImports, readLines } from './bank-statement-lines.ts';
import { assetOf, type TreasuryParts } from './treasury-parts.ts';

const DEFAULT_LIMIT = 20;

/** Bank statements: imports, their lines, and what staff say of lines that are no customer's payment. */
export function statementHandlers(
  parts: TreasuryParts,
): OfficeHandlers<Extract<keyof typeof treasuryOperations, `statement/${string}`>> {
  const { pool } = parts;
  const statements = new BankStatements(pool);
  const proposals = new OfficeProposals(pool, ['statement_line']);
  return {
    'statement/import': (input, { session }) =>
      statements.import(input, assetOf(parts, input.asset), session.staffId),
    'statement/preview': (input) => statements.preview(input, assetOf(parts, input.asset)),
    'statement/list': async ({ state = 'open', limit = DEFAULT_LIMIT, cursor }) => {
      const page = { isOpen: state === 'open', before: queueStart({ cursor }), limit: limit + 1 };
      return pageOf(await readLines(pool, page), limit);
    },
    'statement/imports': async ({ limit = DEFAULT_LIMIT, cursor }) =>
      pageOf(await readImports(pool, queueStart({ cursor }), limit + 1), limit),
    'statement/undo': async ({ id }, { session }) => {
      const { rows } = await pool.query<{ lines: number }>('select statement_undo($1, $2) as lines', [
        session.staffId,
        demandRequestId(id),
      ]);
      return rows[0] as { lines: number };
    },
    'statement/explain': async ({ id, kind, note }, { session }) => {
      if (note.length < 5) throw new RefusalError('FORM_INCOMPLETE', { fields: { note: 'FORM_INCOMPLETE' } });
      const { rows } = await pool.query<{ status: 'done' | 'proposed' }>(
        'select statement_explain($1, $2, $3, $4) as status',
        [session.staffId, demandRequestId(id), kind, note],
      );
      return rows[0] as { status: 'done' | 'proposed' };
    },
    'statement/decide': ({ id, verdict }, { session }) =>
      proposals.decide(session.staffId, demandRequestId(id), verdict),
  };
}
