-- Functions that columns, indexes and constraints of tables use, and the one that refuses. They are applied before all tables.
create schema if not exists ledger;

-- Refuses what was asked, by name: an error of SQLSTATE FT000 with the refusal's name as its constraint.
create or replace function refuse(_name text, _message text, _detail text default '') returns void
language plpgsql set search_path = pg_catalog, pg_temp as $$
begin
  raise exception using errcode = 'FT000', message = _message, detail = _detail, constraint = _name;
end $$;

-- A place in the order of postings for something that moves nothing, so that a statement can show both in one order.
create or replace function ledger.next_line() returns bigint
language sql volatile as $$ select nextval(pg_get_serial_sequence('ledger.postings', 'id')) $$;

create or replace function side_of(_role text) returns text
immutable language sql set search_path = public, pg_temp as $$
  select case _role when 'administrator' then 'administration' when 'auditor' then 'audit' else 'work' end
$$;

create or replace function sealed_key(_sealed bytea) returns bytea immutable language sql as 'select substring(_sealed from 2 for 4)';

-- The highest minimum that a withdrawal may have: a tenth of what takes two approvals. Nobody's money is locked in by a bound
-- that it does not reach. Assets as seeded: 2 USDT, 3 USD, 4 BTC, 5 ETH.
create or replace function withdrawal_min_cap(_asset smallint) returns bigint
immutable language sql set search_path = pg_catalog, pg_temp as $$
  select case _asset when 2 then 500000000 when 3 then 50000 when 4 then 1000000 when 5 then 20000000 end::bigint
$$;

-- One payment is one reference, however it is typed.
create or replace function reference_key(_reference text) returns text
immutable language sql set search_path = pg_catalog, pg_temp as $$ select lower(regexp_replace(_reference, '\s', '', 'g')) $$;

-- The JSON of an entry of rules.
create or replace function rules_json(_entry text) returns jsonb
immutable language sql set search_path = public, pg_temp as $$
  select substring(_entry from '^rules\|1\|[^|]*\|[0-9]+\|(.*)$')::jsonb
$$;

-- How much of a rate in millionths makes one unit of interest a day: 365 days of a million.
create or replace function earning_divisor() returns bigint immutable language sql as 'select 365000000::bigint';

-- Reads the payout rates in basis points, by minutes, out of the text of a rules entry.
create or replace function rates_of(_entry text) returns jsonb
immutable language sql set search_path = public, pg_temp as $$
  select coalesce(jsonb_object_agg(c ->> 'minutes', round((c ->> 'payoutRate')::numeric * 10000)::int), '{}')
  from jsonb_array_elements(rules_json(_entry) -> 'cycles') c
$$;

-- The ledger: double entry in whole smallest units, append-only, one door.
--
-- Its door is the functions at the end of this file. They take arrays, so that a batch of orders is one movement, and
-- they are the only writers of these tables: nobody but their owner holds INSERT, UPDATE or DELETE here.
--
-- An owner is a customer (ids from 1000) or a part of the house (ids below). A customer has three accounts per asset,
-- an account's number being owner * 4 + bucket:
--   bucket 0 available   what can be spent
--   bucket 1 held        reserved: open stakes and pending withdrawals
--   bucket 2 earning     in the earnings feature
-- A house owner has bucket 0 only. A posting moves `amount` from the debit account to the credit account, so a balance
-- is credits less debits and the sum over all accounts of an asset is always zero. The external world's account (1) is
-- the mirror of everything that came in.
--
-- House accounts have no balance row: each transfer leaves its net effect on the house in house_movements, and
-- roll_up_house adds these up behind a watermark.

create table ledger.assets (
  id smallint primary key,
  code text not null unique check (code ~ '^[A-Z]{2,8}$'),
  scale smallint not null check (scale between 0 and 18),
  -- Practice money: credited at registration and on request, never deposited, withdrawn or earning.
  is_practice boolean not null
);

create table ledger.transfers (
  id bigint generated always as identity primary key,
  idempotency_key text not null unique check (length(idempotency_key) between 1 and 200),
  input_hash bytea not null check (octet_length(input_hash) = 32),
  kind text not null check (kind in ('resolve', 'reserve', 'practice', 'capital', 'deposit', 'hold', 'release', 'payout',
    'correction', 'earn_in', 'earn_out', 'interest')),
  created_at timestamptz not null default clock_timestamp(),
  -- Which database transaction wrote it: what the watermark of the roll-up goes by.
  xid xid8 not null default pg_current_xact_id()
);

create index transfers_by_xid on ledger.transfers (xid);

create table ledger.postings (
  id bigint generated always as identity,
  transfer_id bigint not null,
  -- Whose posting it is: the customer on either side, else the house owner on the credit side.
  owner_id bigint not null,
  asset_id smallint not null,
  debit bigint not null,
  credit bigint not null,
  amount bigint not null check (amount > 0),
  -- The customer's available balance right after this posting; null where no customer's available balance moved.
  available_after bigint check (available_after >= 0),
  -- What caused it, in the words of the caller: an order's id.
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

-- How often a customer's practice money was set back on the last day (UTC) on which it was.
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

-- Movements of transactions below this id are in house_balances, all others are not.
create table ledger.house_watermark (
  only_row boolean primary key default true check (only_row),
  xid xid8 not null
);

insert into ledger.house_watermark (xid) values ('0'::xid8);


-- Staff: accounts, roles, sessions, second factors, the audit log, and four eyes as rules of the database. How staff and
-- their roles change is in 005_two_people.sql, who of them is which customer in 005_two_sides.sql.
--
-- The server says who acts (it has checked a session), the functions below say what that person may do. They run with
-- their owner's rights and are the only writers of roles, approvals and the audit log. Refusals have a code of their own:
--   ROLE_MISSING role missing or account off      ABOUT_ONESELF about oneself               CHANGE_NOT_FOUND no such change, or decided already
--   APPROVER_TOO_NEW granted or reset too lately      APPROVALS_MISSING too few approvals           TOO_FEW_ADMINISTRATORS would leave nobody to decide
--   OWN_EDIT approves what one edited         NO_RULE no rule for this kind       NOTHING_NEW says nothing new
--   ROLES_CONFLICT roles that do not go together
--
-- Lock order: whatever the business locks (the request, then balances) → staff, by id → the audit log's head, which is
-- locked when the transaction commits and by nothing else.

-- What the house was started with, as far as rules of the database depend on it. The owner writes it at every start.
create table house_settings (
  only_row boolean primary key default true check (only_row),
  mode text not null default 'demo' check (mode in ('demo', 'live')),
  -- How long a new approver, destination or credential waits.
  hold_seconds int not null default 60 check (hold_seconds >= 0),
  -- Sums of four eyes count decisions since this time.
  sums_from timestamptz not null default clock_timestamp(),
  check (mode = 'demo' or hold_seconds >= 86400)
);

insert into house_settings default values;


-- Who leads a role that only one process may fill; a standby takes over when the beat stands still.
create table leases (
  name text primary key,
  epoch bigint not null default 0,
  beat bigint not null default 0,
  holder text
) with (fillfactor = 20);

-- Counters of attempts; the layout is the limiter's.
create table throttles (
  key varchar(255) primary key,
  points integer not null default 0,
  expire bigint
);

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
  created_at timestamptz not null default now(),
  password_changed_at timestamptz,
  -- Set when a second factor is added, changed or removed.
  second_factor_changed_at timestamptz,
  erased_at timestamptz,
  -- Kept true by triggers on the factors; a login reads it with the password.
  has_second_factor boolean not null default false,
  -- Start of the current period in which the name is verified and a second factor is on: gold and platinum count from it.
  secured_since timestamptz,
  closed_at timestamptz,
  -- Time at which a recovery code that removes factors was used.
  factor_taken_at timestamptz
);

create unique index customers_by_account on customers (lower(account));

-- Placement asks for these of each batch; of nearly everybody there is nothing to know.
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

-- Where a customer has logged in before: asked for at every login, so that a crowd of strangers holds up nobody there (decision 119).
create index login_events_known_places on login_events (customer_id, at) where is_success;


create table staff (
  id bigint generated always as identity (start with 101) primary key,
  account text not null check (account ~ '^[A-Za-z][A-Za-z0-9_]{5,17}$'),
  display_name text not null check (length(display_name) between 1 and 40),
  -- By what the operator tells people apart. Two accounts of one person are one pair of eyes.
  person text not null check (person ~ '^[a-z0-9][a-z0-9._-]{0,39}$'),
  password_hash text not null,
  -- The first password was given by somebody else: nothing else may be done before it is changed.
  must_change_password boolean not null default true,
  is_active boolean not null default false,
  is_demo boolean not null default false,
  language text not null default 'zh' check (language in ('zh', 'tw', 'en')),
  -- Administrators have no other role, and auditors none with which anything changes; set with the first role.
  side text check (side in ('administration', 'audit', 'work')),
  created_at timestamptz not null default now(),
  -- Null: by the command for the first administrators, or seeded.
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
  -- From when on this role may propose, approve and move money: later than its grant, and put off when the account is
  -- reset or turned on again.
  usable_from timestamptz not null,
  primary key (staff_id, role),
  foreign key (staff_id, side) references staff (id, side)
);

create table staff_second_factors (
  id bigint generated always as identity primary key,
  staff_id bigint not null references staff,
  kind text not null check (kind in ('totp', 'passkey')),
  label text not null check (length(label) between 1 and 40),
  -- TOTP: the secret, sealed, and the last time step that was used, so that no code works twice.
  sealed_secret bytea,
  last_step bigint,
  -- Passkey: as the authenticator gave it.
  credential_id bytea unique,
  public_key bytea,
  counter bigint,
  transports text[],
  created_at timestamptz not null default now(),
  -- A factor counts once it was shown to work.
  confirmed_at timestamptz,
  last_used_at timestamptz,
  check (case kind when 'totp' then sealed_secret is not null and credential_id is null
    else sealed_secret is null and credential_id is not null and public_key is not null and counter is not null end)
);

create index staff_second_factors_by_staff on staff_second_factors (staff_id);

-- What an authenticator is asked to sign; each is used once.
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
  -- Until when money may move and rights change without another step-up.
  fresh_until timestamptz not null,
  -- Whether a second factor was given.
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


-- The audit log. What is hashed is what is shown: `entry` is the text, everything else is read out of it.
-- hash = sha256(the hash before || the entry's UTF-8 bytes); before the first stand 32 zero bytes.
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

-- What transactions under way will append. Empty in between: see audit_chain.
create table audit_pending (
  id bigint generated always as identity primary key,
  staff_id bigint,
  action text not null check (action ~ '^[a-z][a-z0-9_.]{0,59}$'),
  subject text not null check (length(subject) <= 100),
  facts jsonb not null,
  session_id bigint
);

-- The table holds the findings of the daily audit (daily-audit.ts). It says what an honest server saw; whoever trusts none runs
-- `npm run audit` from somewhere else.
create table audit_runs (
  -- Whose orders were settled again; all else was looked at as it stood.
  day date primary key,
  ended_at timestamptz not null default clock_timestamp(),
  findings jsonb not null check (jsonb_typeof(findings) = 'array' and jsonb_array_length(findings) <= 100)
);

insert into audit_head (size, hash) values (0, decode(repeat('00', 32), 'hex'));


-- Who has to agree to what.
create table four_eyes_rules (
  kind text primary key check (kind ~ '^[a-z][a-z_]{0,39}$'),
  -- Who prepares it (null: no staff does), who approves it, and how many of them.
  edit_role staff_role,
  role staff_role not null,
  needed smallint not null check (needed between 0 and 3)
);

-- More people for larger amounts: above this, in the asset's smallest unit.
create table four_eyes_amounts (
  kind text not null references four_eyes_rules,
  asset_id smallint not null,
  above bigint not null check (above > 0),
  needed smallint not null check (needed between 1 and 3),
  primary key (kind, asset_id, above)
);

-- Who wrote what is to be approved. Whoever once edited a subject never approves it, whatever it says now.
create table content_edits (
  id bigint generated always as identity primary key,
  kind text not null,
  subject_id bigint not null,
  content_hash bytea not null check (octet_length(content_hash) = 32),
  staff_id bigint not null references staff,
  person text not null,
  -- Whom it is about, if it is about staff.
  about_staff bigint references staff,
  at timestamptz not null default now(),
  session_id bigint
);

create index content_edits_by_subject on content_edits (kind, subject_id);

create table approvals (
  id bigint generated always as identity primary key,
  kind text not null,
  subject_id bigint not null,
  -- SHA-256 of exactly what is approved: another content has none of these approvals.
  content_hash bytea not null check (octet_length(content_hash) = 32),
  -- Who edited this content last.
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
  -- A deposit found as claimed is the cashier's to confirm; one that differs from its claim is another kind.
  ('deposit', 'cashier', 'approver', 0),
  ('deposit_differing', 'cashier', 'approver', 1),
  ('withdrawal', 'cashier', 'approver', 1),
  ('correction', 'cashier', 'approver', 1),
  ('channel', 'cashier', 'approver', 1),
  ('account_recovery', 'support', 'verification', 1),
  ('payout_table', 'catalogue', 'approver', 1),
  ('feed_rules', 'catalogue', 'approver', 1),
  ('earning_rate', 'catalogue', 'approver', 1);

-- Above 5 000, 0.1 BTC or 2 ETH. Assets as seeded: 2 USDT (6 decimals), 3 USD (2), 4 BTC (8), 5 ETH (8).
insert into four_eyes_amounts (kind, asset_id, above, needed)
  select k.kind, a.id, a.above, k.needed
  from (values ('deposit', 1), ('deposit_differing', 2), ('withdrawal', 2), ('correction', 2)) as k (kind, needed)
  cross join (values (2, 5000000000), (3, 500000), (4, 10000000), (5, 200000000)) as a (id, above);

-- Bounds of withdrawals are changed by two people.
insert into four_eyes_rules (kind, edit_role, role, needed) values ('withdrawal_terms', 'cashier', 'approver', 1);

insert into four_eyes_rules (kind, edit_role, role, needed) values ('halt_lift', 'catalogue', 'approver', 1);


-- Changes of staff: proposed by one administrator, decided by another.
create table staff_changes (
  id bigint generated always as identity primary key,
  kind text not null check (kind in ('enable', 'turn_off', 'grant', 'revoke', 'reset', 'link', 'unlink')),
  staff_id bigint not null references staff,
  role staff_role,
  -- Of a link: the customer that this person is, too.
  customer_id bigint references customers,
  proposed_by bigint not null references staff,
  proposed_at timestamptz not null default now(),
  state text not null default 'proposed' check (state in ('proposed', 'done', 'refused')),
  decided_by bigint references staff,
  decided_at timestamptz,
  check ((kind in ('grant', 'revoke')) = (role is not null)),
  check ((kind in ('link', 'unlink')) = (customer_id is not null)),
  check ((state = 'proposed') = (decided_by is null)),
  -- One's own proposal can be taken back, never carried out; and nothing is decided by whom it is about.
  check (state <> 'done' or (decided_by <> proposed_by and decided_by <> staff_id)),
  check (proposed_by <> staff_id)
);

create unique index staff_changes_open on staff_changes (kind, staff_id, coalesce(role, ''), coalesce(customer_id, 0)) where state = 'proposed';


-- A person as staff and as customer. Staff may be customers too; which accounts are theirs is said by themselves, or by two
-- administrators. Nobody decides about their own deposit, withdrawal, correction or name, by whichever account.
create table staff_customers (
  -- The person, not the account: a second account of theirs is held to it too.
  person text not null,
  customer_id bigint not null references customers,
  declared_at timestamptz not null default now(),
  -- Themselves, or the one who carried out what another proposed.
  declared_by bigint not null references staff,
  primary key (person, customer_id)
);


-- Products, the tick log and what follows from it.
--
-- Times named _ms are Unix milliseconds of the log's clock. The log is written by one fenced writer through log_append,
-- the only way into it; everybody else reads.
create table products (
  id smallint primary key,
  symbol text not null unique check (symbol ~ '^[A-Z0-9]+(/[A-Z0-9]+)?$'),
  name_zh text not null,
  name_tw text not null,
  name_en text not null,
  asset_class text not null check (asset_class in ('forex', 'energy', 'metal', 'index', 'stock', 'crypto')),
  decimals smallint not null check (decimals between 0 and 8),
  exposure_group text not null,
  position smallint not null
);

-- Products that somebody looks at, so that the feed ticks faster. Losing it costs nothing.
create unlogged table watched_products (
  product_id smallint primary key,
  until timestamptz not null
);

-- The rules that decide, one row per `rules` entry of the log; id is the entry's index.
create table rules (
  id bigint primary key,
  product_id smallint not null references products,
  -- The leaf hash of the entry: what ticks and acceptances name.
  hash bytea not null unique check (octet_length(hash) = 32),
  effective_ms bigint not null,
  entry text not null,
  -- The change that an entry carries into the log; null: the feed's own.
  change_id bigint,
  -- Payout rate in 1/10 000, by minutes.
  rates jsonb generated always as (rates_of(entry)) stored,
  delay_ms bigint generated always as ((rules_json(entry) ->> 'delayMs')::bigint) stored,
  settle_bound_ms bigint generated always as ((rules_json(entry) ->> 'settleBoundMs')::bigint) stored
);

create unique index rules_by_change on rules (change_id, product_id) where change_id is not null;

create index rules_by_product on rules (product_id, id);


-- A change of rules: proposed by one, approved by another, logged by the feed, in force when its moment has come.
create table rules_changes (
  id bigint generated always as identity primary key,
  kind text not null check (kind in ('payout_table', 'feed_rules')),
  -- The feed whose rules it changes: the first part of their scope in the log.
  feed text not null check (feed ~ '^[a-z]{1,20}$'),
  -- From which moment of the log's clock it holds.
  effective_ms bigint not null,
  note text not null check (length(note) between 1 and 500),
  content bytea not null check (octet_length(content) = 32),
  proposed_by bigint not null references staff,
  proposed_at timestamptz not null default now(),
  state text not null default 'proposed' check (state in ('proposed', 'approved', 'refused')),
  decided_by bigint references staff,
  decided_at timestamptz,
  check ((state = 'proposed') = (decided_by is null) and (decided_by is null) = (decided_at is null)),
  -- Who proposes can take it back, never approve it.
  check (state <> 'approved' or decided_by <> proposed_by)
);

create index rules_changes_open on rules_changes (id) where state <> 'refused';

-- The complete rules of each product as the change leaves them: what is approved is what is logged.
create table rules_change_products (
  change_id bigint not null references rules_changes,
  product_id smallint not null references products,
  -- The rules that it was made from.
  before_id bigint not null references rules,
  rules jsonb not null,
  primary key (change_id, product_id)
);

alter table rules add foreign key (change_id) references rules_changes;


-- Where each product stands, as the log says: moved only together with the log.
create table product_states (
  product_id smallint primary key references products,
  last_n bigint not null default 0,
  -- Of the last tick; null before the first.
  tick_n bigint,
  tick_ms bigint,
  tick_price bigint check (tick_price > 0),
  tick_index bigint,
  -- Set while prices have stopped.
  gap_reason text check (gap_reason in ('quorum', 'clock', 'restart', 'session', 'halt', 'end')),
  gap_ms bigint,
  -- From when orders are taken; null while there is no price.
  orders_from_ms bigint,
  rules_id bigint references rules
) with (fillfactor = 40);

-- period: minutes of the candle (1, 5, 30, 1440). Longer than a minute: all minutes but the one under way.
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

-- Products whose history before the installation has been made.
create table candle_histories (
  product_id smallint primary key references products,
  made_at timestamptz not null default now()
);


-- The simulated feed's secret of each day. Committed in the log before the day, revealed after it.
create table feed_seeds (
  date date primary key,
  seed bytea not null check (octet_length(seed) = 32),
  is_committed boolean not null default false,
  is_revealed boolean not null default false
);

-- kind 1: tick, new; 2: tick, same; 3: gap; 4: orders; 5: rules; 6: any other, as text.
create table log_entries (
  index bigint not null,
  time_ms bigint not null,
  n bigint,
  price bigint check (price > 0),
  rules_id bigint,
  product_id smallint,
  kind smallint not null check (kind between 1 and 6),
  -- Ticks: the sources' quotes, packed (market-data/quote-codec.ts).
  quotes bytea,
  -- Gaps: the reason; kinds 4 to 6: the whole entry.
  body text,
  primary key (index),
  check (case when kind <= 2 then quotes is not null and price is not null and rules_id is not null
              else body is not null end),
  check (case when kind <= 3 then n > 0 and product_id is not null else true end)
) partition by range (index);

create index log_entries_by_product on log_entries (product_id, time_ms) where kind <= 3;

-- Roots of complete subtrees of 256 leaves (level 8), 65 536 (16) and so on: what tiles and proofs are made from.
create table log_nodes (
  level smallint not null check (level in (8, 16, 24, 32, 40)),
  index bigint not null,
  hash bytea not null check (octet_length(hash) = 32),
  primary key (level, index)
);

-- 256 entries each, compressed: the archive of what the partitions no longer hold.
create table log_bundles (
  number bigint primary key,
  body bytea not null
);

create table log_head (
  only_row boolean primary key default true check (only_row),
  -- The signed note's origin, fixed when the log begins, and when that was.
  origin text not null,
  begun_ms bigint not null,
  size bigint not null default 0,
  root bytea not null check (octet_length(root) = 32),
  peaks bytea not null default '',
  -- The log's last time: nothing is appended before it.
  time_ms bigint not null default 0,
  -- Added to the database's clock to give the log's.
  offset_ms bigint not null default 0,
  last_batch bigint not null default 0,
  -- Fencing: who holds an older epoch can't append. The beat rises with every append, so that a standby sees life.
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

-- Old ones are thinned out twice a minute, among a hundred times as many that stay.
create index log_checkpoints_by_time on log_checkpoints (time_ms);

-- Which `orders` entry carries a batch of acceptances. The time is the entry's own: what everybody can read in the log.
create table logged_batches (
  first_batch bigint primary key,
  last_batch bigint not null check (last_batch >= first_batch),
  entry_index bigint not null,
  time_ms bigint not null
);

-- From which batch on orders may still be open: see order-queries.ts.
create index logged_batches_by_time on logged_batches (time_ms);

alter table log_bundles alter column body set storage external;


-- The heads of the ledger and of the office's audit log go into the public log once an hour: audit|1|timeMs|ledgerHead|auditHead.
-- Whoever writes either of them anew later, owner or not, no longer has the heads that everybody can read.
--
-- The ledger's head is a chain, too: H(n) = sha256(H(n-1) || ledger.digest of the transactions since), before the first 32 zero
-- bytes. Taken by one process (heads_take), logged by whoever holds the log's lease, and checked by `npm run audit`.
create table public_heads (
  number bigint primary key check (number >= 1),
  taken_at timestamptz not null default clock_timestamp(),
  -- All transactions below this are in it, and no other.
  upto xid8 not null,
  ledger_head bytea not null check (octet_length(ledger_head) = 32),
  audit_size bigint not null check (audit_size >= 0),
  audit_head bytea not null check (octet_length(audit_head) = 32),
  -- Where it stands in the log; null: the log owes it.
  entry_index bigint unique
);


-- Cosignatures of independent witnesses on checkpoints, and the hand-overs of the log's keys. Neither can make anything true: who
-- verifies holds each of them against keys of his own.
create table log_cosignatures (
  size bigint not null references log_checkpoints on delete cascade,
  -- The name of the witness's key.
  witness text not null check (length(witness) between 1 and 200),
  -- The line of the note, with its line end.
  line text not null check (length(line) between 10 and 1000),
  received_at timestamptz not null default now(),
  primary key (size, witness)
);

create index log_cosignatures_by_witness on log_cosignatures (witness, size);

-- What `npm run rotate-signing-key` wrote into the log, so that it is found also when the entries are in the archive.
create table log_keys (
  entry_index bigint primary key,
  entry text not null check (entry like 'key|1|%'),
  -- The verifier key that handed over.
  old_key text not null
);


create table sessions (
  token_hash bytea primary key check (octet_length(token_hash) = 32),
  customer_id bigint not null references customers,
  created_at timestamptz not null default now(),
  last_used_at timestamptz not null default now(),
  -- Until when money may move and credentials change without the password.
  fresh_until timestamptz not null,
  user_agent text not null,
  address inet,
  -- Number of the session on its customer's list.
  id bigint generated always as identity,
  -- Time of the last proof: a login, a registration or user/reauth.
  proved_at timestamptz default now()
);

create index sessions_by_customer on sessions (customer_id);

create unique index sessions_by_id on sessions (id);

-- From when on every decision has its session.
create table sessions_known_since (
  only_row boolean primary key default true check (only_row),
  at timestamptz not null default now()
);

-- The two logs keep each session of customers and staff after its end, without its token's hash, browser or address.
create table session_log (
  id bigint primary key,
  customer_id bigint not null,
  began_at timestamptz not null,
  ended_at timestamptz
);

insert into sessions_known_since default values;


-- As staff_second_factors (005).
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
  -- A factor counts once it was shown to work.
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


-- The keys that values here were sealed with. The keys themselves are in a file of the operator's.
create table data_keys (
  id bytea primary key check (octet_length(id) = 4),
  added_at timestamptz not null default now(),
  -- Since when nothing is sealed with it any more; backups of before may still need it.
  retired_at timestamptz
);

-- Numbers for whatever is sealed or leads to it. The server takes one before it seals: the number is bound into the seal. One
-- sequence for all, so that a destination's number names one destination, whatever its kind.
create sequence personal_data_ids start with 10000;

-- Pictures, as they are kept in the file store: made anew from the pixels that were sent, then sealed.
create table uploads (
  id bigint primary key,
  customer_id bigint not null references customers,
  purpose text not null check (purpose in ('id_front', 'id_back', 'proof', 'chat')),
  -- Its name in the store, random; null once erased.
  file text unique check (file ~ '^[A-Za-z0-9_-]{32}$'),
  key_id bytea not null check (octet_length(key_id) = 4),
  -- Of the picture; `bytes` and `sha256` are of what the store holds.
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

-- Who of the staff looked at what of a customer's personal data; the customer reads it.
create table personal_data_views (
  id bigint generated always as identity primary key,
  staff_id bigint not null references staff,
  customer_id bigint not null references customers,
  what text not null check (what in ('identity', 'id_front', 'id_back', 'proof', 'bank_card', 'address', 'account', 'search', 'chat', 'recovery')),
  subject_id bigint,
  at timestamptz not null default clock_timestamp()
);

create index personal_data_views_by_customer on personal_data_views (customer_id, id);

-- Each time that a customer took all that is stored about them.
create table data_exports (
  id bigint generated always as identity primary key,
  customer_id bigint not null references customers,
  at timestamptz not null default now()
);

create index data_exports_by_customer on data_exports (customer_id, at);


-- A real name that was submitted, and what became of it: pending -> verified or failed, once.
create table verifications (
  id bigint primary key,
  customer_id bigint not null references customers,
  state text not null default 'pending' check (state in ('pending', 'verified', 'failed')),
  -- Name, country, document and addresses; null once erased.
  sealed bytea,
  key_id bytea generated always as (sealed_key(sealed)) stored,
  -- Of the document's kind, country and number, and of the name.
  document_index bytea check (octet_length(document_index) = 32),
  name_index bytea check (octet_length(name_index) = 32),
  is_restricted_country boolean not null,
  front_id bigint not null references uploads,
  back_id bigint not null references uploads,
  submitted_at timestamptz not null default now(),
  -- Whoever looks at it now; a claim lapses.
  claimed_by bigint references staff,
  claimed_at timestamptz,
  decided_at timestamptz,
  decided_by bigint references staff,
  reason text check (reason in ('unreadable', 'mismatch', 'expired', 'incomplete', 'duplicate', 'restricted', 'suspicious', 'other')),
  -- What staff add to the reason, for the customer to read.
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

-- Each step of it: who, when, why. `staff_id` null: the customer.
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


-- Where a customer's money may go. A row never changes its content: an edited card is a new row with the same card_id, and
-- the old one is removed.
create table bank_cards (
  id bigint primary key,
  -- The card as the customer knows it: the first row's id.
  card_id bigint not null,
  customer_id bigint not null references customers,
  -- Holder, bank, branch and number; null once erased.
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


-- The withdrawal password: argon2id, sealed, since six digits are soon tried out by whoever has the hash.
create table pay_words (
  customer_id bigint primary key references customers,
  sealed bytea not null,
  key_id bytea generated always as (sealed_key(sealed)) stored,
  -- Rises with each change of the word; sealing the same anew leaves it.
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
  -- Null: the customer's own codes do not expire.
  expires_at timestamptz,
  takes_factor boolean not null default false,
  created_at timestamptz not null default clock_timestamp(),
  primary key (customer_id, code_hash)
);

-- Calls for help from before a login; they reach support.
create table recovery_requests (
  id bigint generated always as identity primary key,
  account text not null,
  contact text not null,
  text text not null,
  at timestamptz not null default now(),
  address inet,
  state text not null default 'open' check (state in ('open', 'proposed', 'approved', 'refused')),
  -- The account's owner, as found when support proposed; the account is what was asked for, never another.
  customer_id bigint references customers,
  -- How support made sure of who asks.
  how text check (length(how) between 20 and 1000),
  proposed_by bigint references staff,
  proposed_at timestamptz,
  -- Of the half that support was given. The code itself is stored nowhere.
  half_hash bytea check (octet_length(half_hash) = 32),
  -- Whether the code is to take the second factor off, too (032).
  takes_factor boolean not null default false,
  decided_by bigint references staff,
  decided_at timestamptz,
  reason text check (reason in ('unknown_account', 'not_proven', 'unreachable', 'duplicate', 'withdrawn')),
  constraint recovery_decided check ((state in ('approved', 'refused')) = (decided_by is not null) and (decided_by is null) = (decided_at is null)),
  constraint recovery_refused check ((state = 'refused') = (reason is not null)),
  constraint recovery_proposed check (state not in ('proposed', 'approved') or num_nulls(customer_id, how, proposed_by, proposed_at, half_hash) = 0),
  constraint recovery_two_people check (state <> 'approved' or decided_by <> proposed_by)
);

create index recovery_requests_open on recovery_requests (id) where state in ('open', 'proposed');


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


-- Customers' protection of themselves: limits per asset, breaks, self-exclusion, time reminders. Tightening counts at once,
-- loosening a day later; a break never becomes shorter. Nobody but the customer's own session changes any of it, and no
-- order and no deposit gets past it (decision 085). What is used of a limit is counted by migration 038, which has limit_set,
-- limits_used, customer_limits_for and demand_customer_limits anew (decision 112).
--
--   ON_BREAK a break is under way      DEPOSIT_LIMIT more than the limit on deposits leaves
--   SELF_EXCLUDED self-excluded             LIMIT_REACHED more than the limit on stakes or on losses leaves

-- One row of each customer who ever asked for any of it: whoever has none is told apart by this one key.
create table protected_customers (
  customer_id bigint primary key references customers,
  -- No orders and no deposits before closed_until; infinity is for good.
  closed_kind text check (closed_kind in ('break', 'exclusion')),
  closed_at timestamptz,
  closed_until timestamptz,
  -- Minutes of use between two reminders, null: none; and what they become at later_at.
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
  -- In smallest units; a limit that was taken off has a later_at and no later_amount.
  amount bigint not null check (amount > 0),
  later_amount bigint check (later_amount > amount),
  later_at timestamptz,
  primary key (customer_id, asset_id, kind, per),
  check (later_amount is null or later_at is not null)
);

-- What was asked for and when; never changed.
create table protection_events (
  id bigint generated always as identity primary key,
  customer_id bigint not null references customers,
  at timestamptz not null default clock_timestamp(),
  what text not null check (what in ('limit', 'reminder', 'break', 'exclusion')),
  facts jsonb not null
);

create index protection_events_by_customer on protection_events (customer_id, id);

-- What a limit on stakes or losses has left, without adding up the orders of the month at each new one: sums by day, kept where
-- orders are written and settled, of those customers alone who have such a limit (decision 112). Whoever writes here holds the
-- customer's balance of the asset, as whoever sets a limit does.

-- A row for each day (UTC, by its beginning) with orders, since the month and the week in which the first limit was set.
create table traded_days (
  customer_id bigint not null,
  asset_id smallint not null,
  day_ms bigint not null check (day_ms % 86400000 = 0),
  -- Stakes of the orders accepted on that day, and what has been paid back for them since. In smallest units.
  staked numeric(40) not null default 0 check (staked >= 0),
  credited numeric(40) not null default 0 check (credited >= 0),
  primary key (customer_id, asset_id, day_ms)
) with (fillfactor = 50);


-- The customer's permanent inbox. Words are made when it is read, in the reader's language (notices/messages.ts).
create table notices (
  id bigint generated always as identity primary key,
  customer_id bigint not null references customers,
  at timestamptz not null default clock_timestamp(),
  kind text not null check (kind ~ '^[a-z]+\.[a-zA-Z]+$'),
  parameters jsonb not null,
  read_at timestamptz
);

create index notices_by_customer on notices (customer_id, id);


-- Deposits and withdrawals: channels, requests, what happened to each, and the notices that tell of it.
--
-- The server only reads these tables. What a customer does goes through the functions below, which take the hash of the
-- customer's own session token: without a customer's session there is no request, whoever asks. What staff decide is in
-- 008_decisions.sql. The lifecycles are drawn in recharge/deposit-lifecycle.ts and withdraw/withdrawal-lifecycle.ts.

-- Where deposits are paid to. Rows are never changed: a change is a new version, the newest one counts.
create table deposit_channels (
  id bigint not null,
  version int not null check (version >= 1),
  asset_id smallint not null references ledger.assets,
  network text not null check (length(network) between 1 and 40),
  -- Of a chain; else the bank's details.
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
  -- Of the smallest deposit at least four fifths arrive.
  check (fee * 5 <= min)
);

-- A change of a channel, or a new one, on its way to two people: the terms as a new version would have them.
create table channel_changes (
  id bigint generated always as identity (start with 1000) primary key,
  channel_id bigint not null,
  terms jsonb not null,
  proposed_by bigint not null references staff,
  proposed_at timestamptz not null default clock_timestamp(),
  status text not null default 'proposed' check (status in ('proposed', 'done', 'refused')),
  decided_by bigint references staff,
  decided_at timestamptz,
  check ((status = 'proposed') = (decided_at is null) and (decided_at is null) = (decided_by is null)),
  check (status <> 'done' or decided_by <> proposed_by)
);

create unique index channel_changes_open on channel_changes (channel_id) where status = 'proposed';


-- Bounds of withdrawals. Which of them need how many people stands in four_eyes_rules.
create table withdrawal_terms (
  asset_id smallint primary key references ledger.assets,
  min bigint not null,
  max bigint not null,
  fee bigint not null check (fee >= 0),
  -- Of the smallest withdrawal at least four fifths arrive, whatever two people agree on.
  check (fee * 5 <= min and min <= max),
  check (min <= withdrawal_min_cap(asset_id))
);

-- New bounds of an asset, on their way to two people. What was submitted before keeps the fee that it was submitted with.
create table withdrawal_term_changes (
  id bigint generated always as identity (start with 1000) primary key,
  asset_id smallint not null references withdrawal_terms,
  min bigint not null,
  max bigint not null,
  fee bigint not null check (fee >= 0),
  proposed_by bigint not null references staff,
  proposed_at timestamptz not null default clock_timestamp(),
  status text not null default 'proposed' check (status in ('proposed', 'done', 'refused')),
  decided_by bigint references staff,
  decided_at timestamptz,
  check (fee * 5 <= min and min <= max),
  check (min <= withdrawal_min_cap(asset_id)),
  check ((status = 'proposed') = (decided_at is null) and (decided_at is null) = (decided_by is null)),
  check (status <> 'done' or decided_by <> proposed_by)
);

create unique index withdrawal_term_changes_open on withdrawal_term_changes (asset_id) where status = 'proposed';


create table deposit_requests (
  id bigint generated always as identity (start with 1000) primary key,
  -- Its place among the lines of the fund log while no posting stands for it.
  line bigint not null unique default ledger.next_line(),
  customer_id bigint not null references customers,
  key_hash bytea not null check (octet_length(key_hash) = 32),
  channel_id bigint not null,
  channel_version int not null,
  asset_id smallint not null references ledger.assets,
  -- What the customer says was paid, and the fee: that of the channel's version, or of one before it if that was less.
  amount bigint not null check (amount > 0),
  fee bigint not null check (fee >= 0),
  proof_id bigint not null unique,
  submitted_at timestamptz not null default clock_timestamp(),
  status text not null default 'review' check (status in ('review', 'success', 'failure', 'ignored')),
  -- What staff found to have come in, where it can be looked up, who wrote that down last, and how often that was done.
  found_amount bigint check (found_amount > 0),
  evidence text check (length(evidence) between 1 and 200),
  edited_by bigint,
  revision int not null default 0,
  -- A name of recharge/reasons.ts, and words beside it.
  reason text check (reason ~ '^[a-z_]{1,40}$'),
  reason_text text check (length(reason_text) between 1 and 500),
  decided_at timestamptz,
  transfer_id bigint,
  -- Who has taken the case up; it falls back when the time has passed.
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

-- What came in once is credited once.
create unique index deposit_requests_by_evidence on deposit_requests (asset_id, reference_key(evidence)) where status = 'success';

create index deposit_requests_credited_to on deposit_requests (customer_id, decided_at) where status = 'success';

create index deposit_requests_credited_by on deposit_requests (edited_by, decided_at) where status = 'success';


create table withdrawal_requests (
  id bigint generated always as identity (start with 1000) primary key,
  customer_id bigint not null references customers,
  key_hash bytea not null check (octet_length(key_hash) = 32),
  asset_id smallint not null references ledger.assets,
  -- What leaves the balance; the fee is part of it, so amount - fee arrives.
  amount bigint not null check (amount > 0),
  fee bigint not null check (fee >= 0 and fee < amount),
  -- Of `destinations`, whose rows never change: another card or address is another row.
  destination_id bigint not null,
  -- As its customer reads it: the last digits of a card, the ends of an address.
  destination_label text not null check (length(destination_label) between 1 and 80),
  submitted_at timestamptz not null default clock_timestamp(),
  status text not null default 'review' check (status in ('review', 'approved', 'success', 'failure', 'ignored')),
  -- A cashier has looked at it and proposes to pay it, with a word on how; part of what is approved.
  instructions text check (length(instructions) <= 500),
  edited_by bigint,
  revision int not null default 0,
  reason text check (reason ~ '^[a-z_]{1,40}$'),
  reason_text text check (length(reason_text) between 1 and 500),
  -- Of the payment: the bank's or the chain's.
  reference text check (length(reference) between 1 and 200),
  approved_at timestamptz,
  decided_at timestamptz,
  hold_transfer_id bigint not null,
  -- Of the payout, or of the release.
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


-- What happened to each request: who, when, from where to where, and why. Written with the step, never changed.
create table request_events (
  id bigint generated always as identity primary key,
  kind text not null check (kind in ('deposit', 'withdrawal')),
  request_id bigint not null,
  at timestamptz not null default clock_timestamp(),
  step text not null check (step in ('submitted', 'found', 'proposed', 'approved', 'paid', 'credited', 'failed', 'ignored', 'cancelled',
    'lapsed')),
  -- The house: time has passed (010_lapse.sql).
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


-- What else staff do with money: corrections, channels, statements of the bank, the daily reconciliation.
--
-- Refusals as in 008; beside those:
--   BALANCE_SMALLER the balance is smaller than the correction takes      FT130 nothing to approve

-- Puts right what was wrong in a balance: proposed by one, approved by another, and shown to its customer.
create table corrections (
  id bigint generated always as identity (start with 1000) primary key,
  customer_id bigint not null references customers,
  asset_id smallint not null references ledger.assets,
  -- Up above zero, down below.
  amount bigint not null check (amount <> 0),
  reason text not null check (length(reason) between 5 and 500),
  proposed_by bigint not null references staff,
  proposed_at timestamptz not null default clock_timestamp(),
  status text not null default 'proposed' check (status in ('proposed', 'done', 'refused')),
  decided_by bigint references staff,
  decided_at timestamptz,
  transfer_id bigint,
  reversed_deposit_id bigint references deposit_requests,
  check ((status = 'proposed') = (decided_at is null) and (decided_at is null) = (decided_by is null)),
  check ((status = 'done') = (transfer_id is not null)),
  check (status <> 'done' or decided_by <> proposed_by),
  constraint correction_reverses_down check (reversed_deposit_id is null or amount < 0)
);

create index corrections_by_customer on corrections (customer_id, id);

create unique index corrections_reverse_once on corrections (reversed_deposit_id) where status <> 'refused';

create index corrections_done_to on corrections (customer_id, decided_at) where status = 'done';

create index corrections_done_by on corrections (proposed_by, decided_at) where status = 'done';


-- What the bank says came in and went out. A line that was imported before is the same line.
create table statement_lines (
  id bigint generated always as identity primary key,
  line_hash bytea not null unique check (octet_length(line_hash) = 32),
  asset_id smallint not null references ledger.assets,
  booked_on date not null,
  -- In above zero, out below.
  amount bigint not null check (amount <> 0),
  reference text not null check (length(reference) between 1 and 200),
  counterparty text not null check (length(counterparty) <= 200),
  imported_by bigint not null references staff,
  imported_at timestamptz not null default clock_timestamp()
);

create index statement_lines_by_amount on statement_lines (asset_id, amount);


-- A run of it, as it was found.
create table reconciliations (
  id bigint generated always as identity primary key,
  at timestamptz not null default clock_timestamp(),
  -- Null: the house itself, daily.
  staff_id bigint references staff,
  findings jsonb not null,
  balances jsonb not null
);

-- The daily reconciliation reads every movement there is. As one statement it would keep one snapshot for minutes, beside
-- which nothing that is written over (balances, heads) can be tidied, and orders would stand behind it. It therefore goes in
-- steps, each a short transaction over a range: customers, transfers, requests, and what is left at the end. What one range
-- says is one snapshot's; a step that one process does not come to is made by another. `reconcile` says the same in one snapshot,
-- for houses that are small enough (decision 113).
create table reconciliation_progress (
  only_row boolean primary key default true check (only_row),
  day date not null,
  phase text not null check (phase in ('customers', 'transfers', 'requests', 'rest')),
  -- The range's beginning, and how many ids the next one has.
  next_id bigint not null,
  width bigint not null default 64 check (width between 1 and 100000),
  -- The house's balances at the beginning, less the movements that were read since: zero in the end.
  watermark xid8 not null,
  house jsonb not null,
  findings jsonb not null default '[]'
);


-- A rate on its way to two people.
create table earning_rate_changes (
  id bigint generated always as identity (start with 1000) primary key,
  asset_id smallint not null references ledger.assets,
  from_day date not null,
  -- A year's, in millionths: 30 000 is 3 %.
  annual_ppm int not null,
  note text not null check (length(note) between 1 and 500),
  proposed_by bigint not null references staff,
  proposed_at timestamptz not null default clock_timestamp(),
  status text not null default 'proposed' check (status in ('proposed', 'done', 'refused')),
  decided_by bigint references staff,
  decided_at timestamptz,
  check ((status = 'proposed') = (decided_at is null) and (decided_at is null) = (decided_by is null)),
  -- Who proposes can take it back, never approve it.
  check (status <> 'done' or decided_by <> proposed_by)
);

create unique index earning_rate_changes_open on earning_rate_changes (asset_id) where status = 'proposed';

-- The table of rates: what an asset earns from a day on, until the next row.
create table earning_rates (
  asset_id smallint not null references ledger.assets,
  from_day date not null,
  annual_ppm int not null check (annual_ppm between 0 and 200000),
  -- Null: the demo's own, which are samples and count in demo only.
  change_id bigint unique references earning_rate_changes,
  added_at timestamptz not null default clock_timestamp(),
  primary key (asset_id, from_day)
);


-- One customer's earnings in one asset, beside what stands in ledger.balances.
create table earning_accounts (
  customer_id bigint not null references customers,
  asset_id smallint not null references ledger.assets,
  -- The last day whose interest stands.
  accrued_through date not null,
  -- The lowest balance of `low_day` so far; on a later day nothing has moved yet, and it is the balance.
  low_day date not null,
  low bigint not null check (low >= 0),
  -- What rounding has left over, in parts of earning_divisor() of a smallest unit.
  carry bigint not null default 0 check (carry >= 0 and carry < earning_divisor()),
  accumulated bigint not null default 0 check (accumulated >= 0),
  primary key (customer_id, asset_id)
) with (fillfactor = 70);

-- A day's interest on one account; days on which nothing earned have no row. The key is what "once" means.
create table earning_interest (
  customer_id bigint not null,
  asset_id smallint not null,
  day date not null,
  principal bigint not null check (principal > 0),
  annual_ppm int not null check (annual_ppm >= 0),
  interest bigint not null check (interest >= 0),
  -- What was left over after it.
  carry bigint not null check (carry >= 0 and carry < earning_divisor()),
  transfer_id bigint,
  primary key (customer_id, asset_id, day),
  check ((interest > 0) = (transfer_id is not null))
);

-- How far the accrual has come: the day that it is at, and the last account of it. Whoever works holds this row.
create table earning_head (
  only_row boolean primary key default true check (only_row),
  day date not null,
  after_customer bigint not null default 0,
  after_asset smallint not null default 0,
  accounts bigint not null default 0
);

-- Days that are done for every account, with how many earned.
create table earning_days (
  day date primary key,
  accounts bigint not null,
  ended_at timestamptz not null default clock_timestamp()
);

-- A move in earnings reads the day once, after it holds the balance: read several times, a midnight between two readings left
-- the day before it without interest, and from then on no day was booked for that account (decision 123).
--
-- An account that can't be booked all the same is set aside: the accrual goes on without it, its customer sees and moves the
-- money as ever, the operator is told, and earning_mend books from the ledger what is missing.
create table earning_set_aside (
  customer_id bigint not null,
  asset_id smallint not null,
  since timestamptz not null default clock_timestamp(),
  problem text not null check (length(problem) between 1 and 500),
  primary key (customer_id, asset_id),
  foreign key (customer_id, asset_id) references earning_accounts
);

insert into earning_head (day) values ((now() at time zone 'UTC')::date);


-- Orders: batches of acceptances, the orders themselves, and what the house has promised.

-- One placement batch: what was read after the locks, and the signed root over its acceptances.
create table order_batches (
  number bigint primary key,
  accepted_at_ms bigint not null,
  log_size bigint not null,
  log_root bytea not null check (octet_length(log_root) = 32),
  accepted int not null check (accepted >= 0),
  -- Refused requests: how many, and by code.
  refused int not null check (refused >= 0),
  -- By reason whose orders, each as [customer, asset]; they are told apart by what the customer had won or lost.
  refusals jsonb not null,
  -- Merkle root and leaves (32 bytes each) over the acceptances in their order, and the signed note that carries it.
  root bytea not null check (octet_length(root) = 32),
  leaves bytea not null,
  signed text not null,
  check (octet_length(leaves) = accepted * 32)
);

create table orders (
  -- batch * 1024 + place in the batch, so that a batch is a range of ids and younger orders have higher ones.
  id bigint primary key,
  customer_id bigint not null,
  -- SHA-256 of the Idempotency-Key, and of the request's fields.
  key_hash bytea not null check (octet_length(key_hash) = 32),
  input_hash bytea not null check (octet_length(input_hash) = 32),
  accepted_at_ms bigint not null,
  settles_at_ms bigint not null,
  stake bigint not null check (stake > 0),
  -- What a win earns on top of the stake.
  income bigint not null check (income >= 0),
  rules_id bigint not null,
  seen_size bigint check (seen_size >= 0),
  seen_root bytea check (octet_length(seen_root) = 32),
  payout_rate_bps int not null check (payout_rate_bps between 1 and 9999),
  product_id smallint not null,
  asset_id smallint not null,
  minutes smallint not null check (minutes > 0),
  -- 1 up, -1 down
  direction smallint not null check (direction in (1, -1)),

  -- Settlement: all null until it happens, once.
  settled_at_ms bigint,
  -- 1 profit, -1 loss, 0 none
  result smallint check (result in (1, -1, 0)),
  credited bigint,
  void_reason text check (void_reason in ('not_logged', 'no_open', 'gap', 'stale')),
  open_index bigint,
  open_ms bigint,
  open_price bigint,
  settle_index bigint,
  settle_ms bigint,
  settle_price bigint,

  check ((seen_size is null) = (seen_root is null)),
  -- Acceptance + cycle, rounded up to a whole second.
  check (settles_at_ms = (accepted_at_ms + minutes * 60000::bigint + 999) / 1000 * 1000),
  -- floor(stake * payout rate) without a product that could overflow.
  check (income = stake / 10000 * payout_rate_bps + stake % 10000 * payout_rate_bps / 10000),
  check ((settled_at_ms is null) = (result is null) and (result is null) = (credited is null)),
  -- A tick comes with its place, time and price, or not at all.
  check (num_nulls(open_index, open_ms, open_price) in (0, 3) and num_nulls(settle_index, settle_ms, settle_price) in (0, 3)),
  check (credited = case result when 1 then stake + income when 0 then stake else 0 end),
  -- The outcome follows from the prices and from nothing else. An unknown (null) is a refusal here, hence "is true".
  check (case
    when result is null then num_nonnulls(void_reason, open_index, settle_index) = 0
    when void_reason in ('not_logged', 'no_open', 'gap') then
      result = 0 and num_nonnulls(open_index, settle_index) = 0 and settled_at_ms > accepted_at_ms
    else open_ms >= accepted_at_ms and open_ms <= settle_ms and settle_ms <= settles_at_ms and settles_at_ms < settled_at_ms
      and open_index <= settle_index and open_price > 0 and settle_price > 0
      and case
        when void_reason = 'stale' then
          result = 0 and settle_ms < settles_at_ms and sign(settle_price - open_price) * direction <= 0
        else result = sign(settle_price - open_price) * direction
      end
  end is true)
) with (fillfactor = 45, autovacuum_vacuum_scale_factor = 0.05);

-- No index holds a settlement column, and each page keeps room for its orders once more: settling is a heap-only update.
create unique index orders_by_key on orders (customer_id, key_hash);

create index orders_by_customer on orders (customer_id, id);

create index orders_by_settlement on orders (settles_at_ms, product_id);

create index orders_by_product on orders (product_id, id);

-- Idempotency keys of everything else that moves money; those of orders stand with the orders.
create table used_keys (
  customer_id bigint not null,
  key_hash bytea not null check (octet_length(key_hash) = 32),
  input_hash bytea not null check (octet_length(input_hash) = 32),
  at timestamptz not null default now(),
  primary key (customer_id, key_hash)
);

-- Until when a product has orders that settle, by the minute: which products tick faster. What the house has taken on per
-- minute is not stored: it follows from the orders (exposure-book.ts).
create table busy_products (
  product_id smallint primary key,
  until_ms bigint not null
) with (fillfactor = 20);

-- Income promised by all orders ever accepted, per asset. What has been settled since is in settled_income.
create table promised_income (
  asset_id smallint primary key references ledger.assets,
  amount numeric(40, 0) not null default 0,
  -- The most the house may lose in one settlement minute.
  product_limit bigint not null check (product_limit >= 0),
  group_limit bigint not null check (group_limit >= 0)
) with (fillfactor = 40);

-- Serialises placement: whoever places holds this row from reading the clock to commit. It numbers the batches without
-- gaps and in the order of their clocks.
create table placement_head (
  only_row boolean primary key default true check (only_row),
  next_batch bigint not null default 1,
  -- Stops new orders, and nothing else.
  is_halted boolean not null default false,
  -- While a batch is open: what ledger.take held for it, to be told apart from anything else by its hash. No transaction
  -- commits before its batch is closed.
  open_holds int,
  open_hash numeric,
  check ((open_holds is null) = (open_hash is null))
) with (fillfactor = 10);

-- How many orders each customer sent since the beginning of a second. Unlogged: after a crash everybody begins anew.
create unlogged table order_counts (
  customer_id bigint primary key,
  orders int not null,
  since timestamptz not null
) with (fillfactor = 50);

insert into placement_head default values;


-- The promise of orders that were settled, one row per settlement chunk and asset; added up behind a watermark.
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

-- How far settlement has come; moved forward by the engine.
create table settlement_head (
  only_row boolean primary key default true check (only_row),
  -- All orders that settle before this time are settled, those of a batch that is slow to commit among them.
  settled_before_ms bigint not null default 0,
  -- When the log stood at noted_ms, this was the next batch: once it has committed, no batch accepted before noted_ms can
  -- still come.
  noted_ms bigint not null default 0,
  noted_batch bigint not null default 0,
  -- Batches up to this number have opened, or their orders are void.
  opened_batch bigint not null default 0
) with (fillfactor = 10);

insert into settlement_head default values;


-- Halts of new orders. One person halts, at once; it takes two to go on. Settlement, prices and withdrawals go on throughout.
create table trading_halts (
  id bigint generated always as identity primary key,
  reason text not null check (length(reason) between 1 and 500),
  halted_by bigint not null references staff,
  halted_at timestamptz not null default now(),
  -- The proposal to go on; a later one takes the place of an earlier.
  lift_note text check (length(lift_note) between 1 and 500),
  lift_content bytea check (octet_length(lift_content) = 32),
  lift_proposed_by bigint references staff,
  lift_proposed_at timestamptz,
  lifted_by bigint references staff,
  lifted_at timestamptz,
  check (num_nulls(lift_note, lift_content, lift_proposed_by, lift_proposed_at) in (0, 4)),
  check (num_nulls(lifted_by, lifted_at) in (0, 2)),
  check (lifted_at is null or (lift_proposed_by is not null and lifted_by <> lift_proposed_by))
);

create unique index trading_halts_open on trading_halts ((true)) where lifted_at is null;


-- Price alerts: a customer is told once when a price reaches a mark. Decided from logged ticks only, by the engine, in one
-- statement for all of them (decision 086).
create table price_alerts (
  id bigint generated always as identity (start with 1000) primary key,
  customer_id bigint not null references customers,
  product_id smallint not null references products,
  -- 1: the price rises to the mark or above; -1: it falls to the mark or below. In units of the product's last decimal.
  direction smallint not null check (direction in (1, -1)),
  mark bigint not null check (mark > 0),
  created_at timestamptz not null default clock_timestamp(),
  -- Ticks from this place of the log on count.
  from_index bigint not null,
  -- The first tick that reached it.
  fired_at timestamptz,
  fired_index bigint check (fired_index >= from_index),
  fired_ms bigint,
  fired_price bigint,
  removed_at timestamptz,
  check (num_nulls(fired_at, fired_index, fired_ms, fired_price) in (0, 4)),
  -- What was removed says nothing any more, and what has fired is not removed from the record.
  check (fired_at is null or removed_at is null),
  check ((fired_price - mark) * direction >= 0)
);

create index price_alerts_waiting on price_alerts (product_id, direction, mark) where fired_at is null and removed_at is null;

create index price_alerts_by_customer on price_alerts (customer_id, id);

-- How far the log has been looked at. While nobody waits for anything it stands still.
create table alert_head (
  only_row boolean primary key default true check (only_row),
  next_index bigint not null default 0
);

insert into alert_head default values;


-- Support: one conversation for each customer, and how staff work on it.
--
-- What is said is sealed as personal data is (006): nobody reads a conversation in the database. Messages are written by the
-- functions below alone and never change; their order is their place, given under the lock of the conversation's row. What staff
-- write for each other stands in a table of its own, so that no query of a customer's messages can reach it.
--
-- Refusals, beside those of the staff (005):
--   CHAT_NOT_FOUND no such conversation       COLLEAGUE_NOT_FOUND nobody of support of that number     CANNED_FULL too many canned answers
--   CHAT_CLAIMED somebody else has it       IDEMPOTENCY_MISMATCH the key was used for other words
create sequence chat_moves;

create table chats (
  customer_id bigint primary key references customers,
  -- The newest message's place, counted from 1; and its number among all messages of all conversations, by which lists page.
  last_place int not null default 0,
  last_move bigint,
  last_at timestamptz,
  -- Since when, and since which message, the customer waits for an answer; null: answered.
  waiting_since timestamptz,
  waiting_move bigint,
  -- Up to which place messages have reached the customer's app, were read by the customer, and by staff.
  customer_received int not null default 0,
  customer_read int not null default 0,
  staff_read int not null default 0,
  customer_typing_at timestamptz,
  staff_typing_at timestamptz,
  -- Whoever works on it; lapses when nothing was done for a while.
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
  -- Null: the customer's.
  staff_id bigint references staff,
  -- The words; null where there are none, and once erased.
  sealed bytea,
  key_id bytea generated always as (sealed_key(sealed)) stored,
  upload_id bigint references uploads,
  at timestamptz not null default clock_timestamp(),
  -- By what it is known when it is sent again: the key, and an index of what was said.
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

-- What staff say to each other about it.
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

-- Answers that are ready, in each language.
create table canned_answers (
  id bigint generated always as identity primary key,
  title text not null check (length(title) between 1 and 60),
  zh text not null check (length(zh) between 1 and 1000),
  tw text not null check (length(tw) between 1 and 1000),
  en text not null check (length(en) between 1 and 1000),
  changed_by bigint references staff,
  changed_at timestamptz not null default now()
);

insert into canned_answers (title, zh, tw, en) values
  ('Greeting', '您好，我已收到您的消息，正在为您查看，请稍候。', '您好，我已收到您的訊息，正在為您查看，請稍候。',
   'Hello, I have your message and am looking into it. One moment, please.'),
  ('Deposit under review', '您的充值正在审核，金额以核实到账为准，结果会在消息中心通知您。', '您的充值正在審核，金額以核實到帳為準，結果會在訊息中心通知您。',
   'Your deposit is under review. The amount is what we find received; the result comes to your inbox.'),
  ('Withdrawal on hold', '修改密码、提现密码或收款方式之后有一段安全等待期，期满后审核才会继续。', '修改密碼、提現密碼或收款方式之後有一段安全等待期，期滿後審核才會繼續。',
   'After a change of password, withdrawal password or destination there is a safety hold. The review goes on when it has passed.'),
  ('Never your password', '我们绝不会向您索要密码、验证码或恢复码，请不要发给任何人。', '我們絕不會向您索取密碼、驗證碼或恢復碼，請不要發給任何人。',
   'We never ask for your password, codes or recovery codes. Please send them to nobody.');


-- News: what the operator tells everybody. Written by staff with the role content, or taken in from feeds.
--
-- Nothing is edited silently: each save is another version, a version never changes but for the moment it shows from, and
-- what is withdrawn says so for good. Which version readers see follows from the clock: the newest whose moment has come.
--
--   NEWS_NOT_FOUND no such article     NEWS_MOVED not its newest version, or the moment has passed     NEWS_WITHDRAWN withdrawn

-- Pictures above articles, made anew from what was sent. Public once an article shows them; until then nobody can guess one.
create table news_covers (
  id bigint generated always as identity primary key,
  name text not null unique check (name ~ '^[A-Za-z0-9_-]{32}$'),
  width int not null check (width between 1 and 10000),
  height int not null check (height between 1 and 10000),
  picture bytea not null check (octet_length(picture) between 1 and 2097152),
  thumb bytea not null check (octet_length(thumb) between 1 and 2097152),
  -- Null: comes with the demo.
  added_by bigint references staff,
  added_at timestamptz not null default now()
);

create table news_items (
  id bigint generated always as identity (start with 1000) primary key,
  -- Made up, for the demo; live mode shows none of these.
  is_sample boolean not null default false,
  -- The feed that it was taken from; null: written here.
  feed text check (length(feed) between 1 and 500),
  created_at timestamptz not null default now(),
  -- When the first of its versions shows, or showed.
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
  -- Who says so, and where it can be read there.
  source text not null check (length(source) between 1 and 120),
  source_url text check (length(source_url) <= 2000 and source_url ~ '^https?://[^[:space:]]+$'),
  body_form text not null default 'markdown' check (body_form in ('markdown', 'html')),
  -- What changed, for readers.
  note text check (length(note) between 1 and 500),
  saved_at timestamptz not null default now(),
  -- Null: a feed's, or the demo's.
  saved_by bigint references staff,
  publish_at timestamptz,
  published_by bigint references staff,
  primary key (news_id, version)
);

create table news_texts (
  news_id bigint not null,
  version int not null,
  language text not null check (language in ('zh', 'tw', 'en')),
  title text not null check (length(title) between 1 and 200),
  summary text not null check (length(summary) between 1 and 500),
  body text not null check (length(body) between 1 and 100000),
  primary key (news_id, version, language),
  foreign key (news_id, version) references news_versions
);

-- What a feed's entry is known by: hashes of its id within the feed, and of its link. One that was ever taken in stays known.
create table news_feed_keys (
  key bytea primary key check (octet_length(key) = 32),
  news_id bigint not null references news_items
);


-- What is owed to customers, once a day: per asset a Merkle sum tree over available + held + earning of each, its root in the
-- public log (liabilities|1|date|asset|total|rootHash), its nodes here, so that each customer can be shown the way from their
-- own leaf up to it. Trees are kept for a month; roots for good.
create table liability_days (
  date date not null,
  asset_id smallint not null references ledger.assets,
  -- All customers' money in the smallest unit, at `taken_at`.
  total numeric(40) not null check (total >= 0),
  root bytea not null check (octet_length(root) = 32),
  taken_at timestamptz not null default now(),
  customers int not null check (customers >= 0),
  depth smallint not null check (depth between 1 and 40),
  -- Where it stands in the log; null: the log owes it.
  entry_index bigint unique,
  primary key (date, asset_id)
);

-- Whose leaf stands where. The nonce keeps everybody else from guessing.
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

-- A level of a tree: 48 bytes a node, 16 of the sum and 32 of the hash; level 0 are the leaves.
create table liability_levels (
  date date not null,
  asset_id smallint not null,
  level smallint not null check (level between 0 and 40),
  nodes bytea not null,
  primary key (date, asset_id, level),
  foreign key (date, asset_id) references liability_days
);

-- Never compressed, so that a node is read without the rest.
alter table liability_levels alter column nodes set storage external;


-- What the house publishes of itself (/transparency): counted from orders and log alone, a little at a time, each order and entry
-- once. What is counted is final: all orders that settle before the mark are settled (settlement_head).

-- Orders by the day of their settlement (UTC).
create table order_statistics (
  date date not null,
  product_id smallint not null,
  minutes smallint not null,
  asset_id smallint not null,
  won bigint not null default 0,
  lost bigint not null default 0,
  tied bigint not null default 0,
  void bigint not null default 0,
  -- What voids would have come to at the next tick, where there was one within a minute.
  void_won bigint not null default 0,
  void_lost bigint not null default 0,
  void_tied bigint not null default 0,
  -- Of those that were won or lost: stakes, what was paid for them, and the share of the stakes that the payout rate leaves the house.
  staked numeric(40) not null default 0,
  paid numeric(40) not null default 0,
  stated numeric(40, 4) not null default 0,
  primary key (date, product_id, minutes, asset_id)
);

-- What each customer won or lost, by month.
create table customer_results (
  customer_id bigint not null,
  month date not null,
  asset_id smallint not null,
  result numeric(40) not null,
  primary key (customer_id, month, asset_id)
);

create index customer_results_by_month on customer_results (month);

-- How long things took, in buckets of 50 ms of the log's time: `open` from acceptance to the opening tick, `settle` from the
-- settlement time to the settlement.
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

-- `result`: what the customer had come to with that asset in the 30 days before, of orders that were settled by then; 1: had won,
-- -1: had lost, 0: neither, or had none.
create table refusal_statistics (
  date date not null,
  code text not null,
  result smallint not null check (result between -1 and 1),
  count bigint not null,
  primary key (date, code, result)
);

create table statistics_mark (
  only_row boolean primary key default true check (only_row),
  -- Orders that settle before this are counted, entries of the log below this, batches below this.
  settles_ms bigint not null default 0,
  entry_index bigint not null default 0,
  batch bigint not null default 0
);

insert into statistics_mark default values;

