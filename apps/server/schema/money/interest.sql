-- Earnings: money that customers set aside, and the interest that the house pays on it.
-- Interest of a day (UTC) = principal × rate / 365; the principal is the lowest balance of the day. It is rounded down to the
-- smallest unit, and the remainder is carried to the next day. It counts from 00:00 of the next day, no matter when it is booked.
-- Only earning_book computes interest. It follows from the rates (earning-rates.sql); no function sets a balance.
-- Lock order: earning_head (the accrual only) -> balances (owner, asset, ascending) -> the customer's row of earning_accounts.
-- A transaction that holds a balance never locks earning_head.

-- One customer's earnings in one asset. ledger.balances has the balance.
create table earning_accounts (
  customer_id bigint not null references customers,
  asset_id smallint not null references ledger.assets,
  -- The last day whose interest is booked.
  accrued_through date not null,
  -- `low` is the lowest balance of `low_day` so far. On a later day no money has moved yet, so the current balance is the lowest.
  low_day date not null,
  low bigint not null check (low >= 0),
  -- The remainder of rounding: `carry` / earning_divisor() of a smallest unit.
  carry bigint not null default 0 check (carry >= 0 and carry < earning_divisor()),
  -- All interest so far, in the smallest unit.
  accumulated bigint not null default 0 check (accumulated >= 0),
  primary key (customer_id, asset_id)
) with (fillfactor = 70);

-- A day's interest on one account; a day on which the account earned nothing has no row. The primary key allows one booking a
-- day.
create table earning_interest (
  customer_id bigint not null,
  asset_id smallint not null,
  day date not null,
  principal bigint not null check (principal > 0),
  annual_ppm int not null check (annual_ppm >= 0),
  interest bigint not null check (interest >= 0),
  -- The remainder after this day.
  carry bigint not null check (carry >= 0 and carry < earning_divisor()),
  transfer_id bigint,
  primary key (customer_id, asset_id, day),
  check ((interest > 0) = (transfer_id is not null))
);

-- The position of the accrual: its day, the last account done, and the number of accounts that earned on the day so far. The
-- process that accrues locks this row.
create table earning_head (
  only_row boolean primary key default true check (only_row),
  day date not null,
  after_customer bigint not null default 0,
  after_asset smallint not null default 0,
  accounts bigint not null default 0
);

-- Days that the accrual has finished, with the number of accounts that earned.
create table earning_days (
  day date primary key,
  accounts bigint not null,
  ended_at timestamptz not null default clock_timestamp()
);

-- Accounts whose interest can't be booked because of a fault (decision 123). The accrual skips them, and their customers still
-- see and move the money. A metric alerts the operator, and earning_mend books the missing days from the ledger.
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

-- Books a day's interest on these accounts and returns how many earned. Accounts that have this day already are skipped. All
-- interest is computed here, for one account or thousands. Raises INTEREST_OUT_OF_TURN if a day was left out.
create or replace function earning_book(_day date, _customers bigint[], _assets smallint[]) returns int
language plpgsql set plan_cache_mode = force_custom_plan set enable_seqscan = off as $$
declare
  _c bigint[]; _a smallint[]; _principals bigint[]; _ppms int[]; _interests bigint[]; _carries bigint[];
  _paid_c bigint[]; _paid_a smallint[]; _paid bigint[];
  _key text;
  _transfer bigint;
begin
  -- The balances read below can't change until this transaction ends.
  perform ledger.lock_balances(_customers, _assets);
  -- Days are booked in order. One day may be missing: that of an account's first move, if the move committed after the accrual
  -- had passed the account. The lowest balance of that day was 0.
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
    -- The first account identifies the booking, because each account has a day's interest once.
    _key := format('interest:%s:%s:%s', to_char(_day, 'YYYYMMDD'), _paid_c[1], _paid_a[1]);
    _transfer := ledger.pay_interest(_key, sha256(convert_to(_key, 'UTF8')), _paid_c, _paid_a, _paid,
      to_char(_day, 'YYYYMMDD')::bigint);
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

-- Continues the accrual by at most `_most` accounts. `worked` is false if all past days are done or another process holds the
-- head. `at_day` is the day that was worked on, `earned` the number of accounts that earned. The position is committed with the
-- bookings, so after a crash the next call continues from the last commit.
create or replace function earning_accrue(_most int, out worked boolean, out at_day date, out earned int)
language plpgsql security definer as $$
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
  -- An empty account earned nothing on its unbooked days, so it is not booked here. Its next move marks these days as done.
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
    -- Days before the first account was opened are skipped.
    update earning_head set after_customer = 0, after_asset = 0, accounts = 0,
      day = greatest(_head.day + 1, coalesce((select min(accrued_through) + 1 from earning_accounts), _today));
    return;
  end if;
  if _customers is not null then
    earned := earning_book_chunk(_head.day, _customers, _assets);
    perform tell('earnings', _head.after_customer || ':' || _last_customer);
  end if;
  update earning_head set after_customer = _last_customer, after_asset = _last_asset, accounts = _head.accounts + earned;
end $$;

-- Books an account's interest for the days before `_today`, without waiting for the accrual. Locks the balance. Raises
-- INTEREST_OUT_OF_TURN if the days do not follow each other.
create or replace function earning_catch_up(_customer bigint, _asset smallint, _today date) returns void language plpgsql as $$
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
    -- A day can have moves only after the day before it is booked.
    if exists (select from earning_accounts a
        where a.customer_id = _customer and a.asset_id = _asset and a.low_day > a.accrued_through + 1) then
      perform refuse('INTEREST_OUT_OF_TURN', format('the interest of customer %s in asset %s is out of turn', _customer, _asset));
    end if;
  else
    -- The missing days of an empty account earn nothing, and the lowest balance of the open day is 0.
    update earning_accounts a set accrued_through = greatest(a.accrued_through, _today - 1),
      low_day = greatest(a.accrued_through, _today - 1) + 1, low = 0
    where a.customer_id = _customer and a.asset_id = _asset
      and (a.accrued_through < _today - 1 or a.low_day > a.accrued_through + 1);
  end if;
end $$;

-- Books a customer's missing days, so that the customer sees the interest due since midnight. An account that is set aside stays
-- as it is.
create or replace function earning_look(_customer bigint) returns void language plpgsql security definer as $$
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

-- Moves a customer's money into earnings (`_amount` above zero) or out of them (below), in the transaction that claimed the key.
-- Needs a fresh session. The ledger's posting names the day for which the move counts. `refused` names the refusal, or is null.
create or replace function earning_move(_token_hash bytea, _key_hash bytea, _asset smallint, _amount bigint, out refused text)
language plpgsql security definer as $$
declare
  _customer bigint := session_customer(_token_hash, true);
  _before record;
  _today date;
  _day date;
  _is_booked boolean;
begin
  if _customer is null then refused := 'REAUTH_REQUIRED'; return; end if;
  if not exists (select from ledger.assets where id = _asset and not is_practice) then
    refused := 'ASSET_NOT_ACCEPTED';
    return;
  end if;
  perform ledger.lock_balances(array[_customer], array[_asset]);
  -- The day is read once, after the balance is locked: with two readings, one before and one after midnight, a day could lose its
  -- interest. The lock keeps other transactions from booking the account until this one ends.
  _today := earning_today();
  if _amount > 0 then
    insert into earning_accounts (customer_id, asset_id, accrued_through, low_day, low)
    values (_customer, _asset, _today - 1, _today, 0) on conflict do nothing;
  end if;
  _is_booked := earning_caught_up(_customer, _asset, _today);
  -- If the clock was set back, the move counts for the first day without interest.
  _day := greatest(_today, (
    select accrued_through + 1 from earning_accounts where customer_id = _customer and asset_id = _asset));
  select available, earning into _before from ledger.balances where owner_id = _customer and asset_id = _asset;
  -- Money may always leave. It may enter only while the asset has a rate.
  if _amount > 0 and (earning_rate_on(_asset, _day)).annual_ppm is null then refused := 'EARNINGS_NOT_OFFERED'; return; end if;
  if _before.available < _amount then refused := 'INSUFFICIENT_BALANCE'; return; end if;
  if _before.earning < -_amount then refused := 'EARNINGS_SMALLER'; return; end if;
  perform ledger.earn(format('earn:%s:%s', _customer, encode(_key_hash, 'hex')),
    sha256(convert_to(format('%s %s', _asset, _amount), 'UTF8')), _customer, _asset, _amount, to_char(_day, 'YYYYMMDD')::bigint);
  -- For an account that is set aside, earning_mend computes the lowest balance from the ledger.
  if _is_booked then
    update earning_accounts set low_day = _day,
      low = least(case when low_day = _day then low else _before.earning end, _before.earning + _amount)
    where customer_id = _customer and asset_id = _asset;
  end if;
  perform tell('orders', _customer || ':0');
end $$;

-- Tells by its SQLSTATE whether an error is temporary: a deadlock, a full disk, a database that stops. Other errors would recur.
create or replace function earning_error_passes(_state text) returns boolean
immutable language sql set search_path = public, pg_temp as $$
  select _state like any (array['08%', '40%', '53%', '55%', '57%', '58%', 'XX%'])
$$;

-- Does earning_catch_up for callers that one faulty account must not stop. On an error that is not temporary it sets the account
-- aside. Returns false if the account is set aside.
create or replace function earning_caught_up(_customer bigint, _asset smallint, _today date) returns boolean
language plpgsql as $$
begin
  if exists (select from earning_set_aside where customer_id = _customer and asset_id = _asset) then return false; end if;
  begin
    perform earning_catch_up(_customer, _asset, _today);
    return true;
  exception when others then
    if earning_error_passes(sqlstate) then raise; end if;
    insert into earning_set_aside (customer_id, asset_id, problem)
      values (_customer, _asset, left(sqlstate || ' ' || sqlerrm, 500))
    on conflict do nothing;
    return false;
  end;
end $$;

-- Books a day's interest on these accounts together and returns how many earned. If that fails, it books each account by itself,
-- so that only faulty ones are set aside. An account whose first move committed after the accrual had passed it catches up first.
create or replace function earning_book_chunk(_day date, _customers bigint[], _assets smallint[]) returns int
language plpgsql as $$
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

-- Returns an account's lowest balance of a day, computed from the ledger. A move counts on the day that its posting names in
-- `ref`, or on the day it was written if `ref` is 0. Interest counts from the day after its own.
create or replace function earning_lowest(_customer bigint, _asset smallint, _day date) returns bigint
stable language sql set search_path = public, pg_temp as $$
  with moved as (
    select p.id, t.kind = 'interest' as is_interest,
      case when p.credit = p.owner_id * 4 + 2 then p.amount else -p.amount end as amount,
      case when p.ref = 0 then (t.created_at at time zone 'UTC')::date else to_date(p.ref::text, 'YYYYMMDD') end as day
    from ledger.postings p join ledger.transfers t on t.id = p.transfer_id
    where p.owner_id = _customer and p.asset_id = _asset and t.kind in ('earn_in', 'earn_out', 'interest')
  ), at_first as (select coalesce(sum(amount), 0) as amount from moved where day < _day)
  select least(f.amount, (select min(f.amount + r.amount)
    from (select sum(m.amount) over (order by m.id) as amount from moved m where m.day = _day and not m.is_interest) r))::bigint
  from at_first f
$$;

-- For the operator: books the missing days of an account that is set aside, with the lowest balances from the ledger, and returns
-- the account to the accrual. It takes no amounts as input, so it can't set a balance. Returns the number of days booked.
create or replace function earning_mend(_customer bigint, _asset smallint) returns int language plpgsql as $$
declare
  _today date;
  _next date;
  _days int := 0;
begin
  perform ledger.lock_balances(array[_customer], array[_asset]);
  _today := earning_today();
  delete from earning_set_aside where customer_id = _customer and asset_id = _asset;
  if not found then
    perform refuse('REQUEST_NOT_FOUND', format('customer %s has no asset %s set aside', _customer, _asset));
  end if;
  loop
    select accrued_through + 1 into strict _next from earning_accounts where customer_id = _customer and asset_id = _asset;
    update earning_accounts set low_day = _next, low = earning_lowest(_customer, _asset, _next)
    where customer_id = _customer and asset_id = _asset;
    exit when _next >= _today;
    perform earning_book(_next, array[_customer], array[_asset]);
    _days := _days + 1;
  end loop;
  perform tell('orders', _customer || ':0');
  return _days;
end $$;
