-- Files of payments for a bank (pain.001): approved bank withdrawals that a cashier takes together, each by withdrawal_send with
-- the checks of a single payment. A payment is in one file only, and its end-to-end id names file and withdrawal. The file's
-- bytes are written from these rows and the sealed destinations, which never change; the hash proves that they are the same each
-- time. The server only reads the tables.

create table bank_files (
  id bigint generated always as identity (start with 100) primary key,
  -- The account that pays.
  channel_id bigint not null,
  channel_version int not null,
  made_by bigint not null references staff,
  made_at timestamptz not null default clock_timestamp(),
  -- {id, reason} of each withdrawal that failed a check: the reason is the name of a refusal.
  left_out jsonb not null,
  -- SHA-256 of the bytes. Null only within the transaction that makes the file.
  file_hash bytea check (octet_length(file_hash) = 32),
  foreign key (channel_id, channel_version) references deposit_channels (id, version)
);

create table bank_file_payments (
  file_id bigint not null references bank_files,
  withdrawal_id bigint not null references withdrawal_requests,
  -- As in withdrawal_requests while this payment counts: one that did not go out may be taken again, with another key.
  sending_key uuid not null unique,
  -- In the smallest unit, without the fee.
  amount bigint not null check (amount > 0),
  end_to_end text not null unique,
  primary key (file_id, withdrawal_id)
);

create index bank_file_payments_by_withdrawal on bank_file_payments (withdrawal_id);

-- ## Functions

-- Takes the approved withdrawals of a bank channel's currency for a file, the oldest first, a hundred at most. One that may not
-- be paid is left out with its reason, and the others are taken. `file` is null if none is left.
create or replace function bank_file_take(_staff bigint, _channel bigint, out file bigint, out left_out jsonb)
language plpgsql security definer as $$
declare
  _c deposit_channels;
  _r withdrawal_requests;
  _key uuid;
  _taken int := 0;
  _refused text;
begin
  perform demand_usable(_staff, 'cashier');
  select * into _c from current_channels() c where c.id = _channel and c.is_enabled and c.bank is not null;
  if not found then perform refuse('CHANNEL_NOT_FOUND', format('no bank channel %s', _channel)); end if;
  left_out := '[]';
  insert into bank_files (channel_id, channel_version, made_by, left_out) values (_channel, _c.version, _staff, '[]')
  returning id into file;
  -- All locks of requests come before the first entry of the audit log, so that nobody waits for this one in a circle.
  for _r in
    with locked as materialized (
      select w.* from withdrawal_requests w
      where w.status = 'approved' and w.asset_id = _c.asset_id
        and exists (select from destinations d where d.id = w.destination_id and d.kind = 'bank')
      order by w.id limit 500 for update of w)
    select * from locked order by id
  loop
    exit when _taken = 100;
    begin
      -- A file can't follow what the approvers agreed to in words.
      if _r.instructions <> '' then
        perform refuse('PAYOUT_INSTRUCTED', format('withdrawal %s has instructions', _r.id));
      end if;
      _key := withdrawal_send(_staff, _r.id, 'file');
      insert into bank_file_payments (file_id, withdrawal_id, sending_key, amount, end_to_end)
      values (file, _r.id, _key, _r.amount - _r.fee, format('FT-%s-%s', file, _r.id));
      _taken := _taken + 1;
    exception when sqlstate 'FT000' then
      get stacked diagnostics _refused = constraint_name;
      left_out := left_out || jsonb_build_object('id', _r.id::text, 'reason', _refused);
    end;
  end loop;
  if _taken = 0 then
    delete from bank_files where id = file;
    file := null;
    return;
  end if;
  update bank_files f set left_out = bank_file_take.left_out where f.id = file;
  perform audit_append(_staff, 'bank_file.take', 'bank_file:' || file, (
    select jsonb_build_object('channel', _channel, 'asset', _c.asset_id, 'count', count(*), 'amount', sum(p.amount)::text,
      'leftOut', jsonb_array_length(left_out)) from bank_file_payments p where p.file_id = file));
end $$;

-- Records the hash of the bytes, within the transaction that makes the file.
create or replace function bank_file_sealed(_staff bigint, _file bigint, _hash bytea) returns void
language plpgsql security definer as $$
begin
  perform demand_usable(_staff, 'cashier');
  update bank_files set file_hash = _hash where id = _file and made_by = _staff and file_hash is null;
  if not found then perform refuse('REQUEST_NOT_FOUND', format('no open file %s', _file)); end if;
end $$;

-- Lets the cashier who made a file download it, and writes this to the audit log. Raises BANK_FILE_OVER once a payment of it is
-- known not to have gone out: the bank would make the payment a second time.
create or replace function bank_file_open(_staff bigint, _file bigint) returns void language plpgsql security definer as $$
begin
  perform demand_usable(_staff, 'cashier');
  if not exists (select from bank_files where id = _file and made_by = _staff) then
    perform refuse('REQUEST_NOT_FOUND', format('staff %s made no file %s', _staff, _file));
  end if;
  perform from withdrawal_requests w join bank_file_payments p on p.withdrawal_id = w.id
  where p.file_id = _file order by w.id for share of w;
  if exists (select from bank_file_payments p join withdrawal_requests w on w.id = p.withdrawal_id
      where p.file_id = _file and w.sending_key is distinct from p.sending_key) then
    perform refuse('BANK_FILE_OVER', format('a payment of file %s did not go out', _file));
  end if;
  perform audit_append(_staff, 'bank_file.open', 'bank_file:' || _file, '{}');
end $$;

-- Books the payments of a file that a statement has as gone out and not as returned, each by its line's reference. One that can't
-- be booked is left out with its reason. Payments without a line wait.
create or replace function bank_file_book(_staff bigint, _file bigint, out booked int, out left_out jsonb)
language plpgsql security definer as $$
declare
  _p record;
  _refused text;
begin
  perform demand_usable(_staff, 'cashier');
  booked := 0;
  left_out := '[]';
  perform from withdrawal_requests w join bank_file_payments p on p.withdrawal_id = w.id
  where p.file_id = _file order by w.id for update of w;
  for _p in
    select w.id, min(l.evidence) as evidence
    from bank_file_payments p
    join withdrawal_requests w on w.id = p.withdrawal_id and w.sending_key = p.sending_key and w.status = 'sending'
    join statement_lines l on l.payment_id = p.end_to_end and l.asset_id = w.asset_id
    where p.file_id = _file
    group by w.id, p.amount having count(*) = 1 and min(l.amount) = -p.amount order by w.id
  loop
    begin
      perform withdrawal_paid(_staff, _p.id, _p.evidence);
      booked := booked + 1;
    exception when sqlstate 'FT000' then
      get stacked diagnostics _refused = constraint_name;
      left_out := left_out || jsonb_build_object('id', _p.id::text, 'reason', _refused);
    end;
  end loop;
end $$;
