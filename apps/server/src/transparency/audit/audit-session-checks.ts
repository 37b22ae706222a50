/**
 * Invariants of acts besides constraints (see audit-checks.ts): each act of staff or a customer belongs to a session on
 * record, and each order has the terms of its rules. A violation shows an act of somebody with the rights of the
 * server's database role or of a stronger one.
 */

/** Tolerance: a session's last act and its end may be in one transaction, and the audit log is written at its commit. */
const LATE = `interval '1 minute'`;

/** Checks apply from the time when sessions began to be recorded with acts. */
const KNOWN = '(select at from sessions_known_since)';

const STAFF_ACTS = `
  select format('approval %s of %s %s', id, kind, subject_id) as what, staff_id, session_id, at from approvals
  union all select format('edit %s of %s %s', id, kind, subject_id), staff_id, session_id, at from content_edits
  union all select format('event %s (%s) of %s %s', id, step, kind, request_id), staff_id, session_id, at from request_events
    where actor = 'staff'
  union all select format('entry %s (%s) of the audit log', seq, action), staff_id, (entry::jsonb ->> 'session')::bigint,
    to_timestamp(at_ms / 1000.0) from audit_log where staff_id is not null`;

export const SESSION_CHECKS: readonly { readonly name: string; readonly sql: string }[] = [
  {
    name: 'whatever staff prepared, agreed to or did was under a session of theirs that was alive',
    sql: `select format('%s, by staff %s: %s', a.what, a.staff_id, case when a.session_id is null then 'no session'
        else 'session ' || a.session_id || ' was not theirs, or had ended' end) as detail
      from (${STAFF_ACTS}) a
      left join staff_session_log s on s.id = a.session_id and s.staff_id = a.staff_id and s.began_at <= a.at
        and a.at <= least(s.ended_at, s.began_at + interval '12 hours') + ${LATE}
      where a.at >= ${KNOWN} and s.id is null`,
  },
  {
    name: 'each request was made and taken back under a session of its customer that was alive',
    sql: `select format('%s %s (%s) of customer %s: session %s', e.kind, e.request_id, e.step, r.customer_id,
        coalesce(e.session_id::text, 'none')) as detail
      from request_events e
      join (select 'deposit' as kind, id, customer_id from deposit_requests
        union all select 'withdrawal', id, customer_id from withdrawal_requests) r on r.kind = e.kind and r.id = e.request_id
      left join session_log s on s.id = e.session_id and s.customer_id = r.customer_id and s.began_at <= e.at
        and e.at <= coalesce(s.ended_at, 'infinity') + ${LATE}
      where e.actor = 'customer' and e.at >= ${KNOWN} and s.id is null`,
  },
  {
    name: 'orders have the payout rate of the rules that they name, which were not replaced before',
    sql: `select format('order %s of product %s: %s / 10 000 for %s minutes, rules %s say %s', o.id, o.product_id, o.payout_rate_bps,
        o.minutes, o.rules_id, coalesce(r.rates ->> o.minutes::text, 'nothing')) as detail
      from (select rules_id, product_id, minutes, payout_rate_bps, max(accepted_at_ms) as last_ms,
          min(id) as id from orders group by 1, 2, 3, 4) o
      left join rules r on r.id = o.rules_id and r.product_id = o.product_id
      where (r.rates ->> o.minutes::text)::int is distinct from o.payout_rate_bps
        or exists (select from rules n where n.product_id = r.product_id and n.id > r.id
          and split_part(n.entry, '|', 3) = split_part(r.entry, '|', 3) and n.effective_ms < o.last_ms - 60000)`,
  },
];
