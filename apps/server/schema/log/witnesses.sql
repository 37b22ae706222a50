-- Cosignatures of independent witnesses on checkpoints, and the hand-overs of the log's keys. Neither can make anything true: who
-- verifies holds each of them against keys of his own.
create table log_cosignatures (
  size bigint not null references log_checkpoints on delete cascade,
  -- The name of the witness's key.
  witness text not null check (length(witness) between 1 and 200),
  -- The line of the note, with its line end.
  line text not null check (length(line) between 10 and 1000),
  received_at timestamptz not null default now(),
  primary key (size, witness)
);

create index log_cosignatures_by_witness on log_cosignatures (witness, size);

-- What `npm run rotate-signing-key` wrote into the log, so that it is found also when the entries are in the archive.
create table log_keys (
  entry_index bigint primary key,
  entry text not null check (entry like 'key|1|%'),
  -- The verifier key that handed over.
  old_key text not null
);

-- ## Functions

-- Keeps a cosignature of a checkpoint that stands, and of each witness the newest 64: that is a quarter of an hour.
create or replace function log_cosign(_size bigint, _witness text, _line text) returns void
language sql security definer set search_path = public, pg_temp as $$
  insert into log_cosignatures (size, witness, line)
  select c.size, _witness, _line from log_checkpoints c where c.size = _size
  on conflict do nothing;
  delete from log_cosignatures where witness = _witness and size <= (
    select size from log_cosignatures where witness = _witness order by size desc offset 64 limit 1
  );
$$;
