import type { Data } from '@fairtick/protocol';
import type { Queryable } from '../../platform/db/database.ts';
import { RefusalError } from '../../platform/http/context.ts';

type Views = Data<'dataViews'>;
export type Viewed = Views['items'][number]['what'];

/**
 * Records that a member of staff views personal data, for the customer to read. It runs before the data is shown, in the
 * same transaction.
 */
export async function recordView(
  db: Queryable,
  view: { staffId: string; customerId: string; what: Viewed; subjectId?: string },
): Promise<void> {
  await db.query(
    'insert into personal_data_views (staff_id, customer_id, what, subject_id) values ($1, $2, $3, $4)',
    [view.staffId, view.customerId, view.what, view.subjectId ?? null],
  );
}

/** Newest first. */
export async function readViews(
  db: Queryable,
  customerId: string,
  { limit = 20, cursor }: { limit?: number | undefined; cursor?: string | undefined },
): Promise<Views> {
  if (cursor !== undefined && !/^\d{1,18}$/.test(cursor)) throw new RefusalError('INVALID_CURSOR');
  const { rows } = await db.query<{ id: string; at: Date; staff: string | null; what: Viewed }>(
    `select v.id, v.at, v.what, s.display_name as staff from personal_data_views v left join staff s on s.id = v.staff_id
     where v.customer_id = $1 and ($2::bigint is null or v.id < $2) order by v.id desc limit $3`,
    [customerId, cursor ?? null, limit + 1],
  );
  const items = rows
    .slice(0, limit)
    .map(({ id, at, staff, what }) => ({ id, time: at.getTime(), staff: staff ?? '', what }));
  return { items, nextCursor: rows.length > limit ? (items.at(-1)?.id ?? null) : null };
}
