import * as z from 'zod';
import { page } from '../answers.ts';
import * as fields from '../fields.ts';
import { SELDOM } from '../limit.ts';
import { officeGet, officePost } from './operation.ts';
import { isReportZone, REPORT_FORMATS, REPORT_NAMES } from './report-kinds.ts';

const READERS = ['cashier', 'approver', 'catalogue', 'auditor', 'administrator'] as const;

const reportExport = z.object({
  id: z.string(),
  report: z.enum(REPORT_NAMES),
  format: z.enum(REPORT_FORMATS),
  zone: z.string(),
  since: z.int(),
  until: z.int(),
  reason: z.string(),
  /** Null: a command of the operator. */
  orderedBy: z.object({ id: z.string(), name: z.string() }).nullable(),
  orderedAt: z.int(),
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
    z.object({ id: z.string() }),
    {
      summary: 'Orders a report; its file can then be fetched once, within 15 minutes',
      limit: SELDOM,
      errors: ['ROLE_MISSING', 'FORM_INCOMPLETE', 'INVALID_VALUE'],
    },
  ),
  'report/file': officeGet(READERS, { id: fields.id }, z.unknown(), {
    summary: 'The file of a report that one ordered, while it is read from the database',
    isFile: true,
    errors: ['REQUEST_CLOSED', 'ROLE_MISSING'],
  }),
  'report/note': officeGet(READERS, { id: fields.id }, z.unknown(), {
    summary:
      'What an export is, signed: period, moment, rows, totals, SHA-256 of the file, heads of ledger and audit log',
    isFile: true,
    errors: ['REQUEST_NOT_FOUND'],
  }),
  'report/list': officeGet(READERS, { limit: fields.limit, cursor: fields.cursor }, page(reportExport), {
    summary: 'Exports of reports, newest first',
    errors: ['INVALID_CURSOR'],
  }),
} as const;
