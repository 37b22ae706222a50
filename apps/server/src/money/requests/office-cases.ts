import { RefusalError } from '../../platform/http/context.ts';

/** Parts that the office's case queries share. `r` is the request, `$1` the member of staff who asks. */
export const ms = (column: string) => `(extract(epoch from ${column}) * 1000)::bigint::float8`;
export const who = (id: string) =>
  `(select json_build_object('id', f.id::text, 'name', f.display_name) from staff f where f.id = ${id})`;

/** Smallest units as the decimal string of the asset `a`. */
export const amountOf = (column: string) =>
  `round(((${column})::numeric / 10::numeric ^ a.scale), a.scale)::text`;

export const CLAIM = `case when r.claimed_until > now() then json_build_object('by', ${who('r.claimed_by')},
  'isMine', r.claimed_by = $1, 'until', ${ms('r.claimed_until')}) end`;

export interface QueueFilter {
  readonly state?: 'open' | 'decided' | undefined;
  readonly limit?: number | undefined;
  readonly cursor?: string | undefined;
}

/** Open cases, oldest first; decided ones, newest first. `$2` is the cursor of the page, `$3` its length. */
export function queueCondition({ state = 'open' }: QueueFilter): string {
  return state === 'open'
    ? `r.decided_at is null and ($2::bigint is null or r.id > $2) order by r.id limit $3`
    : `r.decided_at is not null and ($2::bigint is null or r.id < $2) order by r.id desc limit $3`;
}

export function pageOfQueue<T extends { id: string }>(rows: T[], limit: number) {
  const items = rows.slice(0, limit);
  return { items, nextCursor: rows.length > limit ? (items.at(-1)?.id ?? null) : null };
}

/** @throws RefusalError */
export function queueStart({ cursor }: QueueFilter): string | null {
  if (cursor !== undefined && !/^\d{1,18}$/.test(cursor)) throw new RefusalError('INVALID_CURSOR');
  return cursor ?? null;
}

/** @throws RefusalError when `id` can't be the number of a request */
export function demandRequestId(id: string): string {
  if (!/^\d{1,18}$/.test(id)) throw new RefusalError('REQUEST_NOT_FOUND');
  return id;
}

export const EVENTS = `select ${ms('e.at')} as time, e.step, ${who('e.staff_id')} as by, e.to_status as "toStatus", e.reason, e.facts
  from request_events e where e.kind = $1 and e.request_id = $2 order by e.id limit 1000`;

export const APPROVALS = `select ${who('a.staff_id')} as by, ${ms('a.at')} as time, a.content_hash = $3 as counts
  from approvals a where a.kind = any ($1::text[]) and a.subject_id = $2 order by a.id limit 1000`;
