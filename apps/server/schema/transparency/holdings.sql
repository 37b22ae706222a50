-- Holdings: what the house has on chains, once a day (UTC) for each token, at a final block after that day's liabilities were
-- taken. The log has it as
-- holdings|4|date|timeMs|asset|chain|chainId|contract|decimals|height|blockHash|deposits|address:units:signature,…
-- where `deposits` is at all addresses of customers together, and each other address is the house's own, with a signature of its
-- key (packages/proof/src/holdings.ts). Whoever has a node can ask it for the same numbers. The server only reads the table.

create table chain_holdings (
  date date not null,
  chain text not null references chain_heads,
  contract text not null check (contract ~ '^0x[0-9a-f]{40}$'),
  asset_id smallint not null references ledger.assets,
  chain_id bigint not null check (chain_id > 0),
  decimals smallint not null check (decimals between 0 and 36),
  height bigint not null check (height >= 0),
  hash text not null check (hash ~ '^0x[0-9a-f]{64}$'),
  -- In the token's smallest unit.
  deposits numeric(78) not null check (deposits >= 0),
  -- The house's own addresses, as the entry has them.
  own text not null check (length(own) <= 10000),
  taken_at timestamptz not null default clock_timestamp(),
  -- The index of its log entry; null until the entry is appended.
  entry_index bigint unique,
  primary key (date, chain, contract)
);

-- ## Functions

-- The day of the newest liabilities of an asset, if the holdings of this token were not taken since; else null.
create or replace function chain_holdings_due(_chain text, _contract text, _asset smallint) returns text
stable language sql security definer set search_path = public, pg_temp as $$
  select max(d.date)::text from liability_days d where d.asset_id = _asset and d.date = (now() at time zone 'utc')::date
    and not exists (select from chain_holdings h where (h.date, h.chain, h.contract) = (d.date, _chain, _contract))
$$;

-- Adds what a final block has. Another watcher may have been faster.
create or replace function chain_holdings_take(_date date, _chain text, _contract text, _asset smallint, _chain_id bigint,
  _decimals smallint, _height bigint, _hash text, _deposits numeric, _own text) returns void
language plpgsql security definer as $$
begin
  if _height > (select final from chain_heads where chain = _chain)
    or _date is distinct from chain_holdings_due(_chain, _contract, _asset)::date then return; end if;
  insert into chain_holdings (date, chain, contract, asset_id, chain_id, decimals, height, hash, deposits, own)
  values (_date, _chain, _contract, _asset, _chain_id, _decimals, _height, _hash, _deposits, _own) on conflict do nothing;
end $$;

create or replace function chain_holdings_entry(_h chain_holdings) returns text
stable language sql security definer set search_path = public, pg_temp as $$
  select concat_ws('|', 'holdings', 4, _h.date, ms_of(_h.taken_at), a.code, _h.chain, _h.chain_id, _h.contract, _h.decimals,
    _h.height, _h.hash, _h.deposits, _h.own)
  from ledger.assets a where a.id = _h.asset_id
$$;

-- Holdings that are not in the log yet, as texts of log entries.
create or replace function chain_holdings_owed() returns table (date date, chain text, contract text, entry text)
stable language sql security definer as $$
  select h.date, h.chain, h.contract, chain_holdings_entry(h) from chain_holdings h
  where h.entry_index is null order by h.taken_at, h.chain, h.contract limit 16
$$;

-- Records the index of an entry, in the transaction that appends it. Raises LOG_MOVED if this entry is not at that index.
create or replace function chain_holdings_logged(_date date, _chain text, _contract text, _index bigint) returns void
language plpgsql security definer as $$
begin
  update chain_holdings h set entry_index = _index
  where (h.date, h.chain, h.contract) = (_date, _chain, _contract) and h.entry_index is null and exists (
    select from log_entries l join chain_holdings_owed() o on o.entry = l.body
    where l.index = _index and l.kind = log_kind('text') and (o.date, o.chain, o.contract) = (_date, _chain, _contract));
  if not found then perform refuse('LOG_MOVED', format('what is held on %s does not stand at %s', _date, _index)); end if;
end $$;
