-- Chain deposits: payments to addresses of customers that the watcher (money/chains/chain-watcher.ts) reads from a node. Each
-- customer has one number, from a sequence, and on each chain the address that the extended public key of CHAINS_FILE derives for
-- it. Numbers and addresses are never assigned again, and are watched for ever. No key that can spend is here or on the server.
-- The lifecycle of a deposit is `chainDeposit` (packages/protocol/src/lifecycles.ts). A credited one has a row of
-- deposit_requests without a proof. Amounts are in smallest units of the asset; `value` is the number that the chain has. The
-- server reads the tables, and adds numbers and addresses. Functions write the rest. Lock order: the chain (advisory lock 7055)
-- or the deposit -> the balance -> the audit log, appended last.

create table chain_customers (
  number int generated always as identity (start with 1) primary key,
  customer_id bigint not null unique references customers
);

create table chain_addresses (
  -- The watcher reads those that are new by it.
  id bigint generated always as identity unique,
  chain text not null check (chain ~ '^[a-z][a-z0-9-]{0,29}$'),
  number int not null references chain_customers,
  address text not null check (length(address) between 1 and 200),
  created_at timestamptz not null default clock_timestamp(),
  primary key (chain, number),
  unique (chain, address)
);

-- The newest block that the watcher has seen and the one up to which it has looked at final blocks a second time.
create table chain_heads (
  chain text primary key,
  head bigint not null,
  final bigint not null,
  -- When a new block was seen, and when the watcher looked for one.
  seen_at timestamptz not null default clock_timestamp(),
  looked_at timestamptz not null default clock_timestamp()
);

-- The last block of each range that was read, from the newest final one on: where the chain replaced one, the range is read
-- again.
create table chain_blocks (
  chain text not null references chain_heads,
  height bigint not null check (height >= 0),
  hash text not null check (length(hash) between 1 and 100),
  primary key (chain, height)
);

create table chain_deposits (
  id bigint generated always as identity (start with 1000) primary key,
  -- Its place among the lines of the fund log until it is credited.
  line bigint not null unique default ledger.next_line(),
  chain text not null references chain_heads,
  txid text not null check (length(txid) between 1 and 100),
  -- The token's contract; empty for the chain's own coin.
  contract text not null check (length(contract) <= 100),
  address text not null,
  -- The sender's address; null where a payment has no single sender.
  sender text check (length(sender) between 1 and 100),
  -- The place among the transaction's payments of this token to this address. The number of a log in its block is another one
  -- when another block has the transaction.
  position int not null check (position >= 0),
  value numeric(78) not null check (value >= 0),
  -- Null for a token that the house does not take.
  asset_id smallint references ledger.assets,
  -- Null where it is less than the smallest unit, or more than a balance can be.
  amount bigint check (amount > 0),
  -- The block that has it; null while none has.
  height bigint,
  hash text,
  state text not null check (lifecycles() -> 'chainDeposit' ? state),
  -- Why it is held or unmatched.
  reason text check (reason in ('token', 'zero', 'amount', 'fee', 'channel', 'minimum', 'known', 'excluded', 'closed',
    'review')),
  request_id bigint unique references deposit_requests,
  -- Of a credited amount whose block was replaced: the part that the ledger has taken back. The rest is a debt.
  taken bigint not null default 0 check (taken between 0 and coalesce(amount, 0)),
  -- The number of movements that took back, or gave back what was taken.
  moves int not null default 0,
  seen_at timestamptz not null default clock_timestamp(),
  changed_at timestamptz not null default clock_timestamp(),
  foreign key (chain, address) references chain_addresses (chain, address),
  unique (chain, txid, contract, address, position, value),
  check ((height is null) = (hash is null)),
  check (case state when 'seen' then height is null when 'confirming' then height is not null when 'final' then height is not null
    else true end),
  check (state not in ('credited', 'final') or (request_id is not null and taken = 0)),
  check ((state in ('unmatched', 'held')) = (reason is not null))
);

create index chain_deposits_by_address on chain_deposits (chain, address, id);
create index chain_deposits_open on chain_deposits (chain, id) where state <> 'final';
-- Finds a transaction in the references that staff write, however they write it.
create index chain_deposits_by_txid on chain_deposits (lower(right(txid, 64)));
create index chain_deposits_for_staff on chain_deposits (id) where state in ('unmatched', 'held', 'reverted');

-- ## Functions

create or replace trigger chain_deposits_lifecycle before update on chain_deposits
  for each row execute function keep_lifecycle('chainDeposit', 'state');

-- The customer reads in the inbox of a payment that is not credited; not of worthless tokens and payments of nothing.
create or replace function chain_deposits_tell() returns trigger language plpgsql as $$
begin
  perform notice_add(chain_customer(new.chain, new.address), 'deposit.' || new.state,
    jsonb_build_object('asset', new.asset_id, 'amount', new.amount::text));
  return null;
end $$;

create or replace trigger chain_deposits_tell after insert or update of state on chain_deposits for each row
  when (new.state in ('unmatched', 'held') and new.amount is not null and new.reason is distinct from 'known')
  execute function chain_deposits_tell();

-- Begins to watch a chain at a block; a later call changes nothing.
create or replace function chain_begin(_chain text, _height bigint, _hash text) returns void
language sql security definer set search_path = public, pg_temp as $$
  with begun as (
    insert into chain_heads (chain, head, final) values (_chain, _height, _height) on conflict do nothing returning chain
  ), chain as (select chain from begun)
  insert into chain_blocks (chain, height, hash) select chain, _height, _hash from chain
$$;

-- Records that the blocks after `_after` up to `_to` were read, and the payments that they have. Returns false, and records
-- nothing, where `_after` is not the last block that was read: another watcher was faster.
create or replace function chain_read(_chain text, _after bigint, _after_hash text, _to bigint, _hash text, _network text,
  _payments jsonb) returns boolean language plpgsql security definer as $$
begin
  perform pg_advisory_xact_lock(7055, hashtext(_chain));
  if (_after, _after_hash) is distinct from
    (select (b.height, b.hash) from chain_blocks b where b.chain = _chain order by b.height desc limit 1) then
    return false;
  end if;
  perform chain_find(_chain, _network, p) from jsonb_array_elements(_payments) p;
  insert into chain_blocks (chain, height, hash) values (_chain, _to, _hash);
  update chain_heads set head = _to, seen_at = clock_timestamp() where chain = _chain;
  return true;
end $$;

-- The chain has replaced its blocks above `_height`: what they had is in no block until it is found again. Raises INVALID_VALUE
-- below the final blocks, because those are never replaced.
create or replace function chain_rewind(_chain text, _height bigint) returns void language plpgsql security definer as $$
begin
  perform pg_advisory_xact_lock(7055, hashtext(_chain));
  if _height < (select final from chain_heads where chain = _chain) then
    perform refuse('INVALID_VALUE', format('block %s of %s was final', _height, _chain));
  end if;
  delete from chain_blocks where chain = _chain and height > _height;
  update chain_deposits set height = null, hash = null, changed_at = clock_timestamp(),
    state = case state when 'confirming' then 'seen' else state end
  where chain = _chain and state <> 'final' and height > _height;
end $$;

-- Records the payments of final blocks, after a second look at them: it finds what a lagging node did not tell, and takes the
-- block from what is not there. Credited deposits of final blocks are final.
create or replace function chain_finalise(_chain text, _final bigint, _hash text, _network text, _payments jsonb) returns void
language plpgsql security definer as $$
declare
  _before bigint;
begin
  perform pg_advisory_xact_lock(7055, hashtext(_chain));
  select final into strict _before from chain_heads where chain = _chain;
  if _final > _before then
    perform chain_find(_chain, _network, p) from jsonb_array_elements(_payments) p;
    update chain_deposits d set height = null, hash = null, changed_at = clock_timestamp(),
      state = case d.state when 'confirming' then 'seen' else d.state end
    where d.chain = _chain and d.state <> 'final' and d.height > _before and d.height <= _final
      and not exists (select from jsonb_array_elements(_payments) p where p ->> 'txid' = d.txid and p ->> 'hash' = d.hash);
    update chain_heads set final = _final where chain = _chain;
    -- The block that a reorganisation goes back to at most.
    insert into chain_blocks (chain, height, hash) values (_chain, _final, _hash) on conflict do nothing;
    delete from chain_blocks where chain = _chain and height < _final;
  end if;
  update chain_heads set looked_at = clock_timestamp() where chain = _chain;
  update chain_deposits d set state = 'final', changed_at = clock_timestamp()
  where d.chain = _chain and d.state = 'credited' and d.height <= greatest(_before, _final);
end $$;

-- Records one payment, or the block that has it now. An address keeps at most 100 payments that are no deposits: anybody can send
-- worthless tokens. Only the functions above call it.
create or replace function chain_find(_chain text, _network text, _p jsonb) returns void language plpgsql as $$
declare
  _d chain_deposits := jsonb_populate_record(null::chain_deposits, _p);
begin
  if not exists (select from chain_addresses a where a.chain = _chain and a.address = _d.address) then return; end if;
  _d.reason := case when _d.asset_id is null then 'token' when _d.value = 0 then 'zero' when _d.amount is null then 'amount'
    else (select case when c.id is null then 'channel' when _d.amount < (channel_best(c.id)).min then 'minimum' end
      from (select) one left join chain_channel(_d.asset_id, _network) c on true) end;
  update chain_deposits d set height = _d.height, hash = _d.hash, changed_at = clock_timestamp(),
    state = case when d.state = 'reverted' and d.request_id is null and _d.reason is not null then 'unmatched'
      when d.state in ('seen', 'reverted') then 'confirming' else d.state end,
    reason = case when d.state = 'reverted' and d.request_id is null then _d.reason else d.reason end
  where (d.chain, d.txid, d.contract, d.address, d.position, d.value)
    = (_chain, _d.txid, _d.contract, _d.address, _d.position, _d.value)
    and d.hash is distinct from _d.hash and d.state <> 'final';
  if found or _d.reason is not null and (select count(*) from chain_deposits d
    where d.chain = _chain and d.address = _d.address and d.state = 'unmatched') >= 100 then return; end if;
  insert into chain_deposits (chain, txid, contract, address, sender, position, value, asset_id, amount, height, hash, state,
    reason)
  values (_chain, _d.txid, _d.contract, _d.address, _d.sender, _d.position, _d.value, _d.asset_id, _d.amount, _d.height, _d.hash,
    case when _d.reason is null then 'confirming' else 'unmatched' end, _d.reason)
  on conflict do nothing;
  if found then perform chain_tell(_chain, _d.address); end if;
end $$;

-- The channel of an asset on a network: an enabled one, or one that was, because what is sent late is still the customer's.
create or replace function chain_channel(_asset smallint, _network text) returns setof deposit_channels
language sql stable rows 1 set search_path = public, pg_temp as $$
  select * from current_channels() c where c.asset_id = _asset and c.network = _network order by c.is_enabled desc, c.id limit 1
$$;

create or replace function chain_customer(_chain text, _address text) returns bigint
language sql stable set search_path = public, pg_temp as $$
  select c.customer_id from chain_addresses a join chain_customers c using (number)
  where a.chain = _chain and a.address = _address
$$;

-- Tells the customer's screens that something of theirs has changed.
create or replace function chain_tell(_chain text, _address text) returns void
language sql set search_path = public, pg_temp as $$
  select tell('orders', chain_customer(_chain, _address) || ':0')
$$;

-- The amount that a customer may trade with and not withdraw: deposits that are not final, and debts of such that were taken
-- back.
create or replace function chain_unsettled(_customer bigint, _asset smallint) returns bigint
language sql stable set search_path = public, pg_temp as $$
  select coalesce(sum(d.amount - d.taken), 0)::bigint from chain_customers c
  join chain_addresses a using (number) join chain_deposits d on d.chain = a.chain and d.address = a.address
  where c.customer_id = _customer and d.asset_id = _asset and d.request_id is not null and d.state <> 'final'
$$;

-- Credits a deposit that has its confirmations, or gives back what was taken when its block was replaced. It is held while its
-- customer may not deposit, and unmatched where staff have credited the same payment.
create or replace function chain_credit(_id bigint, _network text) returns void language plpgsql security definer as $$
declare
  _d chain_deposits;
  _customer bigint;
  _channel deposit_channels;
  _reason text;
  _key text;
begin
  select * into _d from chain_deposits where id = _id for update;
  if (_d.state in ('confirming', 'held') and _d.height is not null) is not true then return; end if;
  -- A vendor mostly answers within seconds, and its customer needs no message before.
  if _d.sender is not null and _d.seen_at > clock_timestamp() - interval '1 minute' and vendor_waits('sender', _id) then
    return;
  end if;
  _customer := chain_customer(_d.chain, _d.address);
  _key := reference_key(right(_d.txid, 64));
  -- Staff who credit by hand hold this lock, too.
  perform ledger.lock_balances(array[_customer], array[_d.asset_id]);
  select * into _channel from chain_channel(_d.asset_id, _network);
  select case when _d.request_id is not null then null
    when exists (select from deposit_requests r where r.asset_id = _d.asset_id and r.status = 'success' and r.proof_id is not null
        and reference_key(r.evidence) in (_key, reference_key(_d.txid)))
      or exists (select from deposit_requests r where r.asset_id = _d.asset_id and r.status = 'success' and r.proof_id is not null
        and r.customer_id = _customer and position(_key in reference_key(r.evidence)) > 0) then 'known'
    when c.closed_at is not null or c.erased_at is not null then 'closed'
    when p.document_until > clock_timestamp() and c.real_status <> 'verified' then 'excluded'
    when sender_listed(_d, _customer) then 'review' end into _reason
  from customers c left join protected_customers p on p.customer_id = c.id where c.id = _customer;
  if _reason is not null then
    update chain_deposits set state = case _reason when 'known' then 'unmatched' else 'held' end, reason = _reason,
      changed_at = clock_timestamp() where id = _id and reason is distinct from _reason;
    return;
  end if;
  if _d.request_id is null then
    _d.request_id := chain_request(_d, _customer, _channel);
  elsif _d.taken > 0 then
    perform chain_move(_d, _customer, _d.taken);
  end if;
  update chain_deposits set state = 'credited', reason = null, request_id = _d.request_id, taken = 0,
    changed_at = clock_timestamp()
  where id = _id;
  perform tell('orders', _customer || ':0');
end $$;

-- Leaves a payment to staff that would have been credited.
create or replace function chain_refuse(_id bigint, _reason text) returns void
language sql security definer set search_path = public, pg_temp as $$
  update chain_deposits set state = 'unmatched', reason = _reason, changed_at = clock_timestamp()
  where id = _id and state in ('confirming', 'held') and request_id is null;
  select chain_tell(d.chain, d.address) from chain_deposits d where d.id = _id
$$;

-- Books the credit, and its row among the customer's deposits.
create or replace function chain_request(_d chain_deposits, _customer bigint, _channel deposit_channels) returns bigint
language plpgsql as $$
declare
  _id bigint := nextval(pg_get_serial_sequence('deposit_requests', 'id'));
  _hash bytea := content_hash(jsonb_build_object('chain', _d.chain, 'txid', _d.txid, 'contract', _d.contract,
    'address', _d.address, 'position', _d.position, 'value', _d.value));
  _transfer bigint := ledger.deposit('deposit:' || _id, _hash, _customer, _d.asset_id, _d.amount, 0, _id);
begin
  insert into deposit_requests (id, customer_id, key_hash, channel_id, channel_version, asset_id, amount, fee, found_amount,
    evidence, status, decided_at, transfer_id)
  overriding system value values (_id, _customer, _hash, _channel.id, _channel.version, _d.asset_id, _d.amount, 0, _d.amount,
    -- A transaction may have several payments.
    _d.txid || case when exists (select from deposit_requests r where r.asset_id = _d.asset_id and r.status = 'success'
      and reference_key(r.evidence) = reference_key(_d.txid)) then ' ' || _d.id else '' end,
    'success', clock_timestamp(), _transfer);
  insert into request_events (kind, request_id, step, actor, from_status, to_status)
  values ('deposit', _id, 'submitted', 'house', null, 'review'), ('deposit', _id, 'credited', 'house', 'review', 'success');
  perform notice_add(_customer, 'deposit.success', jsonb_build_object('id', _id::text, 'asset', _d.asset_id,
    'amount', _d.amount::text, 'claimed', _d.amount::text));
  return _id;
end $$;

-- Moves an amount back to the outside (below zero), or in again.
create or replace function chain_move(_d chain_deposits, _customer bigint, _amount bigint) returns void language plpgsql as $$
begin
  perform ledger.correct(format('chain:%s:%s', _d.id, _d.moves + 1),
    content_hash(jsonb_build_object('deposit', _d.request_id, 'move', _d.moves + 1, 'amount', _amount)),
    _customer, _d.asset_id, _amount, _d.request_id, 'revert');
  update chain_deposits set moves = moves + 1 where id = _d.id;
end $$;

-- Takes back a deposit that no block has any more; of a credited one as much as is available, and the rest when more is.
create or replace function chain_take_back(_id bigint) returns void language plpgsql security definer as $$
declare
  _d chain_deposits;
  _customer bigint;
  _amount bigint;
begin
  select * into _d from chain_deposits where id = _id for update;
  if (_d.height is null and _d.state <> 'final') is not true then return; end if;
  _customer := chain_customer(_d.chain, _d.address);
  if _d.request_id is not null then
    select least(l.available, _d.amount - _d.taken) into _amount
    from ledger.lock_balances(array[_customer], array[_d.asset_id]) l;
    if _amount > 0 then perform chain_move(_d, _customer, -_amount); end if;
  end if;
  update chain_deposits set state = 'reverted', reason = null, taken = taken + coalesce(_amount, 0),
    changed_at = clock_timestamp()
  where id = _id;
  perform tell('orders', _customer || ':0');
  if _d.state = 'credited' then
    perform notice_add(_customer, 'deposit.reverted', jsonb_build_object('id', _d.request_id::text, 'asset', _d.asset_id,
      'amount', _d.amount::text));
    perform audit_append(null, 'deposit.reverted', 'deposit:' || _d.request_id,
      jsonb_build_object('chain', _d.chain, 'txid', _d.txid, 'taken', coalesce(_amount, 0)::text));
  end if;
end $$;
