-- Who leads a role that only one process may fill; a standby takes over when the beat stands still.
create table leases (
  name text primary key,
  epoch bigint not null default 0,
  beat bigint not null default 0,
  holder text
) with (fillfactor = 20);
