-- Withdrawal terms: the minimum, maximum and fee of a withdrawal per asset, in smallest units.
-- The server only reads this table. The first start seeds the terms; later changes are proposals (`withdrawal_terms`).
-- A withdrawal keeps the fee with which it was submitted.
-- The number of approvals that a single withdrawal needs is in four_eyes_rules and four_eyes_amounts.

create table withdrawal_terms (
  asset_id smallint primary key references ledger.assets,
  min bigint not null,
  max bigint not null,
  fee bigint not null,
  -- No approval can lift these bounds.
  check (withdrawal_terms_hold(asset_id, min, max, fee))
);

-- ## Functions

-- Proposes new terms of an asset and returns the id of the proposal. Raises NOTHING_NEW if these terms apply already or another
-- proposal for the asset is open, and the check violation of terms that the table would not take.
create or replace function withdrawal_terms_propose(_staff bigint, _asset smallint, _min bigint, _max bigint, _fee bigint)
returns bigint language plpgsql security definer as $$
begin
  if not exists (select from withdrawal_terms where asset_id = _asset) then
    perform refuse('REQUEST_NOT_FOUND', format('no withdrawals of asset %s', _asset));
  end if;
  if not withdrawal_terms_hold(_asset, _min, _max, _fee) then
    raise check_violation using message = format('terms of asset %s are out of bounds', _asset);
  end if;
  if exists (select from withdrawal_terms where (asset_id, min, max, fee) = (_asset, _min, _max, _fee)) then
    perform refuse('NOTHING_NEW', format('the bounds of asset %s are so already', _asset));
  end if;
  return (propose(_staff, 'withdrawal_terms', _asset::text,
    jsonb_build_object('asset', _asset, 'min', _min, 'max', _max, 'fee', _fee),
    jsonb_build_object('asset', _asset, 'min', _min::text, 'max', _max::text, 'fee', _fee::text))).id;
end $$;

create or replace function carry_out_withdrawal_terms(_p proposals) returns void
language sql set search_path = public, pg_temp as $$
  update withdrawal_terms set min = (_p.content ->> 'min')::bigint, max = (_p.content ->> 'max')::bigint,
    fee = (_p.content ->> 'fee')::bigint where asset_id = (_p.content ->> 'asset')::smallint
$$;
