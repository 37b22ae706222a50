import type { treasuryOperations } from '@fairtick/protocol/office';
import { call } from '../../platform/db/call.ts';
import { refusalOf } from '../../platform/http/context.ts';
import type { OfficeHandlers } from '../../platform/office-area.ts';
import { OfficeProposals } from '../../platform/office-proposals.ts';
import { readPage } from '../../platform/paging.ts';
import { BankStatements } from './bank-statement-import.ts';
import { readImports, readLines } from './bank-statement-lines.ts';
import type { TreasuryParts } from './treasury-parts.ts';

/** Bank statements: imports, their lines, and what staff say of lines that are no customer's payment. */
export function statementHandlers(
  parts: TreasuryParts,
): OfficeHandlers<Extract<keyof typeof treasuryOperations, `statement/${string}`>> {
  const { pool, assets } = parts;
  const statements = new BankStatements(pool);
  const proposals = new OfficeProposals(pool, ['statement_line']);
  return {
    'statement/import': async (input, { session }) =>
      statements.import(input, assets.real(input.asset), session.staffId),
    'statement/preview': async (input) => statements.preview(input, assets.real(input.asset)),
    'statement/list': ({ state = 'open', ...filter }) =>
      readPage(filter, (limit) =>
        readLines(pool, { isOpen: state === 'open', before: filter.cursor, limit }),
      ),
    'statement/imports': (filter) =>
      readPage(filter, (limit) => readImports(pool, { before: filter.cursor, limit })),
    'statement/undo': async ({ id }, { session }) => ({
      lines: await call(pool, 'statement_undo', { staff: session.staffId, import: id }),
    }),
    'statement/explain': async ({ id, kind, note }, { session }) => {
      if (note.length < 5) throw refusalOf('FORM_INCOMPLETE', 'note');
      const values = { staff: session.staffId, line: id, kind, note };
      return { status: await call(pool, 'statement_explain', values) };
    },
    'statement/decide': ({ id, verdict }, { session }) => proposals.decide(session.staffId, id, verdict),
  };
}
