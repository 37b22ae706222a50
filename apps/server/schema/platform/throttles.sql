-- Counters of attempts, for rate limits that all processes share. The server writes them through the package
-- rate-limiter-flexible, which defines the columns.

create table throttles (
  key varchar(255) primary key,
  points integer not null default 0,
  expire bigint
);
