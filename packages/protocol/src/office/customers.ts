import * as z from 'zod';
import { dataView, fundEntry } from '../answers.ts';
import { nothing } from '../endpoint.ts';
import * as fields from '../fields.ts';
import { statusesOf } from '../lifecycles.ts';
import { CUSTOMER_FLAGS } from './customer-lists.ts';
import { officeGet, officePost } from './operation.ts';
import { decimal, ms, pages, who } from './parts.ts';

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
  flags: z.array(z.string()),
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

const CUSTOMER_LINKS = ['document', 'destination', 'device', 'network'] as const;

const listedCustomer = customerDetail
  .pick({
    id: true,
    account: true,
    nickname: true,
    level: true,
    realStatus: true,
    country: true,
    createdAt: true,
    lastSeenAt: true,
    flags: true,
  })
  .extend({
    /** Everything of the chosen asset; null without one. */
    balance: decimal.nullable(),
  });

const customerNote = z.object({
  id: z.string(),
  at: ms,
  by: who,
  /** Null: a note alone. */
  flag: z.enum(CUSTOMER_FLAGS).nullable(),
  isSet: z.boolean().nullable(),
  text: z.string(),
});

const customerLink = z.object({
  what: z.enum(CUSTOMER_LINKS),
  id: z.string(),
  account: z.string(),
  realStatus: customerDetail.shape.realStatus,
  /** The newest document, destination or login that is shared, and how many are. */
  lastAt: ms,
  times: z.int(),
});

const LOOKERS = ['support', 'verification', 'cashier', 'approver', 'auditor'] as const;
const MONEY_LOOKERS = ['support', 'cashier', 'approver', 'auditor'] as const;
const one = { id: fields.idOf('CUSTOMER_NOT_FOUND') };
const day = (description: string) =>
  fields.day.optional().meta({ description: `${description} A day of UTC.`, example: '2026-11-01' });
const note = (max: number) =>
  fields.line(max, { description: 'Of staff, who alone read it.', example: 'Called about a payment' });
const search = {
  country: fields.country,
  registeredFrom: day('Registered on it or later.'),
  registeredTo: day('Registered on it or before.'),
  realStatus: fields.choice(statusesOf('realName')).optional(),
  asset: fields.asset.optional().meta({ description: 'The asset whose balance is shown.', example: 'USDT' }),
  least: fields.amount.optional().meta({ description: 'With at least so much of it.', example: '100' }),
  seenFrom: day('There on it or later.'),
  seenTo: day('Not there since.'),
  flag: fields.choice(CUSTOMER_FLAGS).optional(),
  note: note(100).optional(),
};
const searchName = fields.line(60, {
  description: 'The name of a search.',
  example: 'Unverified with money',
});

/** Customers in a list, and one customer, as staff may see them. Every operation that reveals personal data is logged as a view that the customer sees. */
export const customerOperations = {
  'customer/list': pages(
    LOOKERS,
    listedCustomer,
    'Customers that match, newest first; each of them sees that staff looked',
    search,
  ),
  'customer/searches': officeGet(
    LOOKERS,
    {},
    z.array(z.object({ name: z.string(), search: z.object(search) })),
    { summary: 'The searches of the list that the reader keeps, by name' },
  ),
  'customer/keepSearch': officePost(LOOKERS, { name: searchName, ...search }, nothing, {
    summary: 'Keeps a search of one’s own under a name; an earlier one of that name goes',
    errors: ['SEARCHES_FULL'],
  }),
  'customer/removeSearch': officePost(LOOKERS, { name: searchName }, nothing, {
    summary: 'Removes a search of one’s own',
  }),
  'customer/notes': pages(
    LOOKERS,
    customerNote,
    'Notes of staff about a customer, and flags set and cleared, newest first; the customer sees who looked',
    one,
  ),
  'customer/note': officePost(
    ['support', 'verification', 'cashier', 'approver'],
    {
      ...one,
      text: note(1000),
      flag: fields.choice(CUSTOMER_FLAGS).optional(),
      isSet: fields.flag.optional().meta({ description: 'With `flag`: sets it, or clears it.' }),
    },
    nothing,
    {
      summary: 'Writes a note about a customer, or sets or clears a flag with it',
      errors: ['NOTHING_NEW', 'ABOUT_ONESELF'],
    },
  ),
  'customer/links': officeGet(LOOKERS, one, z.array(customerLink), {
    summary:
      'Other accounts with the same document, destination, device or network; all of them see who looked',
  }),
  'customer/detail': officeGet(LOOKERS, one, customerDetail, {
    summary: 'Facts, balances, limits and requests of a customer; the customer sees who looked',
  }),
  'customer/funds': pages(
    MONEY_LOOKERS,
    fundEntry,
    'The customer’s fund log, as they see it themselves; they see who looked',
    one,
  ),
  'customer/orders': pages(
    MONEY_LOOKERS,
    customerOrder,
    'The customer’s orders, newest first; the customer sees who looked',
    one,
  ),
  'customer/views': pages(
    LOOKERS,
    dataView.extend({ name: z.string() }),
    'Who of the staff looked at what of this customer, newest first',
    one,
  ),
} as const;
