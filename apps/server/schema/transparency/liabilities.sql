-- Liabilities: the sum that the house owes to all customers, proved once a day (UTC) for each asset (decision 107).
-- The proof is a Merkle sum tree over each customer's available + held + earning money. Its root is in the public log as
-- liabilities|4|date|timeMs|asset|total|rootHash|ledgerHead. The amounts are those of a head of the ledger (public_heads): of all
-- movements that it covers and of no others. The nodes are here, so that customers can get the path from their own leaf to the
-- root. The server only reads these tables. Trees are kept for 31 days, and roots for good.

create table liability_days (
  date date not null,
  asset_id smallint not null references ledger.assets,
  -- The head of the ledger whose movements the amounts are of, taken and logged on that day.
  head bigint not null references public_heads,
  -- The money of all customers at that head, in the smallest unit.
  total numeric(40) not null check (total >= 0),
  root bytea not null check (octet_length(root) = 32),
  -- When the head was taken.
  taken_at timestamptz not null,
  customers int not null check (customers >= 0),
  depth smallint not null check (depth between 1 and 40),
  -- The index of its log entry; null until the entry is appended.
  entry_index bigint unique,
  primary key (date, asset_id)
);

-- The leaf of each customer, at `place` in level 0. The nonce keeps others from guessing the content of a leaf.
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

-- A level of a tree, with 48 bytes for each node: 16 of the sum and 32 of the hash. Level 0 has the leaves.
create table liability_levels (
  date date not null,
  asset_id smallint not null,
  level smallint not null check (level between 0 and 40),
  nodes bytea not null,
  primary key (date, asset_id, level),
  foreign key (date, asset_id) references liability_days
);

-- Without compression a node can be read without the others.
alter table liability_levels alter column nodes set storage external;

-- ## Functions

-- Returns what is owed to each customer in one asset at a head of the ledger, where it is not zero: the balances of this snapshot
-- less all later movements.
create or replace function liabilities_at(_asset smallint, _head bigint) returns table (customer_id bigint, amount bigint)
stable language sql security definer as $$
  with later as materialized (
    select t.id from ledger.transfers t where t.xid >= (select upto from public_heads where number = _head)
  ), moved as (
    select p.owner_id, sum(p.amount * ((p.credit / 4 = p.owner_id)::int - (p.debit / 4 = p.owner_id)::int)) as amount
    from ledger.postings p
    where p.asset_id = _asset and p.owner_id >= 1000
      and p.transfer_id between (select min(id) from later) and (select max(id) from later)
      and p.transfer_id in (select id from later)
    group by 1
  )
  select b.owner_id, (b.available + b.held + b.earning - coalesce(m.amount, 0))::bigint
  from ledger.balances b left join moved m using (owner_id)
  where b.asset_id = _asset and b.available + b.held + b.earning <> coalesce(m.amount, 0)
$$;

-- Stores the tree of one asset, which the caller built, and compares it with the ledger in the same snapshot. Every customer to
-- whom money was owed at the head has a leaf of exactly that amount, there are no other leaves, and the total is the ledger's;
-- otherwise it raises INVALID_REASON. `_levels` begins with the leaves. It needs a transaction with isolation level repeatable
-- read.
create or replace function liabilities_keep(
  _date date, _asset smallint, _head bigint, _total numeric, _root bytea, _depth smallint, _customers bigint[], _places int[],
  _nonces bytea[], _amounts bigint[], _levels bytea[]
) returns void language plpgsql security definer as $$
begin
  if current_setting('transaction_isolation') <> 'repeatable read' then
    perform refuse('INVALID_REASON', 'what is owed is taken in one snapshot');
  end if;
  if not exists (select from liabilities_due() d where d.date = _date and d.asset_id = _asset and d.head = _head) then
    perform refuse('INVALID_REASON', 'what is owed is taken once a day, at the newest head of that day');
  end if;
  insert into liability_days (date, asset_id, head, taken_at, total, root, customers, depth)
  select _date, _asset, _head, h.taken_at, _total, _root, cardinality(_customers), _depth from public_heads h
  where h.number = _head;
  insert into liability_leaves (date, asset_id, customer_id, place, nonce, amount)
  select _date, _asset, l.customer_id, l.place, l.nonce, l.amount
  from unnest(_customers, _places, _nonces, _amounts) as l (customer_id, place, nonce, amount);
  insert into liability_levels (date, asset_id, level, nodes)
  select _date, _asset, l.level - 1, l.nodes from unnest(_levels) with ordinality as l (nodes, level);
  if exists (
    select from liabilities_at(_asset, _head) b
    full join (select * from liability_leaves l where l.date = _date and l.asset_id = _asset) l using (customer_id)
    where b.amount is distinct from l.amount
  ) or _total <> (select coalesce(sum(amount), 0) from liabilities_at(_asset, _head)) then
    perform refuse('INVALID_REASON', format('the tree of %s is not what the ledger owes', _date));
  end if;
end $$;

-- Returns the assets that have no tree for today (UTC), with the newest head that was taken today and is logged. There are none
-- before there is such a head.
create or replace function liabilities_due() returns table (date date, asset_id smallint, head bigint)
stable language sql security definer as $$
  select h.day, a.id, h.number from ledger.assets a cross join (
    select number, (now() at time zone 'utc')::date as day from public_heads
    where entry_index is not null and (taken_at at time zone 'utc')::date = (now() at time zone 'utc')::date
    order by number desc limit 1
  ) h
  where not exists (select from liability_days d where d.date = h.day and d.asset_id = a.id) order by a.id
$$;

-- Returns at most 16 roots that are not in the log yet, as texts of log entries.
create or replace function liabilities_owed() returns table (date date, asset_id smallint, entry text)
stable language sql security definer as $$
  select d.date, d.asset_id, format('liabilities|4|%s|%s|%s|%s|%s|%s', d.date, ms_of(d.taken_at),
    a.code, round(d.total * (10::numeric ^ (-a.scale)), a.scale), encode(d.root, 'hex'), encode(h.ledger_head, 'hex'))
  from liability_days d join ledger.assets a on a.id = d.asset_id join public_heads h on h.number = d.head
  where d.entry_index is null order by d.date, d.asset_id limit 16
$$;

-- Records the index of a root's log entry, in the transaction that appends it. Raises LOG_MOVED if this entry is not at that
-- index.
create or replace function liabilities_logged(_date date, _asset smallint, _index bigint) returns void
language plpgsql security definer as $$
begin
  update liability_days d set entry_index = _index
  where d.date = _date and d.asset_id = _asset and d.entry_index is null and exists (
    select from log_entries l join liabilities_owed() o on o.entry = l.body
    where l.index = _index and l.kind = log_kind('text') and o.date = _date and o.asset_id = _asset);
  if not found then perform refuse('LOG_MOVED', format('what is owed on %s does not stand at %s', _date, _index)); end if;
end $$;

-- Deletes trees that are older than 31 days. Their roots stay, here and in the log.
create or replace function liabilities_tidy() returns void language sql security definer as $$
  delete from liability_levels where date < (now() at time zone 'utc')::date - 31;
  delete from liability_leaves where date < (now() at time zone 'utc')::date - 31;
$$;
