-- A stolen token is not an account. Two notions of a session, one beside the other:
--   fresh   used within the last hour since the password was given: orders and earnings (003)
--   proved  the password, and the second factor where one is on, was given within the last five minutes; use does not renew
--           it. Credentials, destinations, the export, closing and withdrawals need that.

-- When the last proof was given: at a login, a registration or user/reauth. Sessions from before this migration have none.
alter table sessions add column proved_at timestamptz;
alter table sessions alter column proved_at set default now();

create function proof_holds(_fresh_until timestamptz, _proved_at timestamptz) returns boolean
language sql stable as $$ select _fresh_until > now() and _proved_at > now() - interval '5 minutes' $$;

-- Whose session this is, if it lives and a proof was given lately.
create function session_proved(_token_hash bytea) returns bigint
language plpgsql stable set search_path = public, pg_temp as $$
declare
  _customer bigint := session_customer(_token_hash, true);
begin
  perform from sessions where token_hash = _token_hash and proof_holds(fresh_until, proved_at);
  return case when found then _customer end;
end $$;

-- The password was given again, and the second factor where one is on.
create function session_prove(_token_hash bytea) returns void
language sql security definer set search_path = public, pg_temp as $$
  update sessions set fresh_until = now() + interval '1 hour', proved_at = now() where token_hash = _token_hash
$$;

-- As in migration 007; the session needs a recent proof.
create or replace function withdrawal_submit(
  _token_hash bytea, _key_hash bytea, _destination bigint, _label text, _asset smallint, _amount bigint, _word_version int,
  _seen_fee bigint default null, out request_id bigint, out refused text
) language plpgsql security definer set search_path = public, pg_temp as $$
declare
  _customer bigint := session_proved(_token_hash);
  _terms withdrawal_terms;
  _code text := (select code from ledger.assets where id = _asset);
  _level text;
  _hold bigint;
begin
  if _customer is null then refused := 'REAUTH_REQUIRED'; return; end if;
  select * into _terms from withdrawal_terms where asset_id = _asset;
  if not found then refused := 'ASSET_NOT_ACCEPTED'; return; end if;
  if _seen_fee <> _terms.fee then refused := 'TERMS_CHANGED'; return; end if;
  -- Whoever removes the destination or the word waits for us, or we see that it is gone.
  perform from pay_words where customer_id = _customer and version = _word_version for share;
  if not found then refused := 'PAY_WORD_NOT_SET'; return; end if;
  select level into _level from customers where id = _customer and real_status = 'verified';
  if not found then refused := 'NAME_NOT_VERIFIED'; return; end if;
  if not exists (select from destinations d where d.id = _destination and d.customer_id = _customer and d.asset = _code and d.removed_at is null) then
    refused := 'DESTINATION_NOT_FOUND';
    return;
  end if;
  if _amount < _terms.min then refused := 'WITHDRAWAL_TOO_SMALL'; return; end if;
  if _amount > withdrawal_max(_terms, _level) then refused := 'WITHDRAWAL_TOO_LARGE'; return; end if;
  if (select available from ledger.lock_balances(array[_customer], array[_asset])) < _amount then
    refused := 'INSUFFICIENT_BALANCE';
    return;
  end if;
  request_id := nextval(pg_get_serial_sequence('withdrawal_requests', 'id'));
  _hold := ledger.hold('withdrawal:' || request_id, withdrawal_hash(request_id, 'hold'), _customer, _asset, _amount, request_id);
  insert into withdrawal_requests (id, customer_id, key_hash, asset_id, amount, fee, destination_id, destination_label, hold_transfer_id)
  overriding system value values (request_id, _customer, _key_hash, _asset, _amount, _terms.fee, _destination, _label, _hold);
  insert into request_events (kind, request_id, step, actor, to_status)
  values ('withdrawal', request_id, 'submitted', 'customer', 'review');
  perform pg_notify('orders', _customer || ':0');
end $$;

-- The living sessions of these hashes, as in migration 041, and whether a proof holds.
drop function sessions_look(bytea[]);
create function sessions_look(_hashes bytea[])
returns table (token text, id bigint, customer_id bigint, is_fresh boolean, is_proved boolean, is_stale boolean)
stable language sql security definer set search_path = public, pg_temp as $$
  select encode(s.token_hash, 'hex'), s.id, s.customer_id, s.fresh_until > now(), coalesce(proof_holds(s.fresh_until, s.proved_at), false),
    s.last_used_at < now() - interval '1 minute'
  from sessions s where s.token_hash = any (_hashes) and s.last_used_at > now() - interval '30 days'
$$;

-- session_prove takes its place.
drop function session_refresh(bytea);

grant select (proved_at) on sessions to fairtick_server;
grant execute on function proof_holds, session_prove, sessions_look to fairtick_server;
