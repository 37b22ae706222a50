-- Live sources: what the leading feed process tells of them, for operators (/metrics, the office) and without faults for the
-- public. It decides nothing.

create table live_sources (
  only_row boolean primary key default true check (only_row),
  -- LiveReport in market/feeds/live/live-report.ts.
  report jsonb not null check (octet_length(report::text) < 65536),
  at timestamptz not null default clock_timestamp()
);

-- ## Functions

create or replace function live_sources_report(_report jsonb) returns void language sql security definer as $$
  insert into live_sources (report) values (_report)
  on conflict (only_row) do update set report = excluded.report, at = clock_timestamp()
$$;
