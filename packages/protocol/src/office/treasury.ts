import * as z from 'zod';
import { page } from '../answers.ts';
import { nothing } from '../endpoint.ts';
import * as fields from '../fields.ts';
import { isPlainLine } from '../plain-text.ts';
import { officeGet, officePost } from './operation.ts';
import { STATEMENT_FIELDS } from './statement-fields.ts';
import {
  channelChange,
  correction,
  decimal,
  finding,
  ledgerCause,
  ledgerTransfer,
  limitChange,
  ms,
  officeChannel,
  reconciliation,
  statementLine,
  withdrawalLimit,
} from './treasury-answers.ts';

const READERS = ['cashier', 'approver', 'auditor'] as const;
const DECIDERS = ['cashier', 'approver'] as const;
const paged = { limit: fields.limit, cursor: fields.cursor };
const PROVED = { needsProof: true } as const;
const DECISION_ERRORS = [
  'REQUEST_NOT_FOUND',
  'REQUEST_CLOSED',
  'ROLE_MISSING',
  'OWN_EDIT',
  'APPROVER_TOO_NEW',
] as const;
const bankText = fields.line(100, { description: 'Of a bank channel.', example: 'A bank' }).optional();

const PLACE = `(?:${STATEMENT_FIELDS.join('|')}):\\d{1,3}`;
const statementFile = {
  asset: fields.asset,
  file: z
    .string({ error: 'FORM_INCOMPLETE' })
    .min(1, { error: 'FORM_INCOMPLETE' })
    .max(1_400_000, { error: 'INVALID_VALUE' })
    .regex(/^[A-Za-z0-9+/]*={0,2}$/, { error: 'INVALID_VALUE' })
    .meta({ description: 'The bank’s file of separated values as it is, in Base64.', example: 'ZGF0ZQ==' }),
  columns: z
    .string({ error: 'INVALID_VALUE' })
    .regex(new RegExp(`^(?:${PLACE})?(?:,${PLACE})*$`), { error: 'INVALID_VALUE' })
    .optional()
    .meta({
      description: `The place of each field’s column, from 0: ${STATEMENT_FIELDS.join(', ')}. Absent: the file’s header decides.`,
      example: 'date:0,amount:1,reference:2',
    }),
  dayOrder: fields.choice(['dayFirst', 'monthFirst']).optional().meta({
    description: 'Of days such as 03/04/2026; absent: the other days decide, or the file is refused.',
  }),
  decimalMark: fields.choice(['.', ',']).optional().meta({
    description: 'Of amounts such as 1.234; absent: the other amounts decide, or the file is refused.',
  }),
};

/** The ledger, and operations on it other than deposits and withdrawals. */
export const treasuryOperations = {
  'ledger/transfers': officeGet(
    READERS,
    {
      customerId: fields.id.optional().meta({ description: 'Only those that moved this customer’s money.' }),
      asset: fields.asset
        .optional()
        .meta({ description: 'Only those that moved this asset.', example: 'USDT' }),
      from: fields.time.optional().meta({ description: 'Not before, in Unix milliseconds.' }),
      to: fields.time.optional().meta({ description: 'Before, in Unix milliseconds.' }),
      kind: fields
        .choice([
          'reserve',
          'resolve',
          'amend',
          'practice',
          'capital',
          'deposit',
          'hold',
          'release',
          'payout',
          'correction',
          'earn_in',
          'earn_out',
          'interest',
        ])
        .optional(),
      ...paged,
    },
    page(ledgerTransfer),
    {
      summary: 'Movements of the ledger, each with its cause, newest first',
      errors: ['INVALID_CURSOR', 'ASSET_NOT_ACCEPTED', 'REQUEST_NOT_FOUND'],
    },
  ),
  'ledger/cause': officeGet(
    READERS,
    {
      of: z
        .string({ error: 'FORM_INCOMPLETE' })
        .regex(
          /^(order|deposit|withdrawal|correction|practice|capital|earn_in|earn_out|interest):\d{1,18}$/,
          {
            error: 'INVALID_VALUE',
          },
        )
        .meta({ description: 'As a movement names it.', example: 'deposit:1000' }),
    },
    ledgerCause,
    { summary: 'What stands behind movements, and all of them', errors: ['REQUEST_NOT_FOUND'] },
  ),
  'ledger/trialBalance': officeGet(READERS, {}, reconciliation.shape.balances, {
    summary: 'What every account of the house and the customers together have; each asset sums to zero',
  }),
  'ledger/violations': officeGet(READERS, {}, z.object({ time: ms, violations: z.array(finding) }), {
    summary: 'Reads the whole ledger and says what does not hold in it; none is well',
    errors: ['LEDGER_TOO_LARGE'],
  }),
  'ledger/liabilities': officeGet(
    READERS,
    {},
    z.array(
      z.object({
        date: z.string(),
        asset: z.string(),
        total: decimal,
        customers: z.int(),
        takenAt: ms,
        index: z.int().nullable(),
        state: z.enum(['right', 'unlogged', 'tree', 'log']),
      }),
    ),
    {
      summary:
        'What was owed to customers on each of the last 31 days, newest first: the tree as it is kept held against the log’s entry',
    },
  ),
  'reconciliation/run': officePost(READERS, {}, reconciliation, {
    summary: 'Compares ledger, requests and statements, and records what was found',
    errors: ['LEDGER_TOO_LARGE'],
  }),
  'reconciliation/list': officeGet(READERS, paged, page(reconciliation), {
    summary: 'What was found, newest first',
    errors: ['INVALID_CURSOR'],
  }),
  'correction/list': officeGet(READERS, paged, page(correction), {
    summary: 'Corrections, newest first',
    errors: ['INVALID_CURSOR'],
  }),
  'correction/propose': officePost(
    ['cashier'],
    {
      customerId: fields.id,
      asset: fields.asset,
      direction: fields.choice(['up', 'down']),
      amount: fields.amount,
      reason: fields.line(500, {
        description: 'For the customer to read: at least five characters.',
        example: 'Credited twice on 3 May',
      }),
      reversedDepositId: fields.id
        .optional()
        .meta({ description: 'The deposit that was called back: counts in the customer’s credit score.' }),
    },
    z.object({ id: z.string() }),
    {
      summary: 'Proposes to put a balance right',
      ...PROVED,
      errors: [
        'CUSTOMER_NOT_FOUND',
        'REQUEST_NOT_FOUND',
        'ASSET_NOT_ACCEPTED',
        'INVALID_AMOUNT',
        'NOTHING_NEW',
        'APPROVER_TOO_NEW',
      ],
    },
  ),
  'correction/approve': officePost(
    ['approver'],
    { id: fields.id },
    z.object({ status: correction.shape.status }),
    {
      summary: 'Agrees to a correction',
      ...PROVED,
      errors: [...DECISION_ERRORS, 'BALANCE_SMALLER', 'PRACTICE_MONEY'],
    },
  ),
  'correction/refuse': officePost(DECIDERS, { id: fields.id }, nothing, {
    summary: 'Drops a correction',
    ...PROVED,
    errors: DECISION_ERRORS,
  }),
  'statement/import': officePost(['cashier'], statementFile, z.object({ lines: z.int(), new: z.int() }), {
    summary: 'Takes in the bank’s statement; lines that are there already are not taken again',
    maxBytes: 3_500_000,
    ...PROVED,
    errors: ['STATEMENT_UNREADABLE', 'STATEMENT_NO_TEXT', 'ASSET_NOT_ACCEPTED'],
  }),
  'statement/preview': officePost(
    ['cashier'],
    statementFile,
    z.object({
      encoding: z.string(),
      /** The first rows as they stand in the file, from the header on. */
      rows: z.array(z.array(z.string())),
      columns: z.partialRecord(z.enum(STATEMENT_FIELDS), z.int()),
      /** The first row that can’t be read, and its field: one of these, `dayOrder` or `decimalMark`. */
      fault: z.object({ line: z.string(), column: z.string() }).nullable(),
      /** Rows without a payment: sums and notes. */
      leftOut: z.int(),
      lines: z.int(),
      new: z.int(),
      /** The first lines only. */
      items: z.array(
        z.object({
          bookedOn: z.string(),
          amount: decimal,
          reference: z.string(),
          counterparty: z.string(),
          isKnown: z.boolean(),
        }),
      ),
    }),
    {
      summary: 'What an import would take in, and which lines are there already',
      maxBytes: 3_500_000,
      errors: ['STATEMENT_UNREADABLE', 'STATEMENT_NO_TEXT', 'ASSET_NOT_ACCEPTED'],
    },
  ),
  'statement/list': officeGet(
    READERS,
    { state: fields.choice(['open', 'all']).optional(), ...paged },
    page(statementLine),
    {
      summary:
        'Lines of the statements, newest first: those that came in and stand for no deposit yet, or all',
      errors: ['INVALID_CURSOR'],
    },
  ),
  'channel/list': officeGet(READERS, {}, z.array(officeChannel), {
    summary: 'Where deposits are paid to, as it stands',
  }),
  'channel/changes': officeGet(READERS, paged, page(channelChange), {
    summary: 'Changes of channels, newest first',
    errors: ['INVALID_CURSOR'],
  }),
  'channel/propose': officePost(
    ['cashier'],
    {
      id: fields.id.optional().meta({ description: 'The channel to change; absent: a new one.' }),
      asset: fields.asset,
      network: fields.line(40, { description: 'The chain, or `bank`.', example: 'TRC20' }),
      address: fields.line(200, { description: 'Of a chain.', example: 'TJRabP…' }).optional(),
      bank: bankText,
      branch: bankText,
      holder: bankText,
      accountNumber: bankText,
      min: fields.amount,
      max: fields.amount,
      fee: z
        .string({ error: 'INVALID_AMOUNT' })
        .max(40, { error: 'INVALID_AMOUNT' })
        .refine(isPlainLine, { error: 'INVALID_AMOUNT' })
        .optional()
        .meta({ description: 'Taken from what comes in; none if absent.' }),
      presets: z
        .string({ error: 'INVALID_AMOUNT' })
        .max(400, { error: 'INVALID_AMOUNT' })
        .refine(isPlainLine, { error: 'INVALID_AMOUNT' })
        .optional()
        .meta({ description: 'Amounts, separated by commas.' }),
      isEnabled: fields.flag,
    },
    z.object({ id: z.string() }),
    {
      summary: 'Proposes a channel, or its next version',
      ...PROVED,
      errors: ['ASSET_NOT_ACCEPTED', 'INVALID_AMOUNT', 'NOTHING_NEW', 'FORM_INCOMPLETE', 'APPROVER_TOO_NEW'],
    },
  ),
  'channel/decide': officePost(
    DECIDERS,
    { id: fields.id, verdict: fields.choice(['agree', 'refuse']) },
    z.object({ status: channelChange.shape.status }),
    {
      summary: 'Agrees to a change, or drops it',
      ...PROVED,
      errors: [...DECISION_ERRORS, 'DEMO_CHANNEL'],
    },
  ),
  'limit/list': officeGet(READERS, {}, z.array(withdrawalLimit), {
    summary: 'Bounds and fee of withdrawals, as they stand',
  }),
  'limit/changes': officeGet(READERS, paged, page(limitChange), {
    summary: 'Changes of the bounds of withdrawals, newest first',
    errors: ['INVALID_CURSOR'],
  }),
  'limit/propose': officePost(
    ['cashier'],
    {
      asset: fields.asset,
      min: fields.amount,
      max: fields.amount,
      fee: z
        .string({ error: 'INVALID_AMOUNT' })
        .min(1, { error: 'INVALID_AMOUNT' })
        .max(40, { error: 'INVALID_AMOUNT' })
        .refine(isPlainLine, { error: 'INVALID_AMOUNT' })
        .meta({
          description: 'Part of what leaves the balance; less than the least withdrawal.',
          example: '1',
        }),
    },
    z.object({ id: z.string() }),
    {
      summary: 'Proposes other bounds of withdrawals',
      ...PROVED,
      errors: ['ASSET_NOT_ACCEPTED', 'INVALID_AMOUNT', 'NOTHING_NEW', 'APPROVER_TOO_NEW'],
    },
  ),
  'limit/decide': officePost(
    DECIDERS,
    { id: fields.id, verdict: fields.choice(['agree', 'refuse']) },
    z.object({ status: limitChange.shape.status }),
    { summary: 'Agrees to other bounds, or drops them', ...PROVED, errors: DECISION_ERRORS },
  ),
};
