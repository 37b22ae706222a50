-- What is owed to customers, once a day: per asset a Merkle sum tree over available + held + earning of each, its root in the
-- public log (liabilities|1|date|asset|total|rootHash), its nodes here, so that each customer can be shown the way from their
-- own leaf up to it. Trees are kept for a month; roots for good.
create table liability_days (
  date date not null,
  asset_id smallint not null references ledger.assets,
  -- All customers' money in the smallest unit, at `taken_at`.
  total numeric(40) not null check (total >= 0),
  root bytea not null check (octet_length(root) = 32),
  taken_at timestamptz not null default now(),
  customers int not null check (customers >= 0),
  depth smallint not null check (depth between 1 and 40),
  -- Where it stands in the log; null: the log owes it.
  entry_index bigint unique,
  primary key (date, asset_id)
);

-- Whose leaf stands where. The nonce keeps everybody else from guessing.
create table liability_leaves (
  date date not null,
  asset_id smallint not null,
  customer_id bigint not null,
  place int not null check (place >= 0),
  nonce bytea not null check (octet_length(nonce) = 32),
  amount bigint not null check (amount >= 0),
  primary key (date, asset_id, customer_id),
  unique (date, asset_id, place),
  foreign key (date, asset_id) references liability_days
);

create index liability_leaves_by_customer on liability_leaves (customer_id, date);

-- A level of a tree: 48 bytes a node, 16 of the sum and 32 of the hash; level 0 are the leaves.
create table liability_levels (
  date date not null,
  asset_id smallint not null,
  level smallint not null check (level between 0 and 40),
  nodes bytea not null,
  primary key (date, asset_id, level),
  foreign key (date, asset_id) references liability_days
);

-- Never compressed, so that a node is read without the rest.
alter table liability_levels alter column nodes set storage external;

-- ## Functions

-- Keeps the tree of one asset. The caller made it from what it read; this holds it to the ledger: every customer who is owed
-- something has a leaf of exactly that, nobody else has one, and the total is that of the ledger, all in one snapshot.
create or replace function liabilities_keep(
  _date date, _asset smallint, _total numeric, _root bytea, _depth smallint, _customers bigint[], _places int[], _nonces bytea[],
  _amounts bigint[], _levels bytea[]
) returns void
language plpgsql security definer set search_path = public, pg_temp as $$
begin
  if current_setting('transaction_isolation') <> 'repeatable read' then
    perform refuse('INVALID_REASON', 'what is owed is taken in one snapshot');
  end if;
  if _date <> (now() at time zone 'utc')::date then
    perform refuse('INVALID_REASON', 'what is owed is taken on the day itself');
  end if;
  insert into liability_days (date, asset_id, total, root, customers, depth)
  values (_date, _asset, _total, _root, cardinality(_customers), _depth);
  insert into liability_leaves (date, asset_id, customer_id, place, nonce, amount)
  select _date, _asset, l.customer_id, l.place, l.nonce, l.amount
  from unnest(_customers, _places, _nonces, _amounts) as l (customer_id, place, nonce, amount);
  insert into liability_levels (date, asset_id, level, nodes)
  select _date, _asset, l.level - 1, l.nodes from unnest(_levels) with ordinality as l (nodes, level);
  if exists (
    select from ledger.balances b
    full join (select * from liability_leaves l where l.date = _date and l.asset_id = _asset) l on l.customer_id = b.owner_id
    where (b.asset_id is null or b.asset_id = _asset)
      and nullif(b.available + b.held + b.earning, 0) is distinct from l.amount
  ) or _total <> (select coalesce(sum(b.available + b.held + b.earning), 0) from ledger.balances b where b.asset_id = _asset) then
    perform refuse('INVALID_REASON', format('the tree of %s is not what the ledger owes', _date));
  end if;
end $$;

-- Which assets' trees of today are still to be made.
create or replace function liabilities_due() returns table (date date, asset_id smallint)
stable language sql security definer set search_path = public, pg_temp as $$
  select (now() at time zone 'utc')::date, a.id from ledger.assets a
  where not exists (
    select from liability_days d where d.date = (now() at time zone 'utc')::date and d.asset_id = a.id) order by a.id
$$;

-- What the log owes.
create or replace function liabilities_owed() returns table (date date, asset_id smallint, entry text)
stable language sql security definer set search_path = public, pg_temp as $$
  select d.date, d.asset_id, format('liabilities|1|%s|%s|%s|%s', d.date, a.code, round(d.total * (10::numeric ^ (-a.scale)), a.scale), encode(d.root, 'hex'))
  from liability_days d join ledger.assets a on a.id = d.asset_id where d.entry_index is null order by d.date, d.asset_id limit 16
$$;

-- It stands there now; said in the transaction of the append.
create or replace function liabilities_logged(_date date, _asset smallint, _index bigint) returns void
language plpgsql security definer set search_path = public, pg_temp as $$
begin
  update liability_days d set entry_index = _index
  where d.date = _date and d.asset_id = _asset and d.entry_index is null and exists (
    select from log_entries l join liabilities_owed() o on o.entry = l.body
    where l.index = _index and l.kind = 6 and o.date = _date and o.asset_id = _asset);
  if not found then perform refuse('LOG_MOVED', format('what is owed on %s does not stand at %s', _date, _index)); end if;
end $$;

-- Trees that are older than a month go; their roots stay, and stand in the log.
create or replace function liabilities_tidy() returns void
language sql security definer set search_path = public, pg_temp as $$
  delete from liability_levels where date < (now() at time zone 'utc')::date - 31;
  delete from liability_leaves where date < (now() at time zone 'utc')::date - 31;
$$;
