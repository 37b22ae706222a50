-- Withdrawal terms: the minimum, maximum and fee of a withdrawal per asset, in smallest units, and changes of them.
-- The server only reads these tables. The first start seeds the terms; later changes need two people (four_eyes_rules,
-- `withdrawal_terms`). A withdrawal keeps the fee with which it was submitted.
-- The number of approvals that a single withdrawal needs is in four_eyes_rules and four_eyes_amounts.

create table withdrawal_terms (
  asset_id smallint primary key references ledger.assets,
  min bigint not null,
  max bigint not null,
  fee bigint not null check (fee >= 0),
  -- The fee takes at most a fifth of the smallest withdrawal. No approval can lift this bound.
  check (fee * 5 <= min and min <= max),
  check (min <= withdrawal_min_cap(asset_id))
);

-- Proposed new terms of an asset.
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

-- ## Functions

-- The hash that approvals of a change refer to.
create or replace function withdrawal_terms_content(_c withdrawal_term_changes) returns bytea
immutable language sql set search_path = public, pg_temp as $$
  select sha256(convert_to(jsonb_build_object('change', _c.id, 'asset', _c.asset_id, 'min', _c.min, 'max', _c.max, 'fee', _c.fee)::text,
    'UTF8'))
$$;

-- Proposes new terms of an asset and returns the id of the change. Raises NOTHING_NEW if these terms apply already or another
-- change of the asset is open.
create or replace function withdrawal_terms_propose(_staff bigint, _asset smallint, _min bigint, _max bigint, _fee bigint) returns bigint
language plpgsql security definer set search_path = public, pg_temp as $$
declare
  _c withdrawal_term_changes;
begin
  if not exists (select from withdrawal_terms where asset_id = _asset) then
    perform refuse('REQUEST_NOT_FOUND', format('no withdrawals of asset %s', _asset));
  end if;
  if exists (select from withdrawal_terms where (asset_id, min, max, fee) = (_asset, _min, _max, _fee)) then
    perform refuse('NOTHING_NEW', format('the bounds of asset %s are so already', _asset));
  end if;
  insert into withdrawal_term_changes (asset_id, min, max, fee, proposed_by) values (_asset, _min, _max, _fee, _staff)
  on conflict do nothing returning * into _c;
  if _c.id is null then perform refuse('NOTHING_NEW', format('a change of asset %s is proposed already', _asset)); end if;
  perform record_edit(_staff, 'withdrawal_terms', _c.id, withdrawal_terms_content(_c));
  perform audit_append(_staff, 'limit.propose', 'limit:' || _c.id,
    jsonb_build_object('asset', _asset, 'min', _min::text, 'max', _max::text, 'fee', _fee::text));
  return _c.id;
end $$;

-- Approves a change (`_agrees`) or refuses it. The last approval that is needed puts the terms into force. Any cashier or approver
-- may refuse, including the proposer. Returns the status of the change after the call.
create or replace function withdrawal_terms_decide(_staff bigint, _id bigint, _agrees boolean) returns text
language plpgsql security definer set search_path = public, pg_temp as $$
declare
  _c withdrawal_term_changes;
begin
  select * into _c from withdrawal_term_changes where id = _id for update;
  if not found then perform refuse('REQUEST_NOT_FOUND', format('no change %s', _id)); end if;
  if _c.status <> 'proposed' then perform refuse('REQUEST_CLOSED', format('change %s is decided', _id)); end if;
  if not _agrees then
    if not (staff_may(_staff, 'cashier') or staff_may(_staff, 'approver')) then
      perform refuse('ROLE_MISSING', format('staff %s decides no bounds', _staff));
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
