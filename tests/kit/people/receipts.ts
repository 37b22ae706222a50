import {
  type NoteVerifier,
  nobleVerifier,
  type Receipt,
  type ReceiptReport,
  type TrustedKeys,
  verifyReceipt,
} from '@fairtick/proof';
import { LogReader } from '../../../apps/server/src/market-data/log/log-reader.ts';
import { ProofReader } from '../../../apps/server/src/market-data/log/proof-reader.ts';
import { RuleBook } from '../../../apps/server/src/market-data/rule-book.ts';
import { BatchBook } from '../../../apps/server/src/orders/batch-book.ts';
import { findSettled } from '../../../apps/server/src/orders/order-queries.ts';
import { makeReceipt } from '../../../apps/server/src/orders/receipt.ts';
import type { House } from '../installation/house.ts';
import { keysOf } from '../installation/writers.ts';

/** What a customer trusts: the public keys of the house. */
export function trustedKeys(house: House): TrustedKeys {
  const { checkpoints, acceptances } = keysOf(house).verifierKeys;
  const verifier = (key: string) => nobleVerifier(key) as NoteVerifier;
  return { log: [verifier(checkpoints)], acceptances: [verifier(acceptances)], witnesses: [] };
}

/** The receipt as the server gives it, by a process that remembers nothing; null while it is not ready. */
export async function receiptOf(
  house: House,
  order: { readonly customer: string; readonly orderId: number },
): Promise<Receipt | null> {
  const { server: db } = house.db;
  const rules = new RuleBook(db);
  const { assets, products } = house;
  const proofs = new ProofReader(db, new LogReader(db, products, rules));
  const parts = { db, assets, products, rules, proofs, batches: new BatchBook(db) };
  const settled = await findSettled(parts, { customerId: order.customer, orderId: order.orderId });
  return settled === null || settled === 'unsettled' ? null : makeReceipt(parts, settled);
}

/** The receipt as it stands in the customer's file, and what the verifier says of it. */
export function judged(house: House, receipt: Receipt): ReceiptReport {
  return verifyReceipt(JSON.parse(JSON.stringify(receipt)), { keys: trustedKeys(house) });
}
