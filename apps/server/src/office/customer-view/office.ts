import type { customerOperations, OfficeData } from '@fairtick/protocol/office';
import { readNamedViews, recordView } from '../../customers/personal-data/views.ts';
import { readFundLog } from '../../money/fund-log/fund-log.ts';
import type { Assets } from '../../platform/assets.ts';
import type { Pool } from '../../platform/db/database.ts';
import { NamedCall } from '../../platform/db/named-call.ts';
import { RefusalError } from '../../platform/http/context.ts';
import type { OfficeHandlers } from '../../platform/office-area.ts';
import { queueStart } from '../../platform/office-queries.ts';
import { pageOf } from '../../platform/paging.ts';
import { listCustomers, recordSearch } from './customer-list.ts';
import { demandCustomer, readCustomer, readNotes, readOrders } from './customer-queries.ts';
import { readLinks } from './links.ts';

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
  const keep = (staffId: string, name: string, search: object | null) =>
    pool.query('select search_keep($1, $2, $3)', [staffId, name, search]);
  return {
    'customer/list': (filter, { session }) => listCustomers(parts, session.staffId, filter),
    'customer/searches': async (_input, { session }) => {
      const { rows } = await pool.query<OfficeData<'customer/searches'>[number]>(
        'select name, filter as search from staff_searches where staff_id = $1 order by name',
        [session.staffId],
      );
      return rows;
    },
    'customer/keepSearch': async ({ name, ...search }, { session }) => {
      await keep(session.staffId, name, search);
      return null;
    },
    'customer/removeSearch': async ({ name }, { session }) => {
      await keep(session.staffId, name, null);
      return null;
    },
    'customer/notes': async (filter, { session }) => {
      const beforeId = cursorOf(filter);
      const customerId = await look(filter.id, session.staffId);
      const limit = filter.limit ?? DEFAULT_LIMIT;
      return pageOf(await readNotes(pool, { customerId, beforeId, limit: limit + 1 }), limit);
    },
    'customer/note': async ({ id, text, flag, isSet }, { session }) => {
      if ((flag === undefined) !== (isSet === undefined))
        throw new RefusalError('INVALID_VALUE', { fields: { flag: 'INVALID_VALUE' } });
      const customer = await demandCustomer(pool, id);
      const staff = session.staffId;
      await pool.query(NOTE.with({ staff, customer, flag: flag ?? null, isSet: isSet ?? null, text }));
      return null;
    },
    'customer/links': async ({ id }, { session }) => {
      const customerId = await look(id, session.staffId);
      const links = await readLinks(pool, customerId);
      await recordSearch(pool, session.staffId, [...new Set(links.map((link) => link.id))]);
      return links;
    },
    'customer/detail': async ({ id }, { session }) => readCustomer(pool, await look(id, session.staffId)),
    'customer/funds': async (filter, { session }) => {
      const beforeId = cursorOf(filter);
      const customerId = await look(filter.id, session.staffId);
      const limit = filter.limit ?? DEFAULT_LIMIT;
      const all = { type: null, result: null, assetId: null, fromMs: null, toMs: null };
      const page = { customerId, beforeId, limit: limit + 1 };
      return pageOf(await readFundLog(pool, assets, { ...all, ...page }), limit);
    },
    'customer/orders': async (filter, { session }) => {
      const beforeId = cursorOf(filter);
      const customerId = await look(filter.id, session.staffId);
      const limit = filter.limit ?? DEFAULT_LIMIT;
      return pageOf(await readOrders(pool, { customerId, beforeId, limit: limit + 1 }), limit);
    },
    // The list of views is not the customer's own data, so reading it is not a further view.
    'customer/views': async (filter) => readNamedViews(pool, await demandCustomer(pool, filter.id), filter),
  };
}

const NOTE = new NamedCall('customer_note', {
  staff: 'bigint',
  customer: 'bigint',
  flag: 'text',
  isSet: 'boolean',
  text: 'text',
});

function cursorOf(filter: { cursor?: string | undefined }): number | null {
  const start = queueStart(filter);
  return start === null ? null : Number(start);
}
