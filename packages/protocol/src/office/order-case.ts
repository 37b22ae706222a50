import * as z from 'zod';
import { order } from '../answers.ts';
import * as fields from '../fields.ts';
import { verifierKeys } from '../market/log-answers.ts';
import { receipt } from '../market/receipt-answer.ts';
import { notice } from '../money/money-answers.ts';
import { officeGet } from './operation.ts';
import { ledgerTransfer } from './treasury-answers.ts';

const orderCase = z.object({
  customer: z.object({ id: z.string(), account: z.string(), language: z.string() }),
  /** As the customer's own app is told. */
  order,
  /** The movements of this order in its customer's accounts, oldest first. */
  transfers: z.array(ledgerTransfer),
  /** What the customer's inbox says of the order, in the customer's language. */
  notices: z.array(notice),
  /** Null until the order is settled and a signed checkpoint covers all that decides it. */
  receipt: receipt.nullable(),
  /** The log's keys, as the customers' app is told. */
  keys: verifierKeys,
  /** What happened to the order, in plain words of the customer's language. */
  account: z.object({ title: z.string(), lines: z.array(z.string()) }),
});

const LOOKERS = ['support', 'cashier', 'approver', 'auditor'] as const;
const one = { id: fields.idOf('ORDER_NOT_FOUND') };

/** An order with all that decided it. */
export const orderCaseOperations = {
  'order/case': officeGet(LOOKERS, one, orderCase, {
    summary: 'An order by its number, with what decided it; the customer sees who looked',
  }),
  'order/account': officeGet(LOOKERS, one, z.unknown(), {
    summary:
      'The same for its customer: a PDF in their language with the receipt attached; they see who looked',
    isFile: true,
  }),
} as const;
