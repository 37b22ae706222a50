import type { customerOperations } from '@fairtick/protocol/office';
import { readNamedViews, recordView } from '../../customers/personal-data/views.ts';
import { readFundLog } from '../../money/fund-log/fund-log.ts';
import type { Assets } from '../../platform/assets.ts';
import type { Pool } from '../../platform/db/database.ts';
import type { OfficeHandlers } from '../../platform/office-area.ts';
import { pageOfQueue, queueStart } from '../../platform/office-queries.ts';
import { demandCustomer, readCustomer, readOrders } from './customer-queries.ts';

export interface CustomerViewParts {
  readonly pool: Pool;
  readonly assets: Assets;
}

const DEFAULT_LIMIT = 20;

/** A customer as staff may see them. Each view is recorded before it is answered, and the customer sees the record. */
export function customerHandlers(parts: CustomerViewParts): OfficeHandlers<keyof typeof customerOperations> {
  const { pool, assets } = parts;
  const look = async (id: string, staffId: string) => {
    const customerId = await demandCustomer(pool, id);
    await recordView(pool, { staffId, customerId, what: 'account' });
    return customerId;
  };
  return {
    'customer/detail': async ({ id }, { session }) => readCustomer(pool, await look(id, session.staffId)),
    'customer/funds': async (filter, { session }) => {
      const beforeId = cursorOf(filter);
      const customerId = await look(filter.id, session.staffId);
      const limit = filter.limit ?? DEFAULT_LIMIT;
      const all = { type: null, result: null, assetId: null, fromMs: null, toMs: null };
      const page = { customerId, beforeId, limit: limit + 1 };
      return pageOfQueue(await readFundLog(pool, assets, { ...all, ...page }), limit);
    },
    'customer/orders': async (filter, { session }) => {
      const beforeId = cursorOf(filter);
      const customerId = await look(filter.id, session.staffId);
      const limit = filter.limit ?? DEFAULT_LIMIT;
      return pageOfQueue(await readOrders(pool, { customerId, beforeId, limit: limit + 1 }), limit);
    },
    // The list of views is not the customer's own data, so reading it is not a further view.
    'customer/views': async (filter) => readNamedViews(pool, await demandCustomer(pool, filter.id), filter),
  };
}

function cursorOf(filter: { cursor?: string | undefined }): number | null {
  const start = queueStart(filter);
  return start === null ? null : Number(start);
}
