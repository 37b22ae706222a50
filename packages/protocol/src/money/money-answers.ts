import * as z from 'zod';
import { assetCode, decimal, loggedEntry, nullable, requestEnding, says, time } from '../answers.ts';
import { statusesOf, stepsOf } from '../lifecycles.ts';

/** Building blocks of the answers about deposits, withdrawals and notices. */
export const depositChannel = z
  .object({
    id: z.string(),
    asset: assetCode,
    network: z.string().meta(says('The chain, or `bank`.')),
    address: nullable(z.string()).meta(says('Where to send it; null for a bank.')),
    bank: nullable(
      z.object({
        bank: z.string(),
        branch: z.string(),
        holder: z.string(),
        accountNumber: z.string(),
        reference: z
          .string()
          .meta(
            says('The creditor reference (ISO 11649) of the next deposit, to be named with the transfer.'),
          ),
      }),
    ).meta(says('Null for a chain.')),
    qr: nullable(z.string()).meta(says('What the QR code holds.')),
    min: decimal,
    max: decimal,
    presets: z.array(decimal),
    fee: decimal.meta(says('Taken from what comes in.')),
    confirmations: nullable(z.int()).meta(
      says(
        'The address is the customer’s own, and what comes is credited after so many blocks; null: staff look.',
      ),
    ),
    isDemo: z.boolean().meta(says('Nothing can be paid there: to be shown with a watermark.')),
  })
  .meta({ id: 'DepositChannel' });
export type DepositChannel = z.infer<typeof depositChannel>;

export const chainDeposit = z
  .object({
    id: z.string(),
    network: z.string(),
    asset: nullable(assetCode).meta(says('Null for a token that is not taken.')),
    amount: nullable(decimal),
    txid: z.string(),
    link: nullable(z.string()).meta(says('Of the transaction at an explorer.')),
    state: z
      .enum(statusesOf('chainDeposit'))
      .meta(says('`credited` may be traded with, `final` also be withdrawn.')),
    confirmations: z.int().meta(says('Blocks that confirm it; it is credited at `needed`.')),
    needed: z.int(),
    reason: nullable(
      z.enum([
        'token',
        'zero',
        'amount',
        'fee',
        'channel',
        'minimum',
        'known',
        'excluded',
        'closed',
        'review',
      ]),
    ).meta(says('Why it is held or unmatched.')),
    owed: nullable(decimal).meta(says('Of one that its chain dropped: what could not be taken back yet.')),
    requestId: nullable(z.string()).meta(says('The credited deposit.')),
    seenAt: time,
  })
  .meta({ id: 'ChainDeposit' });
export type ChainDeposit = z.infer<typeof chainDeposit>;

export const addressProof = z
  .object({
    chain: z.string(),
    network: z.string(),
    address: z.string(),
    customer: z.string(),
    salt: z.string(),
    place: z.int(),
    size: z.int().meta(says('Addresses of all customers in the tree.')),
    root: z.string(),
    proof: z.array(z.string()),
    logged: nullable(loggedEntry).meta(says('That the root stands in the log; null: not yet.')),
  })
  .meta({ id: 'AddressProof' });
export type AddressProof = z.infer<typeof addressProof>;

const requestStatus = z.enum(statusesOf('deposit'));
export type RequestStatus = z.infer<typeof requestStatus>;

const decided = {
  status: requestStatus,
  submittedAt: time,
  decidedAt: nullable(time),
  ending: requestEnding,
  reason: nullable(z.string()).meta(says('Why it failed or was ignored, in the language of the request.')),
  canCancel: z.boolean(),
  lapsesAt: nullable(time).meta(
    says(
      'When it is ignored, and held money is free again, if nothing happens to it; null if it does not lapse.',
    ),
  ),
};

export const depositRequest = z
  .object({
    id: z.string(),
    channelId: z.string(),
    asset: assetCode,
    network: z.string(),
    amount: decimal.meta(says('What the customer says was paid.')),
    fee: decimal,
    found: nullable(decimal).meta(says('What staff found, once decided.')),
    credited: nullable(decimal).meta(says('What was credited: found less the fee.')),
    reference: nullable(z.string()).meta(
      says('The creditor reference (ISO 11649) of a bank transfer; null: it has none.'),
    ),
    txid: nullable(z.string()).meta(says('The transaction of one that its chain’s watcher credited.')),
    ...decided,
  })
  .meta({ id: 'DepositRequest' });
export type DepositRequest = z.infer<typeof depositRequest>;

const destinationFact = z.enum([
  'network',
  'address',
  'holder',
  'bank',
  'branch',
  'country',
  'bankCode',
  'number',
]);

const destination = z
  .object({
    id: z.string(),
    kind: z.enum(['bank', 'address']),
    asset: assetCode,
    label: z.string().meta(says('Tells it apart from others.')),
    facts: z
      .array(z.object({ name: destinationFact, value: z.string() }))
      .meta(says('All that says where the money goes. Of a card’s number only the last four digits.')),
    usableAt: nullable(time).meta(
      says(
        'From when a withdrawal to it may be approved; it may be asked for before. Null: not before a claim of the account is decided.',
      ),
    ),
    lastPayout: nullable(
      z.object({
        paidAt: time,
        label: z.string().meta(says('Where it went.')),
        changed: z.array(destinationFact).meta(says('What differs here; empty: nothing.')),
      }),
    ).meta(says('Of this asset; null: there was none.')),
  })
  .meta({ id: 'Destination' });
export type Destination = z.infer<typeof destination>;

export const withdrawalRequest = z
  .object({
    id: z.string(),
    asset: assetCode,
    amount: decimal.meta(says('What leaves the balance.')),
    fee: decimal.meta(says('Part of the amount.')),
    arrives: decimal.meta(says('The amount less the fee.')),
    destination: z.object({ kind: z.enum(['bank', 'address']), label: z.string() }),
    stage: z
      .enum(['submitted', 'checked', 'approved', 'sending', 'ended'])
      .meta(
        says('Under review: how far it is; an approved one is about to be paid, `sending` is being paid.'),
      ),
    payableAt: nullable(time).meta(
      says(
        'Until when a hold keeps it from being approved; null once ended, and while it waits for a claim.',
      ),
    ),
    waitsForClaim: z
      .boolean()
      .meta(says('Whether it can’t be approved before a claim of the account is decided.')),
    reference: nullable(z.string()).meta(says('The bank’s or chain’s, once paid.')),
    payout: nullable(
      z.object({
        state: z
          .enum(statusesOf('payout'))
          .meta(
            says('`sent`: a node has it; `confirmed` at `needed` blocks, `paid` once its block is final.'),
          ),
        network: z.string(),
        txid: nullable(z.string()).meta(says('Null before it is signed.')),
        link: nullable(z.string()).meta(says('Of the transaction at an explorer.')),
        confirmations: z.int(),
        needed: z.int(),
      }),
    ).meta(says('Where a chain pays it, how far that is.')),
    ...decided,
  })
  .meta({ id: 'WithdrawalRequest' });
export type WithdrawalRequest = z.infer<typeof withdrawalRequest>;

/** The history of a deposit or withdrawal; it does not name members of staff. */
export const requestHistory = z.array(
  z.object({
    time,
    step: z.enum(['submitted', ...stepsOf('deposit'), ...stepsOf('withdrawal')]),
    by: z.enum(['customer', 'staff', 'house']),
    reason: nullable(z.string()),
  }),
);

export const withdrawOptions = z
  .object({
    missing: z.array(z.enum(['payWord', 'bank', 'address', 'realName'])),
    destinations: z.array(destination),
    assets: z.array(
      z.object({
        asset: assetCode,
        available: decimal,
        min: decimal,
        max: nullable(decimal).meta(says('Null: unlimited.')),
        fee: decimal,
      }),
    ),
    reviewHours: z.int(),
    holdSeconds: z
      .int()
      .meta(says('How long a change of a destination or a password keeps withdrawals from being approved.')),
  })
  .meta({ id: 'WithdrawOptions' });
export type WithdrawOptions = z.infer<typeof withdrawOptions>;

export const notice = z
  .object({
    id: z.string(),
    time,
    kind: z.string().meta(says('What happened: `deposit.success`, `withdrawal.failure`, …')),
    title: z.string(),
    text: z.string(),
    isRead: z.boolean(),
    ref: nullable(z.string()).meta(says('What it is about: `deposit:…`, `withdrawal:…`.')),
  })
  .meta({ id: 'Notice' });
export type Notice = z.infer<typeof notice>;
