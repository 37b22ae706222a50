-- Addresses of customers in the public log, so that one that an insider swapped shows. They are the leaves of a Merkle tree that
-- only grows (RFC 9162, 2.1.1): address|4|chain|address|customer|salt. The salt keeps others from finding whose address it is.
-- The root goes into the log as addresses|4|timeMs|size|root when there are new addresses, at most once a minute. The app checks
-- the address that it shows. The server only reads these tables.

create table address_leaves (
  place int primary key check (place >= 0),
  chain text not null,
  number int not null,
  salt bytea not null check (octet_length(salt) = 32),
  hash bytea not null check (octet_length(hash) = 32),
  unique (chain, number),
  foreign key (chain, number) references chain_addresses (chain, number)
);

create table address_roots (
  -- The number of leaves.
  size int primary key check (size > 0),
  root bytea not null check (octet_length(root) = 32),
  taken_at timestamptz not null default clock_timestamp(),
  -- The index of its log entry; null until the entry is appended.
  entry_index bigint unique
);

-- ## Functions

create or replace trigger address_leaves_keep before update or delete or truncate on address_leaves
  execute function requests_keep();

create or replace function address_leaf_hash(_chain text, _address text, _customer bigint, _salt bytea) returns bytea
immutable language sql set search_path = public, pg_temp as $$
  select sha256('\x00'::bytea
    || convert_to(concat_ws('|', 'address', 4, _chain, _address, _customer, encode(_salt, 'hex')), 'UTF8'))
$$;

-- The root of a tree with these leaves: a last node without a sibling moves up.
create or replace function merkle_root(_hashes bytea[]) returns bytea immutable language plpgsql as $$
begin
  while cardinality(_hashes) > 1 loop
    select array_agg(node order by pair) into _hashes from (
      select (at - 1) / 2 as pair,
        case count(*) when 1 then (array_agg(hash))[1]
          else sha256('\x01'::bytea || string_agg(hash, ''::bytea order by at)) end as node
      from unnest(_hashes) with ordinality level (hash, at) group by 1) above;
  end loop;
  return coalesce(_hashes[1], sha256(''));
end $$;

-- Adds the addresses that are new to the tree. Returns its size, or null if there is none, if the last root is not logged yet or
-- less than a minute old, or if another process does it (advisory lock 7056).
create or replace function address_root_take() returns int language plpgsql security definer as $$
declare
  _last address_roots;
  _size int;
begin
  if not pg_try_advisory_xact_lock(7056) then return null; end if;
  select * into _last from address_roots order by size desc limit 1;
  if _last.size is not null and (_last.entry_index is null or _last.taken_at > clock_timestamp() - interval '1 minute') then
    return null;
  end if;
  insert into address_leaves (place, chain, number, salt, hash)
  select coalesce(_last.size, 0) + row_number() over (order by n.id) - 1, n.chain, n.number, n.salt,
    address_leaf_hash(n.chain, n.address, n.customer_id, n.salt)
  from (
    select a.*, c.customer_id, sha256(uuid_send(gen_random_uuid()) || uuid_send(gen_random_uuid())) as salt
    from chain_addresses a join chain_customers c using (number)
    where not exists (select from address_leaves l where l.chain = a.chain and l.number = a.number)
  ) n;
  select count(*) into _size from address_leaves;
  if _size = coalesce(_last.size, 0) then return null; end if;
  insert into address_roots (size, root)
  values (_size, merkle_root(array(select hash from address_leaves order by place)));
  return _size;
end $$;

-- Roots that are not in the log yet, as texts of log entries.
create or replace function address_roots_owed() returns table (size int, entry text) stable language sql security definer as $$
  select r.size, format('addresses|4|%s|%s|%s', ms_of(r.taken_at), r.size, encode(r.root, 'hex'))
  from address_roots r where r.entry_index is null order by r.size
$$;

-- Records the index of a root's log entry, in the transaction that appends it. Raises LOG_MOVED if this entry is not at that
-- index.
create or replace function address_root_logged(_size int, _index bigint) returns void language plpgsql security definer as $$
begin
  update address_roots r set entry_index = _index
  where r.size = _size and r.entry_index is null and exists (
    select from log_entries l join address_roots_owed() o on o.entry = l.body
    where l.index = _index and l.kind = log_kind('text') and o.size = _size);
  if not found then perform refuse('LOG_MOVED', format('the root of %s addresses does not stand at %s', _size, _index)); end if;
end $$;
