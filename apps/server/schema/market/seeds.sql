-- The secret of the simulated feed for each UTC date. The log gets the secret's hash before the date and the secret after it, which
-- proves that the prices of the day were not steered. The server inserts secrets, and marks them as committed and as revealed.

create table feed_seeds (
  date date primary key,
  seed bytea not null check (octet_length(seed) = 32),
  is_committed boolean not null default false,
  is_revealed boolean not null default false
);
