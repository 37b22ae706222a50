-- Halts: times without new orders. Prices, settlement and withdrawals go on.
-- One person (catalogue or approver) halts at once. To lift a halt, one person proposes it and an approver agrees (four_eyes_rules,
-- `halt_lift`). At most one halt is open.
-- Lock order: placement_head -> the halt -> staff -> the audit log.

create table trading_halts (
  id bigint generated always as identity primary key,
  reason text not null check (length(reason) between 1 and 500),
  halted_by bigint not null references staff,
  halted_at timestamptz not null default now(),
  -- The proposal to lift the halt. A newer proposal replaces it.
  lift_note text check (length(lift_note) between 1 and 500),
  lift_content bytea check (octet_length(lift_content) = 32),
  lift_proposed_by bigint references staff,
  lift_proposed_at timestamptz,
  lifted_by bigint references staff,
  lifted_at timestamptz,
  check (num_nulls(lift_note, lift_content, lift_proposed_by, lift_proposed_at) in (0, 4)),
  check (num_nulls(lifted_by, lifted_at) in (0, 2)),
  check (lifted_at is null or (lift_proposed_by is not null and lifted_by <> lift_proposed_by))
);

create unique index trading_halts_open on trading_halts ((true)) where lifted_at is null;

-- ## Functions

-- Halts new orders and returns the id of the halt. The update of the head waits for the batch that is being placed, and every later
-- batch sees the halt.
create or replace function trading_halt(_by bigint, _reason text) returns bigint
language plpgsql security definer set search_path = public, pg_temp as $$
declare
  _id bigint;
begin
  if not staff_may(_by, 'catalogue') and not staff_may(_by, 'approver') then
    perform refuse('ROLE_MISSING', format('staff %s may not halt', _by));
  end if;
  update placement_head set is_halted = true where not is_halted;
  if not found then perform refuse('NOTHING_NEW', 'new orders are halted already'); end if;
  insert into trading_halts (reason, halted_by) values (_reason, _by) returning id into _id;
  perform audit_append(_by, 'halt.start', 'halt:' || _id, jsonb_build_object('reason', _reason));
  return _id;
end $$;

-- Proposes to lift a halt. Returns the hash of the content to be approved.
create or replace function trading_propose_lift(_by bigint, _id bigint, _note text) returns bytea
language plpgsql security definer set search_path = public, pg_temp as $$
declare
  _content bytea := sha256(convert_to(jsonb_build_object('halt', _id, 'note', _note)::text, 'UTF8'));
begin
  if not staff_may(_by, 'catalogue') then perform refuse('ROLE_MISSING', format('staff %s may not propose it', _by)); end if;
  update trading_halts set lift_note = _note, lift_content = _content, lift_proposed_by = _by, lift_proposed_at = now()
    where id = _id and lifted_at is null;
  if not found then perform refuse('CHANGE_NOT_FOUND', format('no open halt %s', _id)); end if;
  perform record_edit(_by, 'halt_lift', _id, _content);
  perform audit_append(_by, 'halt.propose_lift', 'halt:' || _id, jsonb_build_object('note', _note));
  return _content;
end $$;

-- Approves exactly the proposed content. Returns true if enough people have approved; new orders are then accepted again.
create or replace function trading_lift(_by bigint, _id bigint, _content bytea) returns boolean
language plpgsql security definer set search_path = public, pg_temp as $$
declare
  _halt trading_halts;
begin
  perform from placement_head for update;
  select * into _halt from trading_halts where id = _id and lifted_at is null for update;
  if not found then perform refuse('CHANGE_NOT_FOUND', format('no open halt %s', _id)); end if;
  if _halt.lift_content is null then perform refuse('NOTHING_PROPOSED', 'nothing is proposed'); end if;
  if _halt.lift_content is distinct from _content then perform refuse('CONTENT_CHANGED', 'the content differs'); end if;
  perform approve(_by, 'halt_lift', _id, _content);
  if (select count(*) from approvals_of('halt_lift', _id, _content) a where a.counts) < approvals_needed('halt_lift') then
    return false;
  end if;
  perform demand_approvals('halt_lift', _id, _content);
  update trading_halts set lifted_by = _by, lifted_at = now() where id = _id;
  update placement_head set is_halted = false;
  perform audit_append(_by, 'halt.lift', 'halt:' || _id,
    jsonb_build_object('proposedBy', _halt.lift_proposed_by, 'content', encode(_content, 'hex')));
  return true;
end $$;
