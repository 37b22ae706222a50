import * as z from 'zod';
import { nothing } from '../endpoint.ts';
import * as fields from '../fields.ts';
import { isPlainLine } from '../plain-text.ts';
import { officeGet, officePost } from './operation.ts';
import { DECISION_ERRORS, decimal, decision, made, ms, PROVED, pages, proposal, request } from './parts.ts';
import { LEFT_OUT, LINE_KINDS, STATEMENT_FIELDS } from './statement-fields.ts';
import {
  capitalChange,
  channelChange,
  correction,
  finding,
  ledgerCause,
  ledgerTransfer,
  limitChange,
  officeChannel,
  reconciliation,
  statementImport,
  statementLine,
  withdrawalLimit,
} from './treasury-answers.ts';

const READERS = ['cashier', 'approver', 'auditor'] as const;
const DECIDERS = ['cashier', 'approver'] as const;
const PROPOSAL_ERRORS = ['NOTHING_NEW', 'APPROVER_TOO_NEW'] as const;
const bankText = fields.line(100, { description: 'Of a bank channel.', example: 'A bank' }).optional();

const PLACE = `(?:${STATEMENT_FIELDS.join('|')}):\\d{1,3}`;
const statementFile = {
  asset: fields.asset,
  file: z
    .string({ error: 'FORM_INCOMPLETE' })
    .min(1, { error: 'FORM_INCOMPLETE' })
    .max(1_400_000, { error: 'INVALID_VALUE' })
    .regex(/^[A-Za-z0-9+/]*={0,2}$/, { error: 'INVALID_VALUE' })
    .meta({
      description: 'The bank’s file as it is, in Base64: separated values, XLSX, camt.053 or MT940.',
      example: 'ZGF0ZQ==',
    }),
  columns: z
    .string({ error: 'INVALID_VALUE' })
    .regex(new RegExp(`^(?:${PLACE})?(?:,${PLACE})*$`), { error: 'INVALID_VALUE' })
    .optional()
    .meta({
      description: `The place of each field’s column, from 0: ${STATEMENT_FIELDS.join(', ')}. Absent: the file’s header decides. Columns that change a row’s meaning are looked at in either case, but for those to ignore.`,
      example: 'date:0,amount:1,reference:2',
    }),
  dayOrder: fields.choice(['dayFirst', 'monthFirst']).optional().meta({
    description: 'Of days such as 03/04/2026; absent: the other days decide, or the file is refused.',
  }),
  decimalMark: fields.choice(['.', ',']).optional().meta({
    description: 'Of amounts such as 1.234; absent: the other amounts decide, or the file is refused.',
  }),
  take: z
    .string({ error: 'INVALID_VALUE' })
    .max(60_000, { error: 'INVALID_VALUE' })
    .regex(/^(\d{1,5}(,\d{1,5})*)?$/, { error: 'INVALID_VALUE' })
    .optional()
    .meta({ description: 'Lines in question to take, by their line in the file.', example: '3,7' }),
};
const STATEMENT_ERRORS = ['STATEMENT_UNREADABLE', 'STATEMENT_NO_TEXT', 'STATEMENT_FORM'] as const;
/** Text of a number that the server reads by the asset's decimals. */
const amountText = (max: number, meta: { description: string; example?: string }) =>
  z
    .string({ error: 'INVALID_AMOUNT' })
    .max(max, { error: 'INVALID_AMOUNT' })
    .refine(isPlainLine, { error: 'INVALID_AMOUNT' })
    .meta(meta);

/** The ledger, and operations on it other than deposits and withdrawals. */
export const treasuryOperations = {
  'ledger/transfers': pages(
    READERS,
    ledgerTransfer,
    'Movements of the ledger, each with its cause, newest first',
    {
      customerId: fields
        .idOf('REQUEST_NOT_FOUND')
        .optional()
        .meta({ description: 'Only those that moved this customer’s money.' }),
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
          'legal_hold',
          'legal_release',
          'revert',
        ])
        .optional(),
    },
  ),
  'ledger/cause': officeGet(
    READERS,
    {
      of: z
        .string({ error: 'FORM_INCOMPLETE' })
        .regex(
          /^(order|deposit|withdrawal|correction|practice|capital|earn_in|earn_out|interest|legal):\d{1,18}$/,
          { error: 'INVALID_VALUE' },
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
  'reconciliation/list': pages(READERS, reconciliation, 'What was found, newest first'),
  'correction/list': pages(READERS, correction, 'Corrections, newest first'),
  'correction/propose': officePost(
    ['cashier'],
    {
      customerId: fields.idOf('CUSTOMER_NOT_FOUND'),
      asset: fields.asset,
      direction: fields.choice(['up', 'down']),
      amount: fields.amount,
      reason: fields.line(500, {
        description: 'For the customer to read: at least five characters.',
        example: 'Credited twice on 3 May',
      }),
      reversedDepositId: fields
        .idOf('REQUEST_NOT_FOUND')
        .optional()
        .meta({ description: 'The deposit that was called back: counts in the customer’s credit score.' }),
    },
    made,
    { summary: 'Proposes to put a balance right', ...PROVED, errors: PROPOSAL_ERRORS },
  ),
  'correction/approve': officePost(['approver'], request, z.object({ status: proposal.status }), {
    summary: 'Agrees to a correction',
    ...PROVED,
    errors: [...DECISION_ERRORS, 'BALANCE_SMALLER', 'PRACTICE_MONEY'],
  }),
  'correction/refuse': officePost(DECIDERS, request, nothing, {
    summary: 'Drops a correction',
    ...PROVED,
    errors: DECISION_ERRORS,
  }),
  'statement/import': officePost(['cashier'], statementFile, z.object({ lines: z.int(), new: z.int() }), {
    summary: 'Takes in the bank’s statement; lines that are there already are not taken again',
    maxBytes: 3_500_000,
    ...PROVED,
    errors: STATEMENT_ERRORS,
  }),
  'statement/preview': officePost(
    ['cashier'],
    statementFile,
    z.object({
      encoding: z.string(),
      /** The first rows as they stand in the file, from the header on. */
      rows: z.array(z.array(z.string())),
      /** The field of each column, by its place from 0. */
      columns: z.record(z.string(), z.enum(STATEMENT_FIELDS)),
      /** The columns of no field that have values, with some of them. Asked: staff have to say what it is. */
      unused: z.array(z.object({ column: z.int(), isAsked: z.boolean(), values: z.array(z.string()) })),
      /** The first row that can’t be read, and its field: one of these, `dayOrder`, `decimalMark` or `meaning`. */
      fault: z.object({ line: z.string(), column: z.string() }).nullable(),
      /** How many rows are no lines, by the reason. */
      leftOut: z.partialRecord(z.enum(LEFT_OUT), z.int()),
      /** The first of them. */
      left: z.array(z.object({ line: z.int(), reason: z.enum(LEFT_OUT), text: z.string() })),
      lines: z.int(),
      /** How many an import adds without a question. */
      new: z.int(),
      /**
       * The first lines only, those in question before the others: `repeat` is equal to a line of another file, and the direction or state of
       * an `unclear` one is not understood.
       */
      items: z.array(
        z.object({
          line: z.int(),
          bookedOn: z.string(),
          amount: decimal,
          reference: z.string(),
          counterparty: z.string(),
          state: z.enum(['new', 'known', 'repeat', 'unclear']),
        }),
      ),
    }),
    {
      summary: 'What an import would take in, what it leaves out and what it asks',
      maxBytes: 3_500_000,
      errors: STATEMENT_ERRORS,
    },
  ),
  'statement/imports': pages(READERS, statementImport, 'Imports of statements, newest first'),
  'statement/undo': officePost(['cashier'], request, z.object({ lines: z.int() }), {
    summary: 'Removes all lines of an import, as long as none is used',
    ...PROVED,
    errors: ['STATEMENT_USED'],
  }),
  'statement/explain': officePost(
    ['cashier'],
    {
      ...request,
      kind: fields.choice(LINE_KINDS),
      note: fields.line(500, { description: 'At least five characters.', example: 'Interest of November' }),
    },
    z.object({ status: z.enum(['done', 'proposed']) }),
    {
      summary:
        'Says what a line was that is no customer’s payment, or withdraws that; above a bound it is a proposal',
      ...PROVED,
      errors: ['STATEMENT_USED', 'APPROVER_TOO_NEW'],
    },
  ),
  'statement/decide': decision(DECIDERS, 'Agrees to an explanation of a line, or drops it'),
  'statement/list': pages(
    READERS,
    statementLine,
    'Lines of the statements, newest first: those that stand for no request and are not explained, or all',
    { state: fields.choice(['open', 'all']).optional() },
  ),
  'channel/list': officeGet(READERS, {}, z.array(officeChannel), {
    summary: 'Where deposits are paid to, as it stands',
  }),
  'channel/changes': pages(READERS, channelChange, 'Changes of channels, newest first'),
  'channel/propose': officePost(
    ['cashier'],
    {
      id: request.id.optional().meta({ description: 'The channel to change; absent: a new one.' }),
      asset: fields.asset,
      network: fields.line(40, { description: 'The chain, or `bank`.', example: 'TRC20' }),
      address: fields.line(200, { description: 'Of a chain.', example: 'TJRabP…' }).optional(),
      bank: bankText,
      branch: bankText,
      holder: bankText,
      accountNumber: bankText,
      min: fields.amount,
      max: fields.amount,
      fee: amountText(40, { description: 'Taken from what comes in; none if absent.' }).optional(),
      presets: amountText(400, { description: 'Amounts, separated by commas.' }).optional(),
      isEnabled: fields.flag,
    },
    made,
    { summary: 'Proposes a channel, or its next version', ...PROVED, errors: PROPOSAL_ERRORS },
  ),
  'channel/decide': decision(DECIDERS, 'Agrees to a change, or drops it', ['DEMO_CHANNEL']),
  'capital/changes': pages(READERS, capitalChange, 'Capital of the house, proposed and booked, newest first'),
  'capital/propose': officePost(
    ['cashier'],
    {
      asset: fields.asset,
      amount: fields.amount,
      evidence: fields.line(100, {
        description: 'The bank’s reference or the transaction by which it came; each is booked once.',
        example: 'FT-2026-0001',
      }),
      note: fields.line(500, { description: 'Whose money it is.', example: 'Share capital' }),
    },
    made,
    {
      summary: 'Proposes to book capital that the house has brought from outside',
      ...PROVED,
      errors: PROPOSAL_ERRORS,
    },
  ),
  'capital/decide': decision(DECIDERS, 'Agrees to book capital, or drops it'),
  'limit/list': officeGet(READERS, {}, z.array(withdrawalLimit), {
    summary: 'Bounds and fee of withdrawals, as they stand',
  }),
  'limit/changes': pages(READERS, limitChange, 'Changes of the bounds of withdrawals, newest first'),
  'limit/propose': officePost(
    ['cashier'],
    {
      asset: fields.asset,
      min: fields.amount,
      max: fields.amount,
      fee: amountText(40, {
        description: 'Part of what leaves the balance; less than the least withdrawal.',
        example: '1',
      }),
    },
    made,
    { summary: 'Proposes other bounds of withdrawals', ...PROVED, errors: PROPOSAL_ERRORS },
  ),
  'limit/decide': decision(DECIDERS, 'Agrees to other bounds, or drops them'),
};
