import type { Language } from '@fairtick/protocol';
import type { OfficeData, orderCaseOperations } from '@fairtick/protocol/office';
import { recordView } from '../../customers/personal-data/views.ts';
import type { SigningKeys } from '../../market/keys/signing-keys.ts';
import { LogReader } from '../../market/log/log-reader.ts';
import { readVerifierKeys } from '../../market/log-routes.ts';
import type { Products } from '../../market/products.ts';
import type { RuleBook } from '../../market/rule-book.ts';
import type { StatementWork } from '../../money/fund-log/statement-worker.ts';
import { readTransfersOf } from '../../money/treasury/ledger-queries.ts';
import { NOTICE, presentNotice, type StoredNotice } from '../../notices/notices.ts';
import type { Assets } from '../../platform/assets.ts';
import type { Pool } from '../../platform/db/database.ts';
import { BOUNDS } from '../../platform/fairness/bounds.ts';
import { RefusalError } from '../../platform/http/context.ts';
import { OfficeFile, type OfficeHandlers, type StaffSession } from '../../platform/office-area.ts';
import { readId } from '../../platform/paging.ts';
import { WorkThread } from '../../platform/threads/work-thread.ts';
import { findOrders, findSettled, type OrderReadParts } from '../../trading/orders/order-queries.ts';
import { BatchBook } from '../../trading/placement/batch-book.ts';
import { makeReceipt } from '../../trading/receipts/receipt.ts';
import { accountOf, receiptName } from './account-text.ts';

export interface OrderCaseParts {
  readonly pool: Pool;
  readonly assets: Assets;
  readonly products: Products;
  readonly rules: RuleBook;
  readonly keys: SigningKeys;
}

type Case = OfficeData<'order/case'>;
type Parts = OrderCaseParts & OrderReadParts;

const PRESS = { timeMs: 60_000, bounds: BOUNDS.statements };
const MOST_NOTICES = 20;

/** One order as staff see it. Each view is recorded before it is answered, and the customer sees the record. */
export function orderCaseHandlers(given: OrderCaseParts): OfficeHandlers<keyof typeof orderCaseOperations> {
  const { pool, products, rules } = given;
  const reader = new LogReader(pool, products, rules);
  const parts: Parts = { ...given, db: pool, reader, market: null, batches: new BatchBook(pool) };
  const script = new URL('../../money/fund-log/statement-worker.ts', import.meta.url);
  const press = new WorkThread<StatementWork>(script, PRESS);
  return {
    'order/case': ({ id }, { session }) => readCase(parts, id, session),
    'order/account': async ({ id }, { session }) => {
      const { account, receipt, customer, order } = await readCase(parts, id, session);
      const attached = receipt && { name: receiptName(order.id), json: JSON.stringify(receipt, null, 2) };
      const bytes = await press.run('text', account, customer.language as Language, attached);
      return new OfficeFile('application/pdf', Buffer.from(bytes), `fairtick-order-${order.id}.pdf`);
    },
  };
}

/** @throws RefusalError */
async function readCase(parts: Parts, id: string, { staffId }: StaffSession): Promise<Case> {
  const { pool } = parts;
  const orderId = readId(id);
  const { rows } = await pool.query<Case['customer']>(
    `select c.id::text, c.account, c.language from orders o join customers c on c.id = o.customer_id where o.id = $1`,
    [orderId],
  );
  const customer = rows[0];
  if (orderId === null || !customer) throw new RefusalError('ORDER_NOT_FOUND');
  const customerId = customer.id;
  await recordView(pool, { staffId, customerId, what: 'account', subjectId: String(orderId) });
  const owned = { customerId, orderId };
  const [[order], settled, transfers, notices, keys] = await Promise.all([
    findOrders(parts, [owned]),
    findSettled(parts, owned),
    readTransfersOf(pool, {
      customerId,
      ref: String(orderId),
      kinds: ['reserve', 'resolve', 'amend'],
    }),
    readNoticesOf(parts, customer, orderId),
    readVerifierKeys({ db: pool, keys: parts.keys }),
  ]);
  if (!order) throw new Error(`order ${orderId} is not there`);
  const receipt = settled === null || settled === 'unsettled' ? null : await makeReceipt(parts, settled);
  const account = accountOf({ order, receipt, transfers }, customer.language as Language);
  return { customer, order, transfers, notices, receipt, keys, account };
}

/** The notices of an order in its customer's inbox, oldest first. */
async function readNoticesOf(
  { pool, assets, products }: Parts,
  { id: customerId, language }: Case['customer'],
  orderId: number,
): Promise<Case['notices']> {
  const { rows } = await pool.query<StoredNotice>(
    `${NOTICE} where n.customer_id = $1 and n.kind like 'order.%' and n.parameters ->> 'id' = $2 order by n.id limit ${MOST_NOTICES}`,
    [customerId, String(orderId)],
  );
  return rows.map((stored) => presentNotice(stored, { assets, products }, language as Language));
}
