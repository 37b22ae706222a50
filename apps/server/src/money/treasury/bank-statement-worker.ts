import { serveWork } from '../../platform/threads/serve-work.ts';
import { statementColumns, statementSight } from './bank-statement-work.ts';

/** Reads banks' files in a thread: an API process that reads one would delay its customers. */
const work = { columns: statementColumns, sight: statementSight };

export type BankStatementWork = typeof work;
serveWork(work);
