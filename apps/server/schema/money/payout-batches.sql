-- Payout batches: approved withdrawals that are paid on a chain by transactions which the house's key signs offline. A cashier
-- prepares a batch, an approver agrees to exactly its content (proposal `payout_batch`; both compare its hash), the key signs it
-- on another machine, and the role `chain` sends the stored bytes. A server without the key can pay nothing.
-- Each withdrawal of a batch gets one nonce of the paying address, for ever. A replacement signs the same nonces again, with
-- higher fees: it pays the same withdrawals, or nothing (`cancels`). So of all that is ever signed for a nonce one transaction
-- confirms, and it pays this withdrawal once or not at all. An address whose key is lost is written off (`payout_is_unsigned`).
-- The lifecycle of a payout is `payout` (packages/protocol/src/lifecycles.ts).
-- On Bitcoin one transaction pays a whole batch. The address of its payouts is its first input, which each replacement spends and
-- no other batch has, and their nonces are the places of its outputs; `txid` ends with that place.
-- On TRON nonces only number an address's payouts. What pays once there is the expiration: no block takes an expired transaction.
-- A batch is replaced, and its payouts are given back, only after it has expired in a final block and no block has any of it
-- (`payout_expire`). The ids of its transactions follow from its content, signed or not.
-- `content` is what is signed (packages/protocol/src/money/payout-file.ts), and its hash is the proposal's. All numbers in it are
-- texts: fees in the chain's smallest unit per gas, `value` in the token's. `replaces` is a batch, or empty.
-- The server reads the tables, and functions write them. Lock order: the proposal -> the batch -> the requests, by id -> the
-- payout -> the balance -> staff -> the audit log, appended last.

create table payout_batches (
  -- The proposal that two people agreed to.
  id bigint primary key references proposals,
  chain text not null check (chain ~ '^[a-z][a-z0-9-]{0,29}$'),
  content jsonb not null,
  -- A batch is replaced once; its replacement may be, too.
  replaces bigint unique references payout_batches,
  signed_by bigint references staff,
  signed_at timestamptz,
  -- When it was found that its transactions are in no block and can't be any more.
  expired_at timestamptz,
  check ((signed_by is null) = (signed_at is null))
);

create table payouts (
  id bigint generated always as identity (start with 1000) primary key,
  chain text not null,
  -- Of the house; it pays.
  address text not null check (length(address) between 1 and 100),
  nonce bigint not null check (nonce >= 0),
  withdrawal_id bigint not null references withdrawal_requests,
  recipient text not null check (length(recipient) between 1 and 100),
  -- Of the token; empty for the chain's own coin.
  contract text not null check (length(contract) <= 100),
  value numeric(78) not null check (value > 0),
  state text not null default 'prepared' check (lifecycles() -> 'payout' ? state),
  -- The transaction that a block has, and the block.
  txid text,
  height bigint,
  hash text,
  -- Why it failed: the chain undid it, it was cancelled, something else used its nonce, or two people gave it back, because
  -- nobody signed it or it has expired.
  reason text check (reason in ('reverted', 'cancelled', 'lost', 'unsigned', 'expired')),
  changed_at timestamptz not null default clock_timestamp(),
  unique (chain, address, nonce),
  check (num_nulls(txid, height, hash) in (0, 3)),
  check ((state = 'failed') = (reason is not null)),
  check (state not in ('confirmed', 'paid') or txid is not null)
);

-- A withdrawal is in at most one payout that can still confirm.
create unique index payouts_of_withdrawal on payouts (withdrawal_id) where state <> 'failed';
create index payouts_by_withdrawal on payouts (withdrawal_id, id);
create index payouts_open on payouts (chain, nonce) where state not in ('paid', 'failed');

-- Each signed transaction, stored before it is sent. A batch has one for each of its outputs.
create table payout_signatures (
  batch_id bigint not null references payout_batches,
  payout_id bigint not null references payouts,
  txid text not null unique check (length(txid) between 1 and 100),
  raw text not null check (length(raw) between 1 and 10000),
  primary key (payout_id, batch_id)
);

-- Each paying address: the number of its transactions in final blocks, at the watcher's first look and at its last, and when
-- CHAINS_FILE last named it as the house's.
create table payout_accounts (
  chain text not null,
  address text not null,
  first_nonce bigint not null check (first_nonce >= 0),
  nonce bigint not null check (nonce >= first_nonce),
  named_at timestamptz not null default clock_timestamp(),
  seen_at timestamptz not null default clock_timestamp(),
  -- On TRON: the block up to which its transactions were read.
  height bigint,
  primary key (chain, address)
);

-- On TRON: transactions that a paying address has made, in final blocks.
create table payout_transactions (
  chain text not null,
  address text not null,
  txid text not null check (length(txid) between 1 and 100),
  primary key (chain, address, txid),
  foreign key (chain, address) references payout_accounts
);

-- ## Functions

create or replace trigger payouts_lifecycle before update on payouts
  for each row execute function keep_lifecycle('payout', 'state');

-- The first nonce of an address that no payout and no transaction in a final block has; null before the role `chain` has looked,
-- and for ever after the address was written off. An input of Bitcoin begins with the first output, once.
create or replace function payout_next_nonce(_chain text, _address text) returns bigint
stable language sql set search_path = public, pg_temp as $$
  select 0 where _address like '%:%' and not exists (select from payouts p where (p.chain, p.address) = (_chain, _address))
  union all
  select greatest(a.nonce, (select max(p.nonce) + 1 from payouts p where (p.chain, p.address) = (_chain, _address)))
  from payout_accounts a where _address not like '%:%' and (a.chain, a.address) = (_chain, _address) and not exists (
    select from payouts p where (p.chain, p.address, p.reason) = (_chain, _address, 'unsigned'))
$$;

-- Whether two people may say that a payout was not signed, because its key is lost: nothing that is signed is stored, its nonce
-- is free in final blocks, and CHAINS_FILE has not named its address for a day, while it named another one of this chain. Then
-- the house has written off what the address holds. Bytes that somebody signed all the same could pay from that alone. What
-- expires needs no such loss.
create or replace function payout_is_unsigned(_p payouts) returns boolean
stable language sql set search_path = public, pg_temp as $$
  select _p.state = 'prepared' and not exists (
    select from payout_batches b where b.chain = _p.chain and b.content ? 'expiration'
  ) and exists (
    select from payout_accounts a join payout_accounts n on n.chain = a.chain and n.named_at > a.named_at + interval '1 day'
    where (a.chain, a.address) = (_p.chain, _p.address) and a.nonce <= _p.nonce)
$$;

-- Whether nothing that was agreed to for a payout can be in a block any more: all of its batches have expired.
create or replace function payout_is_expired(_p payouts) returns boolean
stable language sql set search_path = public, pg_temp as $$
  select _p.state in ('prepared', 'sending', 'sent') and _p.txid is null and coalesce(bool_and(b.expired_at is not null), false)
  from payout_batches b where (b.chain, b.content ->> 'from') = (_p.chain, _p.address)
    and b.content -> 'outputs' @> jsonb_build_array(jsonb_build_object('nonce', _p.nonce::text))
$$;

-- A cashier prepares a batch: `_terms` are the content without `outputs`, and `_outputs` has {withdrawal, to, contract, decimals}
-- of each withdrawal that may be in it. Amounts and nonces are set here. A withdrawal that can't be paid now is left out, with
-- the name of the refusal. Returns the proposal; null if nothing is left. A new batch takes the place of one of this chain that
-- nobody has agreed to.
create or replace function payout_prepare(_staff bigint, _terms jsonb, _outputs jsonb, out id bigint, out left_out jsonb)
language plpgsql security definer as $$
declare
  _nonce bigint;
  _output record;
  _r withdrawal_requests;
  _made jsonb := '[]';
  _refused text;
  _value numeric;
  _asset text;
begin
  perform demand_usable(_staff, 'cashier');
  _nonce := payout_next_nonce(_terms ->> 'chain', _terms ->> 'from');
  if _nonce is null or exists (
    select from payouts p join payout_batches b on b.chain = p.chain and b.content ->> 'from' = p.address
    where (p.chain, p.reason, b.content ->> 'change') = (_terms ->> 'chain', 'unsigned', _terms ->> 'change')
  ) then
    perform refuse('PAYOUT_NO_NODE', format('no node has told a nonce of %s', _terms ->> 'from'));
  end if;
  left_out := '[]';
  for _output in select * from jsonb_to_recordset(_outputs) as o (withdrawal bigint, "to" text, contract text, decimals int)
    order by withdrawal loop
    select * into _r from withdrawal_requests w where w.id = _output.withdrawal for update;
    begin
      perform demand_sendable(_staff, _r);
      if not exists (select from crypto_addresses c where c.id = _r.destination_id and c.network = _terms ->> 'network') then
        perform refuse('ADDRESS_INVALID', format('withdrawal %s goes to another network', _r.id));
      end if;
      select a.code, (_r.amount - _r.fee) * 10::numeric ^ (_output.decimals - a.scale) into strict _asset, _value
      from ledger.assets a where a.id = _r.asset_id;
      if _value <> trunc(_value) then perform refuse('INVALID_AMOUNT', format('the token has no part of %s', _r.id)); end if;
      _made := _made || jsonb_build_object('nonce', (_nonce + jsonb_array_length(_made))::text, 'withdrawal', _r.id::text,
        'asset', _asset, 'to', _output."to", 'contract', _output.contract, 'decimals', _output.decimals::text,
        'value', trunc(_value)::text);
    exception when sqlstate 'FT000' then
      get stacked diagnostics _refused = constraint_name;
      left_out := left_out || jsonb_build_object('id', _output.withdrawal::text, 'reason', _refused);
    end;
  end loop;
  if _made <> '[]' then
    id := (payout_propose(_staff, _terms || jsonb_build_object('replaces', '', 'cancels', false, 'outputs', _made))).id;
  end if;
end $$;

create or replace function payout_propose(_staff bigint, _content jsonb) returns proposals language sql as $$
  select propose(_staff, 'payout_batch', _content ->> 'chain', _content, jsonb_build_object('chain', _content -> 'chain',
    'count', jsonb_array_length(_content -> 'outputs')), _replaces => true)
$$;

-- A cashier prepares a replacement of a batch, for what no block has yet: the same payments, or none of them (`_cancels`), with
-- other fees, and on TRON another time (`_terms`). Nodes take a replacement of a transaction from a tenth more on, in both fees.
create or replace function payout_replace(_staff bigint, _batch bigint, _cancels boolean, _terms jsonb)
returns bigint language plpgsql security definer as $$
declare
  _b payout_batches;
  _outputs jsonb;
begin
  perform demand_usable(_staff, 'cashier');
  _b := payout_batch_of(_batch);
  if exists (select from payout_batches r where r.replaces = _batch) then
    perform refuse('PAYOUT_REPLACED', format('batch %s was replaced', _batch));
  end if;
  if _b.content ? 'expiration' then
    if _b.expired_at is null then perform refuse('PAYOUT_NOT_EXPIRED', format('batch %s may still confirm', _batch)); end if;
  elsif (_terms ->> 'maxFee')::numeric < (_b.content ->> 'maxFee')::numeric * 1.1
    or (_terms ->> 'tip')::numeric < (_b.content ->> 'tip')::numeric * 1.1 then
    perform refuse('PAYOUT_FEE_BOUND', format('fees of batch %s are not a tenth higher', _batch));
  end if;
  _outputs := payout_outputs_open(_b);
  if _outputs is null then perform refuse('REQUEST_CLOSED', format('batch %s has nothing open', _batch)); end if;
  select jsonb_object_agg(key, value) into _terms from jsonb_each(_terms)
  where key in ('maxFee', 'tip', 'block', 'timestamp', 'expiration') and _b.content ? key;
  return (payout_propose(_staff, _b.content || _terms || jsonb_build_object('replaces', _batch::text, 'cancels', _cancels,
    'outputs', _outputs))).id;
end $$;

-- The outputs of a batch that no block has yet; null: none.
create or replace function payout_outputs_open(_b payout_batches) returns jsonb
stable language sql set search_path = public, pg_temp as $$
  select jsonb_agg(o order by n) from jsonb_array_elements(_b.content -> 'outputs') with ordinality e (o, n)
  join payouts p on (p.chain, p.address, p.nonce) = (_b.chain, _b.content ->> 'from', (o ->> 'nonce')::bigint)
  where p.state in ('prepared', 'sending', 'sent')
$$;

-- Locks and returns a batch that two people agreed to.
create or replace function payout_batch_of(_id bigint) returns payout_batches language plpgsql as $$
declare
  _b payout_batches;
begin
  select * into _b from payout_batches b where b.id = _id for update;
  if not found then perform refuse('REQUEST_NOT_FOUND', format('no batch %s', _id)); end if;
  return _b;
end $$;

-- Locks the requests. Raises unless each withdrawal may still be paid, and the nonces are still those of the content. Raises
-- CONTENT_CHANGED if it must be prepared again.
create or replace function check_payout_batch(_staff bigint, _p proposals) returns void language plpgsql as $$
declare
  _replaces constant bigint := nullif(_p.content ->> 'replaces', '');
  _r withdrawal_requests;
begin
  if (_p.content ->> 'expiration')::bigint <= extract(epoch from clock_timestamp()) * 1000 then
    perform refuse('CONTENT_CHANGED', format('batch %s has expired', _p.id));
  end if;
  if _replaces is not null then
    if _p.content -> 'outputs' is distinct from payout_outputs_open(payout_batch_of(_replaces))
      or exists (select from payout_batches r where r.replaces = _replaces) then
      perform refuse('CONTENT_CHANGED', format('what batch %s replaces has gone on', _p.id));
    end if;
    return;
  end if;
  if _p.content #>> '{outputs,0,nonce}' is distinct from payout_next_nonce(_p.subject, _p.content ->> 'from')::text then
    perform refuse('CONTENT_CHANGED', format('the nonces of batch %s are used', _p.id));
  end if;
  for _r in select w.* from withdrawal_requests w join jsonb_array_elements(_p.content -> 'outputs') o
    on w.id = (o ->> 'withdrawal')::bigint order by w.id for update of w loop
    perform demand_sendable(_staff, _r);
  end loop;
end $$;

-- Takes the withdrawals of the batch for paying.
create or replace function carry_out_payout_batch(_staff bigint, _p proposals) returns jsonb language plpgsql as $$
declare
  _replaces constant bigint := nullif(_p.content ->> 'replaces', '');
begin
  insert into payout_batches (id, chain, content, replaces) values (_p.id, _p.subject, _p.content, _replaces);
  if _replaces is null then
    perform take_payout(_staff, _p.proposed_by, (o ->> 'withdrawal')::bigint, 'batch', jsonb_build_object('batch', _p.id::text))
    from jsonb_array_elements(_p.content -> 'outputs') o;
    insert into payouts (chain, address, nonce, withdrawal_id, recipient, contract, value)
    select _p.subject, _p.content ->> 'from', (o ->> 'nonce')::bigint, (o ->> 'withdrawal')::bigint, o ->> 'to',
      o ->> 'contract', (o ->> 'value')::numeric
    from jsonb_array_elements(_p.content -> 'outputs') o;
  end if;
  return jsonb_build_object('chain', _p.subject, 'count', jsonb_array_length(_p.content -> 'outputs'));
end $$;

-- Keeps the signed transactions of a batch, one for each output in its order, before any is sent. The caller has checked that
-- each is what was approved, signed by the paying address. The same file again changes nothing; another one is refused.
create or replace function payout_sign(_staff bigint, _batch bigint, _content bytea, _txids text[], _raws text[]) returns void
language plpgsql security definer as $$
declare
  _b payout_batches;
begin
  perform demand_usable(_staff, 'cashier');
  _b := payout_batch_of(_batch);
  if content_hash(_b.content) <> _content then
    perform refuse('CONTENT_CHANGED', format('not the content of batch %s', _batch));
  end if;
  if _b.signed_at is not null then
    if _txids = array(select s.txid from payout_signatures s join payouts p on p.id = s.payout_id where s.batch_id = _batch
      order by p.nonce) then return; end if;
    perform refuse('PAYOUT_SIGNED', format('batch %s is signed', _batch));
  end if;
  if exists (select from payout_batches r where r.replaces = _batch) then
    perform refuse('PAYOUT_REPLACED', format('batch %s was replaced', _batch));
  end if;
  if _b.expired_at is not null then perform refuse('REQUEST_CLOSED', format('batch %s has expired', _batch)); end if;
  if cardinality(_txids) <> jsonb_array_length(_b.content -> 'outputs') or cardinality(_raws) <> cardinality(_txids) then
    perform refuse('PAYOUT_FILE_DIFFERS', format('another number of transactions than in batch %s', _batch));
  end if;
  perform from payouts p where (p.chain, p.address) = (_b.chain, _b.content ->> 'from') order by p.id for update;
  if exists (select from payouts p where (p.chain, p.address, p.reason) = (_b.chain, _b.content ->> 'from', 'unsigned')) then
    perform refuse('REQUEST_CLOSED', format('the key of batch %s is lost', _batch));
  end if;
  insert into payout_signatures (batch_id, payout_id, txid, raw)
  select _batch, p.id, _txids[n], _raws[n] from jsonb_array_elements(_b.content -> 'outputs') with ordinality e (o, n)
  join payouts p on (p.chain, p.address, p.nonce) = (_b.chain, _b.content ->> 'from', (o ->> 'nonce')::bigint);
  update payout_batches set signed_by = _staff, signed_at = clock_timestamp() where id = _batch;
  update payouts p set state = 'sending', changed_at = clock_timestamp()
  where p.state = 'prepared' and p.id in (select s.payout_id from payout_signatures s where s.batch_id = _batch);
  perform payout_tell(s.payout_id) from payout_signatures s where s.batch_id = _batch;
  perform audit_append(_staff, 'payout.sign', 'payout:' || _batch, jsonb_build_object('content', encode(_content, 'hex')));
end $$;

-- Tells the customer's screens that something of theirs has changed.
create or replace function payout_tell(_payout bigint) returns void
language sql set search_path = public, pg_temp as $$
  select tell('orders', w.customer_id || ':0') from payouts p join withdrawal_requests w on w.id = p.withdrawal_id
  where p.id = _payout
$$;

-- Records how many transactions final blocks have of a paying address, and whether CHAINS_FILE names it.
create or replace function payout_account_look(_chain text, _address text, _nonce bigint, _is_named boolean default true)
returns void
language sql security definer set search_path = public, pg_temp as $$
  insert into payout_accounts as a (chain, address, first_nonce, nonce, height)
  values (_chain, _address, _nonce, _nonce, (select h.final from chain_heads h where h.chain = _chain))
  on conflict (chain, address) do update set nonce = greatest(a.nonce, excluded.nonce), seen_at = clock_timestamp(),
    named_at = case when _is_named then clock_timestamp() else a.named_at end
$$;

-- Records the transactions of a paying address in the blocks after the last one that was read, up to a final one.
create or replace function payout_transactions_read(_chain text, _address text, _after bigint, _to bigint, _txids text[])
returns void language sql security definer set search_path = public, pg_temp as $$
  with account as (
    update payout_accounts a set height = _to where (a.chain, a.address, a.height) = (_chain, _address, _after)
      and _to <= (select h.final from chain_heads h where h.chain = _chain) returning a.chain, a.address
  )
  insert into payout_transactions (chain, address, txid)
  select chain, address, t from account cross join unnest(_txids) t on conflict do nothing
$$;

-- Records that a batch has expired: two nodes have a final block (`_height`) whose time is past its expiration, and none of the
-- transactions (`_txids`) of its open payouts. Raises INVALID_VALUE where the records or the clock contradict it.
create or replace function payout_expire(_batch bigint, _height bigint, _txids text[]) returns void
language plpgsql security definer as $$
declare
  _b payout_batches := payout_batch_of(_batch);
  _account payout_accounts;
  _open bigint[];
begin
  if _b.expired_at is not null then return; end if;
  perform from payouts p where (p.chain, p.address) = (_b.chain, _b.content ->> 'from') order by p.id for update;
  select * into _account from payout_accounts a where (a.chain, a.address) = (_b.chain, _b.content ->> 'from') for update;
  select array_agg(p.id) into _open from payouts p join jsonb_array_elements(payout_outputs_open(_b)) o
    on (p.chain, p.address, p.nonce) = (_b.chain, _b.content ->> 'from', (o ->> 'nonce')::bigint);
  if ((_b.content ->> 'expiration')::bigint < extract(epoch from clock_timestamp()) * 1000
    and _account.height >= _height and cardinality(_open) = cardinality(_txids)
    and not exists (select from payouts p where p.id = any (_open) and p.txid is not null)
    and not exists (select from payout_signatures s where s.batch_id = _batch and s.payout_id = any (_open)
      and s.txid <> all (_txids))
    and not exists (select from payout_transactions t where (t.chain, t.address) = (_account.chain, _account.address)
      and t.txid = any (_txids))) is not true then
    perform refuse('INVALID_VALUE', format('batch %s has not expired', _batch));
  end if;
  update payout_batches set expired_at = clock_timestamp() where id = _batch;
  perform audit_append(null, 'payout.expired', 'payout:' || _batch, jsonb_build_object('height', _height));
end $$;

-- Records that a node has taken what was signed.
create or replace function payout_sent(_id bigint) returns void language plpgsql security definer as $$
begin
  update payouts set state = 'sent', changed_at = clock_timestamp() where id = _id and state = 'sending';
  if found then perform payout_tell(_id); end if;
end $$;

-- Records the block that has a transaction of a payout; null: none has it any more. `_is_deep`: it has the chain's confirmations.
create or replace function payout_seen(_id bigint, _txid text, _height bigint, _hash text, _is_deep boolean) returns void
language plpgsql security definer as $$
begin
  perform demand_payout_signed(_id, _txid) where _txid is not null;
  update payouts p set txid = _txid, height = _height, hash = _hash, changed_at = clock_timestamp(),
    state = case when _is_deep then 'confirmed' when _txid is null and p.state = 'sending' then p.state else 'sent' end
  where p.id = _id and p.state in ('sending', 'sent', 'confirmed')
    and (p.txid, p.hash, p.state = 'confirmed') is distinct from (_txid, _hash, _is_deep);
  if found then perform payout_tell(_id); end if;
end $$;

create or replace function demand_payout_signed(_id bigint, _txid text) returns void language plpgsql as $$
begin
  if not exists (select from payout_signatures s where (s.payout_id, s.txid) = (_id, _txid)) then
    perform refuse('INVALID_VALUE', format('payout %s has no transaction %s', _id, _txid));
  end if;
end $$;

-- Ends a payout by what a final block has: its transaction paid (`_is_paid`), or the chain undid it. Without a transaction
-- something else used the nonce, as the account's final number says. One that cancels pays nothing. A failed one stays `sending`
-- as a withdrawal: two of the staff say what became of it (`payout_end`). Returns the state.
create or replace function payout_finish(_id bigint, _txid text, _height bigint, _hash text, _is_paid boolean) returns text
language plpgsql security definer as $$
declare
  _p payouts;
  _r withdrawal_requests;
  _reason text;
begin
  select w.* into strict _r from withdrawal_requests w join payouts p on p.withdrawal_id = w.id where p.id = _id for update of w;
  select * into strict _p from payouts where id = _id for update;
  if _p.state in ('paid', 'failed') then return _p.state; end if;
  if _txid is null then
    if not exists (select from payout_accounts a where (a.chain, a.address) = (_p.chain, _p.address) and a.nonce > _p.nonce) then
      perform refuse('INVALID_VALUE', format('the nonce of payout %s is free', _id));
    end if;
    _reason := 'lost';
  else
    perform demand_payout_signed(_id, _txid);
    if _height > (select final from chain_heads h where h.chain = _p.chain) then
      perform refuse('INVALID_VALUE', format('block %s of %s is not final', _height, _p.chain));
    end if;
    _reason := case when not _is_paid then 'reverted' when (select (b.content ->> 'cancels')::boolean from payout_signatures s
      join payout_batches b on b.id = s.batch_id where (s.payout_id, s.txid) = (_id, _txid)) then 'cancelled' end;
  end if;
  update payouts set state = case when _reason is null then 'paid' else 'failed' end, reason = _reason, txid = _txid,
    height = _height, hash = _hash, changed_at = clock_timestamp() where id = _id;
  if _reason is null then
    perform book_payout(null, _r, _txid);
    return 'paid';
  end if;
  perform payout_tell(_id);
  perform audit_append(null, 'payout.failed', 'withdrawal:' || _r.id,
    jsonb_strip_nulls(jsonb_build_object('reason', _reason, 'txid', _txid)));
  return 'failed';
end $$;
