-- Exports of reports: one row for each, with its reason and, once it is made, what was made. Functions alone write it, and no row
-- changes after its end. The queries are reading, so they are TypeScript (office/reports).

create table report_exports (
  id bigint generated always as identity (start with 1000) primary key,
  report text not null check (report ~ '^[a-z]{1,40}$'),
  format text not null check (format in ('csv', 'json', 'jsonl')),
  zone text not null check (length(zone) between 1 and 64),
  -- The period: `since` is in it, `until` is not.
  since timestamptz not null,
  until timestamptz not null check (until > since),
  reason text not null check (length(reason) between 5 and 500),
  -- Null: a command of the operator.
  ordered_by bigint references staff,
  ordered_at timestamptz not null default clock_timestamp(),
  begun_at timestamptz,
  ended_at timestamptz,
  -- Of the file: the number of rows, and the SHA-256 of its bytes. The note states both and is signed. Null with an end: it broke
  -- off.
  rows bigint check (rows >= 0),
  sha256 bytea check (octet_length(sha256) = 32),
  note text check (octet_length(note) <= 20000),
  check (begun_at is not null or ended_at is null),
  check (num_nulls(rows, sha256, note) in (0, 3)),
  check (ended_at is not null or note is null)
);

-- ## Functions

-- Orders an export and returns its number. Without a member of staff it is a command of the operator, which the server can't
-- give.
create or replace function report_order(_staff bigint, _report text, _format text, _zone text, _since timestamptz,
  _until timestamptz, _reason text) returns bigint language plpgsql security definer as $$
declare
  _id bigint;
begin
  if _staff is not null then
    perform demand_role(_staff, 'cashier', 'approver', 'catalogue', 'auditor', 'administrator');
  elsif acts_as_server() then
    perform refuse('ROLE_MISSING', 'a command of the operator');
  end if;
  insert into report_exports (report, format, zone, since, until, reason, ordered_by)
  values (_report, _format, _zone, _since, _until, left(_reason, 500), _staff) returning id into _id;
  perform audit_append(_staff, 'report.order', 'report:' || _id, jsonb_build_object('report', _report, 'format', _format,
    'from', _since, 'until', _until, 'reason', left(_reason, 500)));
  return _id;
end $$;

-- Begins the export, once, for the person who ordered it, within 15 minutes.
create or replace function report_begin(_staff bigint, _id bigint) returns report_exports language plpgsql security definer as $$
declare
  _export report_exports;
begin
  if _staff is null and acts_as_server() then perform refuse('ROLE_MISSING', 'a command of the operator'); end if;
  if _staff is not null then perform acting_session(_staff); end if;
  update report_exports set begun_at = clock_timestamp()
  where id = _id and ordered_by is not distinct from _staff and begun_at is null and ordered_at > now() - interval '15 minutes'
  returning * into _export;
  if not found then perform refuse('REQUEST_CLOSED', format('export %s is not to be made', _id)); end if;
  return _export;
end $$;

-- Ends an export that was begun, with what was made; null: it broke off.
create or replace function report_end(_staff bigint, _id bigint, _rows bigint, _sha256 bytea, _note text) returns void
language plpgsql security definer as $$
begin
  if _staff is null and acts_as_server() then perform refuse('ROLE_MISSING', 'a command of the operator'); end if;
  update report_exports set ended_at = clock_timestamp(), rows = _rows, sha256 = _sha256, note = _note
  where id = _id and ordered_by is not distinct from _staff and begun_at is not null and ended_at is null;
  if not found then perform refuse('REQUEST_CLOSED', format('export %s is not being made', _id)); end if;
  perform audit_append(_staff, case when _note is null then 'report.broken' else 'report.made' end, 'report:' || _id,
    jsonb_strip_nulls(jsonb_build_object('rows', _rows, 'sha256', encode(_sha256, 'hex'))));
end $$;

-- The head of the ledger in the caller's snapshot: the chain of heads (log/heads.sql) goes on from the newest one, `after`, up to
-- the transaction `upto`, as if it were taken now. 32 zero bytes come before the first head.
create or replace function ledger_head_now(out head bytea, out after bigint, out upto xid8)
language plpgsql security definer as $$
declare
  _last public_heads;
begin
  select * into _last from public_heads order by number desc limit 1;
  after := coalesce(_last.number, 0);
  upto := greatest(_last.upto, ledger.settled_before());
  head := sha256(coalesce(_last.ledger_head, decode(repeat('00', 32), 'hex'))
    || ledger.digest(coalesce(_last.upto, '0'::xid8), upto));
end $$;
