import type { bankFileOperations } from '@fairtick/protocol/office';
import { type OfficeContext, OfficeFile, type OfficeHandlers } from '../../platform/office-area.ts';
import { readPage } from '../../platform/paging.ts';
import { type Asker, type BankFileParts, bookFile, openFile, readFiles, takeFile } from './bank-files.ts';

/** Files of payments for a bank. Functions of the database decide what may be paid. */
export function bankFileHandlers(parts: BankFileParts): OfficeHandlers<keyof typeof bankFileOperations> {
  const { pool } = parts;
  return {
    'bankFile/list': (filter, context) =>
      readPage(filter, (limit) => readFiles(pool, askerOf(context), { before: filter.cursor, limit })),
    'bankFile/take': ({ id }, context) => takeFile(parts, askerOf(context), id),
    'bankFile/file': async ({ id }, { session }) =>
      new OfficeFile('application/xml', await openFile(parts, session.staffId, id), `pain.001-${id}.xml`),
    'bankFile/book': ({ id }, context) => bookFile(pool, askerOf(context), id),
  };
}

const askerOf = ({ session, language }: OfficeContext): Asker => ({ staffId: session.staffId, language });
