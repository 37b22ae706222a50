-- Holds on a sum that a court or an authority has ordered. Two people place one and two lift it (the proposal `legal_hold`). The
-- sum goes from available to held and back by the ledger, so the customer can't spend it, and nobody gets it. If less is
-- available, the hold is refused: staff hold what there is, and freeze withdrawals.
-- Amounts are in smallest units.
-- Lock order: the proposal -> staff -> the hold -> the balance -> the audit log, appended last.

create table legal_holds (
  -- The proposal that placed it.
  id bigint primary key references proposals,
  customer_id bigint not null references customers,
  asset_id smallint not null references ledger.assets,
  amount bigint not null check (amount > 0),
  -- Who ordered it, and the number of the order. The customer reads both.
  authority text not null check (length(authority) between 2 and 200),
  reference text not null check (length(reference) between 1 and 60),
  transfer_id bigint not null unique,
  -- The proposal that lifted it; null: it lasts.
  lift_id bigint unique references proposals,
  lift_transfer_id bigint unique,
  check (num_nulls(lift_id, lift_transfer_id) in (0, 2))
);

create index legal_holds_by_customer on legal_holds (customer_id, id);

-- ## Functions

create or replace function legal_hold_propose(_staff bigint, _customer bigint, _asset smallint, _amount bigint, _authority text,
  _reference text, _note text) returns bigint language plpgsql security definer as $$
begin
  perform demand_staff_for(_staff, '{cashier}', _customer);
  if (select available from ledger.balances where owner_id = _customer and asset_id = _asset) < _amount then
    perform refuse('BALANCE_SMALLER', format('less is available than is to be held of customer %s', _customer));
  end if;
  if exists (select from legal_holds h where h.customer_id = _customer and h.reference = _reference and h.lift_id is null) then
    perform refuse('NOTHING_NEW', format('order %s holds a sum of customer %s already', _reference, _customer));
  end if;
  return (propose(_staff, 'legal_hold', _customer || ' ' || _reference,
    jsonb_build_object('customer', _customer, 'asset', _asset, 'amount', _amount, 'authority', _authority,
      'reference', _reference, 'note', _note),
    jsonb_build_object('customer', _customer, 'asset', _asset, 'amount', _amount::text, 'authority', _authority,
      'reference', _reference),
    _customer => _customer)).id;
end $$;

create or replace function legal_hold_propose_lift(_staff bigint, _hold bigint, _note text) returns bigint
language plpgsql security definer as $$
declare
  _h legal_holds;
begin
  select * into _h from legal_holds where id = _hold and lift_id is null;
  perform demand_role(_staff, 'cashier');
  if _h.id is null then perform refuse('REQUEST_NOT_FOUND', format('no hold %s lasts', _hold)); end if;
  return (propose(_staff, 'legal_hold', 'hold ' || _hold,
    jsonb_build_object('customer', _h.customer_id, 'hold', _hold, 'asset', _h.asset_id, 'amount', _h.amount,
      'authority', _h.authority, 'reference', _h.reference, 'note', _note),
    jsonb_build_object('customer', _h.customer_id, 'hold', _hold), _customer => _h.customer_id)).id;
end $$;

create or replace function carry_out_legal_hold(_p proposals) returns jsonb language plpgsql as $$
declare
  _h legal_holds;
begin
  if _p.content ? 'hold' then
    select * into _h from legal_holds where id = (_p.content ->> 'hold')::bigint and lift_id is null for update;
    if not found then perform refuse('REQUEST_CLOSED', format('hold %s was lifted before', _p.content ->> 'hold')); end if;
    update legal_holds set lift_id = _p.id, lift_transfer_id = ledger.release('legal:' || _h.id || ':end', _p.content_hash,
      _h.customer_id, _h.asset_id, _h.amount, _h.id, 'legal_release') where id = _h.id;
  else
    _h := row(_p.id, _p.customer_id, _p.content ->> 'asset', _p.content ->> 'amount', _p.content ->> 'authority',
      _p.content ->> 'reference', 0, null, null);
    if (select available from ledger.lock_balances(array[_h.customer_id], array[_h.asset_id])) < _h.amount then
      perform refuse('BALANCE_SMALLER', format('less is available than hold %s takes', _p.id));
    end if;
    _h.transfer_id := ledger.hold('legal:' || _h.id, _p.content_hash, _h.customer_id, _h.asset_id, _h.amount, _h.id,
      'legal_hold');
    insert into legal_holds select _h.*;
  end if;
  perform notice_add(_h.customer_id, case when _p.content ? 'hold' then 'hold.lifted' else 'hold.placed' end, jsonb_build_object(
    'asset', _h.asset_id, 'amount', _h.amount::text, 'text', _h.authority, 'reference', _h.reference));
  perform tell('orders', _h.customer_id || ':0');
  return jsonb_build_object('customer', _h.customer_id, 'asset', _h.asset_id, 'amount', _h.amount::text,
    'reference', _h.reference);
end $$;
