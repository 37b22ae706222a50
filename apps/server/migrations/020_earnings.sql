-- Earnings: money that customers move aside, and the interest that the house pays on it.
--
-- A day is UTC's. Its interest is principal × rate / 365, the principal being the lowest balance of the day; it is credited at
-- 00:00 of the next day and counts from then on, whenever it is booked: who looks later finds the same. It is rounded down to
-- the smallest unit, and the rest is carried to the next day. Nothing here sets a balance: interest follows from the table
-- of rates, and the table is written by two people, for days to come.
--
--   FT160 a rate for a day that is too near, too far or past    FT161 a rate out of its bounds
--   FT162 rates are not changed once they are in the table      FT163 days out of order, which never happens
--
-- Lock order: balances (owner, asset, ascending) → the customer's row of earning_accounts. The head of the accrual is locked
-- before the balances; nobody who holds a balance asks for it.

-- The calendar day of the database's clock.
create function earning_today() returns date
volatile language sql set search_path = public, pg_temp as $$ select (clock_timestamp() at time zone 'UTC')::date $$;

-- How much of a rate in millionths makes one unit of interest a day: 365 days of a million.
create function earning_divisor() returns bigint immutable language sql as 'select 365000000::bigint';

-- A rate on its way to two people.
create table earning_rate_changes (
  id bigint generated always as identity (start with 1000) primary key,
  asset_id smallint not null references ledger.assets,
  from_day date not null,
  -- A year's, in millionths: 30 000 is 3 %.
  annual_ppm int not null,
  note text not null check (length(note) between 1 and 500),
  proposed_by bigint not null references staff,
  proposed_at timestamptz not null default clock_timestamp(),
  status text not null default 'proposed' check (status in ('proposed', 'done', 'refused')),
  decided_by bigint references staff,
  decided_at timestamptz,
  check ((status = 'proposed') = (decided_at is null) and (decided_at is null) = (decided_by is null)),
  -- Who proposes can take it back, never approve it.
  check (status <> 'done' or decided_by <> proposed_by)
);
create unique index earning_rate_changes_open on earning_rate_changes (asset_id) where status = 'proposed';

-- The table of rates: what an asset earns from a day on, until the next row.
create table earning_rates (
  asset_id smallint not null references ledger.assets,
  from_day date not null,
  annual_ppm int not null check (annual_ppm between 0 and 200000),
  -- Null: the demo's own, which are samples and count in demo only.
  change_id bigint unique references earning_rate_changes,
  added_at timestamptz not null default clock_timestamp(),
  primary key (asset_id, from_day)
);

-- Whoever writes into it, its owner too: only for days to come, one after another, as two people agreed. An asset's first rate
-- may begin today, for nothing of it has earned yet.
create function earning_rates_admit() returns trigger
language plpgsql security definer set search_path = public, pg_temp as $$
declare
  _last date;
begin
  if tg_op <> 'INSERT' then raise exception 'a rate that is in the table stays' using errcode = 'FT162'; end if;
  if exists (select from ledger.assets where id = new.asset_id and is_practice) then
    raise exception 'practice money earns nothing' using errcode = 'FT004';
  end if;
  select max(from_day) into _last from earning_rates where asset_id = new.asset_id;
  if new.from_day < earning_today() or (_last is not null and new.from_day <= greatest(_last, earning_today())) then
    raise exception 'a rate counts for days to come' using errcode = 'FT160';
  end if;
  if new.change_id is null and (select mode from house_settings) <> 'demo' then
    raise exception 'sample rates are the demo''s' using errcode = 'FT101';
  end if;
  if new.change_id is not null then
    perform from earning_rate_changes c where c.id = new.change_id
      and (c.asset_id, c.from_day, c.annual_ppm) = (new.asset_id, new.from_day, new.annual_ppm);
    if not found then raise exception 'the change says something else' using errcode = 'FT123'; end if;
    perform demand_approvals('earning_rate', new.change_id,
      (select earning_rate_content(c) from earning_rate_changes c where c.id = new.change_id));
  end if;
  return new;
end $$;
create trigger earning_rates_admit before insert or update or delete on earning_rates
  for each row execute function earning_rates_admit();
create trigger earning_rates_stay before truncate on earning_rates
  for each statement execute function earning_rates_admit();

-- The row that counts on a day; null: the asset does not earn then.
create function earning_rate_on(_asset smallint, _day date) returns earning_rates
stable language sql set search_path = public, pg_temp as $$
  select r from earning_rates r
  where r.asset_id = _asset and r.from_day <= _day and (r.change_id is not null or (select mode from house_settings) = 'demo')
  order by r.from_day desc limit 1
$$;

create function earning_rate_content(_c earning_rate_changes) returns bytea
immutable language sql set search_path = public, pg_temp as $$
  select sha256(convert_to(jsonb_build_object('change', _c.id, 'asset', _c.asset_id, 'from', _c.from_day,
    'ppm', _c.annual_ppm, 'note', _c.note)::text, 'UTF8'))
$$;

-- So that customers can read it for a whole day before it counts.
create function earning_demand_notice(_from date) returns void
language plpgsql set search_path = public, pg_temp as $$
begin
  if (_from between earning_today() + 2 and earning_today() + 90) is not true then
    raise exception 'a rate begins between the day after tomorrow and 90 days from now' using errcode = 'FT160';
  end if;
end $$;

create function earning_rate_propose(_staff bigint, _asset smallint, _ppm int, _from date, _note text) returns bigint
language plpgsql security definer set search_path = public, pg_temp as $$
declare
  _c earning_rate_changes;
  _last earning_rates;
begin
  if not staff_may(_staff, (select edit_role from four_eyes_rules where kind = 'earning_rate')) then
    raise exception 'staff % may not propose rates', _staff using errcode = 'FT101';
  end if;
  if exists (select from ledger.assets where id = _asset and is_practice) then
    raise exception 'practice money earns nothing' using errcode = 'FT004';
  end if;
  if (_ppm between 0 and 200000) is not true then
    raise exception 'a rate is between 0 and 20 percent' using errcode = 'FT161';
  end if;
  perform earning_demand_notice(_from);
  select * into _last from earning_rates where asset_id = _asset order by from_day desc limit 1;
  if _last.from_day >= _from then
    raise exception 'a rate that is agreed already begins later' using errcode = 'FT160';
  end if;
  if _last.annual_ppm = _ppm and _last.change_id is not null then
    raise exception 'the rate is so already' using errcode = 'FT109';
  end if;
  insert into earning_rate_changes (asset_id, from_day, annual_ppm, note, proposed_by) values (_asset, _from, _ppm, _note, _staff)
  on conflict do nothing returning * into _c;
  if _c.id is null then raise exception 'a rate of asset % is proposed already', _asset using errcode = 'FT109'; end if;
  perform record_edit(_staff, 'earning_rate', _c.id, earning_rate_content(_c));
  perform audit_append(_staff, 'earning_rate.propose', 'earning_rate:' || _c.id,
    jsonb_build_object('asset', _asset, 'from', _from, 'ppm', _ppm, 'note', _note));
  return _c.id;
end $$;

-- Another person agrees, and the row stands in the table; or somebody of either role drops it.
create function earning_rate_decide(_staff bigint, _id bigint, _agrees boolean) returns text
language plpgsql security definer set search_path = public, pg_temp as $$
declare
  _c earning_rate_changes;
begin
  select * into _c from earning_rate_changes where id = _id for update;
  if not found then raise exception 'no change %', _id using errcode = 'FT120'; end if;
  if _c.status <> 'proposed' then raise exception 'change % is decided', _id using errcode = 'FT121'; end if;
  if not _agrees then
    if not exists (select from four_eyes_rules f where f.kind = 'earning_rate'
        and (staff_may(_staff, f.edit_role) or staff_may(_staff, f.role))) then
      raise exception 'staff % decides no rates', _staff using errcode = 'FT101';
    end if;
    update earning_rate_changes set status = 'refused', decided_by = _staff, decided_at = clock_timestamp() where id = _id;
    perform audit_append(_staff, 'earning_rate.refuse', 'earning_rate:' || _id, '{}');
    return 'refused';
  end if;
  perform approve(_staff, 'earning_rate', _id, earning_rate_content(_c));
  if (select count(*) from approvals_of('earning_rate', _id, earning_rate_content(_c)) a where a.counts)
    < approvals_needed('earning_rate') then return 'proposed'; end if;
  -- Agreed to too late, it is proposed anew: the day that was read never moves.
  perform earning_demand_notice(_c.from_day);
  update earning_rate_changes set status = 'done', decided_by = _staff, decided_at = clock_timestamp() where id = _id;
  insert into earning_rates (asset_id, from_day, annual_ppm, change_id) values (_c.asset_id, _c.from_day, _c.annual_ppm, _id);
  perform audit_append(_staff, 'earning_rate.done', 'earning_rate:' || _id, '{}');
  return 'done';
end $$;

-- One customer's earnings in one asset, beside what stands in ledger.balances.
create table earning_accounts (
  customer_id bigint not null references customers,
  asset_id smallint not null references ledger.assets,
  -- The last day whose interest stands.
  accrued_through date not null,
  -- The lowest balance of `low_day` so far; on a later day nothing has moved yet, and it is the balance.
  low_day date not null,
  low bigint not null check (low >= 0),
  -- What rounding has left over, in parts of earning_divisor() of a smallest unit.
  carry bigint not null default 0 check (carry >= 0 and carry < earning_divisor()),
  accumulated bigint not null default 0 check (accumulated >= 0),
  primary key (customer_id, asset_id)
) with (fillfactor = 70);

-- A day's interest on one account; days on which nothing earned have no row. The key is what "once" means.
create table earning_interest (
  customer_id bigint not null,
  asset_id smallint not null,
  day date not null,
  principal bigint not null check (principal > 0),
  annual_ppm int not null check (annual_ppm >= 0),
  interest bigint not null check (interest >= 0),
  -- What was left over after it.
  carry bigint not null check (carry >= 0 and carry < earning_divisor()),
  transfer_id bigint,
  primary key (customer_id, asset_id, day),
  check ((interest > 0) = (transfer_id is not null))
);

-- How far the accrual has come: the day that it is at, and the last account of it. Whoever works holds this row.
create table earning_head (
  only_row boolean primary key default true check (only_row),
  day date not null,
  after_customer bigint not null default 0,
  after_asset smallint not null default 0,
  accounts bigint not null default 0
);
insert into earning_head (day) values ((now() at time zone 'UTC')::date);

-- Days that are done for every account, with how many earned.
create table earning_days (
  day date primary key,
  accounts bigint not null,
  ended_at timestamptz not null default clock_timestamp()
);

-- Books a day's interest on these accounts, those left out that have it already. Answers how many earned. The one place where
-- interest is computed, for one account and for thousands.
create function earning_book(_day date, _customers bigint[], _assets smallint[]) returns int
language plpgsql set search_path = public, pg_temp
  set plan_cache_mode = force_custom_plan set enable_seqscan = off as $$
declare
  _c bigint[]; _a smallint[]; _principals bigint[]; _ppms int[]; _interests bigint[]; _carries bigint[];
  _paid_c bigint[]; _paid_a smallint[]; _paid bigint[];
  _key text;
  _transfer bigint;
begin
  -- What is read below is what is locked here: nobody moves it before we commit.
  perform ledger.lock_balances(_customers, _assets);
  -- Day follows day. Only whose first money was on its way when their day was booked have that day left out: its lowest was 0.
  if exists (
    select from unnest(_customers, _assets) as l (customer_id, asset_id) join earning_accounts a using (customer_id, asset_id)
    where a.accrued_through < _day and (a.low_day > _day or (a.accrued_through < _day - 1
      and (a.accrued_through, a.low_day, a.low) <> (_day - 2, _day - 1, 0)))
  ) then
    raise exception 'the interest of % is out of turn', _day using errcode = 'FT163';
  end if;
  with due as materialized (
    select a.customer_id, a.asset_id, a.carry, case when a.low_day = _day then a.low else b.earning end as principal
    from unnest(_customers, _assets) as l (customer_id, asset_id)
    join earning_accounts a using (customer_id, asset_id)
    join ledger.balances b on b.owner_id = l.customer_id and b.asset_id = l.asset_id
    where a.accrued_through < _day
  ), rate as materialized (
    select d.asset_id, (earning_rate_on(d.asset_id, _day)).annual_ppm as ppm from (select distinct asset_id from due) d
  ), result as (
    select d.customer_id, d.asset_id, d.principal, r.ppm,
      div(d.principal::numeric * r.ppm + d.carry, earning_divisor())::bigint as interest,
      mod(d.principal::numeric * r.ppm + d.carry, earning_divisor())::bigint as carry
    from due d join rate r using (asset_id) where d.principal > 0 and r.ppm is not null
    order by d.customer_id, d.asset_id
  )
  select array_agg(customer_id), array_agg(asset_id), array_agg(principal), array_agg(ppm), array_agg(interest), array_agg(carry)
  into _c, _a, _principals, _ppms, _interests, _carries from result;
  select array_agg(p.customer_id), array_agg(p.asset_id), array_agg(p.interest) into _paid_c, _paid_a, _paid
  from unnest(_c, _a, _interests) as p (customer_id, asset_id, interest) where p.interest > 0;
  if _paid is not null then
    -- An account has a day's interest once, so the first of a booking names it.
    _key := format('interest:%s:%s:%s', to_char(_day, 'YYYYMMDD'), _paid_c[1], _paid_a[1]);
    _transfer := ledger.pay_interest(_key, sha256(convert_to(_key, 'UTF8')), _paid_c, _paid_a, _paid, to_char(_day, 'YYYYMMDD')::bigint);
    if _transfer is null then raise exception '% was booked before', _key using errcode = 'FT163'; end if;
  end if;
  insert into earning_interest (customer_id, asset_id, day, principal, annual_ppm, interest, carry, transfer_id)
  select r.customer_id, r.asset_id, _day, r.principal, r.ppm, r.interest, r.carry, case when r.interest > 0 then _transfer end
  from unnest(_c, _a, _principals, _ppms, _interests, _carries) as r (customer_id, asset_id, principal, ppm, interest, carry);
  update earning_accounts a set accrued_through = _day, carry = coalesce(r.carry, a.carry),
    accumulated = a.accumulated + coalesce(r.interest, 0)
  from unnest(_customers, _assets) as l (customer_id, asset_id)
  left join unnest(_c, _a, _interests, _carries) as r (customer_id, asset_id, interest, carry) using (customer_id, asset_id)
  where a.customer_id = l.customer_id and a.asset_id = l.asset_id and a.accrued_through < _day;
  return coalesce(cardinality(_c), 0);
end $$;

-- Goes on with the accrual by so many accounts at most. `worked` says whether there was anything to do: false when every day
-- that is over is done, or when somebody else is at it. Each call stands for itself: whoever is killed leaves what the last
-- call that committed left, and the next one goes on from there.
create function earning_accrue(_most int, out worked boolean, out at_day date, out earned int)
language plpgsql security definer set search_path = public, pg_temp as $$
declare
  _head earning_head;
  _customers bigint[]; _assets smallint[];
  _last_customer bigint; _last_asset smallint;
begin
  if (_most between 1 and 10000) is not true then raise exception 'between one account and 10 000 at a time'; end if;
  worked := false;
  earned := 0;
  select * into _head from earning_head for update skip locked;
  if not found or _head.day >= earning_today() then return; end if;
  worked := true;
  at_day := _head.day;
  -- Whoever has nothing in earnings earns nothing on a day of which they have not been booked yet; the next movement says so.
  select array_agg(c.customer_id) filter (where c.earning > 0), array_agg(c.asset_id) filter (where c.earning > 0),
    (array_agg(c.customer_id order by c.customer_id desc, c.asset_id desc))[1],
    (array_agg(c.asset_id order by c.customer_id desc, c.asset_id desc))[1]
  into _customers, _assets, _last_customer, _last_asset
  from (
    select a.customer_id, a.asset_id, b.earning
    from (
      select customer_id, asset_id from earning_accounts
      where (customer_id, asset_id) > (_head.after_customer, _head.after_asset) order by 1, 2 limit _most
    ) a join ledger.balances b on b.owner_id = a.customer_id and b.asset_id = a.asset_id
  ) c;
  if _last_customer is null then
    insert into earning_days (day, accounts) values (_head.day, _head.accounts);
    -- Days on which nobody had an account yet are left out.
    update earning_head set after_customer = 0, after_asset = 0, accounts = 0,
      day = greatest(_head.day + 1, coalesce((select min(accrued_through) + 1 from earning_accounts), earning_today()));
    return;
  end if;
  if _customers is not null then
    earned := earning_book(_head.day, _customers, _assets);
    perform pg_notify('earnings', _head.after_customer || ':' || _last_customer);
  end if;
  update earning_head set after_customer = _last_customer, after_asset = _last_asset, accounts = _head.accounts + earned;
end $$;

-- Books what a customer's account has earned until yesterday, without waiting for the accrual. The balance is locked.
create function earning_catch_up(_customer bigint, _asset smallint) returns void
language plpgsql set search_path = public, pg_temp as $$
declare
  _day date;
begin
  perform ledger.lock_balances(array[_customer], array[_asset]);
  if (select earning from ledger.balances where owner_id = _customer and asset_id = _asset) > 0 then
    for _day in select a.accrued_through + n
      from earning_accounts a, generate_series(1, earning_today() - 1 - a.accrued_through) n
      where a.customer_id = _customer and a.asset_id = _asset order by n
    loop
      perform earning_book(_day, array[_customer], array[_asset]);
    end loop;
  else
    update earning_accounts set accrued_through = earning_today() - 1
    where customer_id = _customer and asset_id = _asset and accrued_through < earning_today() - 1;
  end if;
end $$;

-- The same for whoever looks at their earnings: what is owed since midnight shows at once.
create function earning_look(_customer bigint) returns void
language plpgsql security definer set search_path = public, pg_temp as $$
declare
  _asset smallint;
begin
  for _asset in select a.asset_id from earning_accounts a
    join ledger.balances b on b.owner_id = a.customer_id and b.asset_id = a.asset_id
    where a.customer_id = _customer and b.earning > 0 and a.accrued_through < earning_today() - 1 order by 1
  loop
    perform earning_catch_up(_customer, _asset);
  end loop;
end $$;

-- Moves a customer's money into earnings (above zero) or out of them (below). In the transaction that claimed the key.
create function earning_move(_token_hash bytea, _key_hash bytea, _asset smallint, _amount bigint, out refused text)
language plpgsql security definer set search_path = public, pg_temp as $$
declare
  _customer bigint := session_customer(_token_hash, true);
  _before record;
  _account earning_accounts;
  _day date;
begin
  if _customer is null then refused := 'REAUTH_REQUIRED'; return; end if;
  if not exists (select from ledger.assets where id = _asset and not is_practice) then refused := 'ASSET_NOT_ACCEPTED'; return; end if;
  perform ledger.lock_balances(array[_customer], array[_asset]);
  if _amount > 0 then
    insert into earning_accounts (customer_id, asset_id, accrued_through, low_day, low)
    values (_customer, _asset, earning_today() - 1, earning_today(), 0) on conflict do nothing;
  end if;
  perform earning_catch_up(_customer, _asset);
  select * into _account from earning_accounts where customer_id = _customer and asset_id = _asset;
  select available, earning into _before from ledger.balances where owner_id = _customer and asset_id = _asset;
  -- A clock that was set back does not make a day that has its interest begin anew.
  _day := greatest(earning_today(), _account.accrued_through + 1, _account.low_day);
  -- What is in may always leave; what is to come in has to be told what it earns.
  if _amount > 0 and (earning_rate_on(_asset, _day)).annual_ppm is null then refused := 'EARNINGS_NOT_OFFERED'; return; end if;
  if _before.available < _amount then refused := 'INSUFFICIENT_BALANCE'; return; end if;
  if _before.earning < -_amount then refused := 'EARNINGS_SMALLER'; return; end if;
  perform ledger.earn(format('earn:%s:%s', _customer, encode(_key_hash, 'hex')), sha256(convert_to(format('%s %s', _asset, _amount), 'UTF8')),
    _customer, _asset, _amount, 0);
  update earning_accounts set low_day = _day,
    low = least(case when low_day = _day then low else _before.earning end, _before.earning + _amount)
  where customer_id = _customer and asset_id = _asset;
  perform pg_notify('orders', _customer || ':0');
end $$;

grant select on earning_rates, earning_rate_changes, earning_accounts, earning_interest, earning_days, earning_head to fairtick_server;
grant execute on function earning_today, earning_rate_on, earning_rate_propose, earning_rate_decide, earning_accrue, earning_look,
  earning_move, ledger.earnings_account to fairtick_server;
