-- The next head, as before (011_heads), up to the id below which every transaction of this database has ended: one that is open
-- in another database of the same server leaves nothing out (decision 116). No head ends before the one it follows.
create or replace function heads_take() returns bigint
language plpgsql security definer set search_path = public, pg_temp as $$
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
  -- In a statement of its own: whoever comes below it has committed when the next one looks.
  _upto := greatest(_last.upto, ledger.settled_before());
  insert into public_heads (number, upto, ledger_head, audit_size, audit_head)
  select coalesce(_last.number, 0) + 1, _upto,
    sha256(coalesce(_last.ledger_head, decode(repeat('00', 32), 'hex')) || ledger.digest(coalesce(_last.upto, '0'::xid8), _upto)),
    h.size, h.hash
  from audit_head h returning number into _number;
  return _number;
end $$;
