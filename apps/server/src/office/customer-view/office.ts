import type { customerOperations, OfficeData } from '@fairtick/protocol/office';
import { readNamedViews, recordView } from '../../customers/personal-data/views.ts';
import { readFundLog } from '../../money/fund-log/fund-log.ts';
import type { Assets } from '../../platform/assets.ts';
import { perform } from '../../platform/db/call.ts';
import type { Pool } from '../../platform/db/database.ts';
import { refusalOf } from '../../platform/http/context.ts';
import type { OfficeHandlers } from '../../platform/office-area.ts';
import { readPage } from '../../platform/paging.ts';
import { listCustomers, recordSearch } from './customer-list.ts';
import { demandCustomer, readCustomer, readNotes, readOrders } from './customer-queries.ts';
import { readLinks } from './links.ts';

export interface CustomerViewParts {
  readonly pool: Pool;
  readonly assets: Assets;
}

/** A customer as staff may see them. Each view is recorded before it is answered, and the customer sees the record. */
export function customerHandlers(parts: CustomerViewParts): OfficeHandlers<keyof typeof customerOperations> {
  const { pool } = parts;
  const look = async (id: string, staffId: string) => {
    const customerId = await demandCustomer(pool, id);
    await recordView(pool, { staffId, customerId, what: 'account' });
    return customerId;
  };
  return {
    'customer/list': (filter, { session }) => listCustomers(parts, session.staffId, filter),
    'customer/searches': async (_input, { session }) => {
      const { rows } = await pool.query<OfficeData<'customer/searches'>[number]>(
        'select name, filter as search from staff_searches where staff_id = $1 order by name',
        [session.staffId],
      );
      return rows;
    },
    'customer/keepSearch': ({ name, ...filter }, { session }) =>
      perform(pool, 'search_keep', { staff: session.staffId, name, filter }),
    'customer/removeSearch': ({ name }, { session }) =>
      perform(pool, 'search_keep', { staff: session.staffId, name, filter: null }),
    'customer/notes': async ({ id, cursor, limit }, { session }) => {
      const customerId = await look(id, session.staffId);
      return readPage({ limit }, (most) => readNotes(pool, { customerId, cursor, limit: most }));
    },
    'customer/note': async ({ id, text, flag, isSet }, { session }) => {
      if ((flag === undefined) !== (isSet === undefined)) throw refusalOf('INVALID_VALUE', 'flag');
      const customer = await demandCustomer(pool, id);
      return perform(pool, 'customer_note', { staff: session.staffId, customer, flag, isSet, text });
    },
    'customer/links': async ({ id }, { session }) => {
      const customerId = await look(id, session.staffId);
      const links = await readLinks(pool, customerId);
      await recordSearch(pool, session.staffId, [...new Set(links.map((link) => link.id))]);
      return links;
    },
    'customer/detail': async ({ id }, { session }) => readCustomer(pool, await look(id, session.staffId)),
    'customer/funds': async ({ id, cursor, limit }, { session }) => {
      const customerId = await look(id, session.staffId);
      return readPage({ limit }, (most) => readFundLog(pool, { customerId, cursor, limit: most }));
    },
    'customer/orders': async ({ id, cursor, limit }, { session }) => {
      const customerId = await look(id, session.staffId);
      return readPage({ limit }, (most) => readOrders(pool, { customerId, cursor, limit: most }));
    },
    // The list of views is not the customer's own data, so reading it is not a further view.
    'customer/views': async (filter) => readNamedViews(pool, await demandCustomer(pool, filter.id), filter),
  };
}
