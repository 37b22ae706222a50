-- Corrections: transfers that put a customer's balance right, up or down. The customer gets a notice of each.
-- One member of staff proposes a correction, and others approve exactly its content (four_eyes_rules, `correction`). The number of
-- approvals depends on the amount and on the sums of the last 24 hours (amount_before).
-- A correction may name a credited deposit that a bank or card called back; each deposit is named at most once (decision 093).
-- Lock order: the correction -> the balance and the proposer's sums (lock_sums) -> staff -> the audit log, appended last.

create table corrections (
  id bigint generated always as identity (start with 1000) primary key,
  customer_id bigint not null references customers,
  asset_id smallint not null references ledger.assets,
  -- In the smallest unit. Above zero: the balance rises. Below zero: it falls.
  amount bigint not null check (amount <> 0),
  reason text not null check (length(reason) between 5 and 500),
  proposed_by bigint not null references staff,
  proposed_at timestamptz not null default clock_timestamp(),
  status text not null default 'proposed' check (status in ('proposed', 'done', 'refused')),
  decided_by bigint references staff,
  decided_at timestamptz,
  transfer_id bigint,
  -- The deposit that was called back; null for every other correction.
  reversed_deposit_id bigint references deposit_requests,
  check ((status = 'proposed') = (decided_at is null) and (decided_at is null) = (decided_by is null)),
  check ((status = 'done') = (transfer_id is not null)),
  check (status <> 'done' or decided_by <> proposed_by),
  constraint correction_reverses_down check (reversed_deposit_id is null or amount < 0)
);

create index corrections_by_customer on corrections (customer_id, id);

create unique index corrections_reverse_once on corrections (reversed_deposit_id) where status <> 'refused';

create index corrections_done_to on corrections (customer_id, decided_at) where status = 'done';

create index corrections_done_by on corrections (proposed_by, decided_at) where status = 'done';

-- ## Functions

-- The hash that approvals of a correction refer to.
create or replace function correction_content(_c corrections) returns bytea
immutable language sql set search_path = public, pg_temp as $$
  select sha256(convert_to(jsonb_build_object('correction', _c.id, 'customer', _c.customer_id, 'asset', _c.asset_id,
    'amount', _c.amount, 'reason', _c.reason, 'reversedDeposit', _c.reversed_deposit_id)::text, 'UTF8'))
$$;

-- Proposes a correction and returns its id. `_amount` is signed and in the smallest unit. Raises NOTHING_NEW if an equal
-- correction is open, or if another correction that was not refused names the same deposit.
create or replace function correction_propose(_staff bigint, _customer bigint, _asset smallint, _amount bigint, _reason text,
  _reversed_deposit bigint default null) returns bigint
language plpgsql security definer set search_path = public, pg_temp as $$
declare
  _c corrections;
begin
  if not exists (select from customers where id = _customer) then
    perform refuse('REQUEST_NOT_FOUND', format('no customer %s', _customer));
  end if;
  -- The deposit is this customer's and credited, and the correction takes back no more than the amount that was found.
  if _reversed_deposit is not null and not exists (select from deposit_requests d where d.id = _reversed_deposit
      and d.customer_id = _customer and d.asset_id = _asset and d.status = 'success' and -_amount between 1 and d.found_amount) then
    perform refuse('REQUEST_NOT_FOUND', format('no credited deposit %s of customer %s', _reversed_deposit, _customer));
  end if;
  -- An equal open correction is a repeated request, or a colleague's proposal about the same fault. The lock makes concurrent
  -- proposals wait for each other.
  perform from customers where id = _customer for no key update;
  if exists (select from corrections c where c.customer_id = _customer and c.asset_id = _asset and c.amount = _amount
        and c.reason = _reason and c.status = 'proposed')
    or exists (select from corrections c where c.reversed_deposit_id = _reversed_deposit and c.status <> 'refused') then
    perform refuse('NOTHING_NEW', format('the same correction of customer %s is open', _customer));
  end if;
  insert into corrections (customer_id, asset_id, amount, reason, proposed_by, reversed_deposit_id)
  values (_customer, _asset, _amount, _reason, _staff, _reversed_deposit) returning * into _c;
  perform record_edit(_staff, 'correction', _c.id, correction_content(_c));
  perform audit_append(_staff, 'correction.propose', 'correction:' || _c.id, jsonb_strip_nulls(
    jsonb_build_object('customer', _customer, 'asset', _asset, 'amount', _amount::text, 'reversedDeposit', _reversed_deposit::text)));
  return _c.id;
end $$;

-- Approves a correction. The last approval that is needed moves the money and tells the customer. Returns the status after the
-- call. Raises BALANCE_SMALLER if the available balance is smaller than the amount that the correction takes.
create or replace function correction_approve(_staff bigint, _id bigint) returns text
language plpgsql security definer set search_path = public, pg_temp as $$
declare
  _c corrections;
  _transfer bigint;
begin
  select * into _c from corrections where id = _id for update;
  if not found then perform refuse('REQUEST_NOT_FOUND', format('no correction %s', _id)); end if;
  if _c.status <> 'proposed' then perform refuse('REQUEST_CLOSED', format('correction %s is decided', _id)); end if;
  perform lock_sums(_c.customer_id, _c.asset_id, _c.proposed_by);
  perform approve(_staff, 'correction', _id, correction_content(_c));
  if (select count(*) from approvals_of('correction', _id, correction_content(_c)) a where a.counts)
    < approvals_needed('correction', _c.asset_id, correction_counted(_c)) then return 'proposed'; end if;
  perform demand_approvals('correction', _id, correction_content(_c), _c.asset_id, correction_counted(_c));
  if (select available + _c.amount < 0 from ledger.balances where owner_id = _c.customer_id and asset_id = _c.asset_id) then
    perform refuse('BALANCE_SMALLER', format('the balance is smaller than what correction %s takes', _id));
  end if;
  _transfer := ledger.correct('correction:' || _id, correction_content(_c), _c.customer_id, _c.asset_id, _c.amount, _id);
  if _transfer is null then perform refuse('REQUEST_CLOSED', format('correction %s was made before', _id)); end if;
  update corrections set status = 'done', decided_by = _staff, decided_at = clock_timestamp(), transfer_id = _transfer where id = _id;
  perform notice_add(_c.customer_id, 'correction.done', jsonb_build_object('id', _id::text, 'asset', _c.asset_id,
    'amount', _c.amount::text, 'text', _c.reason));
  perform pg_notify('orders', _c.customer_id || ':0');
  perform audit_append(_staff, 'correction.done', 'correction:' || _id, jsonb_build_object('transfer', _transfer));
  return 'done';
end $$;

-- Refuses an open correction. Any cashier or approver may do so, including the proposer.
create or replace function correction_refuse(_staff bigint, _id bigint) returns void
language plpgsql security definer set search_path = public, pg_temp as $$
declare
  _c corrections;
begin
  select * into _c from corrections where id = _id for update;
  if not found then perform refuse('REQUEST_NOT_FOUND', format('no correction %s', _id)); end if;
  if _c.status <> 'proposed' then perform refuse('REQUEST_CLOSED', format('correction %s is decided', _id)); end if;
  if not (staff_may(_staff, 'cashier') or staff_may(_staff, 'approver')) then
    perform refuse('ROLE_MISSING', format('staff %s decides no corrections', _staff));
  end if;
  perform demand_not_own(_staff, _c.customer_id);
  update corrections set status = 'refused', decided_by = _staff, decided_at = clock_timestamp() where id = _id;
  perform audit_append(_staff, 'correction.refuse', 'correction:' || _id, '{}');
end $$;

-- Returns the content to be approved, the number of approvals needed and the number given.
create or replace function correction_standing(_id bigint, out content bytea, out needed smallint, out given bigint)
language sql stable security definer set search_path = public, pg_temp as $$
  select correction_content(c), approvals_needed('correction', c.asset_id, correction_counted(c)),
    (select count(*) from approvals_of('correction', c.id, correction_content(c)) a where a.counts)
  from corrections c where c.id = _id
$$;
