-- A deposit that was credited and then called back (a card's or a bank's reversal) is put right by a correction that names it,
-- by two people as every correction. The customer's credit score counts it as one of its facts (decision 093).

alter table corrections
  add column reversed_deposit_id bigint references deposit_requests,
  add constraint correction_reverses_down check (reversed_deposit_id is null or amount < 0);
create unique index corrections_reverse_once on corrections (reversed_deposit_id) where status <> 'refused';

create or replace function correction_content(_c corrections) returns bytea
immutable language sql set search_path = public, pg_temp as $$
  select sha256(convert_to(jsonb_build_object('correction', _c.id, 'customer', _c.customer_id, 'asset', _c.asset_id,
    'amount', _c.amount, 'reason', _c.reason, 'reversedDeposit', _c.reversed_deposit_id)::text, 'UTF8'))
$$;

drop function correction_propose(bigint, bigint, smallint, bigint, text);
create function correction_propose(_staff bigint, _customer bigint, _asset smallint, _amount bigint, _reason text,
  _reversed_deposit bigint default null) returns bigint
language plpgsql security definer set search_path = public, pg_temp as $$
declare
  _c corrections;
begin
  if not exists (select from customers where id = _customer) then
    raise exception 'no customer %', _customer using errcode = 'FT120';
  end if;
  -- It is this customer's, was credited, and no more is taken back than came of it.
  if _reversed_deposit is not null and not exists (select from deposit_requests d where d.id = _reversed_deposit
      and d.customer_id = _customer and d.asset_id = _asset and d.status = 'success' and -_amount between 1 and d.found_amount) then
    raise exception 'no credited deposit % of customer %', _reversed_deposit, _customer using errcode = 'FT120';
  end if;
  -- Sent again because no answer came, or by a colleague who saw the same fault: once open, it is not proposed twice. Two
  -- at once follow one another.
  perform from customers where id = _customer for no key update;
  if exists (select from corrections c where c.customer_id = _customer and c.asset_id = _asset and c.amount = _amount
        and c.reason = _reason and c.status = 'proposed')
    or exists (select from corrections c where c.reversed_deposit_id = _reversed_deposit and c.status <> 'refused') then
    raise exception 'the same correction of customer % is open', _customer using errcode = 'FT109';
  end if;
  insert into corrections (customer_id, asset_id, amount, reason, proposed_by, reversed_deposit_id)
  values (_customer, _asset, _amount, _reason, _staff, _reversed_deposit) returning * into _c;
  perform record_edit(_staff, 'correction', _c.id, correction_content(_c));
  perform audit_append(_staff, 'correction.propose', 'correction:' || _c.id, jsonb_strip_nulls(
    jsonb_build_object('customer', _customer, 'asset', _asset, 'amount', _amount::text, 'reversedDeposit', _reversed_deposit::text)));
  return _c.id;
end $$;
grant execute on function correction_propose to fairtick_server;
