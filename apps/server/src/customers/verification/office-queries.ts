import type { OfficeData } from '@fairtick/protocol/office';
import type { Queryable } from '../../platform/db/database.ts';
import { RefusalError } from '../../platform/http/context.ts';
import { ms, who } from '../../platform/office-queries.ts';
import { type PageFilter, readPage } from '../../platform/paging.ts';
import type { KeyRing } from '../../platform/sealing/key-ring.ts';
import { indicesOf, openRecord } from '../../platform/sealing/records.ts';

interface ReviewParts {
  readonly pool: Queryable;
  readonly keys: KeyRing;
}

export type Review =
  OfficeData<'identity/detail'> extends infer D ? Omit<D & object, 'identity' | 'hasBack' | 'events'> : never;

/** `$1`: the member of staff who asks. */
const REVIEW = `select v.id::text, v.customer_id::text as "customerId", c.account, v.state, ${ms('v.submitted_at')} as "submittedAt",
    case when v.claimed_at > now() - verification_claim_time() then json_build_object('by', ${who('v.claimed_by')},
      'isMine', v.claimed_by = $1, 'until', ${ms('v.claimed_at + verification_claim_time()')}) end as claim,
    json_build_object('isRestricted', v.is_restricted_country, 'earlierFailures', (select count(*) from verifications o
        where o.customer_id = v.customer_id and o.id < v.id and o.state = 'failed')) as risk,
    ${ms('v.decided_at')} as "decidedAt", ${who('v.decided_by')} as "decidedBy", v.reason, v.note, v.sealed
  from verifications v join customers c on c.id = v.customer_id`;

type ReviewRow = Omit<Review, 'risk'> & {
  readonly risk: Omit<Review['risk'], 'sameDocument' | 'sameName' | 'isExcluded'>;
  readonly sealed: Buffer | null;
};

/**
 * Adds other accounts with the same document or name, and whether one with the same document is self-excluded. The search uses the index under every key, because during a rotation equal
 * records can have different indices.
 */
async function withMatches(db: Queryable, keys: KeyRing, rows: readonly ReviewRow[]): Promise<Review[]> {
  const wanted = rows.flatMap(({ id, customerId, sealed }, place) => {
    if (sealed === null) return [];
    const identity = openRecord(keys, { table: 'verifications', record: id, customer: customerId }, sealed);
    return [
      ...indicesOf(keys, 'document', identity.idNumber).map((index) => ({ place, what: 'document', index })),
      ...indicesOf(keys, 'name', identity.realName).map((index) => ({ place, what: 'name', index })),
    ];
  });
  const { rows: found } = await db.query<{
    place: number;
    what: 'document' | 'name';
    customer: string;
    excluded: boolean;
  }>(
    `select distinct w.place, w.what, o.customer_id::text as customer,
       exists (select from protected_customers p where p.customer_id = o.customer_id and p.closed_kind = 'exclusion' and p.closed_until > now()) as excluded
     from unnest($1::int[], $2::text[], $3::bytea[]) as w (place, what, index)
     join verifications o on w.what = 'document' and o.document_index = w.index or w.what = 'name' and o.name_index = w.index
     order by customer`,
    [wanted.map(({ place }) => place), wanted.map(({ what }) => what), wanted.map(({ index }) => index)],
  );
  return rows.map(({ sealed: _sealed, ...row }, at) => {
    const others = (of: 'document' | 'name') =>
      found.filter(({ place, what, customer }) => place === at && what === of && customer !== row.customerId);
    const ids = (of: 'document' | 'name') => others(of).map(({ customer }) => customer);
    const isExcluded = others('document').some(({ excluded }) => excluded);
    return {
      ...row,
      risk: { ...row.risk, sameDocument: ids('document'), sameName: ids('name'), isExcluded },
    };
  });
}

/** Pending ones, oldest first; decided ones, newest first. */
export async function readQueue(
  { pool: db, keys }: ReviewParts,
  staffId: string,
  { state = 'pending', ...filter }: PageFilter & { state?: 'pending' | 'decided' | undefined },
): Promise<OfficeData<'identity/queue'>> {
  const which =
    state === 'pending'
      ? `v.state = 'pending' and ($2::bigint is null or v.id > $2) order by v.id`
      : `v.state <> 'pending' and ($2::bigint is null or v.id < $2) order by v.id desc`;
  const { items, nextCursor } = await readPage(filter, async (limit) => {
    const values = [staffId, filter.cursor, limit];
    return (await db.query<ReviewRow>(`${REVIEW} where ${which} limit $3`, values)).rows;
  });
  return { items: await withMatches(db, keys, items), nextCursor };
}

export async function readReview(
  { pool: db, keys }: ReviewParts,
  staffId: string,
  id: string,
): Promise<Review> {
  const { rows } = await db.query<ReviewRow>(`${REVIEW} where v.id = $2`, [staffId, id]);
  const [review] = await withMatches(db, keys, rows);
  if (!review) throw new RefusalError('REVIEW_NOT_FOUND');
  return review;
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
