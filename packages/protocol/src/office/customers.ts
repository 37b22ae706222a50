import * as z from 'zod';
import { dataView, fundEntry, page } from '../answers.ts';
import * as fields from '../fields.ts';
import { statusesOf } from '../lifecycles.ts';
import { officeGet } from './operation.ts';

const ms = z.int();
const decimal = z.string();

const customerDetail = z.object({
  id: z.string(),
  account: z.string(),
  nickname: z.string(),
  level: z.string(),
  realStatus: z.enum(statusesOf('realName')),
  country: z.string().nullable(),
  language: z.string(),
  createdAt: ms,
  lastSeenAt: ms.nullable(),
  erasedAt: ms.nullable(),
  balances: z.array(z.object({ asset: z.string(), available: decimal, held: decimal, earning: decimal })),
  /** Withdrawal limits at this customer's level; a null maximum means unlimited. */
  limits: z.array(z.object({ asset: z.string(), min: decimal, max: decimal.nullable(), fee: decimal })),
  /** Submitted real names, without the documents' contents. */
  documents: z.array(
    z.object({
      id: z.string(),
      state: z.enum(statusesOf('verification')),
      submittedAt: ms,
      decidedAt: ms.nullable(),
      reason: z.string().nullable(),
    }),
  ),
  /** Only the last digits of cards and accounts, and the network of addresses. */
  destinations: z.array(
    z.object({
      id: z.string(),
      kind: z.enum(['bank', 'account', 'address']),
      asset: z.string(),
      label: z.string(),
      changedAt: ms,
      isRemoved: z.boolean(),
    }),
  ),
  requests: z.array(
    z.object({
      kind: z.enum(['deposit', 'withdrawal']),
      id: z.string(),
      asset: z.string(),
      amount: decimal,
      status: z.string(),
      reason: z.string().nullable(),
      submittedAt: ms,
    }),
  ),
});

const customerOrder = z.object({
  id: z.string(),
  acceptedAt: ms,
  settlesAt: ms,
  symbol: z.string(),
  direction: z.enum(['up', 'down']),
  minutes: z.int(),
  asset: z.string(),
  amount: decimal,
  /** Null until it is settled. */
  result: z.enum(['profit', 'loss', 'none']).nullable(),
  credited: decimal.nullable(),
});

const LOOKERS = ['support', 'verification', 'cashier', 'approver', 'auditor'] as const;
const MONEY_LOOKERS = ['support', 'cashier', 'approver', 'auditor'] as const;
const one = { id: fields.id };
const paged = { ...one, limit: fields.limit, cursor: fields.cursor };
const ERRORS = ['CUSTOMER_NOT_FOUND', 'INVALID_CURSOR'] as const;

/** One customer, as staff may see them. Every operation that reveals personal data is logged as a view that the customer sees. */
export const customerOperations = {
  'customer/detail': officeGet(LOOKERS, one, customerDetail, {
    summary: 'Facts, balances, limits and requests of a customer; the customer sees who looked',
    errors: ['CUSTOMER_NOT_FOUND'],
  }),
  'customer/funds': officeGet(MONEY_LOOKERS, paged, page(fundEntry), {
    summary: 'The customer’s fund log, as they see it themselves; they see who looked',
    errors: ERRORS,
  }),
  'customer/orders': officeGet(MONEY_LOOKERS, paged, page(customerOrder), {
    summary: 'The customer’s orders, newest first; the customer sees who looked',
    errors: ERRORS,
  }),
  'customer/views': officeGet(LOOKERS, paged, page(dataView.extend({ name: z.string() })), {
    summary: 'Who of the staff looked at what of this customer, newest first',
    errors: ERRORS,
  }),
} as const;
