import type { OfficeData, OfficeInput } from '@fairtick/protocol/office';
import { readAmount } from '../../platform/amounts.ts';
import type { Assets } from '../../platform/assets.ts';
import type { Pool } from '../../platform/db/database.ts';
import { refusalOf } from '../../platform/http/context.ts';
import { amountOf, ms } from '../../platform/office-queries.ts';
import { readPage } from '../../platform/paging.ts';

type Row = OfficeData<'customer/list'>['items'][number];

/** When the customer `c` was last there: the newest use of a session that lasts, or the newest login. */
export const LAST_SEEN = `greatest((select max(s.last_used_at) from sessions s where s.customer_id = c.id),
  (select e.at from login_events e where e.customer_id = c.id and e.is_success order by e.id desc limit 1))`;

/** Days are of UTC, both included. A balance is everything of an asset: available, held and earning. */
const LIST = `select c.id::text, c.account, c.nickname, c.level, c.real_status as "realStatus", c.country,
    ${ms('c.created_at')} as "createdAt", ${ms('seen.at')} as "lastSeenAt", flags_of(c.id) as flags,
    (select ${amountOf('b.available + b.held + b.earning')} from ledger.balances b join ledger.assets a on a.id = b.asset_id
      where b.owner_id = c.id and b.asset_id = $6) as balance
  from customers c cross join lateral (select ${LAST_SEEN} as at) seen
  where c.erased_at is null and ($1::bigint is null or c.id < $1)
    and ($2::text is null or c.country = $2)
    and ($3::date is null or c.created_at >= $3::date at time zone 'UTC')
    and ($4::date is null or c.created_at < ($4::date + 1) at time zone 'UTC')
    and ($5::text is null or c.real_status = $5)
    and ($7::bigint is null or exists (select from ledger.balances b where b.owner_id = c.id and b.asset_id = $6
      and b.available + b.held + b.earning >= $7))
    and ($8::date is null or seen.at >= $8::date at time zone 'UTC')
    and ($9::date is null or coalesce(seen.at, c.created_at) < ($9::date + 1) at time zone 'UTC')
    and ($10::text is null or $10 = any (flags_of(c.id)))
    and ($11::text is null or exists (select from customer_notes n where n.customer_id = c.id and position(lower($11) in lower(n.text)) > 0))
  order by c.id desc limit $12`;

/** A page of the customers that match, newest first. Each customer of it sees that staff looked. */
export async function listCustomers(
  { pool, assets }: { readonly pool: Pool; readonly assets: Assets },
  staffId: string,
  filter: OfficeInput<'customer/list'>,
): Promise<OfficeData<'customer/list'>> {
  const { cursor, country, registeredFrom, registeredTo, realStatus, seenFrom, seenTo, flag, note } = filter;
  const asset = filter.asset === undefined ? null : assets.named(filter.asset);
  if (filter.least !== undefined && asset === null) throw refusalOf('ASSET_NOT_ACCEPTED', 'asset');
  const least = asset && filter.least !== undefined ? readAmount(filter.least, asset, 'least') : null;
  const page = await readPage(filter, async (limit) => {
    const registered = [cursor, country, registeredFrom, registeredTo, realStatus];
    const values = [...registered, asset?.id, least, seenFrom, seenTo, flag, note, limit];
    return (await pool.query<Row>(LIST, values)).rows;
  });
  await recordSearch(
    pool,
    staffId,
    page.items.map(({ id }) => id),
  );
  return page;
}

/** Customers whom a search has shown see that. */
export const recordSearch = (pool: Pool, staffId: string, customers: readonly string[]) =>
  pool.query(
    `insert into personal_data_views (staff_id, customer_id, what) select $1, c, 'search' from unnest($2::bigint[]) c`,
    [staffId, customers],
  );
