import type { OfficeData } from '@fairtick/protocol/office';
import type { Queryable } from '../db/database.ts';
import { RefusalError } from '../http/context.ts';

export type Review =
  OfficeData<'identity/detail'> extends infer D ? Omit<D & object, 'identity' | 'events'> : never;

const ms = (column: string) => `(extract(epoch from ${column}) * 1000)::bigint::float8`;
const who = (id: string) =>
  `(select json_build_object('id', f.id::text, 'name', f.display_name) from staff f where f.id = ${id})`;

/** Other accounts with the same blind index: as they were sealed under several keys, every record knows its own key's. */
const sameAs = (index: string) =>
  `coalesce((select json_agg(distinct o.customer_id::text) from verifications o
     where o.${index} = v.${index} and o.customer_id <> v.customer_id), '[]')`;

/** `$1`: who asks. */
const REVIEW = `select v.id::text, v.customer_id::text as "customerId", c.account, v.state, ${ms('v.submitted_at')} as "submittedAt",
    case when v.claimed_at > now() - verification_claim_time() then json_build_object('by', ${who('v.claimed_by')},
      'isMine', v.claimed_by = $1, 'until', ${ms('v.claimed_at + verification_claim_time()')}) end as claim,
    json_build_object('isRestricted', v.is_restricted_country, 'sameDocument', ${sameAs('document_index')},
      'sameName', ${sameAs('name_index')}, 'earlierFailures', (select count(*) from verifications o
        where o.customer_id = v.customer_id and o.id < v.id and o.state = 'failed')) as risk,
    ${ms('v.decided_at')} as "decidedAt", ${who('v.decided_by')} as "decidedBy", v.reason, v.note
  from verifications v join customers c on c.id = v.customer_id`;

/** Pending ones, the oldest first; decided ones, the newest first. */
export async function readQueue(
  db: Queryable,
  staffId: string,
  {
    state = 'pending',
    limit = 20,
    cursor,
  }: { state?: 'pending' | 'decided' | undefined; limit?: number | undefined; cursor?: string | undefined },
): Promise<OfficeData<'identity/queue'>> {
  if (cursor !== undefined && !/^\d{1,18}$/.test(cursor)) throw new RefusalError('INVALID_CURSOR');
  const which =
    state === 'pending'
      ? `v.state = 'pending' and ($2::bigint is null or v.id > $2) order by v.id`
      : `v.state <> 'pending' and ($2::bigint is null or v.id < $2) order by v.id desc`;
  const { rows } = await db.query<Review>(`${REVIEW} where ${which} limit $3`, [
    staffId,
    cursor ?? null,
    limit + 1,
  ]);
  const items = rows.slice(0, limit);
  return { items, nextCursor: rows.length > limit ? (items.at(-1)?.id ?? null) : null };
}

export async function readReview(db: Queryable, staffId: string, id: string): Promise<Review> {
  const { rows } = await db.query<Review>(`${REVIEW} where v.id = $2`, [staffId, demandId(id)]);
  if (!rows[0]) throw notFound();
  return rows[0];
}

export async function readEvents(
  db: Queryable,
  id: string,
): Promise<OfficeData<'identity/detail'>['events']> {
  const { rows } = await db.query<OfficeData<'identity/detail'>['events'][number]>(
    `select e.step, ${ms('e.at')} as time, ${who('e.staff_id')} as by, e.reason, e.note
     from verification_events e where e.verification_id = $1 order by e.id`,
    [id],
  );
  return rows;
}

/** @throws RefusalError for what could not be the number of one */
export function demandId(id: string): string {
  if (!/^\d{1,18}$/.test(id)) throw notFound();
  return id;
}

const notFound = () => new RefusalError('REVIEW_NOT_FOUND');
