-- The start after this migration seals the secrets that are in clear (start.ts).
alter table feed_seeds alter column seed drop not null, add column sealed_secret bytea,
  add check (num_nonnulls(seed, sealed_secret) = 1);
