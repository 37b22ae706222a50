import * as z from 'zod';
import { page } from '../answers.ts';
import { nothing } from '../endpoint.ts';
import * as fields from '../fields.ts';
import { inEachLanguage } from '../languages.ts';
import { statusesOf } from '../lifecycles.ts';
import { officeGet, officePost } from './operation.ts';

const ms = z.int();
const VERIFICATION_REASONS = [
  'unreadable',
  'mismatch',
  'expired',
  'incomplete',
  'duplicate',
  'restricted',
  'suspicious',
  'other',
] as const;
const reason = z.enum(VERIFICATION_REASONS);
const state = z.enum(statusesOf('verification'));
const who = z.object({ id: z.string(), name: z.string() });

/** One submission, without personal data. */
const review = z.object({
  id: z.string(),
  customerId: z.string(),
  account: z.string(),
  state,
  submittedAt: ms,
  claim: z.object({ by: who, isMine: z.boolean(), until: ms }).nullable(),
  risk: z.object({
    isRestricted: z.boolean(),
    /** Other accounts that submitted the same document or the same name. */
    sameDocument: z.array(z.string()),
    sameName: z.array(z.string()),
    earlierFailures: z.int(),
    isExcluded: z.boolean().describe('A self-exclusion of another account with this document runs'),
  }),
  decidedAt: ms.nullable(),
  decidedBy: who.nullable(),
  reason: reason.nullable(),
  note: z.string().nullable(),
});

const reviewDetail = review.extend({
  /** Null once the data is erased. */
  identity: z
    .object({
      realName: z.string(),
      idCountry: z.string().nullable(),
      idType: z.string(),
      idNumber: z.string(),
      idAddress: z.string(),
      currentAddress: z.string(),
    })
    .nullable(),
  /** A passport has no picture of its back. */
  hasBack: z.boolean(),
  events: z.array(
    z.object({
      step: z.string(),
      time: ms,
      by: who.nullable(),
      reason: z.string().nullable(),
      note: z.string().nullable(),
    }),
  ),
});

const foundCustomer = z.object({
  id: z.string(),
  account: z.string(),
  nickname: z.string(),
  realStatus: z.enum(statusesOf('realName')),
  level: z.string(),
  createdAt: ms,
});

/** The queue of real names, and the search for customers. */
export const identityOperations = {
  'identity/queue': officeGet(
    ['verification', 'auditor'],
    {
      state: fields.choice(['pending', 'decided']).optional(),
      limit: fields.limit,
      cursor: fields.cursor,
    },
    page(review),
    {
      summary: 'Real names: pending ones, the oldest first, or decided ones, the newest first',
      errors: ['INVALID_CURSOR'],
    },
  ),
  'identity/detail': officeGet(['verification', 'auditor'], { id: fields.id }, reviewDetail, {
    summary: 'All of a submission; the customer sees who looked',
    errors: ['REVIEW_NOT_FOUND'],
  }),
  'identity/document': officeGet(
    ['verification', 'auditor'],
    { id: fields.id, side: fields.choice(['front', 'back']) },
    z.unknown(),
    {
      summary: 'One of its pictures; the customer sees who looked',
      isFile: true,
      errors: ['REVIEW_NOT_FOUND', 'DOCUMENT_NOT_FOUND'],
    },
  ),
  'identity/claim': officePost(['verification'], { id: fields.id }, z.object({ until: ms }), {
    summary: 'Says that one looks at it now; lapses after 15 minutes',
    errors: ['REVIEW_NOT_FOUND', 'REVIEW_CLAIMED'],
  }),
  'identity/release': officePost(['verification'], { id: fields.id }, nothing, {
    summary: 'Gives it back to the queue',
    errors: ['REVIEW_NOT_FOUND', 'REVIEW_CLAIMED'],
  }),
  'identity/decide': officePost(
    ['verification'],
    {
      id: fields.id,
      verdict: fields.choice(['verified', 'failed']),
      reason: fields.choice(VERIFICATION_REASONS).optional(),
      note: fields
        .line(500, { description: 'For the customer to read.', example: 'The back is cut off.' })
        .optional(),
    },
    nothing,
    {
      summary: 'Decides a name, having looked at all of it; a failure needs its reason, and "other" a note',
      needsProof: true,
      errors: [
        'REVIEW_NOT_FOUND',
        'REVIEW_CLAIMED',
        'REVIEW_UNSEEN',
        'REGION_RESTRICTED',
        'CUSTOMER_EXCLUDED',
        'FORM_INCOMPLETE',
        'APPROVER_TOO_NEW',
      ],
    },
  ),
  'identity/reasons': officeGet(
    ['verification', 'auditor'],
    {},
    z.array(z.object({ reason, ...inEachLanguage(() => z.string()) })),
    { summary: 'What customers read for each reason' },
  ),
  // A POST, so that the search text appears in no URL and no proxy's log.
  'customer/find': officePost(
    ['support', 'verification', 'cashier', 'auditor'],
    {
      by: fields.choice(['account', 'id', 'name', 'document', 'card', 'address']),
      text: fields.line(200, {
        description: 'The whole of it, as the customer says it.',
        example: 'demo_user',
      }),
    },
    z.array(foundCustomer),
    {
      summary: 'Customers by account or number, or by what is sealed: found without being read, and recorded',
    },
  ),
} as const;
