import * as z from 'zod';
import { page } from '../answers.ts';
import { nothing } from '../endpoint.ts';
import * as fields from '../fields.ts';
import { statusesOf } from '../lifecycles.ts';
import { FREEZE_REASONS, FROZEN_THINGS } from './customer-lists.ts';
import { officeGet, officePost } from './operation.ts';

const ms = z.int();
const staff = z.object({ id: z.string(), name: z.string() });

/** What counts from `at` on: closed until then, or (`until` = `at`) open again. */
const freeze = z.object({
  id: z.string(),
  what: z.enum(FROZEN_THINGS),
  at: ms,
  until: ms,
  isRunning: z.boolean(),
  reason: z.enum(FREEZE_REASONS),
  note: z.string(),
  by: staff,
  /** The second person; null: one person alone did it. */
  approvedBy: staff.nullable(),
});

/** A sum that an authority has ordered to hold. */
const heldSum = z.object({
  asset: z.string(),
  amount: z.string(),
  authority: z.string(),
  reference: z.string(),
});

const restrictionChange = z.object({
  id: z.string(),
  customerId: z.string(),
  account: z.string(),
  /** Of a freeze; null: a hold. */
  what: z.enum(FROZEN_THINGS).nullable(),
  reason: z.enum(FREEZE_REASONS).nullable(),
  until: ms.nullable(),
  /** Of a hold; null: a freeze. */
  hold: heldSum.nullable(),
  isLift: z.boolean(),
  note: z.string(),
  status: z.enum(statusesOf('proposal')),
  proposedBy: staff,
  proposedAt: ms,
  decidedBy: staff.nullable(),
  decidedAt: ms.nullable(),
});

const READERS = ['support', 'verification', 'cashier', 'approver', 'auditor'] as const;
const PROVED = { needsProof: true } as const;
const DECISION_ERRORS = [
  'REQUEST_NOT_FOUND',
  'REQUEST_CLOSED',
  'ROLE_MISSING',
  'OWN_EDIT',
  'ABOUT_ONESELF',
  'APPROVER_TOO_NEW',
  'BALANCE_SMALLER',
] as const;
const note = fields.line(500, {
  description: 'For staff alone: at least five characters.',
  example: 'The customer called: a stranger uses the account',
});
const frozen = {
  customerId: fields.id,
  what: fields.choice(FROZEN_THINGS),
  reason: fields.choice(FREEZE_REASONS).meta({ description: 'For the customer to read.' }),
  note,
};

/** What staff close for one customer. Money that is under way ends as usual. */
export const restrictionOperations = {
  'restriction/list': officeGet(
    READERS,
    {
      customerId: fields.id.optional().meta({ description: 'Only those of this customer.' }),
      limit: fields.limit,
      cursor: fields.cursor,
    },
    page(restrictionChange),
    { summary: 'Proposed and decided restrictions of customers, newest first', errors: ['INVALID_CURSOR'] },
  ),
  'restriction/freezes': officeGet(READERS, { customerId: fields.id }, z.array(freeze), {
    summary: 'The newest 50 freezes of a customer and their ends; the customer sees who looked',
    errors: ['CUSTOMER_NOT_FOUND'],
  }),
  'restriction/holds': officeGet(
    READERS,
    { customerId: fields.id },
    z.array(heldSum.extend({ id: z.string(), at: ms, liftedAt: ms.nullable() })),
    {
      summary: 'The newest 50 holds of authorities on a customer’s money; the customer sees who looked',
      errors: ['CUSTOMER_NOT_FOUND'],
    },
  ),
  'restriction/hold': officePost(
    ['cashier'],
    {
      customerId: fields.id,
      asset: fields.asset,
      amount: fields.amount,
      authority: fields.line(200, {
        description: 'Who ordered it, for the customer to read.',
        example: 'District Court of Example, 3rd chamber',
      }),
      reference: fields.line(60, {
        description: 'The number of the order, for the customer to read.',
        example: '3 K 112/26',
      }),
      note,
    },
    z.object({ id: z.string() }),
    {
      summary: 'Proposes to hold a sum by order of a court or an authority',
      ...PROVED,
      errors: [
        'CUSTOMER_NOT_FOUND',
        'ASSET_NOT_ACCEPTED',
        'INVALID_AMOUNT',
        'BALANCE_SMALLER',
        'PRACTICE_MONEY',
        'NOTHING_NEW',
        'ABOUT_ONESELF',
        'APPROVER_TOO_NEW',
      ],
    },
  ),
  'restriction/liftHold': officePost(['cashier'], { id: fields.id, note }, z.object({ id: z.string() }), {
    summary: 'Proposes to lift a hold',
    ...PROVED,
    errors: ['REQUEST_NOT_FOUND', 'NOTHING_NEW', 'ABOUT_ONESELF', 'APPROVER_TOO_NEW'],
  }),
  'restriction/freeze': officePost(
    ['support', 'verification', 'cashier', 'approver'],
    { ...frozen, hours: fields.whole(1, 72) },
    nothing,
    {
      summary: 'Closes logins, orders or withdrawals of a customer at once, for up to 72 hours',
      ...PROVED,
      errors: ['CUSTOMER_NOT_FOUND', 'NOTHING_NEW', 'FREEZE_NEEDS_TWO', 'ABOUT_ONESELF'],
    },
  ),
  'restriction/propose': officePost(
    ['verification'],
    {
      ...frozen,
      days: fields.whole(1, 365).optional().meta({ description: 'From now on; absent: lifts it.' }),
    },
    z.object({ id: z.string() }),
    {
      summary: 'Proposes to keep a freeze longer, to begin one, or to lift it',
      ...PROVED,
      errors: ['CUSTOMER_NOT_FOUND', 'NOTHING_NEW', 'ABOUT_ONESELF', 'APPROVER_TOO_NEW'],
    },
  ),
  'restriction/decide': officePost(
    ['verification', 'cashier', 'approver'],
    { id: fields.id, verdict: fields.choice(['agree', 'refuse']) },
    z.object({ status: restrictionChange.shape.status }),
    { summary: 'Approves or refuses a proposed restriction', ...PROVED, errors: DECISION_ERRORS },
  ),
} as const;
