-- Breaks, and exclusions of a person, which also close the other accounts that are verified with the same identity document.

-- ## Functions

-- A lock lets a single exclusion begin, or a single name be decided, at a time. So neither misses what the other one writes.
create or replace function exclusions_lock() returns void
language sql set search_path = pg_catalog, pg_temp as 'select pg_advisory_xact_lock(7033)';

create or replace function exclusion_tell(_customer bigint, _kind text, _until timestamptz) returns void
language sql set search_path = public, pg_temp as $$
  select notice_add(_customer, 'protection.' || case when _until = 'infinity' then 'forGood' else _kind end,
    jsonb_strip_nulls(jsonb_build_object('until', case when _until <> 'infinity' then ms_of(_until)::text end)))
$$;

-- The end of the longest exclusion of another account that is verified with one of these documents; null: none runs. Only a
-- verified name counts, because everybody can submit another person's number.
create or replace function document_excluded_until(_customer bigint, _documents bytea[]) returns timestamptz
stable language sql set search_path = public, pg_temp as $$
  select max(p.closed_until) from verifications v join protected_customers p using (customer_id)
  where v.document_index = any (_documents) and v.state = 'verified' and v.customer_id <> _customer
    and p.closed_kind = 'exclusion' and p.closed_until > clock_timestamp()
$$;

-- Closes the account until the end of an exclusion of another account with the same document. Null opens it again, for a customer
-- who is verified with another document than the one submitted before.
create or replace function document_bind(_customer bigint, _until timestamptz) returns void language plpgsql as $$
begin
  insert into protected_customers (customer_id) select _customer where _until is not null on conflict do nothing;
  update protected_customers set document_until = _until, document_at = case when _until is not null then clock_timestamp() end
  where customer_id = _customer and document_until is distinct from _until;
  if not found then return; end if;
  insert into protection_events (customer_id, what, facts)
  values (_customer, 'exclusion', jsonb_build_object('until', _until, 'byDocument', true));
  if _until is not null then perform exclusion_tell(_customer, 'exclusion', _until); end if;
end $$;

-- Extends an exclusion to all other accounts that are verified with the same document.
create or replace function document_bind_others(_customer bigint, _until timestamptz) returns void language plpgsql as $$
begin
  perform document_bind(o.customer_id, _until) from verifications v join verifications o using (document_index)
  where v.customer_id = _customer and v.state = 'verified' and o.state = 'verified' and o.customer_id <> _customer;
end $$;

-- Extends running exclusions to accounts that are verified with the same document and were not found before, because the indices
-- of the two documents were made under different keys. Runs after a rotation of keys has computed all indices again.
create or replace function documents_bind_again() returns void language plpgsql as $$
begin
  perform exclusions_lock();
  perform document_bind(o.customer_id, max(p.closed_until))
  from protected_customers p join verifications v on v.customer_id = p.customer_id and v.state = 'verified'
    join verifications o on o.document_index = v.document_index and o.state = 'verified' and o.customer_id <> v.customer_id
    left join protected_customers b on b.customer_id = o.customer_id
  where p.closed_kind = 'exclusion' and p.closed_until > clock_timestamp()
  group by o.customer_id, b.document_until having max(p.closed_until) > coalesce(b.document_until, '-infinity');
end $$;

-- Tells whether a submission with these documents is refused, and closes the account if an exclusion of another account covers
-- it. An account that holds money may be verified all the same, because only a verified customer can withdraw it.
create or replace function document_refused(_customer bigint, _documents bytea[]) returns boolean
language plpgsql security definer as $$
declare
  _until timestamptz := document_excluded_until(_customer, _documents);
begin
  if _until is null then return false; end if;
  perform document_bind(_customer, _until);
  return not exists (select from ledger.balances b join ledger.assets a on a.id = b.asset_id
    where b.owner_id = _customer and not a.is_practice and b.available + b.held + b.earning > 0);
end $$;

-- Begins a break of 24 hours to 6 weeks (`_hours`), or an exclusion of 6 months to 5 years (`_months`; null: for good). It counts
-- at once and nothing ends it early. While one lasts, only a break or exclusion with a later end is accepted. An exclusion counts
-- for the person: it closes all accounts that are verified with the same document.
create or replace function break_take(_token_hash bytea, _kind text, _hours int, _months int, out refused text)
language plpgsql security definer as $$
declare
  _customer bigint;
  _at timestamptz;
  _until timestamptz;
begin
  if _kind = 'exclusion' then perform exclusions_lock(); end if;
  _customer := protection_begin(_token_hash);
  _at := clock_timestamp();
  if _customer is null then refused := 'SESSION_EXPIRED'; return; end if;
  if _kind = 'break' and _hours between 24 and 1008 then
    _until := _at + make_interval(hours => _hours);
  elsif _kind = 'exclusion' and _months between 6 and 60 then
    _until := _at + make_interval(months => _months);
  elsif _kind = 'exclusion' and _months is null then
    _until := 'infinity';
  else
    refused := 'INVALID_VALUE';
    return;
  end if;
  update protected_customers set closed_kind = _kind, closed_at = _at, closed_until = _until
  where customer_id = _customer and (closed_until is null or closed_until < _until);
  if not found then refused := 'BREAK_LASTS_LONGER'; return; end if;
  insert into protection_events (customer_id, what, facts)
  values (_customer, _kind, jsonb_build_object('until', _until, 'hours', _hours, 'months', _months));
  perform exclusion_tell(_customer, _kind, _until);
  if _kind = 'exclusion' then perform document_bind_others(_customer, _until); end if;
end $$;
