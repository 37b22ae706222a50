-- Leases: one row per process role that only one process may fill at a time. The holder keeps raising `beat`. A standby that sees
-- the beat stand still takes the lease and raises `epoch`, which ends the old holder's lease. `lost` counts how often the old
-- holder had not released it.
-- The server writes the rows (lease.ts). The lease of the log's writer is in log_head instead.

create table leases (
  name text primary key,
  epoch bigint not null default 0,
  beat bigint not null default 0,
  holder text,
  lost bigint not null default 0
) with (fillfactor = 20);
