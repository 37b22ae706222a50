-- The tables of version 0.2.0, made from schema/, which says what they are for.
create schema if not exists ledger;
create or replace function refuse(_name text, _message text, _detail text default '') returns void
language plpgsql set search_path = pg_catalog, pg_temp as $$
begin
  raise exception using errcode = 'FT000', message = _message, detail = _detail, constraint = _name;
end $$;
create or replace function languages() returns text[]
immutable language sql as $$ select array['zh', 'tw', 'en'] $$;
create or replace function is_localised(_texts jsonb, _most int) returns boolean
immutable language sql set search_path = public, pg_temp as $$
  select _texts ?& languages() and not exists (
    select from jsonb_each(_texts) where jsonb_typeof(value) <> 'string' or length(value #>> '{}') not between 1 and _most)
$$;
create or replace function ledger.next_line() returns bigint
language sql volatile as $$ select nextval(pg_get_serial_sequence('ledger.postings', 'id')) $$;
create or replace function side_of(_role text) returns text
immutable language sql set search_path = public, pg_temp as $$
  select case _role when 'administrator' then 'administration' when 'auditor' then 'audit' else 'work' end
$$;
create or replace function content_hash(_content jsonb) returns bytea
immutable language sql set search_path = public, pg_temp as $$ select sha256(convert_to(_content::text, 'UTF8')) $$;
create or replace function sealed_key(_sealed bytea) returns bytea immutable language sql as 'select substring(_sealed from 2 for 4)';
create or replace function withdrawal_min_cap(_asset smallint) returns bigint
immutable language sql set search_path = pg_catalog, pg_temp as $$
  select case _asset when 2 then 500000000 when 3 then 50000 when 4 then 1000000 when 5 then 20000000 end::bigint
$$;
create or replace function withdrawal_terms_hold(_asset smallint, _min bigint, _max bigint, _fee bigint) returns boolean
immutable language sql set search_path = public, pg_temp as $$
  select _fee >= 0 and _fee * 5 <= _min and _min <= _max and _min <= withdrawal_min_cap(_asset)
$$;
create or replace function reference_key(_reference text) returns text
immutable language sql set search_path = pg_catalog, pg_temp as $$ select lower(regexp_replace(_reference, '\s', '', 'g')) $$;
create or replace function rules_json(_entry text) returns jsonb
immutable language sql set search_path = public, pg_temp as $$
  select substring(_entry from '^rules\|2\|[^|]*\|[0-9]+\|[0-9]+\|[0-9a-f]{64}\|(.*)$')::jsonb
$$;
create or replace function earning_divisor() returns bigint immutable language sql as 'select 365000000::bigint';
create or replace function rates_of(_entry text) returns jsonb
immutable language sql set search_path = public, pg_temp as $$
  select coalesce(jsonb_object_agg(c ->> 'minutes', round((c ->> 'payoutRate')::numeric * 10000)::int), '{}')
  from jsonb_array_elements(rules_json(_entry) -> 'cycles') c
$$;
create table ledger.assets (
  id smallint primary key,
  code text not null unique check (code ~ '^[A-Z]{2,8}$'),
  scale smallint not null check (scale between 0 and 18),
  is_practice boolean not null
);
create table ledger.transfers (
  id bigint generated always as identity primary key,
  idempotency_key text not null unique check (length(idempotency_key) between 1 and 200),
  input_hash bytea not null check (octet_length(input_hash) = 32),
  kind text not null check (kind in ('resolve', 'reserve', 'practice', 'capital', 'deposit', 'hold', 'release', 'payout',
    'correction', 'earn_in', 'earn_out', 'interest')),
  created_at timestamptz not null default clock_timestamp(),
  xid xid8 not null default pg_current_xact_id()
);
create index transfers_by_xid on ledger.transfers (xid);
create table ledger.postings (
  id bigint generated always as identity,
  transfer_id bigint not null,
  owner_id bigint not null,
  asset_id smallint not null,
  debit bigint not null,
  credit bigint not null,
  amount bigint not null check (amount > 0),
  available_after bigint check (available_after >= 0),
  ref bigint not null,
  primary key (owner_id, id),
  check (debit <> credit)
);
create index postings_by_transfer on ledger.postings using brin (transfer_id);
create table ledger.balances (
  owner_id bigint not null check (owner_id >= 1000),
  asset_id smallint not null references ledger.assets,
  available bigint not null default 0 check (available >= 0),
  held bigint not null default 0 check (held >= 0),
  earning bigint not null default 0 check (earning >= 0),
  primary key (owner_id, asset_id)
) with (fillfactor = 70);
create table ledger.practice_resets (
  owner_id bigint not null,
  asset_id smallint not null references ledger.assets,
  day date not null,
  resets int not null check (resets >= 0),
  primary key (owner_id, asset_id)
) with (fillfactor = 70);
create table ledger.house_movements (
  transfer_id bigint not null,
  account bigint not null check (account < 4000),
  asset_id smallint not null,
  amount bigint not null,
  xid xid8 not null default pg_current_xact_id(),
  primary key (transfer_id, account, asset_id)
);
create index house_movements_by_xid on ledger.house_movements (xid);
create table ledger.house_balances (
  account bigint not null,
  asset_id smallint not null,
  balance bigint not null,
  primary key (account, asset_id)
);
create table ledger.house_watermark (
  only_row boolean primary key default true check (only_row),
  xid xid8 not null
);
insert into ledger.house_watermark (xid) values ('0'::xid8);
create table house_settings (
  only_row boolean primary key default true check (only_row),
  mode text not null default 'demo' check (mode in ('demo', 'live')),
  hold_seconds int not null default 60 check (hold_seconds >= 0),
  sums_from timestamptz not null default clock_timestamp(),
  check (mode = 'demo' or hold_seconds >= 86400)
);
insert into house_settings default values;
create table leases (
  name text primary key,
  epoch bigint not null default 0,
  beat bigint not null default 0,
  holder text
) with (fillfactor = 20);
create table throttles (
  key varchar(255) primary key,
  points integer not null default 0,
  expire bigint
);
create table customers (
  id bigint generated always as identity (start with 1000) primary key,
  account text not null check (account ~ '^[A-Za-z][A-Za-z0-9_]{5,17}$'),
  nickname text not null check (length(nickname) between 1 and 20),
  password_hash text not null,
  level text not null default 'bronze' check (level in ('bronze', 'silver', 'gold', 'platinum')),
  real_status text not null default 'none' check (real_status in ('none', 'pending', 'verified', 'failed')),
  country text check (country ~ '^[A-Z]{2}$'),
  risk_accepted_at timestamptz,
  language text not null default 'zh' check (language = any (languages())),
  watchlist text[] not null default '{}' check (cardinality(watchlist) <= 100),
  created_at timestamptz not null default now(),
  password_changed_at timestamptz,
  second_factor_changed_at timestamptz,
  erased_at timestamptz,
  has_second_factor boolean not null default false,
  secured_since timestamptz,
  closed_at timestamptz,
  factor_taken_at timestamptz
);
create unique index customers_by_account on customers (lower(account));
create index customers_above_bronze on customers (id) where level <> 'bronze';
create table login_events (
  id bigint generated always as identity primary key,
  customer_id bigint references customers,
  at timestamptz not null default now(),
  is_success boolean not null,
  user_agent text not null,
  address inet
);
create index login_events_by_customer on login_events (customer_id, id);
create index customers_rising on customers (secured_since) where secured_since is not null and level <> 'platinum';
create index login_events_of_nobody on login_events (at) where customer_id is null;
create index login_events_known_places on login_events (customer_id, at) where is_success;
create table staff (
  id bigint generated always as identity (start with 101) primary key,
  account text not null check (account ~ '^[A-Za-z][A-Za-z0-9_]{5,17}$'),
  display_name text not null check (length(display_name) between 1 and 40),
  person text not null check (person ~ '^[a-z0-9][a-z0-9._-]{0,39}$'),
  password_hash text not null,
  must_change_password boolean not null default true,
  is_active boolean not null default false,
  is_demo boolean not null default false,
  language text not null default 'zh' check (language = any (languages())),
  side text check (side in ('administration', 'audit', 'work')),
  created_at timestamptz not null default now(),
  created_by bigint references staff,
  unique (id, side)
);
create unique index staff_by_account on staff (lower(account));
create domain staff_role as text check (
  value in ('support', 'verification', 'cashier', 'approver', 'content', 'catalogue', 'auditor', 'administrator'));
create table staff_roles (
  staff_id bigint not null,
  role staff_role not null,
  side text not null generated always as (side_of(role)) stored,
  granted_at timestamptz not null default now(),
  granted_by bigint references staff,
  usable_from timestamptz not null,
  primary key (staff_id, role),
  foreign key (staff_id, side) references staff (id, side)
);
create table staff_second_factors (
  id bigint generated always as identity primary key,
  staff_id bigint not null references staff,
  kind text not null check (kind in ('totp', 'passkey')),
  label text not null check (length(label) between 1 and 40),
  sealed_secret bytea,
  last_step bigint,
  credential_id bytea unique,
  public_key bytea,
  counter bigint,
  transports text[],
  created_at timestamptz not null default now(),
  confirmed_at timestamptz,
  last_used_at timestamptz,
  check (case kind when 'totp' then sealed_secret is not null and credential_id is null
    else sealed_secret is null and credential_id is not null and public_key is not null and counter is not null end)
);
create index staff_second_factors_by_staff on staff_second_factors (staff_id);
create table staff_challenges (
  challenge text primary key,
  staff_id bigint not null references staff,
  purpose text not null check (purpose in ('register', 'assert')),
  expires_at timestamptz not null
);
create table staff_login_events (
  id bigint generated always as identity primary key,
  staff_id bigint not null references staff,
  at timestamptz not null default now(),
  is_success boolean not null,
  user_agent text not null,
  address inet
);
create index staff_login_events_by_staff on staff_login_events (staff_id, id);
create table staff_sessions (
  id bigint generated always as identity unique,
  token_hash bytea primary key check (octet_length(token_hash) = 32),
  staff_id bigint not null references staff,
  created_at timestamptz not null default now(),
  last_used_at timestamptz not null default now(),
  proved_until timestamptz not null,
  is_strong boolean not null,
  user_agent text not null,
  address inet
);
create index staff_sessions_by_staff on staff_sessions (staff_id);
create table staff_session_log (
  id bigint primary key,
  staff_id bigint not null,
  began_at timestamptz not null,
  ended_at timestamptz
);
create table audit_log (
  seq bigint primary key,
  entry text not null check (octet_length(entry) <= 16384),
  hash bytea not null unique check (octet_length(hash) = 32),
  at_ms bigint not null generated always as ((entry::jsonb ->> 'at')::bigint) stored,
  staff_id bigint generated always as ((entry::jsonb ->> 'staff')::bigint) stored,
  action text not null generated always as (entry::jsonb ->> 'action') stored,
  subject text not null generated always as (entry::jsonb ->> 'subject') stored
);
create index audit_log_by_staff on audit_log (staff_id, seq);
create index audit_log_by_subject on audit_log (subject, seq);
create table audit_head (
  only_row boolean primary key default true check (only_row),
  size bigint not null,
  hash bytea not null check (octet_length(hash) = 32)
);
create table audit_pending (
  id bigint generated always as identity primary key,
  staff_id bigint,
  action text not null check (action ~ '^[a-z][a-z0-9_.]{0,59}$'),
  subject text not null check (length(subject) <= 100),
  facts jsonb not null,
  session_id bigint
);
create table audit_runs (
  day date primary key,
  ended_at timestamptz not null default clock_timestamp(),
  findings jsonb not null check (jsonb_typeof(findings) = 'array' and jsonb_array_length(findings) <= 100)
);
insert into audit_head (size, hash) values (0, decode(repeat('00', 32), 'hex'));
create table four_eyes_rules (
  kind text primary key check (kind ~ '^[a-z][a-z_]{0,39}$'),
  edit_role staff_role,
  role staff_role not null,
  needed smallint not null check (needed between 0 and 3)
);
create table four_eyes_amounts (
  kind text not null references four_eyes_rules,
  asset_id smallint not null,
  above bigint not null check (above > 0),
  needed smallint not null check (needed between 1 and 3),
  primary key (kind, asset_id, above)
);
create table content_edits (
  id bigint generated always as identity primary key,
  kind text not null,
  subject_id bigint not null,
  content_hash bytea not null check (octet_length(content_hash) = 32),
  staff_id bigint not null references staff,
  person text not null,
  about_staff bigint references staff,
  at timestamptz not null default now(),
  session_id bigint
);
create index content_edits_by_subject on content_edits (kind, subject_id);
create table approvals (
  id bigint generated always as identity primary key,
  kind text not null,
  subject_id bigint not null,
  content_hash bytea not null check (octet_length(content_hash) = 32),
  edited_by bigint references staff,
  staff_id bigint not null references staff,
  person text not null,
  at timestamptz not null default now(),
  session_id bigint,
  unique (kind, subject_id, content_hash, person),
  check (edited_by <> staff_id)
);
insert into four_eyes_rules (kind, edit_role, role, needed) values
  ('staff_change', 'administrator', 'administrator', 1),
  ('deposit', 'cashier', 'approver', 0),
  ('deposit_differing', 'cashier', 'approver', 1),
  ('withdrawal', 'cashier', 'approver', 1),
  ('correction', 'cashier', 'approver', 1),
  ('channel', 'cashier', 'approver', 1),
  ('account_recovery', 'support', 'verification', 1),
  ('payout_table', 'catalogue', 'approver', 1),
  ('feed_rules', 'catalogue', 'approver', 1),
  ('earning_rate', 'catalogue', 'approver', 1);
insert into four_eyes_amounts (kind, asset_id, above, needed)
  select k.kind, a.id, a.above, k.needed
  from (values ('deposit', 1), ('deposit_differing', 2), ('withdrawal', 2), ('correction', 2)) as k (kind, needed)
  cross join (values (2, 5000000000), (3, 500000), (4, 10000000), (5, 200000000)) as a (id, above);
insert into four_eyes_rules (kind, edit_role, role, needed) values ('withdrawal_terms', 'cashier', 'approver', 1);
insert into four_eyes_rules (kind, edit_role, role, needed) values ('halt_lift', 'catalogue', 'approver', 1);
create table proposals (
  id bigint generated always as identity (start with 1000) primary key,
  kind text not null references four_eyes_rules,
  subject text check (length(subject) between 1 and 100),
  content jsonb not null check (length(content ->> 'note') between 1 and 500),
  content_hash bytea not null generated always as (content_hash(content)) stored,
  about_staff bigint references staff,
  customer_id bigint references customers,
  proposed_by bigint not null references staff,
  proposed_at timestamptz not null default clock_timestamp(),
  state text not null default 'proposed' check (state in ('proposed', 'done', 'refused')),
  decided_by bigint references staff,
  decided_at timestamptz,
  check ((state = 'proposed') = (decided_by is null) and (decided_by is null) = (decided_at is null)),
  check (state <> 'done' or (decided_by <> proposed_by and decided_by is distinct from about_staff)),
  check (about_staff <> proposed_by)
);
create unique index proposals_open on proposals (kind, subject) where state = 'proposed';
create index proposals_by_kind on proposals (kind, id);
create index proposals_done on proposals (kind, decided_at) where state = 'done';
create table staff_customers (
  person text not null,
  customer_id bigint not null references customers,
  declared_at timestamptz not null default now(),
  declared_by bigint not null references staff,
  primary key (person, customer_id)
);
create table products (
  id smallint primary key,
  symbol text not null unique check (symbol ~ '^[A-Z0-9]+(/[A-Z0-9]+)?$'),
  names jsonb not null check (is_localised(names, 60)),
  asset_class text not null check (asset_class in ('forex', 'energy', 'metal', 'index', 'stock', 'crypto')),
  decimals smallint not null check (decimals between 0 and 8),
  exposure_group text not null,
  position smallint not null
);
create unlogged table watched_products (
  product_id smallint primary key,
  until timestamptz not null
);
create table rules (
  id bigint primary key,
  product_id smallint not null references products,
  n bigint not null check (n > 0),
  hash bytea not null unique check (octet_length(hash) = 32),
  effective_ms bigint not null,
  entry text not null,
  proposal_id bigint references proposals,
  rates jsonb generated always as (rates_of(entry)) stored,
  delay_ms bigint generated always as ((rules_json(entry) ->> 'delayMs')::bigint) stored,
  open_within_ms bigint generated always as ((rules_json(entry) ->> 'openWithinMs')::bigint) stored,
  unique (product_id, n)
);
create unique index rules_by_proposal on rules (proposal_id, product_id) where proposal_id is not null;
create table rules_change_products (
  proposal_id bigint not null references proposals,
  product_id smallint not null references products,
  before_id bigint not null references rules,
  rules jsonb not null,
  primary key (proposal_id, product_id)
);
create table product_states (
  product_id smallint primary key references products,
  last_n bigint not null default 0,
  last_ms bigint not null default 0,
  tick_n bigint,
  tick_ms bigint,
  tick_price bigint check (tick_price > 0),
  tick_index bigint,
  gap_reason text check (gap_reason in ('quorum', 'clock', 'restart', 'session', 'halt', 'end')),
  gap_ms bigint,
  orders_from_ms bigint,
  rules_id bigint references rules
) with (fillfactor = 40);
create table candles (
  product_id smallint not null,
  period smallint not null check (period in (1, 5, 30, 1440)),
  time_ms bigint not null,
  open bigint not null,
  high bigint not null,
  low bigint not null,
  close bigint not null,
  volume bigint not null,
  turnover bigint not null,
  primary key (product_id, period, time_ms),
  check (low <= open and low <= close and high >= open and high >= close and low > 0)
) with (fillfactor = 50);
create table candle_histories (
  product_id smallint primary key references products,
  made_at timestamptz not null default now()
);
create table feed_seeds (
  date date primary key,
  seed bytea not null check (octet_length(seed) = 32),
  is_committed boolean not null default false,
  is_revealed boolean not null default false
);
create table tick_statistics (
  date date not null,
  product_id smallint not null references products,
  ticks bigint not null,
  holes bigint not null,
  primary key (date, product_id)
) with (fillfactor = 50);
create table source_statistics (
  date date not null,
  product_id smallint not null references products,
  source text not null,
  absent bigint not null,
  stale bigint not null,
  outliers bigint not null,
  lags bigint[] not null,
  primary key (date, product_id, source)
) with (fillfactor = 50);
create table log_entries (
  index bigint not null,
  time_ms bigint not null,
  n bigint,
  price bigint check (price > 0),
  low bigint,
  high bigint,
  rules_id bigint,
  product_id smallint,
  kind smallint not null check (kind between 1 and 5),
  is_current boolean,
  quotes bytea,
  body text,
  primary key (index),
  check (case when kind = 1 then price is not null and is_current is not null else num_nonnulls(low, high, is_current) = 0 end),
  check (num_nulls(low, high) = 2 or (is_current and low > 0 and low <= price and price <= high) is true),
  check (kind = 1 or body is not null),
  check (kind > 2 or (quotes is not null and rules_id is not null and n > 0 and product_id is not null))
) partition by range (index);
create index log_entries_by_product on log_entries (product_id, time_ms) where kind <= 2;
create table log_nodes (
  level smallint not null check (level in (8, 16, 24, 32, 40)),
  index bigint not null,
  hash bytea not null check (octet_length(hash) = 32),
  primary key (level, index)
);
create table log_bundles (
  number bigint primary key,
  body bytea not null
);
create table log_head (
  only_row boolean primary key default true check (only_row),
  origin text not null,
  begun_ms bigint not null,
  size bigint not null default 0,
  root bytea not null check (octet_length(root) = 32),
  peaks bytea not null default '',
  time_ms bigint not null default 0,
  offset_ms bigint not null default 0,
  last_batch bigint not null default 0,
  epoch bigint not null default 0,
  beat bigint not null default 0,
  holder text
) with (fillfactor = 20);
create table log_checkpoints (
  size bigint primary key,
  root bytea not null,
  time_ms bigint not null,
  note text not null
);
create index log_checkpoints_by_time on log_checkpoints (time_ms);
create table logged_batches (
  first_batch bigint primary key,
  last_batch bigint not null check (last_batch >= first_batch),
  entry_index bigint not null,
  time_ms bigint not null
);
create index logged_batches_by_time on logged_batches (time_ms);
alter table log_bundles alter column body set storage external;
create table public_heads (
  number bigint primary key check (number >= 1),
  taken_at timestamptz not null default clock_timestamp(),
  upto xid8 not null,
  ledger_head bytea not null check (octet_length(ledger_head) = 32),
  audit_size bigint not null check (audit_size >= 0),
  audit_head bytea not null check (octet_length(audit_head) = 32),
  entry_index bigint unique
);
create table log_cosignatures (
  size bigint not null references log_checkpoints on delete cascade,
  witness text not null check (length(witness) between 1 and 200),
  line text not null check (length(line) between 10 and 1000),
  received_at timestamptz not null default now(),
  primary key (size, witness)
);
create index log_cosignatures_by_witness on log_cosignatures (witness, size);
create table log_keys (
  entry_index bigint primary key,
  entry text not null check (entry like 'key|2|%'),
  old_key text not null
);
create table sessions (
  token_hash bytea primary key check (octet_length(token_hash) = 32),
  customer_id bigint not null references customers,
  created_at timestamptz not null default now(),
  last_used_at timestamptz not null default now(),
  fresh_until timestamptz not null,
  user_agent text not null,
  address inet,
  id bigint generated always as identity,
  proved_at timestamptz default now()
);
create index sessions_by_customer on sessions (customer_id);
create unique index sessions_by_id on sessions (id);
create table sessions_known_since (
  only_row boolean primary key default true check (only_row),
  at timestamptz not null default now()
);
create table session_log (
  id bigint primary key,
  customer_id bigint not null,
  began_at timestamptz not null,
  ended_at timestamptz
);
insert into sessions_known_since default values;
create table customer_second_factors (
  id bigint generated always as identity primary key,
  customer_id bigint not null references customers,
  kind text not null check (kind in ('totp', 'passkey')),
  label text not null check (length(label) between 1 and 40),
  sealed_secret bytea,
  last_step bigint,
  credential_id bytea unique,
  public_key bytea,
  counter bigint,
  transports text[],
  created_at timestamptz not null default now(),
  confirmed_at timestamptz,
  last_used_at timestamptz,
  check (case kind when 'totp' then sealed_secret is not null and credential_id is null
    else sealed_secret is null and credential_id is not null and public_key is not null and counter is not null end)
);
create index customer_second_factors_by_customer on customer_second_factors (customer_id);
create table customer_challenges (
  challenge text primary key,
  customer_id bigint not null references customers,
  purpose text not null check (purpose in ('register', 'assert')),
  expires_at timestamptz not null
);
create index customer_challenges_by_customer on customer_challenges (customer_id);
create table data_keys (
  id bytea primary key check (octet_length(id) = 4),
  added_at timestamptz not null default now(),
  retired_at timestamptz
);
create sequence personal_data_ids start with 10000;
create table uploads (
  id bigint primary key,
  customer_id bigint not null references customers,
  purpose text not null check (purpose in ('id_front', 'id_back', 'proof', 'chat')),
  file text unique check (file ~ '^[A-Za-z0-9_-]{32}$'),
  key_id bytea not null check (octet_length(key_id) = 4),
  width int not null check (width between 1 and 10000),
  height int not null check (height between 1 and 10000),
  bytes int not null check (bytes between 1 and 8000000),
  sha256 bytea not null check (octet_length(sha256) = 32),
  created_at timestamptz not null default now(),
  erased_at timestamptz,
  check ((file is null) = (erased_at is not null))
);
create index uploads_by_customer on uploads (customer_id, id);
create index uploads_by_key on uploads (key_id) where file is not null;
create table personal_data_views (
  id bigint generated always as identity primary key,
  staff_id bigint not null references staff,
  customer_id bigint not null references customers,
  what text not null check (what in ('identity', 'id_front', 'id_back', 'proof', 'bank_card', 'address', 'account', 'search', 'chat', 'recovery')),
  subject_id bigint,
  at timestamptz not null default clock_timestamp()
);
create index personal_data_views_by_customer on personal_data_views (customer_id, id);
create table data_exports (
  id bigint generated always as identity primary key,
  customer_id bigint not null references customers,
  at timestamptz not null default now()
);
create index data_exports_by_customer on data_exports (customer_id, at);
create table verifications (
  id bigint primary key,
  customer_id bigint not null references customers,
  state text not null default 'pending' check (state in ('pending', 'verified', 'failed')),
  sealed bytea,
  key_id bytea generated always as (sealed_key(sealed)) stored,
  document_index bytea check (octet_length(document_index) = 32),
  name_index bytea check (octet_length(name_index) = 32),
  is_restricted_country boolean not null,
  front_id bigint not null references uploads,
  back_id bigint references uploads,
  submitted_at timestamptz not null default now(),
  claimed_by bigint references staff,
  claimed_at timestamptz,
  decided_at timestamptz,
  decided_by bigint references staff,
  reason text check (reason in ('unreadable', 'mismatch', 'expired', 'incomplete', 'duplicate', 'restricted', 'suspicious', 'other')),
  note text check (length(note) between 1 and 500),
  check ((claimed_by is null) = (claimed_at is null)),
  check ((state = 'pending') = (decided_at is null) and (decided_at is null) = (decided_by is null)),
  check ((state = 'failed') = (reason is not null)),
  check (reason <> 'other' or note is not null),
  check (state = 'pending' or claimed_by is null),
  check (sealed is not null or document_index is null and name_index is null)
);
create unique index verifications_one_pending on verifications (customer_id) where state = 'pending';
create index verifications_by_customer on verifications (customer_id, id);
create index verifications_queue on verifications (submitted_at, id) where state = 'pending';
create index verifications_by_document on verifications (document_index);
create index verifications_by_name on verifications (name_index);
create index verifications_by_key on verifications (key_id);
create table verification_events (
  id bigint generated always as identity primary key,
  verification_id bigint not null references verifications,
  customer_id bigint not null,
  step text not null check (step in ('submitted', 'claimed', 'released', 'verified', 'failed', 'erased')),
  staff_id bigint references staff,
  reason text,
  note text,
  at timestamptz not null default clock_timestamp()
);
create index verification_events_of on verification_events (verification_id, id);
create table bank_cards (
  id bigint primary key,
  card_id bigint not null,
  customer_id bigint not null references customers,
  sealed bytea,
  key_id bytea generated always as (sealed_key(sealed)) stored,
  last4 text check (last4 ~ '^\d{4}$'),
  number_index bytea check (octet_length(number_index) = 32),
  changed_at timestamptz not null default now(),
  removed_at timestamptz,
  check (num_nulls(sealed, last4, number_index) in (0, 3)),
  check (sealed is not null or removed_at is not null)
);
create unique index bank_cards_live on bank_cards (customer_id, card_id) where removed_at is null;
create unique index bank_cards_once on bank_cards (customer_id, number_index) where removed_at is null;
create index bank_cards_by_number on bank_cards (number_index);
create index bank_cards_by_key on bank_cards (key_id);
create table crypto_addresses (
  id bigint primary key,
  customer_id bigint not null references customers,
  asset text not null check (asset in ('USDT', 'BTC', 'ETH')),
  network text not null check (network in ('TRC20', 'ERC20', 'Bitcoin', 'Ethereum')),
  sealed bytea,
  key_id bytea generated always as (sealed_key(sealed)) stored,
  address_index bytea check (octet_length(address_index) = 32),
  changed_at timestamptz not null default now(),
  removed_at timestamptz,
  check (case asset when 'USDT' then network in ('TRC20', 'ERC20') when 'BTC' then network = 'Bitcoin' else network = 'Ethereum' end),
  check (num_nulls(sealed, address_index) in (0, 2)),
  check (sealed is not null or removed_at is not null)
);
create unique index crypto_addresses_live on crypto_addresses (customer_id, asset) where removed_at is null;
create index crypto_addresses_by_address on crypto_addresses (address_index);
create index crypto_addresses_by_key on crypto_addresses (key_id);
create table pay_words (
  customer_id bigint primary key references customers,
  sealed bytea not null,
  key_id bytea generated always as (sealed_key(sealed)) stored,
  version int not null default 1,
  failures int not null default 0 check (failures between 0 and 5),
  locked_until timestamptz,
  changed_at timestamptz not null default now(),
  check ((locked_until is not null) = (failures = 5))
);
create table recovery_codes (
  customer_id bigint not null references customers,
  code_hash bytea not null check (octet_length(code_hash) = 32),
  used_at timestamptz,
  expires_at timestamptz,
  takes_factor boolean not null default false,
  created_at timestamptz not null default clock_timestamp(),
  primary key (customer_id, code_hash)
);
create table recovery_requests (
  id bigint generated always as identity primary key,
  account text not null,
  contact text not null,
  text text not null,
  at timestamptz not null default now(),
  address inet,
  proposal_id bigint references proposals,
  customer_id bigint references customers,
  decided_by bigint references staff,
  decided_at timestamptz,
  reason text check (reason in ('unknown_account', 'not_proven', 'unreachable', 'duplicate', 'withdrawn')),
  constraint recovery_decided check ((decided_by is null) = (decided_at is null)),
  constraint recovery_refused check (reason is null or decided_at is not null),
  constraint recovery_approved check (decided_at is null or reason is not null or proposal_id is not null),
  constraint recovery_proposed check ((proposal_id is null) = (customer_id is null))
);
create index recovery_requests_open on recovery_requests (id) where decided_at is null;
create table former_factors (
  id bigint primary key,
  customer_id bigint not null references customers,
  kind text not null,
  label text not null,
  sealed_secret bytea,
  last_step bigint,
  credential_id bytea,
  public_key bytea,
  counter bigint,
  transports text[],
  created_at timestamptz not null,
  confirmed_at timestamptz not null,
  last_used_at timestamptz,
  lost_at timestamptz not null
);
create index former_factors_by_customer on former_factors (customer_id);
create index former_factors_by_time on former_factors (lost_at);
create table former_codes (
  customer_id bigint not null references customers,
  code_hash bytea not null,
  created_at timestamptz not null,
  lost_at timestamptz not null,
  primary key (customer_id, code_hash)
);
create index former_codes_by_time on former_codes (lost_at);
create table former_passwords (
  id bigint generated always as identity primary key,
  customer_id bigint not null references customers,
  password_hash text not null,
  lost_at timestamptz not null
);
create index former_passwords_by_customer on former_passwords (customer_id);
create index former_passwords_by_time on former_passwords (lost_at);
create table protected_customers (
  customer_id bigint primary key references customers,
  closed_kind text check (closed_kind in ('break', 'exclusion')),
  closed_at timestamptz,
  closed_until timestamptz,
  reminder_minutes int check (reminder_minutes between 15 and 240),
  later_minutes int check (later_minutes between 15 and 240),
  later_at timestamptz,
  check (num_nulls(closed_kind, closed_at, closed_until) in (0, 3)),
  check (closed_until > closed_at),
  check (later_minutes is null or later_at is not null)
);
create table customer_limits (
  customer_id bigint not null references protected_customers,
  asset_id smallint not null references ledger.assets,
  kind text not null check (kind in ('deposit', 'stake', 'loss')),
  per text not null check (per in ('day', 'week', 'month')),
  amount bigint not null check (amount > 0),
  later_amount bigint check (later_amount > amount),
  later_at timestamptz,
  primary key (customer_id, asset_id, kind, per),
  check (later_amount is null or later_at is not null)
);
create table protection_events (
  id bigint generated always as identity primary key,
  customer_id bigint not null references customers,
  at timestamptz not null default clock_timestamp(),
  what text not null check (what in ('limit', 'reminder', 'break', 'exclusion')),
  facts jsonb not null
);
create index protection_events_by_customer on protection_events (customer_id, id);
create table traded_days (
  customer_id bigint not null,
  asset_id smallint not null,
  day_ms bigint not null check (day_ms % 86400000 = 0),
  staked numeric(40) not null default 0 check (staked >= 0),
  credited numeric(40) not null default 0 check (credited >= 0),
  primary key (customer_id, asset_id, day_ms)
) with (fillfactor = 50);
create table notices (
  id bigint generated always as identity primary key,
  customer_id bigint not null references customers,
  at timestamptz not null default clock_timestamp(),
  kind text not null check (kind ~ '^[a-z]+\.[a-zA-Z]+$'),
  parameters jsonb not null,
  read_at timestamptz
);
create index notices_by_customer on notices (customer_id, id);
create table deposit_channels (
  id bigint not null,
  version int not null check (version >= 1),
  asset_id smallint not null references ledger.assets,
  network text not null check (length(network) between 1 and 40),
  address text check (length(address) between 1 and 200),
  bank jsonb check (bank ?& array['bank', 'branch', 'holder', 'accountNumber']),
  min bigint not null check (min > 0),
  max bigint not null check (max >= min),
  presets bigint[] not null default '{}' check (cardinality(presets) <= 8),
  fee bigint not null default 0 check (fee >= 0),
  is_enabled boolean not null,
  created_at timestamptz not null default clock_timestamp(),
  primary key (id, version),
  check ((address is null) <> (bank is null)),
  check (fee * 5 <= min)
);
create table withdrawal_terms (
  asset_id smallint primary key references ledger.assets,
  min bigint not null,
  max bigint not null,
  fee bigint not null,
  check (withdrawal_terms_hold(asset_id, min, max, fee))
);
create table deposit_requests (
  id bigint generated always as identity (start with 1000) primary key,
  line bigint not null unique default ledger.next_line(),
  customer_id bigint not null references customers,
  key_hash bytea not null check (octet_length(key_hash) = 32),
  channel_id bigint not null,
  channel_version int not null,
  asset_id smallint not null references ledger.assets,
  amount bigint not null check (amount > 0),
  fee bigint not null check (fee >= 0),
  proof_id bigint not null unique,
  submitted_at timestamptz not null default clock_timestamp(),
  status text not null default 'review' check (status in ('review', 'success', 'failure', 'ignored')),
  found_amount bigint check (found_amount > 0),
  evidence text check (length(evidence) between 1 and 200),
  edited_by bigint,
  revision int not null default 0,
  reason text check (reason ~ '^[a-z_]{1,40}$'),
  reason_text text check (length(reason_text) between 1 and 500),
  decided_at timestamptz,
  transfer_id bigint,
  claimed_by bigint,
  claimed_until timestamptz,
  unique (customer_id, key_hash),
  foreign key (channel_id, channel_version) references deposit_channels (id, version),
  check ((status = 'review') = (decided_at is null)),
  check ((status = 'success') = (transfer_id is not null)),
  check (status <> 'success' or (found_amount > fee and evidence is not null)),
  check ((status in ('failure', 'ignored')) = (reason is not null)),
  check (reason <> 'other' or reason_text is not null),
  check (num_nulls(found_amount, evidence, edited_by) = case revision when 0 then 3 else 0 end),
  check ((claimed_by is null) = (claimed_until is null))
);
create index deposit_requests_by_customer on deposit_requests (customer_id, id);
create index deposit_requests_in_review on deposit_requests (id) where status = 'review';
create unique index deposit_requests_by_evidence on deposit_requests (asset_id, reference_key(evidence)) where status = 'success';
create index deposit_requests_credited_to on deposit_requests (customer_id, decided_at) where status = 'success';
create index deposit_requests_credited_by on deposit_requests (edited_by, decided_at) where status = 'success';
create table withdrawal_requests (
  id bigint generated always as identity (start with 1000) primary key,
  customer_id bigint not null references customers,
  key_hash bytea not null check (octet_length(key_hash) = 32),
  asset_id smallint not null references ledger.assets,
  amount bigint not null check (amount > 0),
  fee bigint not null check (fee >= 0 and fee < amount),
  destination_id bigint not null,
  destination_label text not null check (length(destination_label) between 1 and 80),
  submitted_at timestamptz not null default clock_timestamp(),
  status text not null default 'review' check (status in ('review', 'approved', 'success', 'failure', 'ignored')),
  instructions text check (length(instructions) <= 500),
  edited_by bigint,
  revision int not null default 0,
  reason text check (reason ~ '^[a-z_]{1,40}$'),
  reason_text text check (length(reason_text) between 1 and 500),
  reference text check (length(reference) between 1 and 200),
  approved_at timestamptz,
  decided_at timestamptz,
  hold_transfer_id bigint not null,
  transfer_id bigint,
  claimed_by bigint,
  claimed_until timestamptz,
  unique (customer_id, key_hash),
  check ((status in ('review', 'approved')) = (decided_at is null)),
  check ((decided_at is null) = (transfer_id is null)),
  check (case status when 'review' then approved_at is null when 'approved' then approved_at is not null
    when 'success' then approved_at is not null else true end),
  check ((status = 'success') = (reference is not null)),
  check ((status in ('failure', 'ignored')) = (reason is not null)),
  check (reason <> 'other' or reason_text is not null),
  check (num_nulls(instructions, edited_by) = case revision when 0 then 2 else 0 end),
  check (status not in ('approved', 'success') or revision > 0),
  check ((claimed_by is null) = (claimed_until is null))
);
create index withdrawal_requests_by_customer on withdrawal_requests (customer_id, id);
create index withdrawal_requests_open on withdrawal_requests (id) where status in ('review', 'approved');
create index withdrawal_requests_by_destination on withdrawal_requests (destination_id);
create unique index withdrawal_requests_by_reference on withdrawal_requests (asset_id, reference_key(reference)) where status = 'success';
create index withdrawal_requests_approved_to on withdrawal_requests (customer_id, approved_at) where status in ('approved', 'success');
create index withdrawal_requests_approved_by on withdrawal_requests (edited_by, approved_at) where status in ('approved', 'success');
create table request_events (
  id bigint generated always as identity primary key,
  kind text not null check (kind in ('deposit', 'withdrawal')),
  request_id bigint not null,
  at timestamptz not null default clock_timestamp(),
  step text not null check (step in ('submitted', 'found', 'proposed', 'approved', 'paid', 'credited', 'failed', 'ignored', 'cancelled',
    'lapsed')),
  actor text not null check (actor in ('customer', 'staff', 'house')),
  staff_id bigint,
  from_status text,
  to_status text not null,
  reason text,
  facts jsonb not null default '{}',
  session_id bigint,
  check ((actor = 'staff') = (staff_id is not null)),
  check ((step = 'submitted') = (from_status is null))
);
create index request_events_by_request on request_events (kind, request_id, id);
create table corrections (
  id bigint primary key references proposals,
  customer_id bigint not null references customers,
  asset_id smallint not null references ledger.assets,
  amount bigint not null check (amount <> 0),
  reason text not null check (length(reason) between 5 and 500),
  reversed_deposit_id bigint references deposit_requests,
  transfer_id bigint,
  constraint correction_reverses_down check (reversed_deposit_id is null or amount < 0)
);
create index corrections_by_customer on corrections (customer_id, id);
create unique index corrections_reverse_once on corrections (reversed_deposit_id) where transfer_id is not null;
create table statement_lines (
  id bigint generated always as identity primary key,
  line_hash bytea not null unique check (octet_length(line_hash) = 32),
  asset_id smallint not null references ledger.assets,
  booked_on date not null,
  amount bigint not null check (amount <> 0),
  reference text not null check (length(reference) between 1 and 200),
  counterparty text not null check (length(counterparty) <= 200),
  imported_by bigint not null references staff,
  imported_at timestamptz not null default clock_timestamp()
);
create index statement_lines_by_amount on statement_lines (asset_id, amount);
create table reconciliations (
  id bigint generated always as identity primary key,
  at timestamptz not null default clock_timestamp(),
  staff_id bigint references staff,
  findings jsonb not null,
  balances jsonb not null
);
create table reconciliation_progress (
  only_row boolean primary key default true check (only_row),
  day date not null,
  phase text not null check (phase in ('customers', 'transfers', 'requests', 'rest')),
  next_id bigint not null,
  width bigint not null default 64 check (width between 1 and 100000),
  watermark xid8 not null,
  house jsonb not null,
  findings jsonb not null default '[]'
);
create table earning_rates (
  asset_id smallint not null references ledger.assets,
  from_day date not null,
  annual_ppm int not null check (annual_ppm between 0 and 200000),
  proposal_id bigint unique references proposals,
  added_at timestamptz not null default clock_timestamp(),
  primary key (asset_id, from_day)
);
create table earning_accounts (
  customer_id bigint not null references customers,
  asset_id smallint not null references ledger.assets,
  accrued_through date not null,
  low_day date not null,
  low bigint not null check (low >= 0),
  carry bigint not null default 0 check (carry >= 0 and carry < earning_divisor()),
  accumulated bigint not null default 0 check (accumulated >= 0),
  primary key (customer_id, asset_id)
) with (fillfactor = 70);
create table earning_interest (
  customer_id bigint not null,
  asset_id smallint not null,
  day date not null,
  principal bigint not null check (principal > 0),
  annual_ppm int not null check (annual_ppm >= 0),
  interest bigint not null check (interest >= 0),
  carry bigint not null check (carry >= 0 and carry < earning_divisor()),
  transfer_id bigint,
  primary key (customer_id, asset_id, day),
  check ((interest > 0) = (transfer_id is not null))
);
create table earning_head (
  only_row boolean primary key default true check (only_row),
  day date not null,
  after_customer bigint not null default 0,
  after_asset smallint not null default 0,
  accounts bigint not null default 0
);
create table earning_days (
  day date primary key,
  accounts bigint not null,
  ended_at timestamptz not null default clock_timestamp()
);
create table earning_set_aside (
  customer_id bigint not null,
  asset_id smallint not null,
  since timestamptz not null default clock_timestamp(),
  problem text not null check (length(problem) between 1 and 500),
  primary key (customer_id, asset_id),
  foreign key (customer_id, asset_id) references earning_accounts
);
insert into earning_head (day) values ((now() at time zone 'UTC')::date);
create table order_batches (
  number bigint primary key,
  accepted_at_ms bigint not null,
  log_size bigint not null,
  log_root bytea not null check (octet_length(log_root) = 32),
  accepted int not null check (accepted >= 0),
  refused int not null check (refused >= 0),
  refusals jsonb not null,
  root bytea not null check (octet_length(root) = 32),
  leaves bytea not null,
  signed text not null,
  check (octet_length(leaves) = accepted * 32)
);
create table orders (
  id bigint primary key,
  customer_id bigint not null,
  key_hash bytea not null check (octet_length(key_hash) = 32),
  input_hash bytea not null check (octet_length(input_hash) = 32),
  accepted_at_ms bigint not null,
  settles_at_ms bigint not null,
  stake bigint not null check (stake > 0),
  income bigint not null check (income >= 0),
  rules_id bigint not null,
  seen_size bigint check (seen_size >= 0),
  seen_root bytea check (octet_length(seen_root) = 32),
  payout_rate_bps int not null check (payout_rate_bps between 1 and 9999),
  product_id smallint not null,
  asset_id smallint not null,
  minutes smallint not null check (minutes > 0),
  direction smallint not null check (direction in (1, -1)),
  settled_at_ms bigint,
  result smallint check (result in (1, -1, 0)),
  credited bigint,
  void_reason text check (void_reason in ('not_logged', 'hole', 'gap', 'no_open')),
  open_index bigint,
  open_ms bigint,
  open_price bigint,
  settle_index bigint,
  settle_ms bigint,
  settle_price bigint,
  check ((seen_size is null) = (seen_root is null)),
  check (settles_at_ms = (accepted_at_ms + minutes * 60000::bigint + 999) / 1000 * 1000),
  check (income = stake / 10000 * payout_rate_bps + stake % 10000 * payout_rate_bps / 10000),
  check ((settled_at_ms is null) = (result is null) and (result is null) = (credited is null)),
  check (num_nulls(open_index, open_ms, open_price) in (0, 3) and num_nulls(settle_index, settle_ms, settle_price) in (0, 3)),
  check (credited = case result when 1 then stake + income when 0 then stake else 0 end),
  check (case
    when result is null then num_nonnulls(void_reason, open_index, settle_index) = 0
    when void_reason is not null then
      result = 0 and num_nonnulls(open_index, settle_index) = 0 and settled_at_ms > accepted_at_ms
    else open_ms >= accepted_at_ms + 1000 and open_ms <= settles_at_ms and settles_at_ms <= settled_at_ms
      and open_ms % 250 = 0 and open_price > 0
      and case when settle_index is null then result = 1
        else settle_ms = settles_at_ms and open_index <= settle_index and settle_price > 0
          and result = sign(settle_price - open_price) * direction
      end
  end is true)
) with (fillfactor = 45, autovacuum_vacuum_scale_factor = 0.05);
create unique index orders_by_key on orders (customer_id, key_hash);
create index orders_by_customer on orders (customer_id, id);
create index orders_by_settlement on orders (settles_at_ms, product_id);
create index orders_by_product on orders (product_id, id);
create table used_keys (
  customer_id bigint not null,
  key_hash bytea not null check (octet_length(key_hash) = 32),
  input_hash bytea not null check (octet_length(input_hash) = 32),
  at timestamptz not null default now(),
  primary key (customer_id, key_hash)
);
create table busy_products (
  product_id smallint primary key,
  until_ms bigint not null
) with (fillfactor = 20);
create table promised_income (
  asset_id smallint primary key references ledger.assets,
  amount numeric(40, 0) not null default 0,
  product_limit bigint not null check (product_limit >= 0),
  group_limit bigint not null check (group_limit >= 0)
) with (fillfactor = 40);
create table placement_head (
  only_row boolean primary key default true check (only_row),
  next_batch bigint not null default 1,
  is_halted boolean not null default false,
  open_holds int,
  open_hash numeric,
  check ((open_holds is null) = (open_hash is null))
) with (fillfactor = 10);
create unlogged table order_counts (
  customer_id bigint primary key,
  orders int not null,
  since timestamptz not null
) with (fillfactor = 50);
insert into placement_head default values;
create table settled_promises (
  id bigint generated always as identity primary key,
  asset_id smallint not null,
  amount bigint not null,
  xid xid8 not null default pg_current_xact_id()
);
create index settled_promises_by_xid on settled_promises (xid);
create table settled_income (
  asset_id smallint primary key references ledger.assets,
  amount numeric(40, 0) not null default 0,
  xid xid8 not null default '0'
);
create table settlement_head (
  only_row boolean primary key default true check (only_row),
  settled_before_ms bigint not null default 0,
  noted_ms bigint not null default 0,
  noted_batch bigint not null default 0,
  opened_batch bigint not null default 0
) with (fillfactor = 10);
insert into settlement_head default values;
create table trading_halts (
  id bigint generated always as identity primary key,
  reason text not null check (length(reason) between 1 and 500),
  halted_by bigint not null references staff,
  halted_at timestamptz not null default now(),
  lift_id bigint references proposals,
  lifted_at timestamptz,
  check (lifted_at is null or lift_id is not null)
);
create unique index trading_halts_open on trading_halts ((true)) where lifted_at is null;
create table price_alerts (
  id bigint generated always as identity (start with 1000) primary key,
  customer_id bigint not null references customers,
  product_id smallint not null references products,
  direction smallint not null check (direction in (1, -1)),
  mark bigint not null check (mark > 0),
  created_at timestamptz not null default clock_timestamp(),
  from_index bigint not null,
  fired_at timestamptz,
  fired_index bigint check (fired_index >= from_index),
  fired_ms bigint,
  fired_price bigint,
  removed_at timestamptz,
  check (num_nulls(fired_at, fired_index, fired_ms, fired_price) in (0, 4)),
  check (fired_at is null or removed_at is null),
  check ((fired_price - mark) * direction >= 0)
);
create index price_alerts_waiting on price_alerts (product_id, direction, mark) where fired_at is null and removed_at is null;
create index price_alerts_by_customer on price_alerts (customer_id, id);
create table alert_head (
  only_row boolean primary key default true check (only_row),
  next_index bigint not null default 0
);
insert into alert_head default values;
create table log_halts (
  n bigint primary key check (n > 0),
  halt_id bigint not null references trading_halts,
  is_on boolean not null,
  time_ms bigint not null,
  entry_index bigint not null unique,
  unique (halt_id, is_on)
);
create sequence chat_moves;
create table chats (
  customer_id bigint primary key references customers,
  last_place int not null default 0,
  last_move bigint,
  last_at timestamptz,
  waiting_since timestamptz,
  waiting_move bigint,
  customer_received int not null default 0,
  customer_read int not null default 0,
  staff_read int not null default 0,
  customer_typing_at timestamptz,
  staff_typing_at timestamptz,
  claimed_by bigint references staff,
  claimed_at timestamptz,
  check ((waiting_since is null) = (waiting_move is null)),
  check ((claimed_by is null) = (claimed_at is null)),
  check (customer_read <= customer_received and customer_received <= last_place and staff_read <= last_place)
);
create index chats_waiting on chats (waiting_move) where waiting_move is not null;
create index chats_recent on chats (last_move) where last_move is not null;
create index chats_by_claim on chats (claimed_by) where claimed_by is not null;
create table chat_messages (
  id bigint primary key,
  customer_id bigint not null references chats,
  place int not null check (place > 0),
  staff_id bigint references staff,
  sealed bytea,
  key_id bytea generated always as (sealed_key(sealed)) stored,
  upload_id bigint references uploads,
  at timestamptz not null default clock_timestamp(),
  key_hash bytea not null check (octet_length(key_hash) = 32),
  input_index bytea not null check (octet_length(input_index) = 32),
  erased_at timestamptz,
  unique (customer_id, place),
  check (sealed is not null or upload_id is not null or erased_at is not null),
  check (staff_id is null or upload_id is null)
);
create unique index chat_messages_by_key on chat_messages (customer_id, coalesce(staff_id, 0), key_hash);
create index chat_messages_key on chat_messages (key_id);
create index chat_messages_upload on chat_messages (upload_id) where upload_id is not null;
create table chat_notes (
  id bigint primary key,
  customer_id bigint not null references chats,
  staff_id bigint not null references staff,
  sealed bytea,
  key_id bytea generated always as (sealed_key(sealed)) stored,
  at timestamptz not null default clock_timestamp(),
  key_hash bytea not null check (octet_length(key_hash) = 32),
  unique (customer_id, staff_id, key_hash)
);
create index chat_notes_key on chat_notes (key_id);
create table chat_steps (
  id bigint generated always as identity primary key,
  customer_id bigint not null references chats,
  step text not null check (step in ('claimed', 'released', 'handed')),
  staff_id bigint not null references staff,
  to_staff bigint references staff,
  at timestamptz not null default clock_timestamp(),
  check ((step = 'handed') = (to_staff is not null))
);
create index chat_steps_of on chat_steps (customer_id, id);
create table canned_answers (
  id bigint generated always as identity primary key,
  title text not null check (length(title) between 1 and 60),
  texts jsonb not null check (is_localised(texts, 1000)),
  changed_by bigint references staff,
  changed_at timestamptz not null default now()
);
insert into canned_answers (title, texts) values
  ('Greeting', '{
    "zh": "您好，我已收到您的消息，正在为您查看，请稍候。",
    "tw": "您好，我已收到您的訊息，正在為您查看，請稍候。",
    "en": "Hello, thank you for your message. I am looking into it; one moment, please."
  }'),
  ('Deposit under review', '{
    "zh": "您的充值正在审核，以核实金额入账，结果会发到您的通知。",
    "tw": "您的入金正在審核，以核實金額入帳，結果會發到您的通知。",
    "en": "Your deposit is under review. We credit the amount we confirm; you will find the result in your notifications."
  }'),
  ('Withdrawal on hold', '{
    "zh": "修改密码、提现密码或收款方式后有保护期，期满后审核才会继续。",
    "tw": "修改密碼、出金密碼或收款方式後有保護期，期滿後審核才會繼續。",
    "en": "Changing your password, withdrawal password or payout details starts a hold. The review continues when it ends."
  }'),
  ('Never your password', '{
    "zh": "我们绝不会向您索要密码、验证码或恢复码，请不要发给任何人。",
    "tw": "我們絕不會向您索取密碼、驗證碼或恢復碼，請不要發給任何人。",
    "en": "We never ask for your password, verification codes or recovery codes. Please do not send them to anyone."
  }');
create table news_covers (
  id bigint generated always as identity primary key,
  name text not null unique check (name ~ '^[A-Za-z0-9_-]{32}$'),
  width int not null check (width between 1 and 10000),
  height int not null check (height between 1 and 10000),
  picture bytea not null check (octet_length(picture) between 1 and 2097152),
  thumb bytea not null check (octet_length(thumb) between 1 and 2097152),
  added_by bigint references staff,
  added_at timestamptz not null default now()
);
create table news_items (
  id bigint generated always as identity (start with 1000) primary key,
  is_sample boolean not null default false,
  feed text check (length(feed) between 1 and 500),
  created_at timestamptz not null default now(),
  published_at timestamptz,
  withdrawn_at timestamptz,
  withdrawn_by bigint references staff,
  withdrawn_reason text check (length(withdrawn_reason) between 1 and 500),
  check ((withdrawn_at is null) = (withdrawn_by is null) and (withdrawn_at is null) = (withdrawn_reason is null))
);
create index news_shown on news_items (published_at desc, id desc) where withdrawn_at is null and published_at is not null;
create table news_versions (
  news_id bigint not null references news_items,
  version int not null check (version between 1 and 1000),
  category text not null check (category in ('notice', 'rules', 'market', 'guide')),
  cover_id bigint references news_covers,
  source text not null check (length(source) between 1 and 120),
  source_url text check (length(source_url) <= 2000 and source_url ~ '^https?://[^[:space:]]+$'),
  body_form text not null default 'markdown' check (body_form in ('markdown', 'html')),
  note text check (length(note) between 1 and 500),
  saved_at timestamptz not null default now(),
  saved_by bigint references staff,
  publish_at timestamptz,
  published_by bigint references staff,
  primary key (news_id, version)
);
create table news_texts (
  news_id bigint not null,
  version int not null,
  language text not null check (language = any (languages())),
  title text not null check (length(title) between 1 and 200),
  summary text not null check (length(summary) between 1 and 500),
  body text not null check (length(body) between 1 and 100000),
  primary key (news_id, version, language),
  foreign key (news_id, version) references news_versions
);
create table news_feed_keys (
  key bytea primary key check (octet_length(key) = 32),
  news_id bigint not null references news_items
);
create table liability_days (
  date date not null,
  asset_id smallint not null references ledger.assets,
  head bigint not null references public_heads,
  total numeric(40) not null check (total >= 0),
  root bytea not null check (octet_length(root) = 32),
  taken_at timestamptz not null,
  customers int not null check (customers >= 0),
  depth smallint not null check (depth between 1 and 40),
  entry_index bigint unique,
  primary key (date, asset_id)
);
create table liability_leaves (
  date date not null,
  asset_id smallint not null,
  customer_id bigint not null,
  place int not null check (place >= 0),
  nonce bytea not null check (octet_length(nonce) = 32),
  amount bigint not null check (amount >= 0),
  primary key (date, asset_id, customer_id),
  unique (date, asset_id, place),
  foreign key (date, asset_id) references liability_days
);
create index liability_leaves_by_customer on liability_leaves (customer_id, date);
create table liability_levels (
  date date not null,
  asset_id smallint not null,
  level smallint not null check (level between 0 and 40),
  nodes bytea not null,
  primary key (date, asset_id, level),
  foreign key (date, asset_id) references liability_days
);
alter table liability_levels alter column nodes set storage external;
create table order_statistics (
  date date not null,
  product_id smallint not null,
  minutes smallint not null,
  asset_id smallint not null,
  won bigint not null default 0,
  unpriced bigint not null default 0,
  lost bigint not null default 0,
  tied bigint not null default 0,
  void bigint not null default 0,
  void_won bigint not null default 0,
  void_lost bigint not null default 0,
  void_tied bigint not null default 0,
  staked numeric(40) not null default 0,
  paid numeric(40) not null default 0,
  stated numeric(40, 4) not null default 0,
  primary key (date, product_id, minutes, asset_id)
);
create table void_statistics (
  date date not null,
  asset_id smallint not null,
  reason text not null,
  count bigint not null,
  won bigint not null,
  lost bigint not null,
  tied bigint not null,
  returned numeric(40) not null,
  would_pay numeric(40) not null,
  primary key (date, asset_id, reason)
);
create table customer_results (
  customer_id bigint not null,
  month date not null,
  asset_id smallint not null,
  result numeric(40) not null,
  primary key (customer_id, month, asset_id)
);
create index customer_results_by_month on customer_results (month);
create table delay_statistics (
  date date not null,
  kind text not null check (kind in ('open', 'settle')),
  bucket int not null check (bucket between 0 and 12000),
  count bigint not null,
  primary key (date, kind, bucket)
);
create table gap_statistics (
  date date not null,
  product_id smallint not null,
  reason text not null,
  count bigint not null,
  primary key (date, product_id, reason)
);
create table refusal_statistics (
  date date not null,
  code text not null,
  result smallint not null check (result between -1 and 1),
  count bigint not null,
  primary key (date, code, result)
);
create table statistics_mark (
  only_row boolean primary key default true check (only_row),
  settles_ms bigint not null default 0,
  entry_index bigint not null default 0,
  batch bigint not null default 0
);
insert into statistics_mark default values;
