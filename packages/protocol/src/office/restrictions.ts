import * as z from 'zod';
import { nothing } from '../endpoint.ts';
import * as fields from '../fields.ts';
import { FREEZE_REASONS, FROZEN_THINGS } from './customer-lists.ts';
import { officeGet, officePost } from './operation.ts';
import { decision, made, ms, PROVED, pages, proposal, request, who } from './parts.ts';

/** What counts from `at` on: closed until then, or (`until` = `at`) open again. */
const freeze = z.object({
  id: z.string(),
  what: z.enum(FROZEN_THINGS),
  at: ms,
  until: ms,
  isRunning: z.boolean(),
  reason: z.enum(FREEZE_REASONS),
  note: z.string(),
  by: who,
  /** The second person; null: one person alone did it. */
  approvedBy: who.nullable(),
});

/** A sum that an authority has ordered to hold. */
const heldSum = z.object({
  asset: z.string(),
  amount: z.string(),
  authority: z.string(),
  reference: z.string(),
});

const restrictionChange = z.object({
  ...proposal,
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
});

const READERS = ['support', 'verification', 'cashier', 'approver', 'auditor'] as const;
const PROPOSAL_ERRORS = ['NOTHING_NEW', 'ABOUT_ONESELF', 'APPROVER_TOO_NEW'] as const;
const customer = { customerId: fields.idOf('CUSTOMER_NOT_FOUND') };
const note = fields.line(500, {
  description: 'For staff alone: at least five characters.',
  example: 'The customer called: a stranger uses the account',
});
const frozen = {
  ...customer,
  what: fields.choice(FROZEN_THINGS),
  reason: fields.choice(FREEZE_REASONS).meta({ description: 'For the customer to read.' }),
  note,
};

/** What staff close for one customer. Money that is under way ends as usual. */
export const restrictionOperations = {
  'restriction/list': pages(
    READERS,
    restrictionChange,
    'Proposed and decided restrictions of customers, newest first',
    { customerId: customer.customerId.optional().meta({ description: 'Only those of this customer.' }) },
  ),
  'restriction/freezes': officeGet(READERS, customer, z.array(freeze), {
    summary: 'The newest 50 freezes of a customer and their ends; the customer sees who looked',
  }),
  'restriction/holds': officeGet(
    READERS,
    customer,
    z.array(heldSum.extend({ id: z.string(), at: ms, liftedAt: ms.nullable() })),
    { summary: 'The newest 50 holds of authorities on a customer’s money; the customer sees who looked' },
  ),
  'restriction/hold': officePost(
    ['cashier'],
    {
      ...customer,
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
    made,
    {
      summary: 'Proposes to hold a sum by order of a court or an authority',
      ...PROVED,
      errors: ['BALANCE_SMALLER', 'PRACTICE_MONEY', ...PROPOSAL_ERRORS],
    },
  ),
  'restriction/liftHold': officePost(['cashier'], { ...request, note }, made, {
    summary: 'Proposes to lift a hold',
    ...PROVED,
    errors: PROPOSAL_ERRORS,
  }),
  'restriction/freeze': officePost(
    ['support', 'verification', 'cashier', 'approver'],
    { ...frozen, hours: fields.whole(1, 72) },
    nothing,
    {
      summary: 'Closes logins, orders or withdrawals of a customer at once, for up to 72 hours',
      ...PROVED,
      errors: ['NOTHING_NEW', 'FREEZE_NEEDS_TWO', 'ABOUT_ONESELF'],
    },
  ),
  'restriction/propose': officePost(
    ['verification'],
    {
      ...frozen,
      days: fields.whole(1, 365).optional().meta({ description: 'From now on; absent: lifts it.' }),
    },
    made,
    {
      summary: 'Proposes to keep a freeze longer, to begin one, or to lift it',
      ...PROVED,
      errors: PROPOSAL_ERRORS,
    },
  ),
  'restriction/decide': decision(
    ['verification', 'cashier', 'approver'],
    'Approves or refuses a proposed restriction',
    ['ABOUT_ONESELF', 'BALANCE_SMALLER'],
  ),
} as const;
