-- The table holds the findings of the daily audit (daily-audit.ts). It says what an honest server saw; whoever trusts none runs
-- `npm run audit` from somewhere else.
create table audit_runs (
  -- Whose orders were settled again; all else was looked at as it stood.
  day date primary key,
  ended_at timestamptz not null default clock_timestamp(),
  findings jsonb not null check (jsonb_typeof(findings) = 'array' and jsonb_array_length(findings) <= 100)
);

-- The day that is to be audited now; null: it has been.
create function audit_due() returns date
stable language sql security definer set search_path = public, pg_temp as $$
  select d.day from (select (now() at time zone 'UTC')::date - 1 as day) d where not exists (select from audit_runs r where r.day = d.day)
$$;

-- Once, and for that day alone: nobody takes back what was found.
create function audit_keep(_day date, _findings jsonb) returns void
language plpgsql security definer set search_path = public, pg_temp as $$
begin
  if _day is distinct from audit_due() then raise exception 'the audit of % is not due', _day using errcode = 'FT015'; end if;
  insert into audit_runs (day, findings) values (_day, _findings);
end $$;

grant select on audit_runs to fairtick_server;
grant execute on function audit_due, audit_keep to fairtick_server;
