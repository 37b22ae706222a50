-- What else staff do with money: corrections, channels, statements of the bank, the daily reconciliation.
--
-- Refusals as in 008; beside those:
--   FT129 the balance is smaller than the correction takes      FT130 nothing to approve

-- Puts right what was wrong in a balance: proposed by one, approved by another, and shown to its customer.
create table corrections (
  id bigint generated always as identity (start with 1000) primary key,
  customer_id bigint not null references customers,
  asset_id smallint not null references ledger.assets,
  -- Up above zero, down below.
  amount bigint not null check (amount <> 0),
  reason text not null check (length(reason) between 5 and 500),
  proposed_by bigint not null references staff,
  proposed_at timestamptz not null default clock_timestamp(),
  status text not null default 'proposed' check (status in ('proposed', 'done', 'refused')),
  decided_by bigint references staff,
  decided_at timestamptz,
  transfer_id bigint,
  check ((status = 'proposed') = (decided_at is null) and (decided_at is null) = (decided_by is null)),
  check ((status = 'done') = (transfer_id is not null)),
  check (status <> 'done' or decided_by <> proposed_by)
);
create index corrections_by_customer on corrections (customer_id, id);

create function correction_content(_c corrections) returns bytea
immutable language sql set search_path = public, pg_temp as $$
  select sha256(convert_to(jsonb_build_object('correction', _c.id, 'customer', _c.customer_id, 'asset', _c.asset_id,
    'amount', _c.amount, 'reason', _c.reason)::text, 'UTF8'))
$$;

create function correction_propose(_staff bigint, _customer bigint, _asset smallint, _amount bigint, _reason text) returns bigint
language plpgsql security definer set search_path = public, pg_temp as $$
declare
  _c corrections;
begin
  if not exists (select from customers where id = _customer) then
    raise exception 'no customer %', _customer using errcode = 'FT120';
  end if;
  -- Sent again because no answer came, or by a colleague who saw the same fault: once open, it is not proposed twice. Two
  -- at once follow one another.
  perform from customers where id = _customer for no key update;
  if exists (select from corrections c where c.customer_id = _customer and c.asset_id = _asset and c.amount = _amount
      and c.reason = _reason and c.status = 'proposed') then
    raise exception 'the same correction of customer % is open', _customer using errcode = 'FT109';
  end if;
  insert into corrections (customer_id, asset_id, amount, reason, proposed_by)
  values (_customer, _asset, _amount, _reason, _staff) returning * into _c;
  perform record_edit(_staff, 'correction', _c.id, correction_content(_c));
  perform audit_append(_staff, 'correction.propose', 'correction:' || _c.id,
    jsonb_build_object('customer', _customer, 'asset', _asset, 'amount', _amount::text));
  return _c.id;
end $$;

-- Another person agrees, and with the last approval that is needed the money moves.
create function correction_approve(_staff bigint, _id bigint) returns text
language plpgsql security definer set search_path = public, pg_temp as $$
declare
  _c corrections;
  _transfer bigint;
begin
  select * into _c from corrections where id = _id for update;
  if not found then raise exception 'no correction %', _id using errcode = 'FT120'; end if;
  if _c.status <> 'proposed' then raise exception 'correction % is decided', _id using errcode = 'FT121'; end if;
  perform ledger.lock_balances(array[_c.customer_id], array[_c.asset_id]);
  perform approve(_staff, 'correction', _id, correction_content(_c));
  if (select count(*) from approvals_of('correction', _id, correction_content(_c)) a where a.counts)
    < approvals_needed('correction', _c.asset_id, abs(_c.amount)) then return 'proposed'; end if;
  perform demand_approvals('correction', _id, correction_content(_c), _c.asset_id, abs(_c.amount));
  if (select available + _c.amount < 0 from ledger.balances where owner_id = _c.customer_id and asset_id = _c.asset_id) then
    raise exception 'the balance is smaller than what correction % takes', _id using errcode = 'FT129';
  end if;
  _transfer := ledger.correct('correction:' || _id, correction_content(_c), _c.customer_id, _c.asset_id, _c.amount, _id);
  if _transfer is null then raise exception 'correction % was made before', _id using errcode = 'FT121'; end if;
  update corrections set status = 'done', decided_by = _staff, decided_at = clock_timestamp(), transfer_id = _transfer where id = _id;
  perform notice_add(_c.customer_id, 'correction.done', jsonb_build_object('id', _id::text, 'asset', _c.asset_id,
    'amount', _c.amount::text, 'text', _c.reason));
  perform pg_notify('orders', _c.customer_id || ':0');
  perform audit_append(_staff, 'correction.done', 'correction:' || _id, jsonb_build_object('transfer', _transfer));
  return 'done';
end $$;

create function correction_refuse(_staff bigint, _id bigint) returns void
language plpgsql security definer set search_path = public, pg_temp as $$
declare
  _c corrections;
begin
  select * into _c from corrections where id = _id for update;
  if not found then raise exception 'no correction %', _id using errcode = 'FT120'; end if;
  if _c.status <> 'proposed' then raise exception 'correction % is decided', _id using errcode = 'FT121'; end if;
  if not (staff_may(_staff, 'cashier') or staff_may(_staff, 'approver')) then
    raise exception 'staff % decides no corrections', _staff using errcode = 'FT101';
  end if;
  perform demand_not_own(_staff, _c.customer_id);
  update corrections set status = 'refused', decided_by = _staff, decided_at = clock_timestamp() where id = _id;
  perform audit_append(_staff, 'correction.refuse', 'correction:' || _id, '{}');
end $$;

-- A change of a channel, or a new one, on its way to two people: the terms as a new version would have them.
create table channel_changes (
  id bigint generated always as identity (start with 1000) primary key,
  channel_id bigint not null,
  terms jsonb not null,
  proposed_by bigint not null references staff,
  proposed_at timestamptz not null default clock_timestamp(),
  status text not null default 'proposed' check (status in ('proposed', 'done', 'refused')),
  decided_by bigint references staff,
  decided_at timestamptz,
  check ((status = 'proposed') = (decided_at is null) and (decided_at is null) = (decided_by is null)),
  check (status <> 'done' or decided_by <> proposed_by)
);
create unique index channel_changes_open on channel_changes (channel_id) where status = 'proposed';

create function channel_content(_c channel_changes) returns bytea
immutable language sql set search_path = public, pg_temp as $$
  select sha256(convert_to(jsonb_build_object('change', _c.id, 'channel', _c.channel_id, 'terms', _c.terms)::text, 'UTF8'))
$$;

-- `_channel` null: a new one. The terms are those of a row of deposit_channels, and are held to its constraints when they count.
create function channel_propose(_staff bigint, _channel bigint, _terms jsonb) returns bigint
language plpgsql security definer set search_path = public, pg_temp as $$
declare
  _c channel_changes;
begin
  if _channel is not null and not exists (select from deposit_channels where id = _channel) then
    raise exception 'no channel %', _channel using errcode = 'FT120';
  end if;
  insert into channel_changes (channel_id, terms, proposed_by)
  values (coalesce(_channel, (select coalesce(max(id), 0) + 1 from deposit_channels)), _terms, _staff)
  on conflict do nothing returning * into _c;
  if _c.id is null then raise exception 'a change of channel % is proposed already', _channel using errcode = 'FT109'; end if;
  perform record_edit(_staff, 'channel', _c.id, channel_content(_c));
  perform audit_append(_staff, 'channel.propose', 'channel:' || _c.channel_id, jsonb_build_object('change', _c.id, 'terms', _terms));
  return _c.id;
end $$;

create function channel_decide(_staff bigint, _id bigint, _agrees boolean) returns text
language plpgsql security definer set search_path = public, pg_temp as $$
declare
  _c channel_changes;
  _t deposit_channels;
begin
  select * into _c from channel_changes where id = _id for update;
  if not found then raise exception 'no change %', _id using errcode = 'FT120'; end if;
  if _c.status <> 'proposed' then raise exception 'change % is decided', _id using errcode = 'FT121'; end if;
  if not _agrees then
    if not (staff_may(_staff, 'cashier') or staff_may(_staff, 'approver')) then
      raise exception 'staff % decides no channels', _staff using errcode = 'FT101';
    end if;
    update channel_changes set status = 'refused', decided_by = _staff, decided_at = clock_timestamp() where id = _id;
    perform audit_append(_staff, 'channel.refuse', 'channel:' || _c.channel_id, jsonb_build_object('change', _id));
    return 'refused';
  end if;
  perform approve(_staff, 'channel', _id, channel_content(_c));
  if (select count(*) from approvals_of('channel', _id, channel_content(_c)) a where a.counts) < approvals_needed('channel') then
    return 'proposed';
  end if;
  perform demand_approvals('channel', _id, channel_content(_c));
  _t := jsonb_populate_record(null::deposit_channels, _c.terms);
  insert into deposit_channels (id, version, asset_id, network, address, bank, min, max, presets, fee, is_enabled)
  values (_c.channel_id, (select coalesce(max(version), 0) + 1 from deposit_channels where id = _c.channel_id), _t.asset_id, _t.network,
    _t.address, _t.bank, _t.min, _t.max, coalesce(_t.presets, '{}'), coalesce(_t.fee, 0), _t.is_enabled);
  update channel_changes set status = 'done', decided_by = _staff, decided_at = clock_timestamp() where id = _id;
  perform audit_append(_staff, 'channel.done', 'channel:' || _c.channel_id, jsonb_build_object('change', _id));
  return 'done';
end $$;

-- What the bank says came in and went out. A line that was imported before is the same line.
create table statement_lines (
  id bigint generated always as identity primary key,
  line_hash bytea not null unique check (octet_length(line_hash) = 32),
  asset_id smallint not null references ledger.assets,
  booked_on date not null,
  -- In above zero, out below.
  amount bigint not null check (amount <> 0),
  reference text not null check (length(reference) between 1 and 200),
  counterparty text not null check (length(counterparty) <= 200),
  imported_by bigint not null references staff,
  imported_at timestamptz not null default clock_timestamp()
);
create index statement_lines_by_amount on statement_lines (asset_id, amount);

-- Returns how many lines are new.
create function statement_import(
  _staff bigint, _asset smallint, _hashes bytea[], _days date[], _amounts bigint[], _references text[], _counterparties text[]
) returns int
language plpgsql security definer set search_path = public, pg_temp as $$
declare
  _new int;
begin
  if not staff_may(_staff, 'cashier') then raise exception 'staff % is no cashier', _staff using errcode = 'FT101'; end if;
  insert into statement_lines (line_hash, asset_id, booked_on, amount, reference, counterparty, imported_by)
  select l.hash, _asset, l.day, l.amount, l.reference, l.counterparty, _staff
  from unnest(_hashes, _days, _amounts, _references, _counterparties) as l (hash, day, amount, reference, counterparty)
  on conflict do nothing;
  get diagnostics _new = row_count;
  perform audit_append(_staff, 'statement.import', 'asset:' || _asset,
    jsonb_build_object('lines', cardinality(_hashes), 'new', _new));
  return _new;
end $$;

-- What the ledger, the requests and the statements say of one another; no row is well.
create function reconciliation_findings() returns table (rule text, detail text)
language sql stable security definer set search_path = public, pg_temp as $$
  select 'the ledger adds up', rule || ': ' || detail from ledger.violations()
  union all
  select 'a credited deposit has its transfer, and the other way round', format('deposit %s, transfer %s: %s and %s', d.id, t.id,
    d.found_amount, t.amount)
  from (select * from deposit_requests where status = 'success') d
  full join (
    select t.id, p.ref, p.owner_id, p.asset_id, p.amount from ledger.transfers t join ledger.postings p on p.transfer_id = t.id
    where t.kind = 'deposit' and p.debit = ledger.external_account()
  ) t on t.id = d.transfer_id
  where d.id is null or t.id is null or (d.id, d.customer_id, d.asset_id, d.found_amount) <> (t.ref, t.owner_id, t.asset_id, t.amount)
  union all
  select 'a paid withdrawal has its transfer, and the other way round', format('withdrawal %s, transfer %s: %s and %s', w.id, t.id,
    w.amount, t.amount)
  from (select * from withdrawal_requests where status = 'success') w
  full join (
    select t.id, p.ref, p.owner_id, p.asset_id, sum(p.amount) as amount from ledger.transfers t
    join ledger.postings p on p.transfer_id = t.id where t.kind = 'payout' group by 1, 2, 3, 4
  ) t on t.id = w.transfer_id
  where w.id is null or t.id is null or (w.id, w.customer_id, w.asset_id, w.amount) <> (t.ref, t.owner_id, t.asset_id, t.amount)
  union all
  select 'what is held is open stakes and pending withdrawals', format('customer %s asset %s: holds %s, wants %s', b.owner_id,
    b.asset_id, b.held, coalesce(h.amount, 0))
  from ledger.balances b
  left join (
    select customer_id, asset_id, sum(amount) as amount from (
      select customer_id, asset_id, stake as amount from orders where settled_at_ms is null
      union all select customer_id, asset_id, amount from withdrawal_requests where status in ('review', 'approved')
    ) open group by 1, 2
  ) h on h.customer_id = b.owner_id and h.asset_id = b.asset_id
  where b.held <> coalesce(h.amount, 0)
  union all
  -- Only where statements of the asset are imported at all.
  select 'a credited deposit stands on the statement', format('deposit %s: %s by %s', d.id, d.found_amount, d.evidence)
  from deposit_requests d
  where d.status = 'success' and exists (select from statement_lines s where s.asset_id = d.asset_id)
    and d.decided_at >= (select min(s.booked_on) from statement_lines s where s.asset_id = d.asset_id)
    and not exists (select from statement_lines s where s.asset_id = d.asset_id and s.reference = d.evidence and s.amount = d.found_amount)
  union all
  select 'what came in on the statement is credited', format('line %s of %s: %s from %s', s.id, s.booked_on, s.amount, s.reference)
  from statement_lines s
  where s.amount > 0 and not exists (
    select from deposit_requests d where d.asset_id = s.asset_id and d.evidence = s.reference and d.found_amount = s.amount
      and d.status = 'success')
  union all
  -- Whoever pays and then says that the payout failed is seen here.
  select 'what went out on the statement is a paid withdrawal', format('line %s of %s: %s by %s', s.id, s.booked_on, s.amount, s.reference)
  from statement_lines s
  where s.amount < 0 and not exists (
    select from withdrawal_requests w where w.asset_id = s.asset_id and w.reference = s.reference and w.amount - w.fee = -s.amount
      and w.status = 'success')
  union all
  select 'a correction has its transfer, and the other way round', format('correction %s, transfer %s: %s and %s', c.id, t.id,
    c.amount, t.amount)
  from (select * from corrections where transfer_id is not null) c
  full join (
    select t.id, p.ref, p.owner_id, p.asset_id, case when p.debit = ledger.external_account() then p.amount else -p.amount end as amount
    from ledger.transfers t join ledger.postings p on p.transfer_id = t.id where t.kind = 'correction'
  ) t on t.id = c.transfer_id
  where c.id is null or t.id is null or (c.id, c.customer_id, c.asset_id, c.amount) <> (t.ref, t.owner_id, t.asset_id, t.amount)
$$;

-- A run of it, as it was found.
create table reconciliations (
  id bigint generated always as identity primary key,
  at timestamptz not null default clock_timestamp(),
  -- Null: the house itself, daily.
  staff_id bigint references staff,
  findings jsonb not null,
  balances jsonb not null
);

create function reconcile(_staff bigint) returns bigint
language plpgsql security definer set search_path = public, pg_temp as $$
declare
  _id bigint;
begin
  if _staff is not null and not (staff_may(_staff, 'cashier') or staff_may(_staff, 'approver') or staff_may(_staff, 'auditor')) then
    raise exception 'staff % does not reconcile', _staff using errcode = 'FT101';
  end if;
  insert into reconciliations (staff_id, findings, balances)
  select _staff, (select coalesce(jsonb_agg(f), '[]') from (select * from reconciliation_findings() limit 1000) f),
    (select jsonb_agg(b) from trial_balance() b)
  returning id into _id;
  perform audit_append(_staff, 'reconcile', 'reconciliation:' || _id, '{}');
  return _id;
end $$;

-- The daily run, by whoever asks first on a day (UTC); several processes may ask. Null: it was done.
create function reconcile_daily() returns bigint
language plpgsql security definer set search_path = public, pg_temp as $$
begin
  if not pg_try_advisory_xact_lock(7040) then return null; end if;
  if exists (select from reconciliations where staff_id is null and (at at time zone 'UTC')::date = (now() at time zone 'UTC')::date) then
    return null;
  end if;
  return reconcile(null);
end $$;

-- Every account of the house, and the customers' by bucket; the sum of an asset is zero.
create function trial_balance() returns table (asset_id smallint, account text, balance numeric)
language sql stable security definer set search_path = public, pg_temp as $$
  select b.asset_id, v.name, sum(v.amount)
  from ledger.balances b
  cross join lateral (values ('customers available', b.available), ('customers held', b.held), ('customers earning', b.earning)) v (name, amount)
  group by 1, 2
  union all
  select m.asset_id, case m.account when ledger.external_account() then 'external' when ledger.trading_account() then 'trading'
    when ledger.fees_account() then 'fees' when ledger.earnings_account() then 'earnings' else 'account ' || m.account end, sum(m.amount)
  from ledger.house_movements m group by 1, 2
  order by 1, 2
$$;

grant select on corrections, channel_changes, statement_lines, reconciliations to fairtick_server;
grant execute on function correction_propose, correction_approve, correction_refuse, channel_propose, channel_decide,
  statement_import, reconcile, reconcile_daily, reconciliation_findings, trial_balance, ledger.fees_account to fairtick_server;
