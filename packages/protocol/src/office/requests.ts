import * as z from 'zod';
import { nothing } from '../endpoint.ts';
import * as fields from '../fields.ts';
import { inEachLanguage } from '../languages.ts';
import { statusesOf } from '../lifecycles.ts';
import { chainDeposit } from '../money/money-answers.ts';
import { officeGet, officePost } from './operation.ts';
import { claim, content, decimal, ms, PROVED, pages, queue, request, who } from './parts.ts';

export const DEPOSIT_REASONS = [
  'not_received',
  'proof_unreadable',
  'wrong_network',
  'third_party',
  'duplicate',
  'other',
] as const;
export const WITHDRAWAL_REASONS = [
  'destination_wrong',
  'destination_house',
  'name_mismatch',
  'payout_returned',
  'security',
  'other',
] as const;

const caseOf = {
  id: z.string(),
  customerId: z.string(),
  account: z.string(),
  level: z.string(),
  realStatus: z.enum(statusesOf('realName')),
  asset: z.string(),
  amount: decimal,
  fee: decimal,
  submittedAt: ms,
  claim,
  editedBy: who.nullable(),
  revision: z.int(),
  /** Hash of exactly the content that an approval would approve, hex; null without a proposal. */
  content: z.string().nullable(),
  /** Number of approvals needed, and number given. */
  needed: z.int().nullable(),
  given: z.int().nullable(),
  decidedAt: ms.nullable(),
  reason: z.string().nullable(),
  reasonText: z.string().nullable(),
};

const officeDeposit = z.object({
  ...caseOf,
  network: z.string(),
  status: z.enum(statusesOf('deposit')),
  found: decimal.nullable(),
  evidence: z.string().nullable(),
  /**
   * Amount that counts in addition to its own if the reader finds it now: the larger of the 24-hour sums of the customer and of
   * the reader.
   */
  countsBefore: decimal,
  risk: z.object({
    /** The customer has no earlier credited deposit. */
    isFirst: z.boolean(),
    /** Number of the customer's deposits in the last 24 hours, including this one. */
    lastDay: z.int(),
    earlierFailures: z.int(),
  }),
});

const WAYS = ['hand', 'provider'] as const;
/** By hand also means by a file that the cashier gives to the bank. */
const TAKEN_WAYS = [...WAYS, 'file', 'batch'] as const;
/** What a cashier says became of a payment whose end is unknown. */
const end = z.object({
  id: z.string(),
  /** Hash of exactly the content that an approval would approve, hex. */
  content: z.string(),
  by: who,
  time: ms,
  wentOut: z.boolean(),
  reference: z.string().nullable(),
  note: z.string(),
});

const officeWithdrawal = z.object({
  ...caseOf,
  arrives: decimal,
  status: z.enum(statusesOf('withdrawal')),
  destination: z.object({
    id: z.string(),
    label: z.string(),
    isGone: z.boolean(),
    isSeen: z.boolean().describe('Whether whoever asks has opened it since the request came'),
  }),
  /** End of the hold before which it can't be approved; null if the destination is gone or it waits for a claim. */
  payableAt: ms.nullable(),
  /** Whether it can't be approved before a claim of the account is decided. */
  waitsForClaim: z.boolean(),
  instructions: z.string().nullable(),
  /** Who took it for paying; null: nobody, or it has ended. */
  sending: z
    .object({ by: who, isMine: z.boolean(), time: ms, way: z.enum(TAKEN_WAYS), key: z.string() })
    .nullable(),
  reference: z.string().nullable(),
  risk: z.object({
    isFirst: z.boolean(),
    /** No earlier payment went to it, or it was bound within the last 7 days. */
    isNewDestination: z.boolean(),
    /** Other accounts that have bound the same card or address. */
    sharedWith: z.array(z.string()),
    lastDay: z.int(),
    lastDayAmount: decimal,
    /** Total ever credited to the customer in this asset. */
    deposited: decimal,
  }),
});

const events = z.array(
  z.object({
    time: ms,
    step: z.string(),
    by: who.nullable(),
    toStatus: z.string(),
    reason: z.string().nullable(),
    facts: z.record(z.string(), z.unknown()),
  }),
);
const approvals = z.array(z.object({ by: who, time: ms, counts: z.boolean() }));

const statementMatch = z.object({
  id: z.string(),
  bookedOn: z.string(),
  amount: decimal,
  reference: z.string(),
  counterparty: z.string(),
  /** The reasons why the line may match. */
  sameAmount: z.boolean(),
  namesCustomer: z.boolean(),
  namesDeposit: z.boolean(),
});

const READERS = ['cashier', 'approver', 'auditor'] as const;
const DECIDERS = ['cashier', 'approver'] as const;
const CASE_ERRORS = ['REQUEST_CLOSED', 'REQUEST_CLAIMED'] as const;
const WITHDRAWAL_ERRORS = [...CASE_ERRORS, 'PAYOUT_TAKEN'] as const;
export const UNPAYABLE = [
  'HOLD_LASTS',
  'DESTINATION_GONE',
  'CUSTOMER_UNVERIFIED',
  'CUSTOMER_FROZEN',
  'CUSTOMER_OWES',
  'SCREENING_OPEN',
  'SCREENING_DUE',
  'ADDRESS_INVALID',
  'ADDRESS_UNOWNED',
  'ADDRESS_OF_HOUSE',
] as const;
const APPROVAL_ERRORS = [
  ...CASE_ERRORS,
  'CONTENT_CHANGED',
  'NOTHING_PROPOSED',
  'OWN_EDIT',
  'APPROVER_TOO_NEW',
  'EVIDENCE_USED',
] as const;
const text = fields
  .line(500, { description: 'For the customer to read.', example: 'The transfer came back.' })
  .optional();
const evidence = fields.line(200, {
  description: 'Where the money can be looked up: the transfer’s hash, or the bank’s reference.',
  example: 'FT2026112100017',
});

/** Deposits and withdrawals: queues, cases and decisions. */
export const requestOperations = {
  'deposit/queue': pages(
    READERS,
    officeDeposit,
    'Deposits: open ones, the oldest first, or decided ones, the newest first',
    queue,
  ),
  'deposit/onChain': pages(
    READERS,
    chainDeposit.extend({
      customerId: z.string(),
      account: z.string(),
      address: z.string(),
      contract: z.string(),
      /** The number that the chain has. */
      value: z.string(),
    }),
    'Payments on chains that need staff, the newest first',
  ),
  'deposit/detail': officeGet(
    READERS,
    request,
    officeDeposit.extend({
      events,
      approvals,
      /** As reported by the chain, if one is connected. */
      confirmations: z.int().nullable(),
      matches: z.array(statementMatch),
    }),
    { summary: 'One deposit, with what the bank’s statements say of it' },
  ),
  'deposit/proof': officeGet(READERS, request, z.unknown(), {
    summary: 'The picture that shows the payment; the customer sees who looked',
    isFile: true,
    errors: ['DOCUMENT_NOT_FOUND'],
  }),
  'deposit/claim': officePost(DECIDERS, request, z.object({ until: ms }), {
    summary: 'Takes a deposit up; lapses after 15 minutes',
    errors: CASE_ERRORS,
  }),
  'deposit/release': officePost(DECIDERS, request, nothing, {
    summary: 'Gives it back to the queue',
    errors: CASE_ERRORS,
  }),
  'deposit/find': officePost(
    ['cashier'],
    { ...request, amount: fields.amount, evidence },
    z.object({ status: officeDeposit.shape.status }),
    {
      summary: 'Says what came in; it is credited at once where one person is enough',
      ...PROVED,
      errors: [...CASE_ERRORS, 'EVIDENCE_USED', 'EVIDENCE_UNCLEAR', 'CUSTOMER_EXCLUDED', 'APPROVER_TOO_NEW'],
    },
  ),
  'deposit/approve': officePost(
    ['approver'],
    { ...request, content },
    z.object({ status: officeDeposit.shape.status }),
    {
      summary: 'Agrees to exactly what was found',
      ...PROVED,
      errors: [...APPROVAL_ERRORS, 'CUSTOMER_EXCLUDED'],
    },
  ),
  'deposit/refuse': officePost(
    ['cashier'],
    {
      ...request,
      status: fields.choice(['failure', 'ignored']),
      reason: fields.choice(DEPOSIT_REASONS),
      text,
    },
    nothing,
    { summary: 'Refuses a deposit, or sets it aside', ...PROVED, errors: CASE_ERRORS },
  ),
  'withdrawal/queue': pages(
    READERS,
    officeWithdrawal,
    'Withdrawals: open ones, the oldest first, or decided ones, the newest first',
    queue,
  ),
  'withdrawal/detail': officeGet(
    READERS,
    request,
    officeWithdrawal.extend({
      events,
      approvals,
      provider: z.string().nullable().describe('The connected payment provider; null: cashiers pay by hand'),
      end: end.nullable(),
    }),
    { summary: 'One withdrawal' },
  ),
  'withdrawal/destination': officeGet(
    DECIDERS,
    request,
    z.object({
      kind: z.enum(['bank', 'address']),
      address: z.string().nullable(),
      bank: z
        .object({
          holder: z.string(),
          isVerifiedName: z.boolean().describe('The holder is the customer by their verified name'),
          bank: z.string(),
          branch: z.string(),
          cardNumber: z.string().describe('Of a card or an account'),
          country: z.string().optional().describe('Only of an account'),
          bankCode: z.string().optional().describe('Of an account without an IBAN'),
        })
        .nullable(),
    }),
    {
      summary:
        'Where exactly it goes; the customer sees who looked. From the approval on, only who took it for paying sees it',
      errors: ['PAYOUT_NOT_TAKEN'],
    },
  ),
  'withdrawal/claim': officePost(DECIDERS, request, z.object({ until: ms }), {
    summary: 'Takes a withdrawal up; lapses after 15 minutes',
    errors: WITHDRAWAL_ERRORS,
  }),
  'withdrawal/release': officePost(DECIDERS, request, nothing, {
    summary: 'Gives it back to the queue',
    errors: WITHDRAWAL_ERRORS,
  }),
  'withdrawal/propose': officePost(
    ['cashier'],
    {
      ...request,
      instructions: fields
        .line(500, { description: 'How it is to be paid.', example: 'From the second account' })
        .optional(),
    },
    z.object({ content: z.string() }),
    {
      summary: 'Proposes to pay it; what was approved before counts no more',
      ...PROVED,
      errors: [...WITHDRAWAL_ERRORS, 'APPROVER_TOO_NEW'],
    },
  ),
  'withdrawal/approve': officePost(
    ['approver'],
    { ...request, content },
    z.object({ status: officeWithdrawal.shape.status }),
    {
      summary: 'Agrees to exactly this',
      ...PROVED,
      errors: [...APPROVAL_ERRORS, 'PAYOUT_TAKEN', 'REVIEW_UNSEEN', ...UNPAYABLE],
    },
  ),
  'withdrawal/send': officePost(
    ['cashier'],
    { ...request, way: fields.choice(WAYS) },
    z.object({ status: officeWithdrawal.shape.status }),
    {
      summary:
        'Takes it for paying: by hand, or by the connected provider, which may be asked again for the same payment',
      ...PROVED,
      errors: [...WITHDRAWAL_ERRORS, 'APPROVALS_MISSING', 'APPROVER_TOO_NEW', ...UNPAYABLE],
    },
  ),
  'withdrawal/pay': officePost(
    ['cashier'],
    { ...request, reference: evidence },
    z.object({ status: officeWithdrawal.shape.status }),
    {
      summary: 'Says that it was paid, by the bank’s or chain’s reference; only who took it for paying',
      ...PROVED,
      errors: [
        ...WITHDRAWAL_ERRORS,
        'APPROVALS_MISSING',
        'PAYOUT_NOT_TAKEN',
        'EVIDENCE_USED',
        'EVIDENCE_UNCLEAR',
        'APPROVER_TOO_NEW',
      ],
    },
  ),
  'withdrawal/proposeEnd': officePost(
    ['cashier'],
    {
      ...request,
      outcome: fields.choice(['sent', 'not_sent']),
      reference: evidence.optional(),
      note: fields.line(500, {
        description: 'How that is known.',
        example: 'The bank’s statement of today does not have it.',
      }),
    },
    nothing,
    {
      summary: 'Says what became of a payment whose end is unknown; a second person decides',
      ...PROVED,
      errors: [
        'PAYOUT_NOT_TAKEN',
        'PAYOUT_ON_CHAIN',
        'EVIDENCE_USED',
        'EVIDENCE_UNCLEAR',
        'APPROVER_TOO_NEW',
      ],
    },
  ),
  'withdrawal/decideEnd': officePost(
    DECIDERS,
    { ...request, content, verdict: fields.choice(['agree', 'refuse']) },
    nothing,
    {
      summary: 'Agrees to what became of a payment, or refuses the proposal; `id` is the proposal’s',
      ...PROVED,
      errors: [
        'REQUEST_CLOSED',
        'CONTENT_CHANGED',
        'OWN_EDIT',
        'EVIDENCE_USED',
        'EVIDENCE_UNCLEAR',
        'APPROVER_TOO_NEW',
      ],
    },
  ),
  'withdrawal/refuse': officePost(
    ['cashier'],
    { ...request, reason: fields.choice(WITHDRAWAL_REASONS), text },
    nothing,
    {
      summary: 'Refuses it before anybody took it for paying: the money is free again',
      ...PROVED,
      errors: WITHDRAWAL_ERRORS,
    },
  ),
  'request/reasons': officeGet(
    DECIDERS,
    {},
    z.object({
      deposit: z.array(z.object({ reason: z.string(), ...inEachLanguage(() => z.string()) })),
      withdrawal: z.array(z.object({ reason: z.string(), ...inEachLanguage(() => z.string()) })),
    }),
    { summary: 'The reasons to choose from, in the words that customers read' },
  ),
};
