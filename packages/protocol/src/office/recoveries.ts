import * as z from 'zod';
import { nothing } from '../endpoint.ts';
import * as fields from '../fields.ts';
import { statusesOf } from '../lifecycles.ts';
import { officeGet, officePost } from './operation.ts';
import { content, ms, PROVED, pages, queue, who } from './parts.ts';

const RECOVERY_REASONS = ['unknown_account', 'not_proven', 'unreachable', 'duplicate', 'withdrawn'] as const;

/** A call for help made before login, without its text. */
const recovery = z.object({
  id: z.string(),
  account: z.string(),
  at: ms,
  state: z.enum(statusesOf('recovery')),
  proposedBy: who.nullable(),
  proposedAt: ms.nullable(),
  decidedBy: who.nullable(),
  decidedAt: ms.nullable(),
  reason: z.enum(RECOVERY_REASONS).nullable(),
  isClaim: z.boolean(),
  /** Until when an open claim holds the customer's withdrawals, unless staff keep it. */
  holdsUntil: ms.nullable(),
});

const recoveryDetail = recovery.extend({
  contact: z.string(),
  text: z.string(),
  address: z.string().nullable(),
  /** A claim: the first loss that the caller wants undone. Null: a call without proof of former credentials. */
  lostAt: ms.nullable(),
  /** When the holder of the claimed account said that the changes were theirs; null: not. */
  objectedAt: ms.nullable(),
  /** After the decision on a claim, or the removal of a second factor, withdrawals are held twice as long. */
  holdSeconds: z.int(),
  /** Null if no account has that name. */
  customer: z
    .object({
      id: z.string(),
      nickname: z.string(),
      realStatus: z.enum(statusesOf('realName')),
      hasSecondFactor: z.boolean(),
      /** The submission that holds the person's details, to compare with. */
      verificationId: z.string().nullable(),
      createdAt: ms,
      lastLoginAt: ms.nullable(),
    })
    .nullable(),
  how: z.string().nullable(),
  /** The reason of a proposed refusal; null: none is proposed. */
  refusal: z.enum(RECOVERY_REASONS).nullable(),
  /** Whether the code also removes the second factor. */
  takesFactor: z.boolean(),
  /** The content that an approval approves; null until a proposal exists. */
  content: z.string().nullable(),
  /** Whether the caller made the proposal; then another person must approve it. */
  isMine: z.boolean(),
});

const REVIEWERS = ['support', 'verification', 'auditor'] as const;
const half = z.object({ half: z.string() });
const id = { id: fields.idOf('RECOVERY_CLOSED') };

/** Help before login: an identity review by two members of staff, each of whom gets one half of a code. */
export const recoveryOperations = {
  'recovery/queue': pages(
    REVIEWERS,
    recovery,
    'Calls for help: open ones, claims and then the oldest first, or decided ones, the newest first',
    queue,
  ),
  'recovery/detail': officeGet(REVIEWERS, id, recoveryDetail, {
    summary: 'What was written, and whose account it is; the customer sees who looked',
  }),
  'recovery/propose': officePost(
    ['support'],
    {
      ...id,
      how: fields
        .words(1000, { description: 'How it was made sure who asks.', example: 'Compared passport and face' })
        .min(20, { error: 'HOW_TOO_SHORT' }),
      /** The second factor is lost too: the code removes it, and withdrawals wait twice the hold. */
      takesFactor: fields.flag.optional(),
    },
    half,
    {
      summary: 'Says how it was made sure who asks, and is given one half of a code, once',
      ...PROVED,
      errors: ['CUSTOMER_NOT_FOUND', 'APPROVER_TOO_NEW', 'ABOUT_ONESELF'],
    },
  ),
  'recovery/approve': officePost(
    ['verification'],
    { ...id, content },
    z.object({ half: z.string().nullable() }),
    {
      summary:
        'Agrees, having looked at whom it is about, and is given the other half, once; null where the refusal of a claim was proposed',
      ...PROVED,
      errors: [
        'NOTHING_PROPOSED',
        'CONTENT_CHANGED',
        'REVIEW_UNSEEN',
        'OWN_EDIT',
        'ABOUT_ONESELF',
        'APPROVALS_MISSING',
        'APPROVER_TOO_NEW',
      ],
    },
  ),
  'recovery/keep': officePost(['support', 'verification'], id, nothing, {
    summary: 'Keeps the hold of an open claim on withdrawals for another week from now on',
    errors: ['ABOUT_ONESELF'],
  }),
  'recovery/refuse': officePost(
    ['support', 'verification'],
    { ...id, reason: fields.choice(RECOVERY_REASONS) },
    nothing,
    {
      summary:
        'Leaves everything as it is, with a reason; for a claim, proposes that, and verification approves it',
      errors: ['ABOUT_ONESELF'],
    },
  ),
} as const;
