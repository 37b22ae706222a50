-- Requests that nobody decides lapse: they end as ignored, what a withdrawal held is free again, and the customer is told.
--
-- Only what nobody has acted on can lapse. A deposit whose money staff have found stays until it is decided, and so does a
-- withdrawal that was approved once: it may be on its way already, whatever the row says now.

-- So long after the last thing that happened to it.
create function request_lapse_time() returns interval immutable language sql as $$ select interval '14 days' $$;

-- When a request lapses if nothing happens to it; null: it does not.
create function request_lapses_at(_kind text, _id bigint) returns timestamptz
stable language sql security definer set search_path = public, pg_temp as $$
  select max(e.at) + request_lapse_time() from request_events e
  where e.kind = _kind and e.request_id = _id and case _kind
    when 'deposit' then exists (select from deposit_requests d where d.id = _id and d.status = 'review' and d.revision = 0)
    else exists (select from withdrawal_requests w where w.id = _id and w.status = 'review') end
  having bool_and(e.to_status <> 'approved')
$$;

-- Ends one request whose time has come, and says which; null: there is none, or another process is at it. One at a time, each
-- for good: whoever stops in between leaves nothing half done, and whoever comes next goes on.
create function request_lapse_one() returns text
language plpgsql security definer set search_path = public, pg_temp as $$
declare
  _deposit deposit_requests;
  _withdrawal withdrawal_requests;
  _before timestamptz := clock_timestamp() - request_lapse_time();
begin
  if not pg_try_advisory_xact_lock(7041) then return null; end if;
  select * into _deposit from deposit_requests
    where status = 'review' and revision = 0 and submitted_at <= _before and coalesce(claimed_until <= clock_timestamp(), true)
    order by id limit 1 for update skip locked;
  if found then
    update deposit_requests set status = 'ignored', reason = 'lapsed', decided_at = clock_timestamp() where id = _deposit.id;
    perform request_lapse_tell('deposit', _deposit.id, _deposit.customer_id, _deposit.asset_id, _deposit.amount);
    return 'deposit:' || _deposit.id;
  end if;
  select * into _withdrawal from withdrawal_requests w
    where status = 'review' and submitted_at <= _before and coalesce(claimed_until <= clock_timestamp(), true)
      and request_lapses_at('withdrawal', w.id) <= clock_timestamp()
    order by id limit 1 for update skip locked;
  if not found then return null; end if;
  -- What happened while we waited for nobody's lock is seen by a statement of its own.
  if (request_lapses_at('withdrawal', _withdrawal.id) <= clock_timestamp()) is not true then return null; end if;
  perform withdrawal_end(_withdrawal, 'ignored', 'lapsed', null);
  perform request_lapse_tell('withdrawal', _withdrawal.id, _withdrawal.customer_id, _withdrawal.asset_id, _withdrawal.amount);
  return 'withdrawal:' || _withdrawal.id;
end $$;

create function request_lapse_tell(_kind text, _id bigint, _customer bigint, _asset smallint, _amount bigint) returns void
language plpgsql set search_path = public, pg_temp as $$
begin
  insert into request_events (kind, request_id, step, actor, from_status, to_status, reason)
  values (_kind, _id, 'lapsed', 'house', 'review', 'ignored', 'lapsed');
  perform notice_add(_customer, _kind || '.ignored', jsonb_build_object('id', _id::text, 'asset', _asset, 'amount', _amount::text,
    'reason', 'lapsed'));
  perform audit_append(null, _kind || '.lapsed', _kind || ':' || _id, '{}');
end $$;

grant execute on function request_lapses_at, request_lapse_one to fairtick_server;
