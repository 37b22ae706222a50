import type { Data } from '@fairtick/protocol';
import { findSettled, type OrderQueryParts } from '../orders/order-queries.ts';
import { makeReceipt } from './receipt.ts';
import type { ReceiptParts } from './receipt-entries.ts';

/** The newest orders may have no receipt yet: it comes once a signed checkpoint covers the settlement. */
const NEWEST = 5;

/**
 * The receipt of the newest practice order, opened and settled, of a customer whose orders are public; null while there is none.
 * Lost orders are shown as won ones are.
 * @param account the customer's account
 */
export async function publishedReceipt(
  parts: ReceiptParts & Pick<OrderQueryParts, 'batches'>,
  account: string,
): Promise<Data<'transparencyReceipt'>> {
  const { rows } = await parts.db.query<{ id: string; customer_id: string }>(
    `select id, customer_id from orders_and_results
     where customer_id = (select id from customers where account = $1) and asset_id = $2
       and settled_at_ms is not null and open_index is not null
     order by id desc limit ${NEWEST}`,
    [account, parts.assets.byCode('DEMO')?.id],
  );
  for (const { id, customer_id: customerId } of rows) {
    const order = await findSettled(parts, { customerId, orderId: Number(id) });
    const receipt = order === null || order === 'unsettled' ? null : await makeReceipt(parts, order);
    if (receipt !== null) return receipt;
  }
  return null;
}
