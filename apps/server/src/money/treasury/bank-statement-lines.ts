import type { OfficeData } from '@fairtick/protocol/office';
import type { Queryable } from '../../platform/db/database.ts';
import { amountOf, ms } from '../../platform/office-queries.ts';

type Line = OfficeData<'statement/list'>['items'][number];

const SUGGESTED = 5;
/** Whether the line's reference has the customer's reference (FT and their number) as a separate word. */
const NAMES = `l.reference ~* ('\\mFT' || r.customer_id || '\\M')`;
const CREDITED = `(select d.id::text from deposit_requests d
    where d.asset_id = l.asset_id and reference_key(d.evidence) = reference_key(l.reference) and d.status = 'success' limit 1)`;

/** Newest first, each with the deposits under review that could match it; those that match by amount and reference first. */
export async function readLines(
  db: Queryable,
  filter: { isOpen: boolean; before: string | null; limit: number },
): Promise<Line[]> {
  const { rows } = await db.query<Line>(
    `select l.id::text, a.code as asset, l.booked_on::text as "bookedOn", ${amountOf('l.amount')} as amount, l.reference, l.counterparty,
       ${ms('l.imported_at')} as "importedAt", ${CREDITED} as "creditedAs", (
         select coalesce(json_agg(s), '[]') from (
           select r.id::text, c.account, ${amountOf('r.amount')} as amount, r.amount = l.amount as "sameAmount", ${NAMES} as "namesCustomer"
           from deposit_requests r join customers c on c.id = r.customer_id
           where r.status = 'review' and r.asset_id = l.asset_id and l.amount > 0 and ${CREDITED} is null
             and (r.amount = l.amount or ${NAMES})
             and l.booked_on between (r.submitted_at - interval '30 days')::date and (r.submitted_at + interval '30 days')::date
           order by (r.amount = l.amount and ${NAMES}) desc, ${NAMES} desc, r.id limit ${SUGGESTED}
         ) s
       ) as suggestions
     from statement_lines l join ledger.assets a on a.id = l.asset_id
     where ($1::bigint is null or l.id < $1) and (not $2 or (l.amount > 0 and ${CREDITED} is null))
     order by l.id desc limit $3`,
    [filter.before, filter.isOpen, filter.limit],
  );
  return rows;
}
