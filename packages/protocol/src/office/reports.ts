import * as z from 'zod';
import * as fields from '../fields.ts';
import { SELDOM } from '../limit.ts';
import { officeGet, officePost } from './operation.ts';
import { made, ms, pages, request, who } from './parts.ts';
import { isReportZone, REPORT_FORMATS, REPORT_NAMES } from './report-kinds.ts';

const READERS = ['cashier', 'approver', 'catalogue', 'auditor', 'administrator'] as const;

const reportExport = z.object({
  id: z.string(),
  report: z.enum(REPORT_NAMES),
  format: z.enum(REPORT_FORMATS),
  zone: z.string(),
  since: ms,
  until: ms,
  reason: z.string(),
  /** Null: a command of the operator. */
  orderedBy: who.nullable(),
  orderedAt: ms,
  /** `broken`: not fetched, or not to its end. */
  state: z.enum(['ordered', 'running', 'done', 'broken']),
  rows: z.int().nullable(),
  sha256: z.string().nullable(),
});

/** Reports as files, each ordered with a reason and signed. */
export const reportOperations = {
  'report/order': officePost(
    READERS,
    {
      report: fields.choice(REPORT_NAMES),
      format: fields.choice(REPORT_FORMATS),
      from: fields.time.meta({ description: 'The begin of the period, in Unix milliseconds.' }),
      to: fields.time.meta({ description: 'The end of the period; it does not belong to it.' }),
      zone: fields.zone.refine(isReportZone, { error: 'INVALID_VALUE' }).optional(),
      reason: fields.line(500, {
        description: 'At least five characters.',
        example: 'The month for the auditor',
      }),
    },
    made,
    { summary: 'Orders a report; its file can then be fetched once, within 15 minutes', limit: SELDOM },
  ),
  'report/file': officeGet(READERS, { id: fields.idOf('REQUEST_CLOSED') }, z.unknown(), {
    summary: 'The file of a report that one ordered, while it is read from the database',
    isFile: true,
  }),
  'report/note': officeGet(READERS, request, z.unknown(), {
    summary:
      'What an export is, signed: period, moment, rows, totals, SHA-256 of the file, heads of ledger and audit log',
    isFile: true,
  }),
  'report/list': pages(READERS, reportExport, 'Exports of reports, newest first'),
} as const;
