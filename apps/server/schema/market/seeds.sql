-- The secret of the simulated feed for each UTC date. The log gets the secret's hash before the date and the secret after it,
-- which proves that the prices of the day were not steered. The server inserts secrets, and marks them as committed and as
-- revealed. Secrets are sealed, because who knows that of today knows its prices (market/simulated/seed-book.ts).

create table feed_seeds (
  date date primary key,
  is_committed boolean not null default false,
  is_revealed boolean not null default false,
  -- Sealed with the key file, bound to the date.
  sealed_secret bytea not null
);
