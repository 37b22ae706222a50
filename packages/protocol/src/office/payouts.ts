import * as z from 'zod';
import { nothing } from '../endpoint.ts';
import * as fields from '../fields.ts';
import { statusesOf } from '../lifecycles.ts';
import { officeGet, officePost } from './operation.ts';
import { content, DECISION_ERRORS, made, ms, PROVED, pages, proposal, request, who } from './parts.ts';
import { UNPAYABLE } from './requests.ts';

const READERS = ['cashier', 'approver', 'auditor'] as const;
const DECIDERS = ['cashier', 'approver'] as const;

const batch = z.object({
  ...proposal,
  chain: z.string(),
  network: z.string(),
  /** Hash of exactly what is signed, hex. */
  content: z.string(),
  count: z.int(),
  cancels: z.boolean(),
  /** The batch whose nonces it uses, and the one that uses its nonces. */
  replaces: z.string().nullable(),
  replacedBy: z.string().nullable(),
  signedBy: who.nullable(),
  signedAt: ms.nullable(),
  /** On TRON: when it expires, and whether no block has it nor can have it any more, so that it may be replaced. */
  expiresAt: ms.nullable(),
  isExpired: z.boolean(),
  /** How many of its payouts are in each state; empty before it is approved. */
  states: z.partialRecord(z.enum(statusesOf('payout')), z.int()),
});

/** Payouts on chains, in batches that the house’s key signs offline. */
export const payoutOperations = {
  'payout/chains': officeGet(
    READERS,
    {},
    z.array(
      z.object({
        chain: z.string(),
        network: z.string(),
        /** The house’s address, which pays. */
        address: z.string(),
        /** Approved withdrawals that a batch could have. */
        waiting: z.int(),
        isReady: z.boolean().describe('Whether a node has told the address’s next nonce'),
      }),
    ),
    { summary: 'The chains on which the house pays' },
  ),
  'payout/list': pages(READERS, batch, 'Batches of payouts, the newest first'),
  'payout/detail': officeGet(
    DECIDERS,
    request,
    batch.extend({
      from: z.string(),
      /** On Bitcoin: what returns to the paying address. */
      change: z.string().nullable(),
      /** The most that the chain may take of all transactions together, in its own coin. */
      mostFee: z.string(),
      outputs: z.array(
        z.object({
          nonce: z.string(),
          withdrawal: z.string(),
          asset: z.string(),
          amount: z.string(),
          to: z.string(),
          contract: z.string(),
          state: z.enum(statusesOf('payout')).nullable(),
          reason: z.enum(['reverted', 'cancelled', 'lost', 'unsigned', 'expired']).nullable(),
          txid: z.string().nullable(),
          link: z.string().nullable(),
        }),
      ),
    }),
    { summary: 'One batch with all its payments; the customers see who looked' },
  ),
  'payout/prepare': officePost(
    ['cashier'],
    { chain: fields.line(30, { description: 'A chain of payout/chains.', example: 'ethereum' }) },
    z.object({
      id: z.string().nullable(),
      leftOut: z.array(z.object({ id: z.string(), reason: z.string(), text: z.string() })),
    }),
    {
      summary:
        'Prepares a batch of the approved withdrawals; those that can’t be paid now are left out and named',
      ...PROVED,
      errors: ['REQUEST_NOT_FOUND', 'PAYOUT_NO_NODE', 'PAYOUT_NO_COINS', 'APPROVER_TOO_NEW'],
    },
  ),
  'payout/replace': officePost(['cashier'], { ...request, how: fields.choice(['faster', 'cancel']) }, made, {
    summary:
      'Prepares a batch with the same nonces and higher fees, which pays the same or nothing; on TRON only of one that has expired',
    ...PROVED,
    errors: [
      'PAYOUT_REPLACED',
      'PAYOUT_FEE_BOUND',
      'PAYOUT_NOT_EXPIRED',
      'PAYOUT_NO_NODE',
      'REQUEST_CLOSED',
      'APPROVER_TOO_NEW',
    ],
  }),
  'payout/decide': officePost(
    DECIDERS,
    { ...request, content, verdict: fields.choice(['agree', 'refuse']) },
    z.object({ status: proposal.status }),
    {
      summary: 'Agrees to exactly this batch, or refuses it',
      ...PROVED,
      errors: [
        ...DECISION_ERRORS,
        'CONTENT_CHANGED',
        'REQUEST_CLAIMED',
        'PAYOUT_TAKEN',
        'APPROVALS_MISSING',
        ...UNPAYABLE,
      ],
    },
  ),
  'payout/file': officeGet(['cashier'], request, z.unknown(), {
    summary: 'What the key signs offline, of a batch that two people agreed to',
    isFile: true,
  }),
  'payout/sign': officePost(
    ['cashier'],
    {
      ...request,
      file: z
        .string({ error: 'FORM_INCOMPLETE' })
        .min(1, { error: 'FORM_INCOMPLETE' })
        .max(250_000, { error: 'INVALID_VALUE' })
        .regex(/^[ -~\t\r\n]*$/, { error: 'PAYOUT_FILE_UNREADABLE' })
        .meta({
          description: 'The file that the signer wrote, as it is.',
          example: '{"hash":"00ff","signed":["0x02f8"]}',
        }),
    },
    nothing,
    {
      summary: 'Takes in what the key signed, if it is exactly what was agreed; it is stored, then sent',
      ...PROVED,
      maxBytes: 600_000,
      errors: [
        'PAYOUT_FILE_UNREADABLE',
        'PAYOUT_FILE_DIFFERS',
        'PAYOUT_SIGNED',
        'PAYOUT_REPLACED',
        'CONTENT_CHANGED',
        'REQUEST_CLOSED',
        'APPROVER_TOO_NEW',
      ],
    },
  ),
};
