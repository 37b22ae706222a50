import * as z from 'zod';
import { decimal, ms, proposal, who } from './parts.ts';
import { LINE_KINDS, LINE_SIGNS } from './statement-fields.ts';

export const ledgerTransfer = z.object({
  id: z.string(),
  time: ms,
  kind: z.string(),
  key: z.string(),
  postings: z.array(
    z.object({
      asset: z.string(),
      /** `customer 1000 available`, `external`, `trading`, `fees`, `earnings`. */
      from: z.string(),
      to: z.string(),
      amount: decimal,
      availableAfter: decimal.nullable(),
      /**
       * The cause of the movement: `order:…`, `deposit:…`, `withdrawal:…`, `correction:…`; a movement without a record of its own has
       * `practice:…`, `capital:…`, `earn_in:…`, `earn_out:…`, `legal:…` or `interest:…` with its own number.
       */
      cause: z.string(),
    }),
  ),
});

/** The record behind a movement, as names and values; a number is a time in Unix milliseconds. */
export const ledgerCause = z.object({
  cause: z.string(),
  customer: z.object({ id: z.string(), account: z.string() }).nullable(),
  facts: z.array(z.object({ name: z.string(), value: z.union([z.string(), z.number()]) })),
  /** All transfers that it caused, oldest first. */
  transfers: z.array(ledgerTransfer),
});

export const finding = z.object({ rule: z.string(), detail: z.string() });

export const correction = z.object({
  ...proposal,
  customerId: z.string(),
  account: z.string(),
  asset: z.string(),
  amount: decimal,
  reason: z.string(),
  /** The deposit that was called back after it was credited; null for any other correction. */
  reversedDepositId: z.string().nullable(),
});

export const statementLine = z.object({
  id: z.string(),
  asset: z.string(),
  bookedOn: z.string(),
  amount: decimal,
  reference: z.string(),
  counterparty: z.string(),
  importedAt: ms,
  /** The deposit credited under this reference. */
  creditedAs: z.string().nullable(),
  /** The withdrawal paid under this reference. */
  paidAs: z.string().nullable(),
  /** What staff say of it, the newest first; `proposed` until a second person agrees. The newest that is done counts. */
  explanations: z.array(
    z.object({
      /** Of the proposal; null where one person was enough. */
      id: z.string().nullable(),
      kind: z.enum(LINE_KINDS),
      note: z.string(),
      status: z.enum(['proposed', 'done']),
      proposedBy: who,
      proposedAt: ms,
      decidedBy: who.nullable(),
    }),
  ),
  /** Deposits under review that the line may belong to. */
  suggestions: z.array(
    z.object({
      id: z.string(),
      account: z.string(),
      amount: decimal,
      sameAmount: z.boolean(),
      namesCustomer: z.boolean(),
      namesDeposit: z.boolean(),
    }),
  ),
  /** What its references say, with the deposit or withdrawal and the customer that they name. Null: money that went out otherwise. */
  sign: z
    .object({ sign: z.enum(LINE_SIGNS), id: z.string().nullable(), account: z.string().nullable() })
    .nullable(),
});

export const statementImport = z.object({
  id: z.string(),
  asset: z.string(),
  importedBy: who,
  importedAt: ms,
  /** How many it added, and the days of these. Null: they are gone. */
  lines: z.int(),
  from: z.string().nullable(),
  to: z.string().nullable(),
  undoneBy: who.nullable(),
  undoneAt: ms.nullable(),
});

export const reconciliation = z.object({
  id: z.string(),
  time: ms,
  by: who.nullable(),
  findings: z.array(finding),
  balances: z.array(z.object({ asset: z.string(), account: z.string(), balance: decimal })),
});

export const officeChannel = z.object({
  id: z.string(),
  version: z.int(),
  asset: z.string(),
  network: z.string(),
  address: z.string().nullable(),
  bank: z
    .object({ bank: z.string(), branch: z.string(), holder: z.string(), accountNumber: z.string() })
    .nullable(),
  min: decimal,
  max: decimal,
  presets: z.array(decimal),
  fee: decimal,
  isEnabled: z.boolean(),
  since: ms,
});

export const channelChange = z.object({
  ...proposal,
  channelId: z.string(),
  /** The proposed terms; the version would be the next one. */
  terms: officeChannel.omit({ version: true, since: true }),
});

/** Withdrawal limits of an asset; a deposit's limits belong to its channel. */
export const withdrawalLimit = z.object({ asset: z.string(), min: decimal, max: decimal, fee: decimal });

/** Capital that the house brings from outside. */
export const capitalChange = z.object({
  ...proposal,
  asset: z.string(),
  amount: decimal,
  /** The bank's reference or the transaction. */
  evidence: z.string(),
  note: z.string(),
});

export const limitChange = z.object({ ...proposal, terms: withdrawalLimit });
