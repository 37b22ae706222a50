import type { Data } from '@fairtick/protocol';
import type { OfficeData } from '@fairtick/protocol/office';
import type { Queryable } from '../../platform/db/database.ts';
import { ms } from '../../platform/office-queries.ts';
import { type PageFilter, readPage } from '../../platform/paging.ts';

type Views = Data<'dataViews'>;
type NamedView = OfficeData<'customer/views'>['items'][number];
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

/** Newest first, as their customer reads them: staff by number and roles, without names. */
export async function readViews(db: Queryable, customerId: string, page: PageFilter): Promise<Views> {
  const { items, nextCursor } = await readNamedViews(db, customerId, page);
  return { items: items.map(({ name: _, ...item }) => item), nextCursor };
}

/** Newest first, as staff read them. */
export const readNamedViews = (
  db: Queryable,
  customerId: string,
  filter: PageFilter,
): Promise<OfficeData<'customer/views'>> =>
  readPage(filter, async (limit) => {
    const { rows } = await db.query<NamedView>(
      `select v.id::text, ${ms('v.at')} as time, v.what, v.staff_id::text as staff, s.display_name as name,
         array(select r.role::text from staff_roles r where r.staff_id = s.id order by r.role) as roles
       from personal_data_views v join staff s on s.id = v.staff_id where v.customer_id = $1 and ($2::bigint is null or v.id < $2)
       order by v.id desc limit $3`,
      [customerId, filter.cursor, limit],
    );
    return rows;
  });
