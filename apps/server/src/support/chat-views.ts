import type { Queryable } from '../platform/db/database.ts';

/** An open console polls every few seconds; polls within this time count as one view. */
const ONE_VIEW = `interval '10 minutes'`;

/** Records a view by staff before the data is shown; the customer reads when, and by whom. */
export async function recordChatView(
  db: Queryable,
  view: { staffId: string; customerId: string; what: 'chat' },
): Promise<void> {
  await db.query(
    `insert into personal_data_views (staff_id, customer_id, what)
     select $1, $2, $3 where not exists (
       select from personal_data_views v where v.staff_id = $1 and v.customer_id = $2 and v.what = $3
         and v.at > now() - ${ONE_VIEW})`,
    [view.staffId, view.customerId, view.what],
  );
}
