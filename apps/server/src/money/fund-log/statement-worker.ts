import { serveWork } from '../../platform/threads/serve-work.ts';
import { statementPdf } from './export-pdf.ts';
import { textPdf } from './text-pdf.ts';
import { yearPdf } from './year-pdf.ts';

/** Sets statements in a thread: in the main thread, fonts and pages would delay all orders. */
const work = { pdf: statementPdf, text: textPdf, year: yearPdf };

export type StatementWork = typeof work;
serveWork(work);
