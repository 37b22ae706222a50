import type { OfficeData } from '@fairtick/protocol/office';
import { call, perform } from '../../platform/db/call.ts';
import type { Pool } from '../../platform/db/database.ts';
import { refusalOf } from '../../platform/http/context.ts';
import { ms, who } from '../../platform/office-queries.ts';

/** Parts that the office's queries of deposits and withdrawals share. `r` is the request, `$1` the member of staff who asks. */
export const CLAIM = `case when r.claimed_until > now() then json_build_object('by', ${who('r.claimed_by')},
  'isMine', r.claimed_by = $1, 'until', ${ms('r.claimed_until')}) end`;

type Kind = 'deposit' | 'withdrawal';
type Detail = OfficeData<'deposit/detail'>;

/** Takes a case for its reader; the time until which it is theirs, Unix ms. */
export async function claimCase(
  pool: Pool,
  kind: Kind,
  staffId: string,
  id: string,
): Promise<{ until: number }> {
  const until = await call<Date>(pool, 'request_claim', { staff: staffId, kind, id });
  return { until: until.getTime() };
}

export const releaseCase = (pool: Pool, kind: Kind, staffId: string, id: string): Promise<null> =>
  perform(pool, 'request_release', { staff: staffId, kind, id });

/** A case's events, and its approvals; `content`: the hash of what they would approve now, as hex. */
export async function readCase(
  pool: Pool,
  kind: Kind,
  { id, content }: { readonly id: string; readonly content: string | null },
): Promise<Pick<Detail, 'events' | 'approvals'>> {
  const events = await pool.query<Detail['events'][number]>(
    `select ${ms('e.at')} as time, e.step, ${who('e.staff_id')} as by, e.to_status as "toStatus", e.reason, e.facts
     from request_events e where e.kind = $1 and e.request_id = $2 order by e.id limit 1000`,
    [kind, id],
  );
  const approvals = await pool.query<Detail['approvals'][number]>(
    `select ${who('a.staff_id')} as by, ${ms('a.at')} as time, a.content_hash = $3 as counts
     from approvals a where a.kind = any ($1::text[]) and a.subject_id = $2 order by a.id limit 1000`,
    [[kind, `${kind}_differing`], id, Buffer.from(content ?? '', 'hex')],
  );
  return { events: events.rows, approvals: approvals.rows };
}

/** @throws RefusalError when the reason is `other` and no text says which */
export function demandText({
  reason,
  text,
}: {
  readonly reason: string;
  readonly text?: string | undefined;
}): void {
  if (reason === 'other' && text === undefined) throw refusalOf('FORM_INCOMPLETE', 'text');
}
