-- Cosignatures of independent witnesses on checkpoints, and hand-overs of the log's keys. A row proves nothing by itself: a
-- verifier checks it with keys that the verifier chose. The server adds cosignatures through log_cosign; the owner adds
-- hand-overs.

-- The newest ones of each witness. Those of checkpoints that are kept stand in log_checkpoints, too.
create table log_cosignatures (
  size bigint not null references log_checkpoints on delete cascade,
  -- The name of the witness's key.
  witness text not null check (length(witness) between 1 and 200),
  -- The signature line of the note, with its line end.
  line text not null check (length(line) between 10 and 1000),
  received_at timestamptz not null default now(),
  primary key (size, witness)
);

create index log_cosignatures_by_witness on log_cosignatures (witness, size);

-- The `key` entries that `npm run admin -- rotate-signing-key` wrote into the log. They are copied here, so that they can be read
-- when the log's rows are archived.
create table log_keys (
  entry_index bigint primary key,
  entry text not null check (entry like 'key|4|%'),
  -- The verifier key of the old key.
  old_key text not null
);

-- ## Functions

-- Stores a cosignature if its checkpoint is stored, and keeps the newest 64 of each witness, about a minute, and for ever those
-- of checkpoints that are kept. The caller has verified the signature, and takes none of a checkpoint that is older than a
-- minute: a line would be added twice.
create or replace function log_cosign(_size bigint, _witness text, _line text) returns void language sql security definer as $$
  with added as (
    insert into log_cosignatures (size, witness, line)
    select c.size, _witness, _line from log_checkpoints c where c.size = _size
    on conflict do nothing returning size
  )
  update log_checkpoints c set cosigned = c.cosigned || _line from added where c.size = added.size and c.is_kept;
  delete from log_cosignatures where witness = _witness and size <= (
    select size from log_cosignatures where witness = _witness order by size desc offset 64 limit 1
  );
$$;
