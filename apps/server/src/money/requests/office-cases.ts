import { RefusalError } from '../../platform/http/context.ts';
import { ms, who } from '../../platform/office-queries.ts';

/** Parts that the office's queries of deposits and withdrawals share. `r` is the request, `$1` the member of staff who asks. */
export const CLAIM = `case when r.claimed_until > now() then json_build_object('by', ${who('r.claimed_by')},
  'isMine', r.claimed_by = $1, 'until', ${ms('r.claimed_until')}) end`;

/** @throws RefusalError when `id` can't be the number of a request */
export function demandRequestId(id: string): string {
  if (!/^\d{1,18}$/.test(id)) throw new RefusalError('REQUEST_NOT_FOUND');
  return id;
}

export const EVENTS = `select ${ms('e.at')} as time, e.step, ${who('e.staff_id')} as by, e.to_status as "toStatus", e.reason, e.facts
  from request_events e where e.kind = $1 and e.request_id = $2 order by e.id limit 1000`;

export const APPROVALS = `select ${who('a.staff_id')} as by, ${ms('a.at')} as time, a.content_hash = $3 as counts
  from approvals a where a.kind = any ($1::text[]) and a.subject_id = $2 order by a.id limit 1000`;
