-- Bounds of withdrawals are changed by two people.
insert into four_eyes_rules (kind, edit_role, role, needed) values ('withdrawal_terms', 'cashier', 'approver', 1);

-- New bounds of an asset, on their way to two people. What was submitted before keeps the fee that it was submitted with.
create table withdrawal_term_changes (
  id bigint generated always as identity (start with 1000) primary key,
  asset_id smallint not null references withdrawal_terms,
  min bigint not null,
  max bigint not null,
  fee bigint not null check (fee >= 0),
  proposed_by bigint not null references staff,
  proposed_at timestamptz not null default clock_timestamp(),
  status text not null default 'proposed' check (status in ('proposed', 'done', 'refused')),
  decided_by bigint references staff,
  decided_at timestamptz,
  check (fee * 5 <= min and min <= max),
  check (min <= withdrawal_min_cap(asset_id)),
  check ((status = 'proposed') = (decided_at is null) and (decided_at is null) = (decided_by is null)),
  check (status <> 'done' or decided_by <> proposed_by)
);
create unique index withdrawal_term_changes_open on withdrawal_term_changes (asset_id) where status = 'proposed';

create function withdrawal_terms_content(_c withdrawal_term_changes) returns bytea
immutable language sql set search_path = public, pg_temp as $$
  select sha256(convert_to(jsonb_build_object('change', _c.id, 'asset', _c.asset_id, 'min', _c.min, 'max', _c.max, 'fee', _c.fee)::text,
    'UTF8'))
$$;

create function withdrawal_terms_propose(_staff bigint, _asset smallint, _min bigint, _max bigint, _fee bigint) returns bigint
language plpgsql security definer set search_path = public, pg_temp as $$
declare
  _c withdrawal_term_changes;
begin
  if not exists (select from withdrawal_terms where asset_id = _asset) then
    raise exception 'no withdrawals of asset %', _asset using errcode = 'FT120';
  end if;
  if exists (select from withdrawal_terms where (asset_id, min, max, fee) = (_asset, _min, _max, _fee)) then
    raise exception 'the bounds of asset % are so already', _asset using errcode = 'FT109';
  end if;
  insert into withdrawal_term_changes (asset_id, min, max, fee, proposed_by) values (_asset, _min, _max, _fee, _staff)
  on conflict do nothing returning * into _c;
  if _c.id is null then raise exception 'a change of asset % is proposed already', _asset using errcode = 'FT109'; end if;
  perform record_edit(_staff, 'withdrawal_terms', _c.id, withdrawal_terms_content(_c));
  perform audit_append(_staff, 'limit.propose', 'limit:' || _c.id,
    jsonb_build_object('asset', _asset, 'min', _min::text, 'max', _max::text, 'fee', _fee::text));
  return _c.id;
end $$;

create function withdrawal_terms_decide(_staff bigint, _id bigint, _agrees boolean) returns text
language plpgsql security definer set search_path = public, pg_temp as $$
declare
  _c withdrawal_term_changes;
begin
  select * into _c from withdrawal_term_changes where id = _id for update;
  if not found then raise exception 'no change %', _id using errcode = 'FT120'; end if;
  if _c.status <> 'proposed' then raise exception 'change % is decided', _id using errcode = 'FT121'; end if;
  if not _agrees then
    if not (staff_may(_staff, 'cashier') or staff_may(_staff, 'approver')) then
      raise exception 'staff % decides no bounds', _staff using errcode = 'FT101';
    end if;
    update withdrawal_term_changes set status = 'refused', decided_by = _staff, decided_at = clock_timestamp() where id = _id;
    perform audit_append(_staff, 'limit.refuse', 'limit:' || _id, '{}');
    return 'refused';
  end if;
  perform approve(_staff, 'withdrawal_terms', _id, withdrawal_terms_content(_c));
  if (select count(*) from approvals_of('withdrawal_terms', _id, withdrawal_terms_content(_c)) a where a.counts)
    < approvals_needed('withdrawal_terms') then return 'proposed'; end if;
  perform demand_approvals('withdrawal_terms', _id, withdrawal_terms_content(_c));
  update withdrawal_terms set min = _c.min, max = _c.max, fee = _c.fee where asset_id = _c.asset_id;
  update withdrawal_term_changes set status = 'done', decided_by = _staff, decided_at = clock_timestamp() where id = _id;
  perform audit_append(_staff, 'limit.done', 'limit:' || _id, '{}');
  return 'done';
end $$;

grant select on withdrawal_term_changes to fairtick_server;
grant execute on function withdrawal_terms_propose, withdrawal_terms_decide to fairtick_server;
