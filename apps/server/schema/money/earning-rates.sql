-- Earning rates: the yearly interest of an asset, by the day (UTC) from which it applies. Interest follows from this table alone.
-- Two people write it, for days to come: one proposes a rate, and an approver agrees (four_eyes_rules, `earning_rate`).
-- A rate in the table never changes. Triggers bind the database's owner too. Practice money has no rates.

create table earning_rate_changes (
  id bigint generated always as identity (start with 1000) primary key,
  asset_id smallint not null references ledger.assets,
  from_day date not null,
  -- Interest of a year in millionths: 30 000 is 3 %.
  annual_ppm int not null,
  note text not null check (length(note) between 1 and 500),
  proposed_by bigint not null references staff,
  proposed_at timestamptz not null default clock_timestamp(),
  status text not null default 'proposed' check (status in ('proposed', 'done', 'refused')),
  decided_by bigint references staff,
  decided_at timestamptz,
  check ((status = 'proposed') = (decided_at is null) and (decided_at is null) = (decided_by is null)),
  -- The proposer may drop the proposal, but never approve it.
  check (status <> 'done' or decided_by <> proposed_by)
);

create unique index earning_rate_changes_open on earning_rate_changes (asset_id) where status = 'proposed';

-- The rates: each applies from `from_day` until the asset's next row.
create table earning_rates (
  asset_id smallint not null references ledger.assets,
  from_day date not null,
  annual_ppm int not null check (annual_ppm between 0 and 200000),
  -- Null for the demo's sample rates, which apply in demo mode only.
  change_id bigint unique references earning_rate_changes,
  added_at timestamptz not null default clock_timestamp(),
  primary key (asset_id, from_day)
);

-- ## Functions

-- Today's date (UTC) by the database's clock.
create or replace function earning_today() returns date
volatile language sql set search_path = public, pg_temp as $$ select (clock_timestamp() at time zone 'UTC')::date $$;

-- Trigger: a rate is only inserted, never changed, for a day to come, after the asset's last rate and with the approvals of its
-- change. An asset's first rate may begin today, because no money in the asset has earned yet.
create or replace function earning_rates_admit() returns trigger
language plpgsql security definer set search_path = public, pg_temp as $$
declare
  _last date;
begin
  if tg_op <> 'INSERT' then perform refuse('RATE_STAYS', 'a rate that is in the table stays'); end if;
  if exists (select from ledger.assets where id = new.asset_id and is_practice) then
    perform refuse('PRACTICE_MONEY', 'practice money earns nothing');
  end if;
  select max(from_day) into _last from earning_rates where asset_id = new.asset_id;
  if new.from_day < earning_today() or (_last is not null and new.from_day <= greatest(_last, earning_today())) then
    perform refuse('RATE_TOO_SOON', 'a rate counts for days to come');
  end if;
  if new.change_id is null and (select mode from house_settings) <> 'demo' then
    perform refuse('ROLE_MISSING', 'sample rates are the demo''s');
  end if;
  if new.change_id is not null then
    perform from earning_rate_changes c where c.id = new.change_id
      and (c.asset_id, c.from_day, c.annual_ppm) = (new.asset_id, new.from_day, new.annual_ppm);
    if not found then perform refuse('CONTENT_CHANGED', 'the change says something else'); end if;
    perform demand_approvals('earning_rate', new.change_id,
      (select earning_rate_content(c) from earning_rate_changes c where c.id = new.change_id));
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
  where r.asset_id = _asset and r.from_day <= _day and (r.change_id is not null or (select mode from house_settings) = 'demo')
  order by r.from_day desc limit 1
$$;

-- The hash that approvals of a rate refer to.
create or replace function earning_rate_content(_c earning_rate_changes) returns bytea
immutable language sql set search_path = public, pg_temp as $$
  select sha256(convert_to(jsonb_build_object('change', _c.id, 'asset', _c.asset_id, 'from', _c.from_day,
    'ppm', _c.annual_ppm, 'note', _c.note)::text, 'UTF8'))
$$;

-- Raises RATE_TOO_SOON unless the day is 2 to 90 days from today. So customers can read a rate for a whole day before it applies.
create or replace function earning_demand_notice(_from date) returns void
language plpgsql set search_path = public, pg_temp as $$
begin
  if (_from between earning_today() + 2 and earning_today() + 90) is not true then
    perform refuse('RATE_TOO_SOON', 'a rate begins between the day after tomorrow and 90 days from now');
  end if;
end $$;

-- Proposes a rate (`_ppm`: millionths a year) from a day on, and returns the id of the change. Raises NOTHING_NEW if the last rate
-- is the same or another change of the asset is open.
create or replace function earning_rate_propose(_staff bigint, _asset smallint, _ppm int, _from date, _note text) returns bigint
language plpgsql security definer set search_path = public, pg_temp as $$
declare
  _c earning_rate_changes;
  _last earning_rates;
begin
  if not staff_may(_staff, (select edit_role from four_eyes_rules where kind = 'earning_rate')) then
    perform refuse('ROLE_MISSING', format('staff %s may not propose rates', _staff));
  end if;
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
  if _last.annual_ppm = _ppm and _last.change_id is not null then
    perform refuse('NOTHING_NEW', 'the rate is so already');
  end if;
  insert into earning_rate_changes (asset_id, from_day, annual_ppm, note, proposed_by) values (_asset, _from, _ppm, _note, _staff)
  on conflict do nothing returning * into _c;
  if _c.id is null then perform refuse('NOTHING_NEW', format('a rate of asset %s is proposed already', _asset)); end if;
  perform record_edit(_staff, 'earning_rate', _c.id, earning_rate_content(_c));
  perform audit_append(_staff, 'earning_rate.propose', 'earning_rate:' || _c.id,
    jsonb_build_object('asset', _asset, 'from', _from, 'ppm', _ppm, 'note', _note));
  return _c.id;
end $$;

-- Approves a rate (`_agrees`) or refuses it. The last approval that is needed adds the rate to the table. Refusing takes the role
-- of a proposer or of an approver. Returns the status of the change after the call.
create or replace function earning_rate_decide(_staff bigint, _id bigint, _agrees boolean) returns text
language plpgsql security definer set search_path = public, pg_temp as $$
declare
  _c earning_rate_changes;
begin
  select * into _c from earning_rate_changes where id = _id for update;
  if not found then perform refuse('REQUEST_NOT_FOUND', format('no change %s', _id)); end if;
  if _c.status <> 'proposed' then perform refuse('REQUEST_CLOSED', format('change %s is decided', _id)); end if;
  if not _agrees then
    if not exists (select from four_eyes_rules f where f.kind = 'earning_rate'
        and (staff_may(_staff, f.edit_role) or staff_may(_staff, f.role))) then
      perform refuse('ROLE_MISSING', format('staff %s decides no rates', _staff));
    end if;
    update earning_rate_changes set status = 'refused', decided_by = _staff, decided_at = clock_timestamp() where id = _id;
    perform audit_append(_staff, 'earning_rate.refuse', 'earning_rate:' || _id, '{}');
    return 'refused';
  end if;
  perform approve(_staff, 'earning_rate', _id, earning_rate_content(_c));
  if (select count(*) from approvals_of('earning_rate', _id, earning_rate_content(_c)) a where a.counts)
    < approvals_needed('earning_rate') then return 'proposed'; end if;
  -- After a late approval the rate has to be proposed again, because the day that was approved never moves.
  perform earning_demand_notice(_c.from_day);
  update earning_rate_changes set status = 'done', decided_by = _staff, decided_at = clock_timestamp() where id = _id;
  insert into earning_rates (asset_id, from_day, annual_ppm, change_id) values (_c.asset_id, _c.from_day, _c.annual_ppm, _id);
  perform audit_append(_staff, 'earning_rate.done', 'earning_rate:' || _id, '{}');
  return 'done';
end $$;
