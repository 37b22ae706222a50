-- The house's capital: money that the house brings from outside, so that it can pay what customers win. It enters the trading
-- account by two (`house_capital`): one says how much came and by which evidence, another approves exactly that. Practice money
-- has the capital of the seed.

-- ## Functions

-- Proposes capital of an asset, in its smallest unit, and returns the proposal's id. Raises NOTHING_NEW if its evidence is
-- proposed or booked already.
create or replace function house_capital_propose(_staff bigint, _asset smallint, _amount bigint, _evidence text, _note text)
returns bigint language plpgsql security definer as $$
declare
  _content jsonb := jsonb_build_object('asset', _asset, 'amount', _amount, 'evidence', _evidence, 'note', _note);
begin
  if not exists (select from ledger.assets where id = _asset and not is_practice) then
    perform refuse('PRACTICE_MONEY', format('asset %s takes no capital', _asset));
  end if;
  if (_amount > 0) is not true then perform refuse('INVALID_AMOUNT', 'capital must be above zero'); end if;
  if exists (select from proposals where kind = 'house_capital' and subject = _evidence and state = 'done') then
    perform refuse('NOTHING_NEW', format('capital with the evidence of proposal %s is booked', _evidence));
  end if;
  return (propose(_staff, 'house_capital', _evidence, _content, _content || jsonb_build_object('amount', _amount::text))).id;
end $$;

create or replace function carry_out_house_capital(_p proposals) returns void language plpgsql as $$
begin
  perform ledger.post_capital('capital:' || _p.id, _p.content_hash, (_p.content ->> 'asset')::smallint,
    (_p.content ->> 'amount')::bigint);
end $$;
