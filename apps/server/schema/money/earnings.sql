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

-- Days that are done for every account, with how many earned.
create table earning_days (
  day date primary key,
  accounts bigint not null,
  ended_at timestamptz not null default clock_timestamp()
);

-- A move in earnings reads the day once, after it holds the balance: read several times, a midnight between two readings left
-- the day before it without interest, and from then on no day was booked for that account (decision 123).
--
-- An account that can't be booked all the same is set aside: the accrual goes on without it, its customer sees and moves the
-- money as ever, the operator is told, and earning_mend books from the ledger what is missing.
create table earning_set_aside (
  customer_id bigint not null,
  asset_id smallint not null,
  since timestamptz not null default clock_timestamp(),
  problem text not null check (length(problem) between 1 and 500),
  primary key (customer_id, asset_id),
  foreign key (customer_id, asset_id) references earning_accounts
);

insert into earning_head (day) values ((now() at time zone 'UTC')::date);

-- ## Functions

-- Books a day's interest on these accounts, those left out that have it already. Answers how many earned. The one place where
-- interest is computed, for one account and for thousands.
create or replace function earning_book(_day date, _customers bigint[], _assets smallint[]) returns int
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
    perform refuse('INTEREST_OUT_OF_TURN', format('the interest of %s is out of turn', _day));
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
    if _transfer is null then perform refuse('INTEREST_OUT_OF_TURN', format('%s was booked before', _key)); end if;
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

-- As in migration 020, with one reading of the day, and past the accounts that are set aside.
create or replace function earning_accrue(_most int, out worked boolean, out at_day date, out earned int)
language plpgsql security definer set search_path = public, pg_temp as $$
declare
  _today date := earning_today();
  _head earning_head;
  _customers bigint[]; _assets smallint[];
  _last_customer bigint; _last_asset smallint;
begin
  if (_most between 1 and 10000) is not true then raise exception 'between one account and 10 000 at a time'; end if;
  worked := false;
  earned := 0;
  select * into _head from earning_head for update skip locked;
  if not found or _head.day >= _today then return; end if;
  worked := true;
  at_day := _head.day;
  -- Whoever has nothing in earnings earns nothing on a day of which they have not been booked yet; the next movement says so.
  select array_agg(c.customer_id) filter (where c.is_due), array_agg(c.asset_id) filter (where c.is_due),
    (array_agg(c.customer_id order by c.customer_id desc, c.asset_id desc))[1],
    (array_agg(c.asset_id order by c.customer_id desc, c.asset_id desc))[1]
  into _customers, _assets, _last_customer, _last_asset
  from (
    select a.customer_id, a.asset_id, b.earning > 0 and s.customer_id is null as is_due
    from (
      select customer_id, asset_id from earning_accounts
      where (customer_id, asset_id) > (_head.after_customer, _head.after_asset) order by 1, 2 limit _most
    ) a join ledger.balances b on b.owner_id = a.customer_id and b.asset_id = a.asset_id
    left join earning_set_aside s on s.customer_id = a.customer_id and s.asset_id = a.asset_id
  ) c;
  if _last_customer is null then
    insert into earning_days (day, accounts) values (_head.day, _head.accounts);
    -- Days on which nobody had an account yet are left out.
    update earning_head set after_customer = 0, after_asset = 0, accounts = 0,
      day = greatest(_head.day + 1, coalesce((select min(accrued_through) + 1 from earning_accounts), _today));
    return;
  end if;
  if _customers is not null then
    earned := earning_book_chunk(_head.day, _customers, _assets);
    perform pg_notify('earnings', _head.after_customer || ':' || _last_customer);
  end if;
  update earning_head set after_customer = _last_customer, after_asset = _last_asset, accounts = _head.accounts + earned;
end $$;

create or replace function earning_catch_up(_customer bigint, _asset smallint, _today date) returns void
language plpgsql set search_path = public, pg_temp as $$
declare
  _day date;
begin
  perform ledger.lock_balances(array[_customer], array[_asset]);
  if (select earning from ledger.balances where owner_id = _customer and asset_id = _asset) > 0 then
    for _day in select a.accrued_through + n
      from earning_accounts a, generate_series(1, _today - 1 - a.accrued_through) n
      where a.customer_id = _customer and a.asset_id = _asset order by n
    loop
      perform earning_book(_day, array[_customer], array[_asset]);
    end loop;
    -- No move counts for a day whose day before is not booked.
    if exists (select from earning_accounts a
        where a.customer_id = _customer and a.asset_id = _asset and a.low_day > a.accrued_through + 1) then
      perform refuse('INTEREST_OUT_OF_TURN', format('the interest of customer %s in asset %s is out of turn', _customer, _asset));
    end if;
  else
    -- Days on which nothing was there brought nothing, and the lowest of the open day is nothing.
    update earning_accounts a set accrued_through = greatest(a.accrued_through, _today - 1),
      low_day = greatest(a.accrued_through, _today - 1) + 1, low = 0
    where a.customer_id = _customer and a.asset_id = _asset and (a.accrued_through < _today - 1 or a.low_day > a.accrued_through + 1);
  end if;
end $$;

-- Whoever looks at their earnings has what is owed since midnight booked at once; what is set aside shows as it stands.
create or replace function earning_look(_customer bigint) returns void
language plpgsql security definer set search_path = public, pg_temp as $$
declare
  _today date := earning_today();
  _asset smallint;
begin
  for _asset in select a.asset_id from earning_accounts a
    join ledger.balances b on b.owner_id = a.customer_id and b.asset_id = a.asset_id
    where a.customer_id = _customer and b.earning > 0
      and (a.accrued_through < _today - 1 or a.low_day > a.accrued_through + 1) order by 1
  loop
    perform earning_caught_up(_customer, _asset, _today);
  end loop;
end $$;

-- Moves a customer's money into earnings (above zero) or out of them (below). In the transaction that claimed the key. The
-- ledger's posting names the day that the move counts for.
create or replace function earning_move(_token_hash bytea, _key_hash bytea, _asset smallint, _amount bigint, out refused text)
language plpgsql security definer set search_path = public, pg_temp as $$
declare
  _customer bigint := session_customer(_token_hash, true);
  _before record;
  _today date;
  _day date;
  _is_booked boolean;
begin
  if _customer is null then refused := 'REAUTH_REQUIRED'; return; end if;
  if not exists (select from ledger.assets where id = _asset and not is_practice) then refused := 'ASSET_NOT_ACCEPTED'; return; end if;
  perform ledger.lock_balances(array[_customer], array[_asset]);
  -- The only reading of the day. Until this commits nobody books the account, however many midnights pass.
  _today := earning_today();
  if _amount > 0 then
    insert into earning_accounts (customer_id, asset_id, accrued_through, low_day, low)
    values (_customer, _asset, _today - 1, _today, 0) on conflict do nothing;
  end if;
  _is_booked := earning_caught_up(_customer, _asset, _today);
  -- A clock that was set back does not make a day that has its interest begin anew.
  _day := greatest(_today, (select accrued_through + 1 from earning_accounts where customer_id = _customer and asset_id = _asset));
  select available, earning into _before from ledger.balances where owner_id = _customer and asset_id = _asset;
  -- What is in may always leave; what is to come in has to be told what it earns.
  if _amount > 0 and (earning_rate_on(_asset, _day)).annual_ppm is null then refused := 'EARNINGS_NOT_OFFERED'; return; end if;
  if _before.available < _amount then refused := 'INSUFFICIENT_BALANCE'; return; end if;
  if _before.earning < -_amount then refused := 'EARNINGS_SMALLER'; return; end if;
  perform ledger.earn(format('earn:%s:%s', _customer, encode(_key_hash, 'hex')), sha256(convert_to(format('%s %s', _asset, _amount), 'UTF8')),
    _customer, _asset, _amount, to_char(_day, 'YYYYMMDD')::bigint);
  -- Of an account that is set aside, the ledger alone says what was lowest: earning_mend reads it there.
  if _is_booked then
    update earning_accounts set low_day = _day,
      low = least(case when low_day = _day then low else _before.earning end, _before.earning + _amount)
    where customer_id = _customer and asset_id = _asset;
  end if;
  perform pg_notify('orders', _customer || ':0');
end $$;

-- Whether an error passes by itself: a deadlock, a full disk, a database that stops. All others come again.
create or replace function earning_error_passes(_state text) returns boolean
immutable language sql set search_path = public, pg_temp as $$
  select _state like any (array['08%', '40%', '53%', '55%', '57%', '58%', 'XX%'])
$$;

-- The same where one bad account must stop nothing: false says that it is set aside, from now on or already.
create or replace function earning_caught_up(_customer bigint, _asset smallint, _today date) returns boolean
language plpgsql set search_path = public, pg_temp as $$
begin
  if exists (select from earning_set_aside where customer_id = _customer and asset_id = _asset) then return false; end if;
  begin
    perform earning_catch_up(_customer, _asset, _today);
    return true;
  exception when others then
    if earning_error_passes(sqlstate) then raise; end if;
    insert into earning_set_aside (customer_id, asset_id, problem) values (_customer, _asset, left(sqlstate || ' ' || sqlerrm, 500))
    on conflict do nothing;
    return false;
  end;
end $$;

-- Books a day's interest on these accounts together; if that fails, on each by itself, so that only the bad ones are set aside.
-- Whose first money was on its way when a day was booked has that day made up first.
create or replace function earning_book_chunk(_day date, _customers bigint[], _assets smallint[]) returns int
language plpgsql set search_path = public, pg_temp as $$
declare
  _one record;
  _earned int;
begin
  perform ledger.lock_balances(_customers, _assets);
  begin
    for _one in select a.customer_id, a.asset_id from unnest(_customers, _assets) as l (customer_id, asset_id)
      join earning_accounts a using (customer_id, asset_id) where a.accrued_through < _day - 1 order by 1, 2
    loop
      perform earning_catch_up(_one.customer_id, _one.asset_id, _day);
    end loop;
    return earning_book(_day, _customers, _assets);
  exception when others then
    if earning_error_passes(sqlstate) then raise; end if;
  end;
  for _one in select l.customer_id, l.asset_id from unnest(_customers, _assets) as l (customer_id, asset_id) order by 1, 2 loop
    perform earning_caught_up(_one.customer_id, _one.asset_id, _day + 1);
  end loop;
  select count(*) into _earned from unnest(_customers, _assets) as l (customer_id, asset_id)
    join earning_interest i on i.customer_id = l.customer_id and i.asset_id = l.asset_id and i.day = _day;
  return _earned;
end $$;

-- The lowest that an account held on a day, by the ledger's movements: each move on the day that its posting names (before this
-- migration none was named: on the day it was written), interest from the day after its own.
create or replace function earning_lowest(_customer bigint, _asset smallint, _day date) returns bigint
stable language sql set search_path = public, pg_temp as $$
  with moved as (
    select p.id, t.kind = 'interest' as is_interest, case when p.credit = p.owner_id * 4 + 2 then p.amount else -p.amount end as amount,
      case when p.ref = 0 then (t.created_at at time zone 'UTC')::date else to_date(p.ref::text, 'YYYYMMDD') end as day
    from ledger.postings p join ledger.transfers t on t.id = p.transfer_id
    where p.owner_id = _customer and p.asset_id = _asset and t.kind in ('earn_in', 'earn_out', 'interest')
  ), at_first as (select coalesce(sum(amount), 0) as amount from moved where day < _day)
  select least(f.amount, (select min(f.amount + r.amount)
    from (select sum(m.amount) over (order by m.id) as amount from moved m where m.day = _day and not m.is_interest) r))::bigint
  from at_first f
$$;

-- For the operator: books an account that was set aside, day by day, from what the ledger says was lowest, and lets the accrual have
-- it again. Takes no figure from anybody. Answers how many days were booked.
create or replace function earning_mend(_customer bigint, _asset smallint) returns int
language plpgsql set search_path = public, pg_temp as $$
declare
  _today date;
  _next date;
  _days int := 0;
begin
  perform ledger.lock_balances(array[_customer], array[_asset]);
  _today := earning_today();
  delete from earning_set_aside where customer_id = _customer and asset_id = _asset;
  if not found then perform refuse('REQUEST_NOT_FOUND', format('customer %s has no asset %s set aside', _customer, _asset)); end if;
  loop
    select accrued_through + 1 into strict _next from earning_accounts where customer_id = _customer and asset_id = _asset;
    update earning_accounts set low_day = _next, low = earning_lowest(_customer, _asset, _next)
    where customer_id = _customer and asset_id = _asset;
    exit when _next >= _today;
    perform earning_book(_next, array[_customer], array[_asset]);
    _days := _days + 1;
  end loop;
  perform pg_notify('orders', _customer || ':0');
  return _days;
end $$;
