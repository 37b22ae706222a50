import { STATISTICS_CHECKS } from './audit-statistics-checks.ts';

/**
 * Invariants of rights, protection, terms and public records besides constraints (see audit-checks.ts). A row that a function wrote has
 * its event, its proposal or its entry of the log; a row that somebody changed by hand contradicts it.
 */

/** Each proposal that was carried out, with approvals of exactly its content by people who did not edit it. */
const AGREED = `(select count(distinct a.person) from approvals a where a.kind = p.kind and a.subject_id = p.id
  and a.content_hash = p.content_hash and not exists (select from content_edits e
    where e.kind = a.kind and e.subject_id = a.subject_id and e.person = a.person))`;

/** Entries of the audit log about accounts of staff: the account, what changed, and its role. */
const STAFF_EVENTS = `select seq, split_part(subject, ':', 2)::bigint as staff_id, split_part(action, '.', 2) as change,
    entry::jsonb -> 'facts' ->> 'role' as role
  from audit_log where subject like 'staff:%' and action in ('staff.install', 'staff.grant', 'staff.revoke', 'staff.enable',
    'staff.turn_off', 'staff.disable')`;

/** The last entry of the audit log that decides whether somebody has a role. */
const ROLES_LOGGED = `select staff_id, role from (
    select distinct on (staff_id, role) staff_id, role, change from (${STAFF_EVENTS}) e where role is not null order by staff_id, role, seq desc
  ) l where change <> 'revoke'`;

export const RECORD_CHECKS: readonly { readonly name: string; readonly sql: string }[] = [
  {
    name: 'staff have the roles that the audit log says, and no others',
    sql: `select format('staff %s: role %s is %s', coalesce(r.staff_id, l.staff_id), coalesce(r.role, l.role),
        case when r.staff_id is null then 'gone, and nobody took it away' else 'in no entry of the audit log' end) as detail
      from staff_roles r full join (${ROLES_LOGGED}) l on l.staff_id = r.staff_id and l.role = r.role
      where r.staff_id is null or l.staff_id is null
      union all
      select format('staff %s: the account is %s, the audit log says %s', s.id, case when s.is_active then 'on' else 'off' end, l.change)
      from staff s left join lateral (select change from (${STAFF_EVENTS}) e where e.staff_id = s.id and change not in ('grant', 'revoke')
        order by seq desc limit 1) l on true
      where s.is_active <> coalesce(l.change in ('install', 'enable'), false)
      union all
      select format('staff %s: role %s is usable before its wait is over', r.staff_id, r.role) from staff_roles r
      where r.granted_by is not null and r.role in ('approver', 'administrator') and r.usable_from < r.granted_at`,
  },
  {
    name: 'staff are linked to the customers that the audit log says',
    sql: `with links as (
        select distinct on (s.person, customer) s.person, customer, change from (
          select seq, split_part(subject, ':', 2)::bigint as staff_id, (entry::jsonb -> 'facts' ->> 'customer')::bigint as customer,
            split_part(action, '.', 2) as change
          from audit_log where action in ('staff.declare', 'staff.link', 'staff.unlink')
        ) e join staff s on s.id = e.staff_id order by s.person, customer, seq desc
      )
      select format('%s and customer %s', coalesce(c.person, l.person), coalesce(c.customer_id, l.customer)) as detail
      from staff_customers c full join (select * from links where change <> 'unlink') l on l.person = c.person and l.customer = c.customer_id
      where c.person is null or l.person is null`,
  },
  {
    name: 'breaks, self-exclusions and reminders are those that customers took',
    sql: `with last as (
        select distinct on (customer_id, is_document) customer_id, is_document, what, facts from (
          select *, facts ? 'byDocument' as is_document from protection_events where what in ('break', 'exclusion')
        ) e order by customer_id, is_document, id desc
      ), reminders as (
        select distinct on (customer_id) customer_id, (facts ->> 'minutes')::int as minutes from protection_events where what = 'reminder'
        order by customer_id, id desc
      )
      select format('customer %s: %s until %s, the events say %s until %s', coalesce(p.customer_id, e.customer_id), p.closed_kind,
        p.closed_until, e.what, e.facts ->> 'until') as detail
      from protected_customers p full join (select * from last where not is_document) e on e.customer_id = p.customer_id
      where (p.closed_kind, p.closed_until) is distinct from (e.what, (e.facts ->> 'until')::timestamptz)
      union all
      select format('customer %s: closed by a document until %s, the events say %s', coalesce(p.customer_id, e.customer_id),
        p.document_until, e.facts ->> 'until')
      from protected_customers p full join (select * from last where is_document) e on e.customer_id = p.customer_id
      where p.document_until is distinct from (e.facts ->> 'until')::timestamptz
      union all
      select format('customer %s: reminders each %s minutes, the events say %s', p.customer_id, p.reminder_minutes, r.minutes)
      from protected_customers p left join reminders r using (customer_id)
      where case when p.later_at is null then p.reminder_minutes else p.later_minutes end is distinct from r.minutes`,
  },
  {
    name: 'customers are frozen as the record of freezes says',
    sql: `with now_closed as (
        select p.customer_id, w.what, w.until from protected_customers p
        cross join lateral (values ('login', p.login_frozen_until), ('orders', p.orders_frozen_until), ('withdrawals', p.withdrawals_frozen_until))
          as w (what, until) where w.until is not null
      ), last as (select distinct on (customer_id, what) customer_id, what, until from account_freezes order by customer_id, what, id desc)
      select format('customer %s: %s closed until %s, the record says %s', coalesce(c.customer_id, l.customer_id), coalesce(c.what, l.what),
        c.until, l.until) as detail
      from now_closed c full join last l on l.customer_id = c.customer_id and l.what = c.what where c.until is distinct from l.until
      union all
      select format('freeze %s of customer %s: no such act of staff', f.id, f.customer_id) from account_freezes f
      where case when f.proposal_id is null
        then not exists (select from audit_log a where a.action = 'freeze.start' and a.subject = 'customer:' || f.customer_id)
        else not exists (select from proposals p where p.id = f.proposal_id and p.kind = 'freeze' and p.state = 'done') end`,
  },
  {
    name: 'customers have the limits that they set',
    sql: `with last as (
        select distinct on (customer_id, facts ->> 'asset', facts ->> 'kind', facts ->> 'per') customer_id, (facts ->> 'asset')::smallint as asset_id,
          facts ->> 'kind' as kind, facts ->> 'per' as per, (facts ->> 'amount')::bigint as amount, (facts ->> 'before')::bigint as before
        from protection_events where what = 'limit' order by customer_id, facts ->> 'asset', facts ->> 'kind', facts ->> 'per', id desc
      )
      select format('customer %s asset %s, %s a %s: %s, the events say %s', coalesce(c.customer_id, l.customer_id),
        coalesce(c.asset_id, l.asset_id), coalesce(c.kind, l.kind), coalesce(c.per, l.per), c.amount, l.amount) as detail
      from customer_limits c
      full join last l on l.customer_id = c.customer_id and l.asset_id = c.asset_id and l.kind = c.kind and l.per = c.per
      where case when c.later_at is not null then c.later_amount else c.amount end is distinct from l.amount
        or (c.later_at is not null and c.amount is distinct from l.before)`,
  },
  {
    name: 'rules are what the log says, and their terms follow from them',
    sql: `select format('rules %s of product %s are not the entry of the log', r.id, r.product_id) as detail
      from rules r left join log_entries l on l.index = r.id
      where r.hash <> sha256('\\x00'::bytea || convert_to(r.entry, 'UTF8'))
        or (r.id >= (select min(index) from log_entries) and (l.kind = log_kind('rules') and l.body = r.entry) is not true)
      union all
      select format('rules %s, asset %s, %s minutes: %s', coalesce(t.rules_id, e.rules_id), coalesce(t.asset_id, e.asset_id),
        coalesce(t.minutes, e.minutes), case when t.rules_id is null then 'the terms are gone' else 'the entry says other terms' end)
      from rule_terms t
      full join (select o.* from rules r cross join lateral (
        select _t.rules_id, _t.asset_id, _t.minutes, _t.rate, _t.min_balance, _t.min_stake, _t.max_stakes from terms_of(r.id, r.entry) _t) o) e
        on e.rules_id = t.rules_id and e.asset_id = t.asset_id and e.minutes = t.minutes
      where t is distinct from e`,
  },
  {
    name: 'products stand where the log says',
    sql: `select format('product %s: tick %s of %s at %s', s.product_id, s.tick_n, s.tick_price, s.tick_index) as detail
      from product_states s left join log_entries l on l.index = s.tick_index
      where s.tick_index >= (select min(index) from log_entries) and (l.kind = log_kind('tick') and l.product_id = s.product_id and l.n = s.tick_n
        and l.price = s.tick_price and l.time_ms = s.tick_ms) is not true
      union all
      select format('product %s: rules %s are not in force', s.product_id, s.rules_id) from product_states s
      left join rules r on r.id = s.rules_id and r.product_id = s.product_id
      where s.rules_id is not null and (r.id is null or exists (select from rules n where n.product_id = r.product_id and n.n > r.n
        and n.effective_ms < (select time_ms - 60000 from log_head)))
      union all
      select format('product %s is %s, its rules say %s', p.id, p.symbol, split_part(r.entry, '|', 3)) from rules r join products p on p.id = r.product_id
      where split_part(r.entry, '|', 3) <> p.symbol`,
  },
  {
    name: 'halts are those of the log, and new orders are halted while one lasts',
    sql: `select format('halt %s: %s', l.halt_id, l.is_on) as detail from log_halts l left join log_entries e on e.index = l.entry_index
      join trading_halts h on h.id = l.halt_id left join products p on p.id = h.product_id
      where l.entry_index >= (select min(index) from log_entries)
        and starts_with(e.body, halt_begins(l.n, e.time_ms, p.symbol, l.is_on)) is not true
      union all
      select format('halt %s began by no entry of the audit log', h.id) from trading_halts h
      where not exists (select from audit_log a where a.subject = 'halt:' || h.id and a.action = 'halt.start' and a.staff_id = h.halted_by)
      union all
      select format('halt %s was lifted by no proposal', h.id) from trading_halts h
      where h.lifted_at is not null and not exists (select from proposals p where p.id = h.lift_id and p.kind = 'halt_lift' and p.state = 'done')
      union all
      select format('halt %s lasts, and orders are taken', h.id) from trading_halts h cross join placement_head p
      where h.lifted_at is null and not case when h.product_id is null then p.is_halted else h.product_id = any (p.halted_products) end`,
  },
  {
    name: 'what was proposed was carried out with the approvals that it takes, and the audit log says who',
    sql: `select format('proposal %s (%s): %s of %s approvals', p.id, p.kind, ${AGREED}, r.needed) as detail
      from proposals p join four_eyes_rules r using (kind) where p.state = 'done' and ${AGREED} < greatest(r.needed, 1)
      union all
      select format('proposal %s (%s) is %s by staff %s, and no entry says so', p.id, p.kind, p.state, p.decided_by) from proposals p
      where p.decided_by is not null and p.decided_at >= (select at from sessions_known_since) and not exists (
        select from audit_log a where a.staff_id = p.decided_by
          and ((a.entry::jsonb -> 'facts' ->> 'change')::bigint = p.id or split_part(a.subject, ':', 2) = p.id::text))`,
  },
  {
    name: 'channels and terms of withdrawals are what two people agreed to',
    sql: `with agreed as (
        select subject, content -> 'terms' as terms, row_number() over (partition by subject order by decided_at desc) as place
        from proposals where kind = 'channel' and state = 'done'
      )
      select format('channel %s, version %s: nobody agreed to these terms', c.id, c.version) as detail
      from (select *, row_number() over (partition by id order by version desc) as place from deposit_channels) c
      left join agreed p on p.subject = c.id::text and p.place = c.place
      left join lateral jsonb_populate_record(null::deposit_channels, p.terms) t on true
      where (p.place is null and c.version > 1) or (p.place is not null
        and (t.asset_id, t.network, t.address, t.bank, t.min, t.max, coalesce(t.presets, '{}'), coalesce(t.fee, 0), t.is_enabled)
          is distinct from (c.asset_id, c.network, c.address, c.bank, c.min, c.max, c.presets, c.fee, c.is_enabled))
      union all
      select format('terms of withdrawals of asset %s', w.asset_id) from withdrawal_terms w
      join lateral (select content from proposals p where p.kind = 'withdrawal_terms' and p.state = 'done' and p.subject = w.asset_id::text
        order by decided_at desc limit 1) p on true
      where ((p.content ->> 'min')::bigint, (p.content ->> 'max')::bigint, (p.content ->> 'fee')::bigint) is distinct from (w.min, w.max, w.fee)`,
  },
  {
    name: 'each destination of a withdrawal is its customer’s, of its asset, as it was when the customer asked',
    sql: `select format('withdrawal %s of customer %s: destination %s, changed at %s', w.id, w.customer_id, w.destination_id, d.changed_at) as detail
      from withdrawal_requests w join ledger.assets a on a.id = w.asset_id left join destinations d on d.id = w.destination_id
      where d.id is null or d.customer_id <> w.customer_id or d.asset <> a.code or d.changed_at > w.submitted_at
        or (d.last4 is not null and right(w.destination_label, 4) <> d.last4)
      union all
      select format('card %s of customer %s: its key is not one of the file', c.id, c.customer_id)
      from (select id, customer_id, key_id from bank_cards union all select id, customer_id, key_id from crypto_addresses) c
      where c.key_id is not null and not exists (select from data_keys k where k.id = c.key_id)`,
  },
  {
    name: 'each live session is on record',
    sql: `select format('session %s of customer %s', s.id, s.customer_id) as detail from sessions s
      left join session_log l on l.id = s.id and l.customer_id = s.customer_id and l.began_at = s.created_at and l.ended_at is null
      where l.id is null and s.created_at >= (select at from sessions_known_since)
      union all
      select format('session %s of staff %s', s.id, s.staff_id) from staff_sessions s
      left join staff_session_log l on l.id = s.id and l.staff_id = s.staff_id and l.began_at = s.created_at and l.ended_at is null
      where l.id is null and s.created_at >= (select at from sessions_known_since)`,
  },
  {
    name: 'kept checkpoints say what they are stored under, and each batch has one',
    sql: `select format('checkpoint %s: its note says another size or root', c.size) as detail from log_checkpoints c cross join log_head h
      where split_part(c.note, E'\\n', 2) <> c.size::text or split_part(c.note, E'\\n', 3) <> encode(c.root, 'base64') or c.size > h.size
        or (c.size = h.size and c.root <> h.root)
      union all
      select format('checkpoint %s, the first that covers the entry at %s, is not kept', c.size, b.entry_index)
      from logged_batches b cross join lateral (select * from log_checkpoints c where c.size > b.entry_index order by c.size limit 1) c
      where not c.is_kept
      union all
      select format('the batches of the entry at %s have no checkpoint', b.entry_index) from logged_batches b
      where b.time_ms < (select max(time_ms) from log_checkpoints) - 60000
        and not exists (select from log_checkpoints c where c.size > b.entry_index)`,
  },
  {
    name: 'settlement is not ahead of the log, nor of the batches that are placed',
    sql: `select format('settled before %s, the log is at %s; opened up to batch %s of %s', s.settled_before_ms, h.time_ms, s.opened_batch, p.next_batch)
        as detail
      from settlement_head s cross join log_head h cross join placement_head p
      where s.settled_before_ms > h.time_ms or s.noted_ms > h.time_ms or s.opened_batch >= greatest(p.next_batch, 1) or s.noted_turn > p.turns + 1`,
  },
  {
    name: 'keys, secrets and daily totals of the log are those of its entries',
    sql: `select format('the key at %s', k.entry_index) as detail from log_keys k left join log_entries l on l.index = k.entry_index
      where k.entry_index >= (select min(index) from log_entries) and l.body is distinct from k.entry
      union all
      select format('liabilities of %s, asset %s, at %s', d.date, d.asset_id, d.entry_index) from liability_days d
      left join log_entries l on l.index = d.entry_index join ledger.assets a on a.id = d.asset_id
      where d.entry_index >= (select min(index) from log_entries)
        and (l.body like format('liabilities|4|%s|%%|%s|%s|%s|%%', d.date, a.code, round(d.total * (10::numeric ^ (-a.scale)), a.scale), encode(d.root, 'hex'))) is not true`,
  },
  ...STATISTICS_CHECKS,
];
