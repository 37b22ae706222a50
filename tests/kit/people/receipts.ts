import {
  type NoteVerifier,
  nobleVerifier,
  type Receipt,
  type ReceiptReport,
  type TrustedKeys,
  verifyReceipt,
} from '@fairtick/proof';
import { LogReader } from '../../../apps/server/src/market/log/log-reader.ts';
import { RuleBook } from '../../../apps/server/src/market/rule-book.ts';
import { findSettled } from '../../../apps/server/src/trading/orders/order-queries.ts';
import { BatchBook } from '../../../apps/server/src/trading/placement/batch-book.ts';
import { makeReceipt } from '../../../apps/server/src/trading/receipts/receipt.ts';
import type { ReceiptParts } from '../../../apps/server/src/trading/receipts/receipt-entries.ts';
import type { House } from '../installation/house.ts';
import type { StillHouse } from '../installation/still-house.ts';
import { keysOf } from '../installation/writers.ts';

/** What receipts need of an installation. */
type Installation = Pick<House, 'db' | 'assets' | 'products'>;

/** The public keys of the operator, which a customer trusts. */
export function trustedKeys(house: Pick<Installation, 'db'>): TrustedKeys {
  const { checkpoints, acceptances } = keysOf(house).verifierKeys;
  const verifier = (key: string) => nobleVerifier(key) as NoteVerifier;
  return { log: [verifier(checkpoints)], acceptances: [verifier(acceptances)], witnesses: [] };
}

/** The receipt from a fresh process without caches; null while it is not ready. */
export async function receiptOf(
  house: Installation,
  order: { readonly customer: string; readonly orderId: number },
  readers?: ReceiptParts['readers'],
): Promise<Receipt | null> {
  const { server: db } = house.db;
  const rules = new RuleBook(db);
  const { assets, products } = house;
  const reader = new LogReader(db, products, rules);
  const parts = {
    db,
    assets,
    products,
    rules,
    reader,
    batches: new BatchBook(db),
    ...(readers && { readers }),
  };
  const settled = await findSettled(parts, { customerId: order.customer, orderId: order.orderId });
  return settled === null || settled === 'unsettled' ? null : makeReceipt(parts, settled);
}

/** The verifier's report on the receipt as serialized in the customer's file. */
export function judged(house: Installation, receipt: Receipt): ReceiptReport {
  return verifyReceipt(JSON.parse(JSON.stringify(receipt)), { keys: trustedKeys(house) });
}

export interface SettledOrder {
  readonly customer: string;
  readonly orderId: number;
}

/** Ticks GBP/USD for this many seconds. */
export async function keepTicking(still: StillHouse, seconds: number): Promise<void> {
  for (let past = 0; past < seconds * 2; past += 1) {
    still.quote('GBP/USD', `1.27${String(100 + (past % 800))}`, still.nowMs + 1);
    await still.stepBy(500);
  }
}

/** An order that won and whose receipt is ready. */
export async function settledOrderOf(still: StillHouse): Promise<SettledOrder> {
  await still.tick('EUR/USD', '1.08400');
  const customer = await still.house.customer();
  const orderId = await still.buy(customer, { symbol: 'EUR/USD', amount: '100' });
  const { opensAtMs, settlesAtMs } = await still.order(orderId);
  await still.openAt(opensAtMs, 'EUR/USD', '1.08427');
  await still.stepTo(settlesAtMs - 250);
  await still.tick('EUR/USD', '1.08428');
  await still.stepBy(250);
  await still.settle();
  await still.tick('EUR/USD', '1.08500');
  await keepTicking(still, 2);
  return { customer, orderId };
}

/** The receipt as the customer keeps it. */
export async function settledReceipt(still: StillHouse, order: SettledOrder): Promise<Receipt> {
  const made = await receiptOf(still.house, order);
  if (!made) throw new Error('there is no receipt');
  return made;
}
