import type { Products } from '../market/products.ts';
import type { Assets } from '../platform/assets.ts';
import { perform } from '../platform/db/call.ts';
import type { Pool } from '../platform/db/database.ts';
import type { Handlers } from '../platform/http/context.ts';
import { readId, readPage } from '../platform/paging.ts';
import { presentNotice, readNotices } from './notices.ts';

export function noticeHandlers(parts: { pool: Pool; assets: Assets; products: Products }) {
  const { pool } = parts;
  return {
    noticeList: async ({ limit, cursor }, { session: { customerId }, language }) => {
      const { items, nextCursor } = await readPage({ limit }, (most) =>
        readNotices(pool, { customerId, cursor, limit: most }),
      );
      const { rows } = await pool.query<{ unread: number }>(
        'select count(*)::int as unread from notices where customer_id = $1 and read_at is null',
        [customerId],
      );
      const shown = items.map((one) => presentNotice(one, parts, language));
      return { items: shown, nextCursor, unread: rows[0]?.unread ?? 0 };
    },
    noticeRead: ({ id }, { session }) => {
      // An invalid id counts as older than all notices.
      const last = id === undefined ? Number.MAX_SAFE_INTEGER : (readId(id) ?? 0);
      return perform(pool, 'notices_read', { tokenHash: session.tokenHash, last });
    },
  } satisfies Partial<Handlers>;
}
