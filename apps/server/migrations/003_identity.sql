-- Customers, their sessions and what proves who they are.
create table customers (
  id bigint generated always as identity (start with 1000) primary key,
  account text not null check (account ~ '^[A-Za-z][A-Za-z0-9_]{5,17}$'),
  nickname text not null check (length(nickname) between 1 and 20),
  password_hash text not null,
  level text not null default 'bronze' check (level in ('bronze', 'silver', 'gold', 'platinum')),
  real_status text not null default 'none' check (real_status in ('none', 'pending', 'verified', 'failed')),
  country text check (country ~ '^[A-Z]{2}$'),
  risk_accepted_at timestamptz,
  language text not null default 'zh' check (language in ('zh', 'tw', 'en')),
  watchlist text[] not null default '{}' check (cardinality(watchlist) <= 100),
  created_at timestamptz not null default now()
);
create unique index customers_by_account on customers (lower(account));
-- Placement asks for these of each batch; of nearly everybody there is nothing to know.
create index customers_above_bronze on customers (id) where level <> 'bronze';

create table sessions (
  token_hash bytea primary key check (octet_length(token_hash) = 32),
  customer_id bigint not null references customers,
  created_at timestamptz not null default now(),
  last_used_at timestamptz not null default now(),
  -- Until when money may move and credentials change without the password.
  fresh_until timestamptz not null,
  user_agent text not null,
  address inet
);
create index sessions_by_customer on sessions (customer_id);

create table recovery_codes (
  customer_id bigint not null references customers,
  code_hash bytea not null check (octet_length(code_hash) = 32),
  used_at timestamptz,
  primary key (customer_id, code_hash)
);

create table login_events (
  id bigint generated always as identity primary key,
  customer_id bigint not null references customers,
  at timestamptz not null default now(),
  is_success boolean not null,
  user_agent text not null,
  address inet
);
create index login_events_by_customer on login_events (customer_id, id);

-- Calls for help from before a login; they reach support.
create table recovery_requests (
  id bigint generated always as identity primary key,
  account text not null,
  contact text not null,
  text text not null,
  at timestamptz not null default now(),
  address inet
);

-- Counters of attempts; the layout is the limiter's.
create table throttles (
  key varchar(255) primary key,
  points integer not null default 0,
  expire bigint
);

-- How many orders each customer sent since the beginning of a second. Unlogged: after a crash everybody begins anew.
create unlogged table order_counts (
  customer_id bigint primary key,
  orders int not null,
  since timestamptz not null
) with (fillfactor = 50);
