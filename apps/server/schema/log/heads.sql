-- Heads of the ledger and of the office's audit log. They go into the public log once an hour:
-- audit|4|timeMs|ledgerHead|auditHead. After a later change of the ledger or the audit log, even by the owner, their rows give
-- other heads than the published ones. The ledger's heads are a chain: H(n) = sha256(H(n-1) || ledger.digest of the transactions
-- since). H(0) is 32 zero bytes. One process takes a head (heads_take), the log's writer logs it, and `npm run admin -- audit`
-- checks all heads (heads_verify).

create table public_heads (
  number bigint primary key check (number >= 1),
  taken_at timestamptz not null default clock_timestamp(),
  -- The head covers all transactions below this id and no others.
  upto xid8 not null,
  ledger_head bytea not null check (octet_length(ledger_head) = 32),
  audit_size bigint not null check (audit_size >= 0),
  audit_head bytea not null check (octet_length(audit_head) = 32),
  -- The index of its log entry; null until it is logged.
  entry_index bigint unique
);

-- ## Functions

-- Takes the next head and returns its number. Returns null if the last head is not logged yet or less than an hour old, or if
-- another process is taking one (advisory lock 7042). The head covers the transactions below ledger.settled_before(), all of
-- which have ended (decision 116), and never ends before the head that it follows.
create or replace function heads_take() returns bigint language plpgsql security definer as $$
declare
  _last public_heads;
  _upto xid8;
  _number bigint;
begin
  if not pg_try_advisory_xact_lock(7042) then return null; end if;
  select * into _last from public_heads order by number desc limit 1;
  if _last.number is not null and (_last.entry_index is null or _last.taken_at > clock_timestamp() - interval '1 hour') then
    return null;
  end if;
  -- This is a statement of its own, so that the next statement's snapshot sees all transactions below `_upto`.
  _upto := greatest(_last.upto, ledger.settled_before());
  insert into public_heads (number, upto, ledger_head, audit_size, audit_head)
  select coalesce(_last.number, 0) + 1, _upto,
    sha256(coalesce(_last.ledger_head, decode(repeat('00', 32), 'hex')) || ledger.digest(coalesce(_last.upto, '0'::xid8), _upto)),
    h.size, h.hash
  from audit_head h returning number into _number;
  return _number;
end $$;

-- The last two fields of a head's log entry.
create or replace function head_fields(_head public_heads) returns text
immutable language sql set search_path = public, pg_temp as $$
  select encode(_head.ledger_head, 'hex') || '|' || encode(_head.audit_head, 'hex')
$$;

create or replace function heads_owed() returns table (number bigint, fields text) stable language sql security definer as $$
  select h.number, head_fields(h) from public_heads h where h.entry_index is null
$$;

-- Records that a head is logged at `_index`. The writer calls it in the transaction of the append. Raises LOG_MOVED if the entry
-- there is not the head's.
create or replace function heads_logged(_number bigint, _index bigint) returns void language plpgsql security definer as $$
begin
  update public_heads h set entry_index = _index
  where h.number = _number and h.entry_index is null and exists (
    select from log_entries l where l.index = _index and l.kind = log_kind('text')
      and l.body = 'audit|4|' || l.time_ms || '|' || head_fields(h));
  if not found then perform refuse('LOG_MOVED', format('head %s does not stand at %s', _number, _index)); end if;
end $$;

-- Returns one row per fault, and no row if all is well. Checks that the ledger's and the audit log's current chains contain every
-- head, that every `audit` entry in the log is a head, and that every logged head has its entry. Archived entries are not read.
create or replace function heads_verify() returns table (detail text) stable language sql security definer as $$
  with recursive chain as (
    select h.number, h.upto, sha256(decode(repeat('00', 32), 'hex') || ledger.digest('0'::xid8, h.upto)) as hash
    from public_heads h where h.number = 1
    union all
    select h.number, h.upto, sha256(c.hash || ledger.digest(c.upto, h.upto)) from chain c
    join public_heads h on h.number = c.number + 1
  )
  select format('head %s of the ledger, taken at %s: today’s ledger gives another', h.number, h.taken_at)
  from public_heads h left join chain c on c.number = h.number where c.hash is distinct from h.ledger_head
  union all
  select format('head %s of the audit log, taken at %s: not in today’s chain', h.number, h.taken_at)
  from public_heads h
  where not case h.audit_size when 0 then h.audit_head = decode(repeat('00', 32), 'hex')
    else exists (select from audit_log a where a.seq = h.audit_size - 1 and a.hash = h.audit_head) end
  union all
  select format('the entry at %s of the log is no head that was taken', l.index)
  from log_entries l
  where l.kind = log_kind('text') and l.body like 'audit|%' and not exists (
    select from public_heads h where h.entry_index = l.index and l.body = 'audit|4|' || l.time_ms || '|' || head_fields(h))
  union all
  select format('head %s is not in the log at %s', h.number, h.entry_index)
  from public_heads h
  where h.entry_index >= (select min(l.index) from log_entries l)
    and not exists (select from log_entries l where l.index = h.entry_index)
$$;
