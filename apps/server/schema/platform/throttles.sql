-- Counters of attempts; the layout is the limiter's.
create table throttles (
  key varchar(255) primary key,
  points integer not null default 0,
  expire bigint
);
