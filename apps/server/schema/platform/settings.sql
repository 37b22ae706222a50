-- The settings of the house that rules of the database depend on: one row. The owner writes it at every start from the server's
-- configuration; the server's role only reads it.

create table house_settings (
  only_row boolean primary key default true check (only_row),
  mode text not null default 'demo' check (mode in ('demo', 'live')),
  -- Waiting time of a new approver, destination or credential; at least a day in live mode.
  hold_seconds int not null default 60 check (hold_seconds >= 0),
  -- A request that was decided before this time is measured by its own amount alone, see amount_before.
  sums_from timestamptz not null default clock_timestamp(),
  -- Whether withdrawals need a second factor, as the operator's profile says; live mode only.
  withdrawals_need_factor boolean not null default false,
  check (mode = 'demo' or hold_seconds >= 86400)
);

insert into house_settings default values;

-- ## Functions

create or replace function hold_interval() returns interval stable language sql security definer as $$
  select make_interval(secs => hold_seconds) from house_settings
$$;

-- Ids of enabled deposit channels of the demo. Their address or account number begins with DEMO-, so nothing can be paid to them.
create or replace function demo_channels_on() returns setof bigint stable language sql security definer as $$
  select c.id from current_channels() c where c.is_enabled and coalesce(c.address, c.bank ->> 'accountNumber') like 'DEMO-%'
$$;

-- Raises DEMO_CHANNEL if a channel of the demo is enabled in live mode, because customers would see an address that can't be
-- paid. One trigger checks a change of the mode, the other every new version of a channel.
create or replace function refuse_demo_channels() returns trigger language plpgsql security definer as $$
declare
  _on text := (select string_agg(id::text, ', ' order by id) from demo_channels_on() id);
begin
  if (select mode from house_settings) = 'live' and _on is not null then
    perform refuse('DEMO_CHANNEL', format('MODE=live refuses channels that nobody can pay to (DEMO-): turn off %s', _on));
  end if;
  return null;
end $$;

create or replace trigger house_settings_no_demo after update of mode on house_settings
  for each row execute function refuse_demo_channels();

drop trigger if exists deposit_channels_no_demo on deposit_channels;
create constraint trigger deposit_channels_no_demo after insert on deposit_channels deferrable initially immediate
  for each row execute function refuse_demo_channels();
