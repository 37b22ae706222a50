import type { OfficeData } from '@fairtick/protocol/office';
import type { Pool } from '../../platform/db/database.ts';
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

type Kind = 'deposit' | 'withdrawal';
type Detail = OfficeData<'deposit/detail'>;

/** Takes a case for its reader; the time until which it is theirs, Unix ms. */
export async function claimCase(
  pool: Pool,
  kind: Kind,
  staffId: string,
  id: string,
): Promise<{ until: number }> {
  const { rows } = await pool.query<{ until: Date }>('select request_claim($1, $2, $3) as until', [
    staffId,
    kind,
    demandRequestId(id),
  ]);
  return { until: (rows[0] as { until: Date }).until.getTime() };
}

export async function releaseCase(pool: Pool, kind: Kind, staffId: string, id: string): Promise<null> {
  await pool.query('select request_release($1, $2, $3)', [staffId, kind, demandRequestId(id)]);
  return null;
}

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
  if (reason === 'other' && text === undefined)
    throw new RefusalError('FORM_INCOMPLETE', { fields: { text: 'FORM_INCOMPLETE' } });
}
