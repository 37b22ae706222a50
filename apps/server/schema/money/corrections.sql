-- Corrections: transfers that put a customer's balance right, up or down. The customer gets a notice of each.
-- A correction is a proposal (`correction`). The number of approvals depends on the amount and on the sums of the last 24 hours
-- (amount_before).
-- A correction may name a credited deposit that a bank or card called back; each deposit is named at most once (decision 093).
-- Lock order: the proposal -> the balance and the proposer's sums (lock_sums) -> staff -> the audit log, appended last.

create table corrections (
  -- The proposal, which has the state and the people.
  id bigint primary key references proposals,
  customer_id bigint not null references customers,
  asset_id smallint not null references ledger.assets,
  -- In the smallest unit. Above zero: the balance rises. Below zero: it falls.
  amount bigint not null check (amount <> 0),
  reason text not null check (length(reason) between 5 and 500),
  -- The deposit that was called back; null for every other correction.
  reversed_deposit_id bigint references deposit_requests,
  -- Null until the correction is carried out.
  transfer_id bigint,
  constraint correction_reverses_down check (reversed_deposit_id is null or amount < 0)
);

create index corrections_by_customer on corrections (customer_id, id);
create unique index corrections_reverse_once on corrections (reversed_deposit_id) where transfer_id is not null;

-- ## Functions

create or replace function correction_content(_c corrections) returns jsonb
immutable language sql set search_path = public, pg_temp as $$
  select jsonb_build_object('asset', _c.asset_id, 'amount', _c.amount, 'customer', _c.customer_id, 'reason', _c.reason,
    'reversedDeposit', _c.reversed_deposit_id)
$$;

-- Proposes a correction and returns its id, which is the proposal's. `_amount` is signed and in the smallest unit. Raises
-- NOTHING_NEW if an equal correction is open, or if another correction that was not refused names the same deposit.
create or replace function correction_propose(_staff bigint, _customer bigint, _asset smallint, _amount bigint, _reason text,
  _reversed_deposit bigint default null) returns bigint language plpgsql security definer as $$
declare
  _c corrections;
begin
  if not exists (select from customers where id = _customer) then
    perform refuse('REQUEST_NOT_FOUND', format('no customer %s', _customer));
  end if;
  -- The deposit is this customer's and credited, and the correction takes back no more than the amount that was found.
  if _reversed_deposit is not null and not exists (select from deposit_requests d where d.id = _reversed_deposit
      and d.customer_id = _customer and d.asset_id = _asset and d.status = 'success'
        and -_amount between 1 and d.found_amount) then
    perform refuse('REQUEST_NOT_FOUND', format('no credited deposit %s of customer %s', _reversed_deposit, _customer));
  end if;
  -- An equal open correction is a repeated request, or a colleague's proposal about the same fault. The lock makes concurrent
  -- proposals wait for each other.
  perform from customers where id = _customer for no key update;
  if exists (select from corrections c join proposals p on p.id = c.id where c.customer_id = _customer
      and (p.state = 'proposed' and (c.asset_id, c.amount, c.reason) = (_asset, _amount, _reason)
        or p.state <> 'refused' and c.reversed_deposit_id = _reversed_deposit)) then
    perform refuse('NOTHING_NEW', format('the same correction of customer %s is open', _customer));
  end if;
  _c := row(null, _customer, _asset, _amount, _reason, _reversed_deposit, null);
  _c.id := (propose(_staff, 'correction', 'deposit ' || _reversed_deposit, correction_content(_c), jsonb_strip_nulls(
    jsonb_build_object('customer', _customer, 'asset', _asset, 'amount', _amount::text,
      'reversedDeposit', _reversed_deposit::text)),
    _customer => _customer)).id;
  insert into corrections select _c.*;
  return _c.id;
end $$;

-- Locks what the sums of a day count, and returns the amount to which the bounds apply.
create or replace function check_correction(_p proposals, out asset_id smallint, out amount bigint) language plpgsql as $$
declare
  _c corrections;
begin
  select * into strict _c from corrections c where c.id = _p.id;
  if correction_content(_c) <> _p.content then
    perform refuse('CONTENT_CHANGED', format('correction %s has changed', _p.id));
  end if;
  perform lock_sums(_c.customer_id, _c.asset_id, _p.proposed_by);
  asset_id := _c.asset_id;
  amount := correction_counted(_c);
end $$;

-- Moves the money and tells the customer. Raises BALANCE_SMALLER if the available balance is smaller than the amount that the
-- correction takes.
create or replace function carry_out_correction(_p proposals) returns jsonb language plpgsql as $$
declare
  _c corrections;
  _transfer bigint;
begin
  select * into strict _c from corrections where id = _p.id;
  if (select available + _c.amount < 0 from ledger.balances where owner_id = _c.customer_id and asset_id = _c.asset_id) then
    perform refuse('BALANCE_SMALLER', format('the balance is smaller than what correction %s takes', _p.id));
  end if;
  _transfer := ledger.correct('correction:' || _p.id, _p.content_hash, _c.customer_id, _c.asset_id, _c.amount, _p.id);
  if _transfer is null then perform refuse('REQUEST_CLOSED', format('correction %s was made before', _p.id)); end if;
  update corrections set transfer_id = _transfer where id = _p.id;
  perform notice_add(_c.customer_id, 'correction.done', jsonb_build_object('id', _p.id::text, 'asset', _c.asset_id,
    'amount', _c.amount::text, 'text', _c.reason));
  perform tell('orders', _c.customer_id || ':0');
  return jsonb_build_object('transfer', _transfer);
end $$;

-- Returns the content to be approved, the number of approvals needed and the number given.
create or replace function correction_standing(_id bigint, out content bytea, out needed smallint, out given bigint)
language sql stable security definer as $$
  select content_hash(correction_content(c)), approvals_needed('correction', c.asset_id, correction_counted(c)),
    (select count(*) from approvals_of('correction', c.id, content_hash(correction_content(c))) a where a.counts)
  from corrections c where c.id = _id
$$;
