import * as z from 'zod';
import { nothing } from '../endpoint.ts';
import * as fields from '../fields.ts';
import { inEachLanguage } from '../languages.ts';
import { statusesOf } from '../lifecycles.ts';
import { officeGet, officePost } from './operation.ts';
import { claim, ms, PROVED, pages, who } from './parts.ts';

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

/** One submission, without personal data. */
const review = z.object({
  id: z.string(),
  customerId: z.string(),
  account: z.string(),
  state,
  submittedAt: ms,
  claim,
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

const READERS = ['verification', 'auditor'] as const;
const id = { id: fields.idOf('REVIEW_NOT_FOUND') };
const CLAIMED = ['REVIEW_CLAIMED'] as const;

/** The queue of real names, and the search for customers. */
export const identityOperations = {
  'identity/queue': pages(
    READERS,
    review,
    'Real names: pending ones, the oldest first, or decided ones, the newest first',
    { state: fields.choice(['pending', 'decided']).optional() },
  ),
  'identity/detail': officeGet(READERS, id, reviewDetail, {
    summary: 'All of a submission; the customer sees who looked',
  }),
  'identity/document': officeGet(READERS, { ...id, side: fields.choice(['front', 'back']) }, z.unknown(), {
    summary: 'One of its pictures; the customer sees who looked',
    isFile: true,
    errors: ['DOCUMENT_NOT_FOUND'],
  }),
  'identity/claim': officePost(['verification'], id, z.object({ until: ms }), {
    summary: 'Says that one looks at it now; lapses after 15 minutes',
    errors: CLAIMED,
  }),
  'identity/release': officePost(['verification'], id, nothing, {
    summary: 'Gives it back to the queue',
    errors: CLAIMED,
  }),
  'identity/decide': officePost(
    ['verification'],
    {
      ...id,
      verdict: fields.choice(['verified', 'failed']),
      reason: fields.choice(VERIFICATION_REASONS).optional(),
      note: fields
        .line(500, { description: 'For the customer to read.', example: 'The back is cut off.' })
        .optional(),
    },
    nothing,
    {
      summary: 'Decides a name, having looked at all of it; a failure needs its reason, and "other" a note',
      ...PROVED,
      errors: [
        ...CLAIMED,
        'REVIEW_UNSEEN',
        'REGION_RESTRICTED',
        'CUSTOMER_EXCLUDED',
        'SCREENING_OPEN',
        'SCREENING_DUE',
        'APPROVER_TOO_NEW',
      ],
    },
  ),
  'identity/reasons': officeGet(
    READERS,
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
