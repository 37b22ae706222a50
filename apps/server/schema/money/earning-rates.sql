-- Earning rates: the yearly interest of an asset, by the day (UTC) from which it applies. Interest follows from this table alone.
-- Rates are proposals (`earning_rate`) and apply to days to come.
-- A rate in the table never changes. Triggers bind the database's owner too. Practice money has no rates.

-- The rates: each applies from `from_day` until the asset's next row.
create table earning_rates (
  asset_id smallint not null references ledger.assets,
  from_day date not null,
  annual_ppm int not null check (annual_ppm between 0 and 200000),
  -- Null for the demo's sample rates, which apply in demo mode only.
  proposal_id bigint unique references proposals,
  added_at timestamptz not null default clock_timestamp(),
  primary key (asset_id, from_day)
);

-- ## Functions

create or replace function earning_today() returns date
volatile language sql set search_path = public, pg_temp as $$ select (clock_timestamp() at time zone 'UTC')::date $$;

-- Trigger: a rate is only inserted, never changed, for a day to come, after the asset's last rate and with the approvals of its
-- proposal. An asset's first rate may begin today, because no money in the asset has earned yet.
create or replace function earning_rates_admit() returns trigger language plpgsql security definer as $$
declare
  _last date;
  _p proposals;
begin
  if tg_op <> 'INSERT' then perform refuse('RATE_STAYS', 'a rate that is in the table stays'); end if;
  if exists (select from ledger.assets where id = new.asset_id and is_practice) then
    perform refuse('PRACTICE_MONEY', 'practice money earns nothing');
  end if;
  select max(from_day) into _last from earning_rates where asset_id = new.asset_id;
  if new.from_day < earning_today() or (_last is not null and new.from_day <= greatest(_last, earning_today())) then
    perform refuse('RATE_TOO_SOON', 'a rate counts for days to come');
  end if;
  if new.proposal_id is null and (select mode from house_settings) <> 'demo' then
    perform refuse('ROLE_MISSING', 'sample rates are the demo''s');
  end if;
  if new.proposal_id is not null then
    select * into _p from proposals where id = new.proposal_id and kind = 'earning_rate';
    if ((_p.content ->> 'asset')::smallint, (_p.content ->> 'from')::date, (_p.content ->> 'ppm')::int)
        is distinct from (new.asset_id, new.from_day, new.annual_ppm) then
      perform refuse('CONTENT_CHANGED', 'the proposal says something else');
    end if;
    perform demand_approvals('earning_rate', _p.id, _p.content_hash);
  end if;
  return new;
end $$;

create or replace trigger earning_rates_admit before insert or update or delete on earning_rates
  for each row execute function earning_rates_admit();

create or replace trigger earning_rates_stay before truncate on earning_rates
  for each statement execute function earning_rates_admit();

-- Returns the rate that applies on a day; null if the asset does not earn then.
create or replace function earning_rate_on(_asset smallint, _day date) returns earning_rates
stable language sql set search_path = public, pg_temp as $$
  select r from earning_rates r
  where r.asset_id = _asset and r.from_day <= _day and (r.proposal_id is not null or (select mode from house_settings) = 'demo')
  order by r.from_day desc limit 1
$$;

-- Raises RATE_TOO_SOON unless the day is 2 to 90 days from today. So customers can read a rate for a whole day before it applies.
create or replace function earning_demand_notice(_from date) returns void language plpgsql as $$
begin
  if (_from between earning_today() + 2 and earning_today() + 90) is not true then
    perform refuse('RATE_TOO_SOON', 'a rate begins between the day after tomorrow and 90 days from now');
  end if;
end $$;

-- Proposes a rate (`_ppm`: millionths a year) from a day on, and returns the id of the proposal. Raises NOTHING_NEW if the last
-- rate is the same or another proposal for the asset is open.
create or replace function earning_rate_propose(_staff bigint, _asset smallint, _ppm int, _from date, _note text) returns bigint
language plpgsql security definer as $$
declare
  _content jsonb := jsonb_build_object('asset', _asset, 'from', _from, 'ppm', _ppm, 'note', _note);
  _last earning_rates;
begin
  perform demand_role(_staff, (select edit_role from four_eyes_rules where kind = 'earning_rate'));
  if exists (select from ledger.assets where id = _asset and is_practice) then
    perform refuse('PRACTICE_MONEY', 'practice money earns nothing');
  end if;
  if (_ppm between 0 and 200000) is not true then
    perform refuse('RATE_OUT_OF_BOUNDS', 'a rate is between 0 and 20 percent');
  end if;
  perform earning_demand_notice(_from);
  select * into _last from earning_rates where asset_id = _asset order by from_day desc limit 1;
  if _last.from_day >= _from then
    perform refuse('RATE_TOO_SOON', 'a rate that is agreed already begins later');
  end if;
  if _last.annual_ppm = _ppm and _last.proposal_id is not null then
    perform refuse('NOTHING_NEW', 'the rate is so already');
  end if;
  return (propose(_staff, 'earning_rate', _asset::text, _content, _content)).id;
end $$;

-- Adds the rate to the table. After a late approval it has to be proposed again, because the day that was approved never moves.
create or replace function carry_out_earning_rate(_p proposals) returns void language plpgsql as $$
declare
  _from date := (_p.content ->> 'from')::date;
begin
  perform earning_demand_notice(_from);
  insert into earning_rates (asset_id, from_day, annual_ppm, proposal_id)
    values ((_p.content ->> 'asset')::smallint, _from, (_p.content ->> 'ppm')::int, _p.id);
end $$;
