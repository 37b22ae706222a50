-- The simulated feed's secret of each day. Committed in the log before the day, revealed after it.
create table feed_seeds (
  date date primary key,
  seed bytea not null check (octet_length(seed) = 32),
  is_committed boolean not null default false,
  is_revealed boolean not null default false
);
