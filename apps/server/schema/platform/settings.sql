-- Staff: accounts, roles, sessions, second factors, the audit log, and four eyes as rules of the database. How staff and
-- their roles change is in 005_two_people.sql, who of them is which customer in 005_two_sides.sql.
--
-- The server says who acts (it has checked a session), the functions below say what that person may do. They run with
-- their owner's rights and are the only writers of roles, approvals and the audit log. Refusals have a code of their own:
--   ROLE_MISSING role missing or account off      ABOUT_ONESELF about oneself               CHANGE_NOT_FOUND no such change, or decided already
--   APPROVER_TOO_NEW granted or reset too lately      APPROVALS_MISSING too few approvals           TOO_FEW_ADMINISTRATORS would leave nobody to decide
--   OWN_EDIT approves what one edited         NO_RULE no rule for this kind       NOTHING_NEW says nothing new
--   ROLES_CONFLICT roles that do not go together
--
-- Lock order: whatever the business locks (the request, then balances) → staff, by id → the audit log's head, which is
-- locked when the transaction commits and by nothing else.

-- What the house was started with, as far as rules of the database depend on it. The owner writes it at every start.
create table house_settings (
  only_row boolean primary key default true check (only_row),
  mode text not null default 'demo' check (mode in ('demo', 'live')),
  -- How long a new approver, destination or credential waits.
  hold_seconds int not null default 60 check (hold_seconds >= 0),
  -- Sums of four eyes count decisions since this time.
  sums_from timestamptz not null default clock_timestamp(),
  check (mode = 'demo' or hold_seconds >= 86400)
);

insert into house_settings default values;

-- ## Functions

create or replace function hold_interval() returns interval
stable language sql security definer set search_path = public, pg_temp as $$
  select make_interval(secs => hold_seconds) from house_settings
$$;

-- Where money is real nobody is shown a place to pay to that can't be paid. Channels of the demo begin with DEMO-.
--   DEMO_CHANNEL a channel of the demo is on, in live mode
create or replace function demo_channels_on() returns setof bigint
stable language sql security definer set search_path = public, pg_temp as $$
  select c.id from current_channels() c where c.is_enabled and coalesce(c.address, c.bank ->> 'accountNumber') like 'DEMO-%'
$$;

-- Checked from both sides, when the change commits: the start in live mode, which writes the mode, and every new version of a channel.
create or replace function refuse_demo_channels() returns trigger
language plpgsql security definer set search_path = public, pg_temp as $$
declare
  _on text := (select string_agg(id::text, ', ' order by id) from demo_channels_on() id);
begin
  if (select mode from house_settings) = 'live' and _on is not null then
    perform refuse('DEMO_CHANNEL', format('MODE=live refuses channels that nobody can pay to (DEMO-): turn off %s', _on));
  end if;
  return null;
end $$;

create or replace trigger house_settings_no_demo after update of mode on house_settings for each row execute function refuse_demo_channels();

drop trigger if exists deposit_channels_no_demo on deposit_channels;
create constraint trigger deposit_channels_no_demo after insert on deposit_channels deferrable initially immediate
  for each row execute function refuse_demo_channels();
