-- The outbox: notices of changes for other processes, written in the transaction of the change. A notifier sends and deletes them
-- after the commit (platform/bus/notifier.ts), so that no transaction of a customer takes NOTIFY's lock, which is the whole
-- server's until the commit is confirmed. A notice only says that there is something to read. The table is unlogged: a crash
-- empties it, and a standby has none of its rows. The row of transaction 0 is missing then, and all processes read again. Where
-- nothing can be sent, one row that says so takes the place of too many.

create unlogged table outbox (
  xid xid8 not null default pg_current_xact_id(),
  channel text not null,
  payload text not null check (octet_length(payload) <= 7900),
  at timestamptz not null default now()
);

create index outbox_by_xid on outbox (xid);

insert into outbox (xid, channel, payload) values ('0', 'missed', '');

-- ## Functions

-- Tells other processes of a change once it is committed. platform/bus/channels.ts has the form of each channel's notices.
create or replace function tell(_channel text, _payload text) returns void language sql set search_path = public, pg_temp as $$
  insert into outbox (channel, payload) values (_channel, _payload)
$$;
