-- Proposals: what needs a second person. One person proposes a content, others approve exactly this content, and the last
-- approval that is needed carries it out. Deposits and withdrawals are requests of customers, with lifecycles of their own
-- (packages/protocol/src/lifecycles.ts).
-- Each kind of four_eyes_rules has its functions in the file of its noun: one that checks a content and calls `propose`,
-- carry_out_KIND, and check_KIND if an approval depends on more than the content. Functions alone write here.
-- Lock order: the proposal -> what check_KIND locks -> staff, by id -> what carry_out_KIND locks -> the audit log's head, at the
-- commit.

create table proposals (
  id bigint generated always as identity (start with 1000) primary key,
  kind text not null references four_eyes_rules,
  -- The number or code of the thing to change. At most one proposal of a kind and subject is open. Null: several may be.
  subject text check (length(subject) between 1 and 100),
  content jsonb not null check (length(content ->> 'note') between 1 and 500),
  -- Approvals refer to this hash.
  content_hash bytea not null generated always as (content_hash(content)) stored,
  -- The member of staff and the customer whom it is about. They never decide it.
  about_staff bigint references staff,
  customer_id bigint references customers,
  proposed_by bigint not null references staff,
  proposed_at timestamptz not null default clock_timestamp(),
  state text not null default 'proposed' check (lifecycles() -> 'proposal' ? state),
  decided_by bigint references staff,
  decided_at timestamptz,
  check ((state = 'proposed') = (decided_by is null) and (decided_by is null) = (decided_at is null)),
  -- The proposer can take the proposal back but never carry it out.
  check (state <> 'done' or (decided_by <> proposed_by and decided_by is distinct from about_staff)),
  check (about_staff <> proposed_by)
);

create unique index proposals_open on proposals (kind, subject) where state = 'proposed';
create index proposals_by_kind on proposals (kind, id);
create index proposals_done on proposals (kind, decided_at) where state = 'done';

create or replace trigger proposals_lifecycle before update on proposals
  for each row execute function keep_lifecycle('proposal', 'state');

-- ## Functions

-- Writes a step of a proposal (`propose`, `done`, `refuse`) into the audit log, under the words that the log has for its kind.
create or replace function proposal_note(_staff bigint, _p proposals, _step text, _facts jsonb) returns void
language plpgsql as $$
declare
  _area text := case _p.kind when 'staff_change' then 'staff' when 'withdrawal_terms' then 'limit'
    when 'payout_table' then 'rules' when 'feed_rules' then 'rules' when 'product_end' then 'rules'
    when 'product_new' then 'product' when 'halt_lift' then 'halt' when 'account_recovery' then 'recovery'
    when 'payout_end' then 'withdrawal' when 'payout_batch' then 'payout' when 'statement_line' then 'statement'
    when 'house_capital' then 'capital' else _p.kind end;
  _action text := case _area || '.' || _step || case when _p.content ? 'reason' then '.reason' else '' end
    when 'recovery.propose.reason' then 'propose_refusal' when 'recovery.done.reason' then 'refuse'
    when 'staff.done' then _p.content ->> 'change' when 'rules.done' then 'approve' when 'recovery.done' then 'approve'
    when 'halt.propose' then 'propose_lift' when 'halt.done' then 'lift' when 'withdrawal.propose' then 'propose_end'
    when 'withdrawal.done' then 'end' when 'withdrawal.refuse' then 'refuse_end' else _step end;
  -- The number of the thing that changes, if the log has one for it; else the proposal's own.
  _about text := case when _area = 'staff' then _p.about_staff::text
    when _area in ('channel', 'halt', 'recovery', 'withdrawal') then _p.subject
    else _p.id::text end;
begin
  perform audit_append(_staff, _area || '.' || _action, _area || ':' || _about,
    case when _about = _p.id::text then '{}' else jsonb_build_object('change', _p.id) end || coalesce(_facts, '{}'));
end $$;

-- Makes a proposal and returns it. The caller has checked the content. If the subject has an open proposal, the new content takes
-- the place of its content (`_replaces`), so that approvals of that no longer count, or the call raises NOTHING_NEW.
-- `_facts` go into the audit log.
create or replace function propose(_staff bigint, _kind text, _subject text, _content jsonb, _facts jsonb,
  _about_staff bigint default null, _customer bigint default null, _replaces boolean default false) returns proposals
language plpgsql as $$
declare
  _p proposals;
begin
  insert into proposals as p (kind, subject, content, about_staff, customer_id, proposed_by)
    values (_kind, _subject, _content, _about_staff, _customer, _staff)
    on conflict (kind, subject) where state = 'proposed' do update set content = excluded.content,
      customer_id = excluded.customer_id, proposed_by = excluded.proposed_by, proposed_at = excluded.proposed_at where _replaces
    returning * into _p;
  if _p.id is null then perform refuse('NOTHING_NEW', format('%s %s is proposed already', _kind, _subject)); end if;
  perform record_edit(_staff, _kind, _p.id, _p.content_hash, _about_staff);
  perform proposal_note(_staff, _p, 'propose', _facts);
  return _p;
end $$;

-- Locks and returns an open proposal of one of these kinds. Raises REQUEST_NOT_FOUND or REQUEST_CLOSED; for the kinds of the
-- catalogue and of staff CHANGE_NOT_FOUND, for recoveries RECOVERY_CLOSED.
create or replace function proposal_open(_kinds text[], _id bigint) returns proposals language plpgsql as $$
declare
  _p proposals;
begin
  select * into _p from proposals where id = _id and kind = any (_kinds) for update;
  if _p.state = 'proposed' then return _p; end if;
  perform refuse(case
    when _kinds && '{staff_change,payout_table,feed_rules,product_end,product_new,halt_lift}' then 'CHANGE_NOT_FOUND'
    when _kinds && '{account_recovery}' then 'RECOVERY_CLOSED'
    when _p.id is null then 'REQUEST_NOT_FOUND' else 'REQUEST_CLOSED' end, format('no open proposal %s', _id));
end $$;

-- Approves an open proposal of one of these kinds, and exactly the content with the hash `_content` if it is given. The last
-- approval that is needed carries the proposal out. Returns the state after the call. `_secret` is made for carrying this
-- proposal out and is not part of its content; with it, the approval must be the last one.
create or replace function proposal_approve(_staff bigint, _kinds text[], _id bigint, _content bytea default null,
  _secret text default null) returns text language plpgsql security definer as $$
declare
  _p proposals := proposal_open(_kinds, _id);
  _asset smallint;
  _amount bigint;
  _facts jsonb;
begin
  if _content <> _p.content_hash then perform refuse('CONTENT_CHANGED', format('proposal %s has changed', _id)); end if;
  case
    when _p.kind = 'staff_change' then perform check_staff_change(_staff, _p);
    when _p.kind = 'correction' then select c.asset_id, c.amount into _asset, _amount from check_correction(_p) c;
    when _p.kind = 'statement_line' then select c.asset_id, c.amount into _asset, _amount from check_statement_line(_p) c;
    when _p.kind in ('payout_table', 'feed_rules', 'product_end') then perform check_rules(_p);
    when _p.kind = 'halt_lift' then perform check_halt_lift();
    when _p.kind = 'payout_end' then perform check_payout_end(_staff, _p);
    when _p.kind = 'payout_batch' then perform check_payout_batch(_staff, _p);
    when _p.kind = 'account_recovery' then perform check_account_recovery(_staff, _p);
    else null;
  end case;
  perform approve(_staff, _p.kind, _id, _p.content_hash);
  if _secret is null and (select count(*) from approvals_of(_p.kind, _id, _p.content_hash) a where a.counts)
    < approvals_needed(_p.kind, _asset, _amount) then return 'proposed'; end if;
  perform demand_approvals(_p.kind, _id, _p.content_hash, _asset, _amount);
  update proposals set state = 'done', decided_by = _staff, decided_at = clock_timestamp() where id = _id;
  case
    when _p.kind = 'staff_change' then _facts := carry_out_staff_change(_staff, _p, _secret);
    when _p.kind = 'correction' then _facts := carry_out_correction(_p);
    when _p.kind = 'channel' then perform carry_out_channel(_p);
    when _p.kind = 'statement_line' then perform carry_out_statement_line(_p);
    when _p.kind = 'withdrawal_terms' then perform carry_out_withdrawal_terms(_p);
    when _p.kind = 'earning_rate' then perform carry_out_earning_rate(_p);
    when _p.kind = 'house_capital' then perform carry_out_house_capital(_p);
    when _p.kind in ('payout_table', 'feed_rules', 'product_end') then _facts := carry_out_rules(_p);
    when _p.kind = 'product_new' then _facts := carry_out_product_new(_p);
    when _p.kind = 'halt_lift' then _facts := carry_out_halt_lift(_p);
    when _p.kind = 'payout_end' then _facts := carry_out_payout_end(_staff, _p);
    when _p.kind = 'payout_batch' then _facts := carry_out_payout_batch(_staff, _p);
    when _p.kind = 'freeze' then _facts := carry_out_freeze(_staff, _p);
    when _p.kind = 'legal_hold' then _facts := carry_out_legal_hold(_p);
    when _p.kind = 'flag_rule' then _facts := carry_out_flag_rule(_p);
    when _p.kind = 'screening' then _facts := carry_out_screening(_p);
    when _p.kind = 'account_recovery' then _facts := carry_out_account_recovery(_staff, _p, _secret);
  end case;
  perform proposal_note(_staff, _p, 'done', _facts);
  return 'done';
end $$;

-- Refuses an open proposal of one of these kinds. Everybody who may propose or approve it may do so, including the proposer, but
-- not the person whom it is about. Recoveries are refused by recovery_refuse, and a lift of a halt is only replaced.
create or replace function proposal_refuse(_staff bigint, _kinds text[], _id bigint, _reason text default null) returns void
language plpgsql security definer as $$
declare
  _p proposals := proposal_open(_kinds, _id);
begin
  if _p.kind in ('halt_lift', 'account_recovery') then
    perform refuse('NO_RULE', format('%s is not refused here', _p.kind));
  end if;
  perform demand_role(_staff, r.edit_role, r.role) from four_eyes_rules r where r.kind = _p.kind;
  if (select person from staff where id = _staff) = (select person from staff where id = _p.about_staff) then
    perform refuse('ABOUT_ONESELF', format('proposal %s is about staff %s', _id, _staff));
  end if;
  perform demand_not_own(_staff, _p.customer_id);
  update proposals set state = 'refused', decided_by = _staff, decided_at = clock_timestamp() where id = _id;
  perform proposal_note(_staff, _p, 'refuse', jsonb_strip_nulls(jsonb_build_object('reason', left(_reason, 500))));
end $$;
