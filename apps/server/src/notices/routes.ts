import type { Products } from '../market/products.ts';
import type { Assets } from '../platform/assets.ts';
import type { Pool } from '../platform/db/database.ts';
import type { Handlers } from '../platform/http/context.ts';
import { pageOf, readCursor, readId } from '../platform/paging.ts';
import { presentNotice, readNotices } from './notices.ts';

const DEFAULT_LIMIT = 20;

export function noticeHandlers(parts: {
  pool: Pool;
  assets: Assets;
  products: Products;
}): Pick<Handlers, 'noticeList' | 'noticeRead'> {
  const { pool } = parts;
  return {
    noticeList: async (input, { session, language }) => {
      const limit = input.limit ?? DEFAULT_LIMIT;
      const { customerId } = session;
      const beforeId = input.cursor === undefined ? undefined : readCursor(input.cursor);
      const stored = await readNotices(pool, { customerId, beforeId, limit: limit + 1 });
      const { rows } = await pool.query<{ unread: number }>(
        'select count(*)::int as unread from notices where customer_id = $1 and read_at is null',
        [customerId],
      );
      const items = stored.map((one) => presentNotice(one, parts, language));
      return { ...pageOf(items, limit), unread: rows[0]?.unread ?? 0 };
    },
    noticeRead: async ({ id }, { session }) => {
      // An invalid id counts as older than all notices.
      const upTo = id === undefined ? Number.MAX_SAFE_INTEGER : (readId(id) ?? 0);
      await pool.query('select notices_read($1, $2)', [session.tokenHash, upTo]);
      return null;
    },
  };
}
