import * as z from 'zod';
import * as fields from '../fields.ts';
import { officePost } from './operation.ts';
import { decision, made, ms, PROVED, pages, queue, request, who } from './parts.ts';

const SCREENING_VERDICTS = ['clear', 'confirm'] as const;

const hit = z.object({
  id: z.string(),
  customerId: z.string(),
  account: z.string(),
  /** What resembles the entry: a submitted name, a destination or its holder, or the sender of a payment on a chain. */
  kind: z.enum(['name', 'destination', 'sender']),
  list: z.string(),
  reference: z.string(),
  listed: z.string(),
  /** What a vendor found; null: found on a list. */
  vendor: z
    .object({ finding: z.enum(['match', 'reject', 'error', 'late']), code: z.string().nullable() })
    .nullable(),
  /** Percent. */
  score: z.int(),
  foundAt: ms,
  state: z.enum(['open', 'cleared', 'confirmed']),
  /** The newest proposal. */
  proposal: z
    .object({
      id: z.string(),
      status: z.enum(['proposed', 'done', 'refused']),
      verdict: z.enum(SCREENING_VERDICTS),
      note: z.string(),
      proposedBy: who,
      proposedAt: ms,
      decidedBy: who.nullable(),
      decidedAt: ms.nullable(),
    })
    .nullable(),
});

const inquiry = z.object({
  id: z.string(),
  customerId: z.string(),
  account: z.string(),
  vendor: z.string(),
  kind: z.enum(['name', 'destination', 'sender']),
  /** The last answer; `new`: the vendor does not know it yet. */
  state: z.enum(['new', 'pending', 'clear', 'match', 'reject', 'error']),
  code: z.string().nullable(),
  /** The house's name for it and the vendor's. */
  reference: z.string(),
  case: z.string().nullable(),
  askedAt: ms,
  answeredAt: ms.nullable(),
});

/** Matches of customers with public sanctions lists. */
export const screeningOperations = {
  'screening/list': pages(
    ['verification', 'approver', 'auditor'],
    hit,
    'Matches that are not cleared, the oldest first, or cleared ones, the newest first',
    queue,
  ),
  'screening/inquiries': pages(
    ['verification', 'approver', 'auditor'],
    inquiry,
    'What vendors were asked and answered, the newest first',
    { customerId: fields.idOf('CUSTOMER_NOT_FOUND').optional() },
  ),
  'screening/propose': officePost(
    ['verification'],
    {
      ...request,
      verdict: fields.choice(SCREENING_VERDICTS),
      note: fields.line(500, { description: 'At least five characters.', example: 'Born in another year' }),
    },
    made,
    {
      summary: 'Proposes to clear or to confirm a match',
      ...PROVED,
      errors: ['NOTHING_NEW', 'REQUEST_CLOSED', 'ABOUT_ONESELF', 'APPROVER_TOO_NEW'],
    },
  ),
  'screening/decide': decision(
    ['verification', 'approver'],
    'Agrees to what is proposed of a match, or drops it',
  ),
} as const;
