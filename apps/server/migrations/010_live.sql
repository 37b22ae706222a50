-- Where money is real nobody is shown a place to pay to that can't be paid. Channels of the demo begin with DEMO-.
--   FT131 a channel of the demo is on, in live mode

create function demo_channels_on() returns setof bigint
stable language sql security definer set search_path = public, pg_temp as $$
  select c.id from current_channels() c where c.is_enabled and coalesce(c.address, c.bank ->> 'accountNumber') like 'DEMO-%'
$$;

-- Checked from both sides, when the change commits: the start in live mode, which writes the mode, and every new version of a channel.
create function refuse_demo_channels() returns trigger
language plpgsql security definer set search_path = public, pg_temp as $$
declare
  _on text := (select string_agg(id::text, ', ' order by id) from demo_channels_on() id);
begin
  if (select mode from house_settings) = 'live' and _on is not null then
    raise exception 'MODE=live refuses channels that nobody can pay to (DEMO-): turn off %', _on using errcode = 'FT131';
  end if;
  return null;
end $$;
create trigger house_settings_no_demo after update of mode on house_settings for each row execute function refuse_demo_channels();
create constraint trigger deposit_channels_no_demo after insert on deposit_channels deferrable initially immediate
  for each row execute function refuse_demo_channels();
