-- Functions that columns, indexes and constraints of tables use, and `refuse`, which raises all refusals. This file is applied
-- before all tables.

create schema if not exists ledger;

-- Refuses a request: raises an error of the project's own SQLSTATE, with the refusal's name as the constraint name.
create or replace function refuse(_name text, _message text, _detail text default '') returns void
language plpgsql set search_path = pg_catalog, pg_temp as $$
begin
  raise exception using errcode = 'FT000', message = _message, detail = _detail, constraint = _name;
end $$;

-- Takes the next posting id for something that moves no money, so that the fund log lists it among postings in one order.
create or replace function ledger.next_line() returns bigint
language sql volatile as $$ select nextval(pg_get_serial_sequence('ledger.postings', 'id')) $$;

-- The side of a staff role. All roles of an account are on one side.
create or replace function side_of(_role text) returns text
immutable language sql set search_path = public, pg_temp as $$
  select case _role when 'administrator' then 'administration' when 'auditor' then 'audit' else 'work' end
$$;

-- The id of the key that a value is sealed with: its bytes 2 to 5.
create or replace function sealed_key(_sealed bytea) returns bytea immutable language sql as 'select substring(_sealed from 2 for 4)';

-- The highest minimum that withdrawals of an asset may have, in its smallest unit: a tenth of the amount above which two approvals
-- are needed. So staff can't set a minimum that most balances don't reach. Assets as seeded: 2 USDT, 3 USD, 4 BTC, 5 ETH.
create or replace function withdrawal_min_cap(_asset smallint) returns bigint
immutable language sql set search_path = pg_catalog, pg_temp as $$
  select case _asset when 2 then 500000000 when 3 then 50000 when 4 then 1000000 when 5 then 20000000 end::bigint
$$;

-- The normal form of a payment's reference, without white space and in lower case, so that two spellings count as one payment.
create or replace function reference_key(_reference text) returns text
immutable language sql set search_path = pg_catalog, pg_temp as $$ select lower(regexp_replace(_reference, '\s', '', 'g')) $$;

-- The JSON of a log entry `rules|1|scope|effectiveMs|json`; null if the text is no such entry.
create or replace function rules_json(_entry text) returns jsonb
immutable language sql set search_path = public, pg_temp as $$
  select substring(_entry from '^rules\|1\|[^|]*\|[0-9]+\|(.*)$')::jsonb
$$;

-- A day's interest is principal * annual rate in millionths / earning_divisor(): 365 days times a million.
create or replace function earning_divisor() returns bigint immutable language sql as 'select 365000000::bigint';

-- The payout rates of a `rules` entry, in 1/10 000, as an object by the minutes of the cycle.
create or replace function rates_of(_entry text) returns jsonb
immutable language sql set search_path = public, pg_temp as $$
  select coalesce(jsonb_object_agg(c ->> 'minutes', round((c ->> 'payoutRate')::numeric * 10000)::int), '{}')
  from jsonb_array_elements(rules_json(_entry) -> 'cycles') c
$$;

-- The ledger: double entry in whole smallest units of each asset, append-only. Only the ledger's functions write these tables; no
-- role but their owner may insert, update or delete. An owner is a customer (ids from 1000) or a part of the house (ids below).
-- An account's number is owner * 4 + bucket: 0 available, 1 held (open stakes and pending withdrawals), 2 earning. House owners
-- have bucket 0 only. A balance is credits less debits, so the sum over all accounts of an asset is zero.
-- House accounts have no row in ledger.balances: ledger/house.sql keeps their movements.

create table ledger.assets (
  id smallint primary key,
  code text not null unique check (code ~ '^[A-Z]{2,8}$'),
  scale smallint not null check (scale between 0 and 18),
  -- Practice money: credited at registration and on request, never deposited, withdrawn or earning.
  is_practice boolean not null
);

-- A transfer is one movement of money. A second call with the same key and input makes no second transfer.
create table ledger.transfers (
  id bigint generated always as identity primary key,
  idempotency_key text not null unique check (length(idempotency_key) between 1 and 200),
  input_hash bytea not null check (octet_length(input_hash) = 32),
  kind text not null check (kind in ('resolve', 'reserve', 'practice', 'capital', 'deposit', 'hold', 'release', 'payout',
    'correction', 'earn_in', 'earn_out', 'interest')),
  created_at timestamptz not null default clock_timestamp(),
  -- The database transaction that wrote it. ledger.digest selects transfers by it.
  xid xid8 not null default pg_current_xact_id()
);

create index transfers_by_xid on ledger.transfers (xid);

-- A posting moves `amount` from the debit account to the credit account. The postings of a transfer share its id.
create table ledger.postings (
  id bigint generated always as identity,
  transfer_id bigint not null,
  -- The customer on either side, else the house owner on the credit side.
  owner_id bigint not null,
  asset_id smallint not null,
  debit bigint not null,
  credit bigint not null,
  amount bigint not null check (amount > 0),
  -- The customer's available balance after this posting; null if the posting does not move it.
  available_after bigint check (available_after >= 0),
  -- The cause, as the caller names it: the id of an order, request or correction, or a day of earnings as YYYYMMDD. 0: none.
  ref bigint not null,
  primary key (owner_id, id),
  check (debit <> credit)
);

create index postings_by_transfer on ledger.postings using brin (transfer_id);

-- A customer's balances in an asset, one column per bucket. Registration creates a row for each asset.
create table ledger.balances (
  owner_id bigint not null check (owner_id >= 1000),
  asset_id smallint not null references ledger.assets,
  available bigint not null default 0 check (available >= 0),
  held bigint not null default 0 check (held >= 0),
  earning bigint not null default 0 check (earning >= 0),
  primary key (owner_id, asset_id)
) with (fillfactor = 70);

-- Number of resets of a customer's practice money on `day`, the last UTC day that had one.
create table ledger.practice_resets (
  owner_id bigint not null,
  asset_id smallint not null references ledger.assets,
  day date not null,
  resets int not null check (resets >= 0),
  primary key (owner_id, asset_id)
) with (fillfactor = 70);


-- The house's accounts (numbers below 4000). Each transfer inserts its net effect on them into house_movements. So no transfer
-- updates a row of the house, which would make concurrent transfers wait for one another.
-- roll_up_house adds the movements up in house_balances behind a watermark of transaction ids. A balance is its row there plus the
-- movements at or above the watermark. Only the ledger's functions write these tables.

-- `amount` is credits less debits of one transfer on one account.
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

-- house_balances contains the movements of transactions below `xid` and no others.
create table ledger.house_watermark (
  only_row boolean primary key default true check (only_row),
  xid xid8 not null
);

insert into ledger.house_watermark (xid) values ('0'::xid8);


-- The ledger's part of orders: holding stakes for a batch and ending the holds at settlement. Arrays make a batch one transfer.
-- Placement decides while the stakes are held. In one transaction it calls `take`, then `post_taken` for accepted orders and
-- `let_go` for the rest; it must check that both together equal the count and hash that `take` returned.
-- Settlement calls `resolve`. The server has no right to call any of these functions.


-- The ledger's part of earnings: money moves between a customer's available and earning balances, and the house's earnings
-- account pays interest. Only the functions of money/earnings.sql call these functions; the server may not. Practice money earns
-- nothing.


-- Checks of the ledger's invariants, for the audit and the reconciliation. Each function returns one row per violation, and no
-- row if all is well. `ledger.violations` checks everything at once. The other functions check ranges of owners or transfers, so
-- that a large ledger can be checked in steps, each with its own snapshot.


-- The settings of the house that rules of the database depend on: one row. The owner writes it at every start from the server's
-- configuration; the server's role only reads it.

create table house_settings (
  only_row boolean primary key default true check (only_row),
  mode text not null default 'demo' check (mode in ('demo', 'live')),
  -- Waiting time of a new approver, destination or credential; at least a day in live mode.
  hold_seconds int not null default 60 check (hold_seconds >= 0),
  -- A request that was decided before this time is measured by its own amount alone, see amount_before.
  sums_from timestamptz not null default clock_timestamp(),
  check (mode = 'demo' or hold_seconds >= 86400)
);

insert into house_settings default values;


-- Leases: one row per process role that only one process may fill at a time. The holder keeps raising `beat`. A standby that sees
-- the beat stand still takes the lease and raises `epoch`, which ends the old holder's lease.
-- The server writes the rows (lease.ts). The lease of the log's writer is in log_head instead.

create table leases (
  name text primary key,
  epoch bigint not null default 0,
  beat bigint not null default 0,
  holder text
) with (fillfactor = 20);

-- Counters of attempts, for rate limits that all processes share. The server writes them through the package
-- rate-limiter-flexible, which defines the columns.

create table throttles (
  key varchar(255) primary key,
  points integer not null default 0,
  expire bigint
);

-- Customers' accounts and the history of their logins.
-- The server's role inserts a customer; it updates only nickname, password hash, language and watch list. Functions and triggers
-- write the level, the state of the name and the dates of security changes. The level follows from facts: no one can grant it.
-- A closed or erased customer keeps the row, because records of money refer to it.

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
  -- Time at which a confirmed second factor was last added or removed.
  second_factor_changed_at timestamptz,
  erased_at timestamptz,
  -- Triggers on the factors maintain it, so that a login reads it together with the password's hash.
  has_second_factor boolean not null default false,
  -- Start of the current period in which the name is verified and a second factor is on. Gold and platinum count from it.
  secured_since timestamptz,
  closed_at timestamptz,
  -- Time at which a recovery code that removes factors was used.
  factor_taken_at timestamptz
);

create unique index customers_by_account on customers (lower(account));

-- Placement reads the levels of each batch's customers. The index is small, because most customers are bronze.
create index customers_above_bronze on customers (id) where level <> 'bronze';

create table login_events (
  id bigint generated always as identity primary key,
  -- Null: there is no such account. Its failed login is recorded like any other, so that both take the same work.
  customer_id bigint references customers,
  at timestamptz not null default now(),
  is_success boolean not null,
  user_agent text not null,
  address inet
);

create index login_events_by_customer on login_events (customer_id, id);

-- Customers whose level can rise with time: see levels_advance.
create index customers_rising on customers (secured_since) where secured_since is not null and level <> 'platinum';

create index login_events_of_nobody on login_events (at) where customer_id is null;

-- Each login looks for an earlier one from the same network. Strangers in other networks can't delay or lock out a customer whose
-- network is known (decision 119).
create index login_events_known_places on login_events (customer_id, at) where is_success;


-- Staff: accounts, roles, second factors, challenges and logins.
-- Functions alone create accounts, turn them on or off and write roles (staff-changes.sql). The server writes passwords, languages,
-- second factors, challenges and logins.
-- The server proves by a session on whose behalf it acts (acting.sql). Functions decide what that person may do; they run with the
-- rights of their owner.

create table staff (
  id bigint generated always as identity (start with 101) primary key,
  account text not null check (account ~ '^[A-Za-z][A-Za-z0-9_]{5,17}$'),
  display_name text not null check (length(display_name) between 1 and 40),
  -- The name by which the operator tells people apart. Two accounts of one person count as one pair of eyes.
  person text not null check (person ~ '^[a-z0-9][a-z0-9._-]{0,39}$'),
  password_hash text not null,
  -- Another person chose the password. The server allows nothing else until it is changed.
  must_change_password boolean not null default true,
  is_active boolean not null default false,
  is_demo boolean not null default false,
  language text not null default 'zh' check (language in ('zh', 'tw', 'en')),
  -- The group of roles that the account may have, set with its first role. Administrators and auditors have no other role.
  side text check (side in ('administration', 'audit', 'work')),
  created_at timestamptz not null default now(),
  -- Null: created by the command for the first administrators, or seeded.
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
  -- From this time on, the role may propose, approve and move money. For approvers and administrators it is later than the grant. A
  -- reset of the account, or turning it on again, postpones it.
  usable_from timestamptz not null,
  primary key (staff_id, role),
  foreign key (staff_id, side) references staff (id, side)
);

create table staff_second_factors (
  id bigint generated always as identity primary key,
  staff_id bigint not null references staff,
  kind text not null check (kind in ('totp', 'passkey')),
  label text not null check (length(label) between 1 and 40),
  -- TOTP: the sealed secret, and the last time step used, so that no code works twice.
  sealed_secret bytea,
  last_step bigint,
  -- Passkey: the values as the authenticator gave them.
  credential_id bytea unique,
  public_key bytea,
  counter bigint,
  transports text[],
  created_at timestamptz not null default now(),
  -- The time when the factor was first shown to work; null: it does not count yet.
  confirmed_at timestamptz,
  last_used_at timestamptz,
  check (case kind when 'totp' then sealed_secret is not null and credential_id is null
    else sealed_secret is null and credential_id is not null and public_key is not null and counter is not null end)
);

create index staff_second_factors_by_staff on staff_second_factors (staff_id);

-- Challenges that authenticators sign. Each is used once.
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


-- Sessions of staff. Functions alone write them, and the server's role can't read token hashes (roles.sql).
-- The server checks the password and the second factor, because the database can check neither. So it can begin a session for
-- anybody, but not unseen: each login appears in the audit log and in the list of logins.
-- A session lives for one hour after its last use and for 12 hours in all.

create table staff_sessions (
  id bigint generated always as identity unique,
  token_hash bytea primary key check (octet_length(token_hash) = 32),
  staff_id bigint not null references staff,
  created_at timestamptz not null default now(),
  last_used_at timestamptz not null default now(),
  -- Until this time, money may move and rights may change without another step-up.
  fresh_until timestamptz not null,
  -- Whether the session has shown a second factor.
  is_strong boolean not null,
  user_agent text not null,
  address inet
);

create index staff_sessions_by_staff on staff_sessions (staff_id);

-- Keeps each session after its end, without its token's hash, browser or address. The audit compares acts of staff with it.
create table staff_session_log (
  id bigint primary key,
  staff_id bigint not null,
  began_at timestamptz not null,
  ended_at timestamptz
);


-- Acts of staff, tied to sessions. The server's role proves on whose behalf it acts: each decision of staff needs the token hash of
-- a live session of theirs, and keeps that session's id.
-- The hash comes in the connection setting fairtick.staff_session, which acting-staff.ts sets for each request of the office. It
-- is a proof because the server's role can't read token hashes (roles.sql): only the holder of the token knows its hash.
-- The database's owner may act without a session. The audit reports such acts (audit-session-checks.ts).


-- The audit log of what staff did: an append-only chain of hashes. Functions alone write it (audit_append, audit_own).
-- The columns after `hash` are generated from `entry`, so the data that is shown is the data that is hashed.
-- hash = sha256(the previous entry's hash || the entry's UTF-8 bytes). The first entry follows 32 zero bytes.
-- The row of audit_head is the last lock of a transaction: audit_chain alone takes it, at the commit.

create table audit_log (
  -- Counts from 0 without gaps.
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

-- The number of entries, and the newest entry's hash.
create table audit_head (
  only_row boolean primary key default true check (only_row),
  size bigint not null,
  hash bytea not null check (octet_length(hash) = 32)
);

-- Entries of transactions in progress. audit_chain moves them to the log at the commit, so no committed row stays here.
create table audit_pending (
  id bigint generated always as identity primary key,
  staff_id bigint,
  action text not null check (action ~ '^[a-z][a-z0-9_.]{0,59}$'),
  subject text not null check (length(subject) <= 100),
  facts jsonb not null,
  session_id bigint
);

-- The findings of the daily audit (daily-audit.ts). The server writes them itself, so they prove nothing about a dishonest server.
-- For that, run `npm run admin -- audit` from another machine.
create table audit_runs (
  -- The UTC day whose orders the audit replays from the log. All other checks read the state at the time of the run.
  day date primary key,
  ended_at timestamptz not null default clock_timestamp(),
  findings jsonb not null check (jsonb_typeof(findings) = 'array' and jsonb_array_length(findings) <= 100)
);

insert into audit_head (size, hash) values (0, decode(repeat('00', 32), 'hex'));


-- Four eyes: how many people have to approve a kind of subject, the record of edits, and the approvals. Functions alone write edits
-- and approvals. An approval is for one content, by its hash. A person never approves a subject that they edited or that is about
-- them. Two accounts of one person count as one. An approval counts only while its giver has the role.
-- Lock order of decisions: the subject (a request or a change) → balances → the person, in lock_sums → staff, by id → the audit
-- log's head, at the commit.

create table four_eyes_rules (
  kind text primary key check (kind ~ '^[a-z][a-z_]{0,39}$'),
  -- The role that prepares; null: no staff do.
  edit_role staff_role,
  -- The role that approves, and the number of people of that role who have to approve.
  role staff_role not null,
  needed smallint not null check (needed between 0 and 3)
);

-- Bounds of amounts above which more people have to approve.
create table four_eyes_amounts (
  kind text not null references four_eyes_rules,
  asset_id smallint not null,
  -- In the asset's smallest unit.
  above bigint not null check (above > 0),
  needed smallint not null check (needed between 1 and 3),
  primary key (kind, asset_id, above)
);

-- Edits of subjects that need approval. A person who has edited a subject once never approves any content of it.
create table content_edits (
  id bigint generated always as identity primary key,
  kind text not null,
  subject_id bigint not null,
  content_hash bytea not null check (octet_length(content_hash) = 32),
  staff_id bigint not null references staff,
  person text not null,
  -- The member of staff whom the subject is about; null: it is not about staff.
  about_staff bigint references staff,
  at timestamptz not null default now(),
  session_id bigint
);

create index content_edits_by_subject on content_edits (kind, subject_id);

create table approvals (
  id bigint generated always as identity primary key,
  kind text not null,
  subject_id bigint not null,
  -- SHA-256 of exactly the approved content. Another content has none of these approvals.
  content_hash bytea not null check (octet_length(content_hash) = 32),
  -- The last editor of this content.
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
  -- A cashier alone confirms a deposit found as claimed, up to the bound below. One that differs from its claim is another kind.
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

insert into four_eyes_rules (kind, edit_role, role, needed) values ('withdrawal_terms', 'cashier', 'approver', 1);

insert into four_eyes_rules (kind, edit_role, role, needed) values ('halt_lift', 'catalogue', 'approver', 1);


-- Changes of staff: accounts, roles, resets and links to customers. One administrator proposes a change, another carries it out.
-- A person never proposes, carries out or refuses a change about themselves, by any of their accounts. No change leaves fewer than
-- two people who are active administrators.
-- Exceptions: one administrator turns off an account that is no administrator's (staff_disable), and the database's owner installs
-- accounts (staff_install).

create table staff_changes (
  id bigint generated always as identity primary key,
  kind text not null check (kind in ('enable', 'turn_off', 'grant', 'revoke', 'reset', 'link', 'unlink')),
  staff_id bigint not null references staff,
  role staff_role,
  -- For link and unlink: the customer account of this person.
  customer_id bigint references customers,
  proposed_by bigint not null references staff,
  proposed_at timestamptz not null default now(),
  state text not null default 'proposed' check (state in ('proposed', 'done', 'refused')),
  decided_by bigint references staff,
  decided_at timestamptz,
  check ((kind in ('grant', 'revoke')) = (role is not null)),
  check ((kind in ('link', 'unlink')) = (customer_id is not null)),
  check ((state = 'proposed') = (decided_by is null)),
  -- The proposer can take the change back but never carries it out. The account that it is about doesn't either.
  check (state <> 'done' or (decided_by <> proposed_by and decided_by <> staff_id)),
  check (proposed_by <> staff_id)
);

create unique index staff_changes_open on staff_changes (kind, staff_id, coalesce(role, ''), coalesce(customer_id, 0)) where state = 'proposed';


-- Links between people of the staff and their own customer accounts. A linked person decides nothing about that customer, by any
-- account: no deposit, withdrawal, correction, recovery or name. Their earlier approvals stop counting (approvals_of).
-- The person declares the link, at once, or two administrators make it. Only two administrators remove it. The database can't know
-- a link that nobody declared.

create table staff_customers (
  -- The person and not the account, so that the link applies to a second account of theirs, too.
  person text not null,
  customer_id bigint not null references customers,
  declared_at timestamptz not null default now(),
  -- The account of the person themselves, or of the administrator who carried out the change.
  declared_by bigint not null references staff,
  primary key (person, customer_id)
);


-- The products that customers trade, and those that they are looking at. The owner writes products at every start, from the
-- catalogue in the code. `decimals` is the number of decimals of a price: prices are in points, units of the last decimal.

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

-- Products that customers are looking at. A row counts up to the time `until`, and the feed ticks its product faster. The server
-- writes the table. It is unlogged, because its loss only makes prices less frequent for some seconds.
create unlogged table watched_products (
  product_id smallint primary key,
  until timestamptz not null
);

-- The rules that decide about orders: one row per `rules` entry of the log, with the entry's index as id. Rows never change, and
-- an order keeps the rules of its acceptance. Only log_append inserts rows. The trigger rules_admit admits only rules that two
-- people approved (office/rules-changes.sql) or that a feed brings without a change of payouts and limits.

create table rules (
  id bigint primary key,
  product_id smallint not null references products,
  -- The leaf hash of the entry. Ticks and acceptances name rules by it.
  hash bytea not null unique check (octet_length(hash) = 32),
  effective_ms bigint not null,
  entry text not null,
  -- The approved change that the entry carries out; null if the feed brought the rules.
  change_id bigint,
  -- Payout rates in 1/10 000, by the minutes of the cycle.
  rates jsonb generated always as (rates_of(entry)) stored,
  delay_ms bigint generated always as ((rules_json(entry) ->> 'delayMs')::bigint) stored,
  settle_bound_ms bigint generated always as ((rules_json(entry) ->> 'settleBoundMs')::bigint) stored
);

create unique index rules_by_change on rules (change_id, product_id) where change_id is not null;

create index rules_by_product on rules (product_id, id);


-- Changes of the rules that decide about orders: payouts and limits (payout_table), or rules about prices (feed_rules). One person
-- proposes a change, another approves it, the feed logs it, and it applies to new orders from its effective time on.
-- Functions alone write here. None sets a price, an outcome, or rules for one customer: rules name products and nothing else, and
-- an order keeps the rules and payout rate of its acceptance (orders.rules_id, payout_rate_bps). Those columns never change.
-- Lock order: the change → staff, by id → the audit log's head. A halt of new orders (trading/halts.sql) takes the placement head
-- first, in place of the change; it affects placement only.

create table rules_changes (
  id bigint generated always as identity primary key,
  kind text not null check (kind in ('payout_table', 'feed_rules')),
  -- The feed whose rules change. It is the first part of the rules' scope in the log.
  feed text not null check (feed ~ '^[a-z]{1,20}$'),
  -- The effective time, in ms of the log's clock.
  effective_ms bigint not null,
  note text not null check (length(note) between 1 and 500),
  -- SHA-256 of the whole change: kind, feed, effective time and the rules of each product.
  content bytea not null check (octet_length(content) = 32),
  proposed_by bigint not null references staff,
  proposed_at timestamptz not null default now(),
  state text not null default 'proposed' check (state in ('proposed', 'approved', 'refused')),
  decided_by bigint references staff,
  decided_at timestamptz,
  check ((state = 'proposed') = (decided_by is null) and (decided_by is null) = (decided_at is null)),
  -- The proposer can take the change back but never approve it.
  check (state <> 'approved' or decided_by <> proposed_by)
);

create index rules_changes_open on rules_changes (id) where state <> 'refused';

-- The complete rules of each product after the change. The feed logs exactly these, so the approved content is the logged content.
create table rules_change_products (
  change_id bigint not null references rules_changes,
  product_id smallint not null references products,
  -- The rules from which the new ones were made.
  before_id bigint not null references rules,
  rules jsonb not null,
  primary key (change_id, product_id)
);

alter table rules add foreign key (change_id) references rules_changes;


-- The current state of each product as the log shows it. Only log_append changes a row, in the transaction that appends the
-- entries. Prices are in points. Times named _ms are Unix milliseconds of the log's clock.

create table product_states (
  product_id smallint primary key references products,
  -- The number of the product's last tick or gap in the log.
  last_n bigint not null default 0,
  -- The last tick: its number, time, price and log index; null before the first.
  tick_n bigint,
  tick_ms bigint,
  tick_price bigint check (tick_price > 0),
  tick_index bigint,
  -- Set while prices have stopped.
  gap_reason text check (gap_reason in ('quorum', 'clock', 'restart', 'session', 'halt', 'end')),
  gap_ms bigint,
  -- The log time from which orders are accepted; null while there is no price.
  orders_from_ms bigint,
  rules_id bigint references rules
) with (fillfactor = 40);

-- Candles of products. `period` is in minutes. Prices are in points; `volume` is the number of ticks and `turnover` the sum of
-- their prices. `time_ms` is the candle's start in Unix milliseconds.
-- A candle longer than a minute contains all its minutes except the current one. log_append writes candles of ticks through
-- candles_add. The server inserts the simulated past and deletes old minutes.

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

-- Products whose whole simulated past, from before the installation, is stored.
create table candle_histories (
  product_id smallint primary key references products,
  made_at timestamptz not null default now()
);


-- The secret of the simulated feed for each UTC date. The log gets the secret's hash before the date and the secret after it, which
-- proves that the prices of the day were not steered. The server inserts secrets, and marks them as committed and as revealed.

create table feed_seeds (
  date date primary key,
  seed bytea not null check (octet_length(seed) = 32),
  is_committed boolean not null default false,
  is_revealed boolean not null default false
);

-- The public log: its entries, hash tree, checkpoints, archive and head. One writer at a time holds the lease in log_head, and
-- log_append is the only way to append. Entries never change. The server reads all tables and inserts bundles.
-- Times named _ms are Unix milliseconds of the log's clock, which never falls.

-- Kinds: 1 tick, new; 2 tick, same; 3 gap; 4 orders; 5 rules; 6 any other, as text. `n` numbers the ticks and gaps of a product
-- without holes; for rules it is their effective time. Prices are in points. Each partition has log_partition_size() entries.
create table log_entries (
  index bigint not null,
  time_ms bigint not null,
  n bigint,
  price bigint check (price > 0),
  rules_id bigint,
  product_id smallint,
  kind smallint not null check (kind between 1 and 6),
  -- Ticks: the quotes of the sources, packed (quote-codec.ts).
  quotes bytea,
  -- Gaps: the reason; kinds 4 to 6: the whole entry.
  body text,
  primary key (index),
  check (case when kind <= 2 then quotes is not null and price is not null and rules_id is not null
              else body is not null end),
  check (case when kind <= 3 then n > 0 and product_id is not null else true end)
) partition by range (index);

create index log_entries_by_product on log_entries (product_id, time_ms) where kind <= 3;

-- Roots of complete subtrees of 256 leaves (level 8), 65 536 leaves (level 16) and so on. Tiles and proofs are made from them.
create table log_nodes (
  level smallint not null check (level in (8, 16, 24, 32, 40)),
  index bigint not null,
  hash bytea not null check (octet_length(hash) = 32),
  primary key (level, index)
);

-- The archive: 256 entries per row, compressed. A partition is dropped once all its entries are here.
create table log_bundles (
  number bigint primary key,
  body bytea not null
);

-- The end of the log and the writer's lease. One row.
create table log_head (
  only_row boolean primary key default true check (only_row),
  -- The origin of the signed notes, and the time at which the log began; both are fixed then.
  origin text not null,
  begun_ms bigint not null,
  size bigint not null default 0,
  root bytea not null check (octet_length(root) = 32),
  -- The roots of the complete subtrees on the tree's right edge, largest first.
  peaks bytea not null default '',
  -- The log's last time. No entry is appended with an earlier time.
  time_ms bigint not null default 0,
  -- The database's clock plus this offset is the log's clock.
  offset_ms bigint not null default 0,
  last_batch bigint not null default 0,
  -- The writer's lease: a holder of an older epoch can't append. The beat rises with every append, so that a standby sees that
  -- the holder lives.
  epoch bigint not null default 0,
  beat bigint not null default 0,
  holder text
) with (fillfactor = 20);

-- Signed checkpoints, one a second. Of old ones, the last of each hour is kept.
create table log_checkpoints (
  size bigint primary key,
  root bytea not null,
  time_ms bigint not null,
  note text not null
);

-- log_drop_archived runs twice a minute and finds the few old checkpoints among many newer ones by this index.
create index log_checkpoints_by_time on log_checkpoints (time_ms);

-- The `orders` entry that carries the batches of acceptances from `first_batch` to `last_batch`. `time_ms` is the entry's time.
create table logged_batches (
  first_batch bigint primary key,
  last_batch bigint not null check (last_batch >= first_batch),
  entry_index bigint not null,
  time_ms bigint not null
);

-- Finds the first batch whose orders may be open (FIRST_OPEN in order-queries.ts).
create index logged_batches_by_time on logged_batches (time_ms);

-- Bodies are compressed already.
alter table log_bundles alter column body set storage external;


-- Heads of the ledger and of the office's audit log. They go into the public log once an hour: audit|1|timeMs|ledgerHead|auditHead.
-- After a later change of the ledger or the audit log, even by the owner, their rows give other heads than the published ones.
-- The ledger's heads are a chain: H(n) = sha256(H(n-1) || ledger.digest of the transactions since). H(0) is 32 zero bytes.
-- One process takes a head (heads_take), the log's writer logs it, and `npm run admin -- audit` checks all heads (heads_verify).

create table public_heads (
  number bigint primary key check (number >= 1),
  taken_at timestamptz not null default clock_timestamp(),
  -- The head covers all transactions below this id and no others.
  upto xid8 not null,
  ledger_head bytea not null check (octet_length(ledger_head) = 32),
  audit_size bigint not null check (audit_size >= 0),
  audit_head bytea not null check (octet_length(audit_head) = 32),
  -- The index of its log entry; null until it is logged.
  entry_index bigint unique
);


-- Cosignatures of independent witnesses on checkpoints, and hand-overs of the log's keys. A row proves nothing by itself: a
-- verifier checks it with keys that the verifier chose. The server adds cosignatures through log_cosign; the owner adds hand-overs.

create table log_cosignatures (
  size bigint not null references log_checkpoints on delete cascade,
  -- The name of the witness's key.
  witness text not null check (length(witness) between 1 and 200),
  -- The signature line of the note, with its line end.
  line text not null check (length(line) between 10 and 1000),
  received_at timestamptz not null default now(),
  primary key (size, witness)
);

create index log_cosignatures_by_witness on log_cosignatures (witness, size);

-- The `key` entries that `npm run admin -- rotate-signing-key` wrote into the log. They are copied here, so that they can be read when the
-- log's rows are archived.
create table log_keys (
  entry_index bigint primary key,
  entry text not null check (entry like 'key|1|%'),
  -- The verifier key of the old key.
  old_key text not null
);


-- Customers' sessions. Functions alone write them, and the server's role can't read token hashes. A session lives until 30 days
-- after its last use. Requests that move money or change credentials need more than a live session:
--   fresh   the password was given, and no pause between two uses since then lasted an hour: orders, deposits, earnings
--   proved  fresh, and the password, with the second factor if one is on, was given in the last five minutes; use does not renew
--           it: credentials, destinations, the export, closing, withdrawals

create table sessions (
  token_hash bytea primary key check (octet_length(token_hash) = 32),
  customer_id bigint not null references customers,
  created_at timestamptz not null default now(),
  last_used_at timestamptz not null default now(),
  -- The session is fresh before this time.
  fresh_until timestamptz not null,
  user_agent text not null,
  address inet,
  -- Number of the session on its customer's list. It gives no access.
  id bigint generated always as identity,
  -- Time of the last proof: a login, a registration or user/reauth.
  proved_at timestamptz default now()
);

create index sessions_by_customer on sessions (customer_id);

create unique index sessions_by_id on sessions (id);

-- The audit demands a recorded session for each act of customers and staff since this time.
create table sessions_known_since (
  only_row boolean primary key default true check (only_row),
  at timestamptz not null default now()
);

-- Keeps each session after its end, without the token's hash, browser and address, so that the audit can check past acts.
-- staff_session_log does the same for staff.
create table session_log (
  id bigint primary key,
  customer_id bigint not null,
  began_at timestamptz not null,
  ended_at timestamptz
);

insert into sessions_known_since default values;


-- Customers' second factors (authenticator apps and passkeys) and the challenges that passkeys sign.
-- staff_second_factors has the same columns for staff. The server's role inserts and deletes factors and updates their use; a
-- secret, a public key and an owner never change. Each change of a confirmed factor holds withdrawals and updates the level.
-- The functions also include the triggers on recovery codes (table in recovery.sql).

create table customer_second_factors (
  id bigint generated always as identity primary key,
  customer_id bigint not null references customers,
  kind text not null check (kind in ('totp', 'passkey')),
  label text not null check (length(label) between 1 and 40),
  -- TOTP: the secret, and the time step of the last accepted code, so that a code works once.
  sealed_secret bytea,
  last_step bigint,
  -- Passkey: its credential, with the signature counter.
  credential_id bytea unique,
  public_key bytea,
  counter bigint,
  transports text[],
  created_at timestamptz not null default now(),
  -- Time at which the customer showed that the factor works. An unconfirmed factor does not count.
  confirmed_at timestamptz,
  last_used_at timestamptz,
  check (case kind when 'totp' then sealed_secret is not null and credential_id is null
    else sealed_secret is null and credential_id is not null and public_key is not null and counter is not null end)
);

create index customer_second_factors_by_customer on customer_second_factors (customer_id);

-- Random values that a passkey signs when it is registered or used. Each works once.
create table customer_challenges (
  challenge text primary key,
  customer_id bigint not null references customers,
  purpose text not null check (purpose in ('register', 'assert')),
  expires_at timestamptz not null
);

create index customer_challenges_by_customer on customer_challenges (customer_id);


-- Personal data: ids of keys, customers' pictures, and the records of staff's views and customers' exports.
-- Data that can identify a person is sealed: encrypted by the server with AES-256-GCM, under keys outside this database. A sealed
-- value begins with its format (1 byte) and the key's id (4 bytes), so that a rotation finds values under older keys. A blind
-- index beside it (an HMAC) finds the value without opening it. The rotation of keys runs as the owner.
-- The functions are triggers on destinations and withdrawal passwords.

-- Ids of the keys that seal values. The keys themselves are in a file of the operator's.
create table data_keys (
  id bytea primary key check (octet_length(id) = 4),
  added_at timestamptz not null default now(),
  -- Time since which no value is sealed with the key. Older backups may still need it.
  retired_at timestamptz
);

-- Numbers of sealed records. The server takes a number before it seals, because the seal is bound to the number. All tables share
-- the sequence, so that a destination's number is unique across cards and addresses.
create sequence personal_data_ids start with 10000;

-- Customers' pictures. The file store keeps each one re-encoded from its pixels and sealed.
create table uploads (
  id bigint primary key,
  customer_id bigint not null references customers,
  purpose text not null check (purpose in ('id_front', 'id_back', 'proof', 'chat')),
  -- Random name of the file in the store; null once erased.
  file text unique check (file ~ '^[A-Za-z0-9_-]{32}$'),
  key_id bytea not null check (octet_length(key_id) = 4),
  -- Size of the picture in pixels. `bytes` and `sha256` describe the sealed file in the store.
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

-- Each view of a customer's personal data by staff. The customer can read these rows; decisions use them as proof of a review.
create table personal_data_views (
  id bigint generated always as identity primary key,
  staff_id bigint not null references staff,
  customer_id bigint not null references customers,
  what text not null check (what in ('identity', 'id_front', 'id_back', 'proof', 'bank_card', 'address', 'account', 'search', 'chat', 'recovery')),
  subject_id bigint,
  at timestamptz not null default clock_timestamp()
);

create index personal_data_views_by_customer on personal_data_views (customer_id, id);

-- Each export by a customer of all data that is stored about them.
create table data_exports (
  id bigint generated always as identity primary key,
  customer_id bigint not null references customers,
  at timestamptz not null default now()
);

create index data_exports_by_customer on data_exports (customer_id, at);


-- Verifications: submissions of a real name. State: pending -> verified or failed, once per submission.
-- Functions alone write them, besides the erasure of a customer and the rotation of keys, which run as the owner. The server passes
-- the acting member of staff; the functions check the role, the session and that the customer is not this person.
-- customers.real_status has the state of the last submission. Lock order: the customer, then the verification.

create table verifications (
  id bigint primary key,
  customer_id bigint not null references customers,
  state text not null default 'pending' check (state in ('pending', 'verified', 'failed')),
  -- Name, country, document and addresses; null once erased.
  sealed bytea,
  key_id bytea generated always as (sealed_key(sealed)) stored,
  -- Blind indices: one of the document's kind, country and number, one of the name.
  document_index bytea check (octet_length(document_index) = 32),
  name_index bytea check (octet_length(name_index) = 32),
  is_restricted_country boolean not null,
  front_id bigint not null references uploads,
  back_id bigint not null references uploads,
  submitted_at timestamptz not null default now(),
  -- The member of staff who reviews it now. A claim lapses: see verification_claim_time.
  claimed_by bigint references staff,
  claimed_at timestamptz,
  decided_at timestamptz,
  decided_by bigint references staff,
  reason text check (reason in ('unreadable', 'mismatch', 'expired', 'incomplete', 'duplicate', 'restricted', 'suspicious', 'other')),
  -- Text that staff add to the reason, for the customer to read.
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

-- Each step of a verification. `staff_id` null: the customer submitted it, or the operator erased it.
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


-- Destinations of withdrawals: customers' bank cards and crypto addresses, sealed.
-- The server's role inserts rows and sets removed_at, and nothing else. A row never changes its content: an edited card is a new
-- row with the same card_id, and the old row is removed. A removal is final, and each new row writes a notice (triggers in
-- personal-data.sql). Only the rotation of keys and the erasure of a customer, which run as the owner, replace sealed values.

create table bank_cards (
  id bigint primary key,
  -- Identifies the card to its customer across edits: the id of the card's first row.
  card_id bigint not null,
  customer_id bigint not null references customers,
  -- Holder, bank, branch and number; null once erased.
  sealed bytea,
  key_id bytea generated always as (sealed_key(sealed)) stored,
  -- The number's last four digits and its blind index.
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
  -- The address; null once erased.
  sealed bytea,
  key_id bytea generated always as (sealed_key(sealed)) stored,
  -- The address's blind index.
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


-- Withdrawal passwords (pay words): six digits, kept as an argon2id hash that is sealed as well, because a thief of the bare hash
-- could soon try all of them. The server's role writes them through the functions below only.

create table pay_words (
  customer_id bigint primary key references customers,
  sealed bytea not null,
  key_id bytea generated always as (sealed_key(sealed)) stored,
  -- Rises with each change of the password. Sealing the same password under another key leaves it as it is.
  version int not null default 1,
  failures int not null default 0 check (failures between 0 and 5),
  locked_until timestamptz,
  changed_at timestamptz not null default now(),
  check ((locked_until is not null) = (failures = 5))
);


-- Recovery codes, and calls for help from customers who can't log in.
-- State of a call: open -> proposed -> approved; open or proposed -> refused; proposed -> proposed by a new proposal.
-- Two members of staff review a call, one of support and one of verification. Each gets one half of a code that sets a new
-- password. A half alone does nothing and no one sees both halves, so no member of staff can take an account over alone.
-- The server's role inserts customers' own codes and the text of calls. Functions alone write reviews and their codes.

create table recovery_codes (
  customer_id bigint not null references customers,
  code_hash bytea not null check (octet_length(code_hash) = 32),
  used_at timestamptz,
  -- Null: one of the customer's own codes, which do not expire. Set: the code of an approved call.
  expires_at timestamptz,
  -- Whether using the code removes the second factors. The server's role can't set it.
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
  state text not null default 'open' check (state in ('open', 'proposed', 'approved', 'refused')),
  -- Owner of `account` at the time of the proposal. A recovery is always for the account that the call names.
  customer_id bigint references customers,
  -- Support's description of how it confirmed the caller's identity.
  how text check (length(how) between 20 and 1000),
  proposed_by bigint references staff,
  proposed_at timestamptz,
  -- Hash of the half that support was given. Neither the halves nor the code are stored.
  half_hash bytea check (octet_length(half_hash) = 32),
  -- Whether the code also removes the second factors.
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


-- Taking back (decision 122): after a second factor or recovery code was removed, the owner can restore the account for 24 hours.
-- It takes a former factor or code and the password, either the present one or one replaced in that time. Former credentials are
-- kept for this purpose only. A factor or code qualifies if it came before the first loss, and either a week before it or on the
-- account's first day. Otherwise a thief could add a factor, remove it, and use it to undo the owner's repairs.
-- Triggers and functions write these tables; the server's role only updates the use of former factors, so that a code works once.

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


-- Customers' own limits per asset, breaks, self-exclusion and time reminders (decision 085).
-- Only functions that take the customer's session change them. The database enforces them for every order and every deposit, and
-- never for a withdrawal. Tightening counts at once, loosening after 24 hours; a break never becomes shorter.
-- Lock order: every change locks all of the customer's balances first. Placement and deposits hold these locks, too.

-- One row for each customer who has asked for any protection. For all others one look-up by key finds that there is nothing.
create table protected_customers (
  customer_id bigint primary key references customers,
  -- There are no orders and no deposits before closed_until; infinity means for good.
  closed_kind text check (closed_kind in ('break', 'exclusion')),
  closed_at timestamptz,
  closed_until timestamptz,
  -- Minutes of use between two reminders; null: no reminders. From later_at on, later_minutes counts instead.
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
  -- Amounts are in smallest units. From later_at on, later_amount counts instead; null then means that the limit is off.
  amount bigint not null check (amount > 0),
  later_amount bigint check (later_amount > amount),
  later_at timestamptz,
  primary key (customer_id, asset_id, kind, per),
  check (later_amount is null or later_at is not null)
);

-- Each change of protection that a customer made; append-only.
create table protection_events (
  id bigint generated always as identity primary key,
  customer_id bigint not null references customers,
  at timestamptz not null default clock_timestamp(),
  what text not null check (what in ('limit', 'reminder', 'break', 'exclusion')),
  facts jsonb not null
);

create index protection_events_by_customer on protection_events (customer_id, id);

-- Sums of orders by UTC day, so that placement need not add up a month of orders to check a limit on stakes or losses (decision
-- 112). They exist only for customers and assets with such a limit, for each day with orders since the week or month, whichever
-- began earlier, in which the first limit was set. Every writer holds the lock of the customer's balance of the asset.
create table traded_days (
  customer_id bigint not null,
  asset_id smallint not null,
  -- Start of the day.
  day_ms bigint not null check (day_ms % 86400000 = 0),
  -- Stakes of the orders that were accepted on that day, and the amounts paid back for these orders so far. In smallest units.
  staked numeric(40) not null default 0 check (staked >= 0),
  credited numeric(40) not null default 0 check (credited >= 0),
  primary key (customer_id, asset_id, day_ms)
) with (fillfactor = 50);


-- Notices: the lines of each customer's permanent inbox.
-- Functions and triggers of the database add them; the server's role only sets read_at. The server makes the text from kind and
-- parameters when a notice is read, in the reader's language.

create table notices (
  id bigint generated always as identity primary key,
  customer_id bigint not null references customers,
  at timestamptz not null default clock_timestamp(),
  kind text not null check (kind ~ '^[a-z]+\.[a-zA-Z]+$'),
  parameters jsonb not null,
  read_at timestamptz
);

create index notices_by_customer on notices (customer_id, id);


-- Deposit channels: the addresses and bank accounts that deposits are paid to, and changes of them.
-- A row of deposit_channels never changes: a change adds a version, and the newest version applies. Amounts are in smallest units.
-- The server only reads these tables. One member of staff proposes a change, and others approve it (four_eyes_rules, `channel`).
-- A live house can't enable a channel of the demo (platform/settings.sql).

create table deposit_channels (
  id bigint not null,
  version int not null check (version >= 1),
  asset_id smallint not null references ledger.assets,
  network text not null check (length(network) between 1 and 40),
  -- Set for a chain; `bank` is set for a bank account.
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
  -- The fee takes at most a fifth of the smallest deposit.
  check (fee * 5 <= min)
);

-- Proposed changes of channels and proposed new channels. `terms` holds the columns of the new version.
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


-- Withdrawal terms: the minimum, maximum and fee of a withdrawal per asset, in smallest units, and changes of them.
-- The server only reads these tables. The first start seeds the terms; later changes need two people (four_eyes_rules,
-- `withdrawal_terms`). A withdrawal keeps the fee with which it was submitted.
-- The number of approvals that a single withdrawal needs is in four_eyes_rules and four_eyes_amounts.

create table withdrawal_terms (
  asset_id smallint primary key references ledger.assets,
  min bigint not null,
  max bigint not null,
  fee bigint not null check (fee >= 0),
  -- The fee takes at most a fifth of the smallest withdrawal. No approval can lift this bound.
  check (fee * 5 <= min and min <= max),
  check (min <= withdrawal_min_cap(asset_id))
);

-- Proposed new terms of an asset.
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


-- Deposits: money that a customer reports as sent, with proof. It is credited when staff have found it
-- (lifecycle: deposit-lifecycle.ts).
-- The server only reads the table. Submitting and cancelling need the customer's session; staff record the payment that they found,
-- approve it or refuse the deposit (four_eyes_rules, `deposit` and `deposit_differing`).
-- The customer's terms never change (deposit_requests_guard), and each payment is credited once. Amounts are in smallest units.
-- Lock order: the request -> the balance -> the sums of the finder (lock_sums) -> staff -> the audit log, appended last.

create table deposit_requests (
  id bigint generated always as identity (start with 1000) primary key,
  -- The place of the request among the lines of the fund log while it has no posting.
  line bigint not null unique default ledger.next_line(),
  customer_id bigint not null references customers,
  key_hash bytea not null check (octet_length(key_hash) = 32),
  channel_id bigint not null,
  channel_version int not null,
  asset_id smallint not null references ledger.assets,
  -- The amount that the customer reports as paid, and the fee: the lowest of the last 24 hours (channel_best).
  amount bigint not null check (amount > 0),
  fee bigint not null check (fee >= 0),
  proof_id bigint not null unique,
  submitted_at timestamptz not null default clock_timestamp(),
  status text not null default 'review' check (status in ('review', 'success', 'failure', 'ignored')),
  -- The amount that staff found, the reference of the payment, the last person to record them, and the number of recordings.
  found_amount bigint check (found_amount > 0),
  evidence text check (length(evidence) between 1 and 200),
  edited_by bigint,
  revision int not null default 0,
  -- A name of reasons.ts, and an additional text for the customer.
  reason text check (reason ~ '^[a-z_]{1,40}$'),
  reason_text text check (length(reason_text) between 1 and 500),
  decided_at timestamptz,
  transfer_id bigint,
  -- The member of staff who works on the request, and the end of this claim.
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

-- Each payment is credited at most once.
create unique index deposit_requests_by_evidence on deposit_requests (asset_id, reference_key(evidence)) where status = 'success';

create index deposit_requests_credited_to on deposit_requests (customer_id, decided_at) where status = 'success';

create index deposit_requests_credited_by on deposit_requests (edited_by, decided_at) where status = 'success';


-- Withdrawals: requests to be paid out. The money is held until it is paid or released (lifecycle: withdrawal-lifecycle.ts).
-- The server only reads the table. Submitting and cancelling need the customer's session; staff propose, approve, pay or refuse.
-- An approval covers exactly one content (withdrawal_content). The customer's terms never change (withdrawal_requests_guard).
-- Amounts are in smallest units.
-- Lock order: the request -> the balance -> the sums of the proposer (lock_sums) -> staff -> the audit log, appended last.

create table withdrawal_requests (
  id bigint generated always as identity (start with 1000) primary key,
  customer_id bigint not null references customers,
  key_hash bytea not null check (octet_length(key_hash) = 32),
  asset_id smallint not null references ledger.assets,
  -- The amount that leaves the balance. The fee is part of it, so amount - fee arrives.
  amount bigint not null check (amount > 0),
  fee bigint not null check (fee >= 0 and fee < amount),
  -- A row of the view `destinations`. Its content never changes: an edited card or address is a new row.
  destination_id bigint not null,
  -- The destination as the customer reads it: the last digits of a card, or the ends of an address.
  destination_label text not null check (length(destination_label) between 1 and 80),
  submitted_at timestamptz not null default clock_timestamp(),
  status text not null default 'review' check (status in ('review', 'approved', 'success', 'failure', 'ignored')),
  -- The cashier's instructions for the payment (part of the approved content), the last proposer and the number of proposals.
  instructions text check (length(instructions) <= 500),
  edited_by bigint,
  revision int not null default 0,
  reason text check (reason ~ '^[a-z_]{1,40}$'),
  reason_text text check (length(reason_text) between 1 and 500),
  -- The bank's or chain's reference of the payment.
  reference text check (length(reference) between 1 and 200),
  approved_at timestamptz,
  decided_at timestamptz,
  hold_transfer_id bigint not null,
  -- The transfer of the payout or of the release.
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


-- Requests: the parts that deposits and withdrawals share. These are their history, the claims of staff and the lapse.
-- request_events is append-only: the transaction of a step writes its event. The history and the requests are never deleted.
-- Staff decide on requests but can't make one, because that needs a customer's session. four_eyes_rules says which roles act and
-- how many people have to approve.
-- Lock order: the request -> its balance -> staff (by approve and the like) -> the audit log, appended last.

create table request_events (
  id bigint generated always as identity primary key,
  kind text not null check (kind in ('deposit', 'withdrawal')),
  request_id bigint not null,
  at timestamptz not null default clock_timestamp(),
  step text not null check (step in ('submitted', 'found', 'proposed', 'approved', 'paid', 'credited', 'failed', 'ignored', 'cancelled',
    'lapsed')),
  -- `house`: the request lapsed.
  actor text not null check (actor in ('customer', 'staff', 'house')),
  staff_id bigint,
  from_status text,
  to_status text not null,
  reason text,
  facts jsonb not null default '{}',
  -- The session of the customer or of the member of staff; a trigger sets it (office/acting.sql).
  session_id bigint,
  check ((actor = 'staff') = (staff_id is not null)),
  check ((step = 'submitted') = (from_status is null))
);

create index request_events_by_request on request_events (kind, request_id, id);


-- Corrections: transfers that put a customer's balance right, up or down. The customer gets a notice of each.
-- One member of staff proposes a correction, and others approve exactly its content (four_eyes_rules, `correction`). The number of
-- approvals depends on the amount and on the sums of the last 24 hours (amount_before).
-- A correction may name a credited deposit that a bank or card called back; each deposit is named at most once (decision 093).
-- Lock order: the correction -> the balance and the proposer's sums (lock_sums) -> staff -> the audit log, appended last.

create table corrections (
  id bigint generated always as identity (start with 1000) primary key,
  customer_id bigint not null references customers,
  asset_id smallint not null references ledger.assets,
  -- In the smallest unit. Above zero: the balance rises. Below zero: it falls.
  amount bigint not null check (amount <> 0),
  reason text not null check (length(reason) between 5 and 500),
  proposed_by bigint not null references staff,
  proposed_at timestamptz not null default clock_timestamp(),
  status text not null default 'proposed' check (status in ('proposed', 'done', 'refused')),
  decided_by bigint references staff,
  decided_at timestamptz,
  transfer_id bigint,
  -- The deposit that was called back; null for every other correction.
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


-- Bank statements: the payments that the bank lists, imported by cashiers.
-- The server only reads the table. A line is identified by its hash, so that a repeated import adds nothing.
-- The reconciliation compares the lines with deposits and withdrawals (statement_findings).

create table statement_lines (
  id bigint generated always as identity primary key,
  -- SHA-256 of the line's content and of its number among equal lines of one import.
  line_hash bytea not null unique check (octet_length(line_hash) = 32),
  asset_id smallint not null references ledger.assets,
  booked_on date not null,
  -- In the smallest unit. Above zero: money that came in. Below zero: money that went out.
  amount bigint not null check (amount <> 0),
  reference text not null check (length(reference) between 1 and 200),
  counterparty text not null check (length(counterparty) <= 200),
  imported_by bigint not null references staff,
  imported_at timestamptz not null default clock_timestamp()
);

create index statement_lines_by_amount on statement_lines (asset_id, amount);


-- Reconciliation: runs that compare ledger, requests and statements and record every difference.
-- The house makes one run a day (reconcile_daily_step), and staff make others on request (reconcile). Both apply the same rules.
-- The daily run reads every movement. As one statement it would hold a snapshot for minutes, so that old versions of balances and
-- heads could not be vacuumed and orders would slow down. It therefore goes in steps, each a short transaction over one range:
-- customers, transfers, requests, then the rest (decision 113). All rows that a range compares are written in one transaction, so
-- that the range's own snapshot is enough. If a process stops, another one makes the next step.

-- Finished runs: at most 1 000 findings as {rule, detail}, and the trial balance.
create table reconciliations (
  id bigint generated always as identity primary key,
  at timestamptz not null default clock_timestamp(),
  -- Null for a run of the house.
  staff_id bigint references staff,
  findings jsonb not null,
  balances jsonb not null
);

-- The state of the daily run; the row exists only while a run is unfinished.
create table reconciliation_progress (
  only_row boolean primary key default true check (only_row),
  day date not null,
  phase text not null check (phase in ('customers', 'transfers', 'requests', 'rest')),
  -- The first id of the next range, and the number of rows that the range shall have.
  next_id bigint not null,
  width bigint not null default 64 check (width between 1 and 100000),
  -- The house's balances at the beginning of the run, less their movements below the watermark that were read since. The result has
  -- to be zero.
  watermark xid8 not null,
  house jsonb not null,
  findings jsonb not null default '[]'
);


-- Earning rates: the yearly interest of an asset, by the day (UTC) from which it applies. Interest follows from this table alone.
-- Two people write it, for days to come: one proposes a rate, and an approver agrees (four_eyes_rules, `earning_rate`).
-- A rate in the table never changes. Triggers bind the database's owner too. Practice money has no rates.

create table earning_rate_changes (
  id bigint generated always as identity (start with 1000) primary key,
  asset_id smallint not null references ledger.assets,
  from_day date not null,
  -- Interest of a year in millionths: 30 000 is 3 %.
  annual_ppm int not null,
  note text not null check (length(note) between 1 and 500),
  proposed_by bigint not null references staff,
  proposed_at timestamptz not null default clock_timestamp(),
  status text not null default 'proposed' check (status in ('proposed', 'done', 'refused')),
  decided_by bigint references staff,
  decided_at timestamptz,
  check ((status = 'proposed') = (decided_at is null) and (decided_at is null) = (decided_by is null)),
  -- The proposer may drop the proposal, but never approve it.
  check (status <> 'done' or decided_by <> proposed_by)
);

create unique index earning_rate_changes_open on earning_rate_changes (asset_id) where status = 'proposed';

-- The rates: each applies from `from_day` until the asset's next row.
create table earning_rates (
  asset_id smallint not null references ledger.assets,
  from_day date not null,
  annual_ppm int not null check (annual_ppm between 0 and 200000),
  -- Null for the demo's sample rates, which apply in demo mode only.
  change_id bigint unique references earning_rate_changes,
  added_at timestamptz not null default clock_timestamp(),
  primary key (asset_id, from_day)
);


-- Earnings: money that customers set aside, and the interest that the house pays on it.
-- Interest of a day (UTC) = principal × rate / 365; the principal is the lowest balance of the day. It is rounded down to the
-- smallest unit, and the remainder is carried to the next day. It counts from 00:00 of the next day, no matter when it is booked.
-- Only earning_book computes interest. It follows from the rates (earning-rates.sql); no function sets a balance.
-- Lock order: earning_head (the accrual only) -> balances (owner, asset, ascending) -> the customer's row of earning_accounts.
-- A transaction that holds a balance never locks earning_head.

-- One customer's earnings in one asset. ledger.balances has the balance.
create table earning_accounts (
  customer_id bigint not null references customers,
  asset_id smallint not null references ledger.assets,
  -- The last day whose interest is booked.
  accrued_through date not null,
  -- `low` is the lowest balance of `low_day` so far. On a later day no money has moved yet, so the current balance is the lowest.
  low_day date not null,
  low bigint not null check (low >= 0),
  -- The remainder of rounding: `carry` / earning_divisor() of a smallest unit.
  carry bigint not null default 0 check (carry >= 0 and carry < earning_divisor()),
  -- All interest so far, in the smallest unit.
  accumulated bigint not null default 0 check (accumulated >= 0),
  primary key (customer_id, asset_id)
) with (fillfactor = 70);

-- A day's interest on one account; a day on which the account earned nothing has no row. The primary key allows one booking a day.
create table earning_interest (
  customer_id bigint not null,
  asset_id smallint not null,
  day date not null,
  principal bigint not null check (principal > 0),
  annual_ppm int not null check (annual_ppm >= 0),
  interest bigint not null check (interest >= 0),
  -- The remainder after this day.
  carry bigint not null check (carry >= 0 and carry < earning_divisor()),
  transfer_id bigint,
  primary key (customer_id, asset_id, day),
  check ((interest > 0) = (transfer_id is not null))
);

-- The position of the accrual: its day, the last account done, and the number of accounts that earned on the day so far. The
-- process that accrues locks this row.
create table earning_head (
  only_row boolean primary key default true check (only_row),
  day date not null,
  after_customer bigint not null default 0,
  after_asset smallint not null default 0,
  accounts bigint not null default 0
);

-- Days that the accrual has finished, with the number of accounts that earned.
create table earning_days (
  day date primary key,
  accounts bigint not null,
  ended_at timestamptz not null default clock_timestamp()
);

-- Accounts whose interest can't be booked because of a fault (decision 123). The accrual skips them, and their customers still see
-- and move the money. A metric alerts the operator, and earning_mend books the missing days from the ledger.
create table earning_set_aside (
  customer_id bigint not null,
  asset_id smallint not null,
  since timestamptz not null default clock_timestamp(),
  problem text not null check (length(problem) between 1 and 500),
  primary key (customer_id, asset_id),
  foreign key (customer_id, asset_id) references earning_accounts
);

insert into earning_head (day) values ((now() at time zone 'UTC')::date);


-- Placement: batches of orders, the orders themselves, and the sums that bound the house's exposure.
-- orders_open_batch and orders_close_batch are the only way to new orders. One transaction calls both; TypeScript decides between
-- them. They run with their owner's rights, so that the server needs no right to insert orders or batches.
-- orders_settle writes the settlement columns of orders.
-- Lock order: balances (owner, asset, ascending) -> placement_head. Times `_ms` are Unix milliseconds of the log's clock.
-- Amounts are in smallest units.

-- A placement batch: the facts that were read after the locks, and the signed root of its acceptances.
create table order_batches (
  number bigint primary key,
  accepted_at_ms bigint not null,
  log_size bigint not null,
  log_root bytea not null check (octet_length(log_root) = 32),
  accepted int not null check (accepted >= 0),
  -- The number of refused requests.
  refused int not null check (refused >= 0),
  -- The refused requests by refusal: {code: [[customer, asset], ...]}. Published counts are split by the customer's earlier
  -- results.
  refusals jsonb not null,
  -- The Merkle root and leaves (32 bytes each) of the acceptances in their order, and the signed note with the root.
  root bytea not null check (octet_length(root) = 32),
  leaves bytea not null,
  signed text not null,
  check (octet_length(leaves) = accepted * 32)
);

create table orders (
  -- batch * 1024 + place in the batch, so that a batch is a range of ids and later orders have higher ids.
  id bigint primary key,
  customer_id bigint not null,
  -- SHA-256 of the Idempotency-Key and of the request's fields.
  key_hash bytea not null check (octet_length(key_hash) = 32),
  input_hash bytea not null check (octet_length(input_hash) = 32),
  accepted_at_ms bigint not null,
  settles_at_ms bigint not null,
  stake bigint not null check (stake > 0),
  -- The profit of a win, on top of the stake.
  income bigint not null check (income >= 0),
  rules_id bigint not null,
  -- The log's size and root as the customer saw them; null if the request had none.
  seen_size bigint check (seen_size >= 0),
  seen_root bytea check (octet_length(seen_root) = 32),
  payout_rate_bps int not null check (payout_rate_bps between 1 and 9999),
  product_id smallint not null,
  asset_id smallint not null,
  minutes smallint not null check (minutes > 0),
  -- 1: up, -1: down.
  direction smallint not null check (direction in (1, -1)),

  -- The settlement: all null before it; it happens once.
  settled_at_ms bigint,
  -- 1: profit, -1: loss, 0: none (a tie or a void).
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
  -- floor(stake * payout rate), without a product that could overflow.
  check (income = stake / 10000 * payout_rate_bps + stake % 10000 * payout_rate_bps / 10000),
  check ((settled_at_ms is null) = (result is null) and (result is null) = (credited is null)),
  -- A tick has its index, time and price, or none of them.
  check (num_nulls(open_index, open_ms, open_price) in (0, 3) and num_nulls(settle_index, settle_ms, settle_price) in (0, 3)),
  check (credited = case result when 1 then stake + income when 0 then stake else 0 end),
  -- The outcome follows from the prices alone. "is true" refuses an unknown (null), which a check would otherwise accept.
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

-- No index has a settlement column, and the fill factor leaves room for a second version of each row. So settlement is a heap-only
-- update.
create unique index orders_by_key on orders (customer_id, key_hash);

create index orders_by_customer on orders (customer_id, id);

create index orders_by_settlement on orders (settles_at_ms, product_id);

create index orders_by_product on orders (product_id, id);

-- Idempotency keys of all other requests that move money. An order has its own key.
create table used_keys (
  customer_id bigint not null,
  key_hash bytea not null check (octet_length(key_hash) = 32),
  input_hash bytea not null check (octet_length(input_hash) = 32),
  at timestamptz not null default now(),
  primary key (customer_id, key_hash)
);

-- The end of the last settlement minute in which a product has orders. Until then the product ticks faster. The exposure of a
-- minute is not stored, because it follows from the orders (exposure-book.ts, decision 015).
create table busy_products (
  product_id smallint primary key,
  until_ms bigint not null
) with (fillfactor = 20);

-- The income promised by all accepted orders, per asset. settled_income has the part that is settled.
create table promised_income (
  asset_id smallint primary key references ledger.assets,
  amount numeric(40, 0) not null default 0,
  -- The most that the house may lose in one settlement minute, per product and per correlated group.
  product_limit bigint not null check (product_limit >= 0),
  group_limit bigint not null check (group_limit >= 0)
) with (fillfactor = 40);

-- Serialises placement: a batch holds the lock on this row from reading the clock to commit. So batches are numbered without gaps,
-- in the order of their clock readings and of their commits.
create table placement_head (
  only_row boolean primary key default true check (only_row),
  next_batch bigint not null default 1,
  -- Stops new orders, and nothing else.
  is_halted boolean not null default false,
  -- While a batch is open: the number of stakes that ledger.take held for it, and the sum of their hashes. No transaction commits
  -- before its batch is closed (orders_demand_closed).
  open_holds int,
  open_hash numeric,
  check ((open_holds is null) = (open_hash is null))
) with (fillfactor = 10);

-- The number of orders that each customer sent in the second that began at `since`, for the limit on orders. The table is unlogged,
-- so a crash resets the counts.
create unlogged table order_counts (
  customer_id bigint primary key,
  orders int not null,
  since timestamptz not null
) with (fillfactor = 50);

insert into placement_head default values;


-- Settlement: gives each order its outcome by the log's ticks, once its settlement time has passed, and moves its money.
-- Only orders_settle writes outcomes. TypeScript decides them per group: one batch, product and settlement time (decision 013).
-- orders_settle checks them against the log.
-- Lock order: orders -> balances (owner, asset, ascending). Times `_ms` are Unix milliseconds of the log's clock.

-- The promised income of settled orders, one row per settlement chunk and asset. roll_up_house adds the rows up behind a watermark.
create table settled_promises (
  id bigint generated always as identity primary key,
  asset_id smallint not null,
  amount bigint not null,
  xid xid8 not null default pg_current_xact_id()
);

create index settled_promises_by_xid on settled_promises (xid);

-- The sum of settled_promises that transactions below `xid` wrote.
create table settled_income (
  asset_id smallint primary key references ledger.assets,
  amount numeric(40, 0) not null default 0,
  xid xid8 not null default '0'
);

-- The progress of settlement. The engine moves it forward.
create table settlement_head (
  only_row boolean primary key default true check (only_row),
  -- All orders that settle before this time are settled, including those of batches that committed late.
  settled_before_ms bigint not null default 0,
  -- `noted_batch` was the next batch when the log's time was `noted_ms`. Once it has committed, no batch accepted before `noted_ms`
  -- can follow.
  noted_ms bigint not null default 0,
  noted_batch bigint not null default 0,
  -- All orders of batches up to this number have opened or are void.
  opened_batch bigint not null default 0
) with (fillfactor = 10);

insert into settlement_head default values;


-- Halts: times without new orders. Prices, settlement and withdrawals go on.
-- One person (catalogue or approver) halts at once. To lift a halt, one person proposes it and an approver agrees (four_eyes_rules,
-- `halt_lift`). At most one halt is open.
-- Lock order: placement_head -> the halt -> staff -> the audit log.

create table trading_halts (
  id bigint generated always as identity primary key,
  reason text not null check (length(reason) between 1 and 500),
  halted_by bigint not null references staff,
  halted_at timestamptz not null default now(),
  -- The proposal to lift the halt. A newer proposal replaces it.
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


-- Price alerts: a customer gets one notice when a product's price reaches a mark. Prices are in units of the product's last
-- decimal. Customers add and remove alerts through their own session.
-- The engine decides all alerts in one statement, from logged ticks only (alerts_fire, decision 086).

create table price_alerts (
  id bigint generated always as identity (start with 1000) primary key,
  customer_id bigint not null references customers,
  product_id smallint not null references products,
  -- 1: the price rises to the mark or above; -1: it falls to the mark or below.
  direction smallint not null check (direction in (1, -1)),
  mark bigint not null check (mark > 0),
  created_at timestamptz not null default clock_timestamp(),
  -- Ticks from this index of the log on count.
  from_index bigint not null,
  -- The first tick that reached the mark; all null while the alert waits.
  fired_at timestamptz,
  fired_index bigint check (fired_index >= from_index),
  fired_ms bigint,
  fired_price bigint,
  removed_at timestamptz,
  check (num_nulls(fired_at, fired_index, fired_ms, fired_price) in (0, 4)),
  -- A removed alert does not fire, and an alert that has fired can't be removed.
  check (fired_at is null or removed_at is null),
  check ((fired_price - mark) * direction >= 0)
);

create index price_alerts_waiting on price_alerts (product_id, direction, mark) where fired_at is null and removed_at is null;

create index price_alerts_by_customer on price_alerts (customer_id, id);

-- The log's index up to which alerts are decided. It does not move while no alert waits.
create table alert_head (
  only_row boolean primary key default true check (only_row),
  next_index bigint not null default 0
);

insert into alert_head default values;


-- Support: one conversation per customer, its messages, the staff's notes on it, and canned answers. Functions alone write them.
-- Messages and notes are sealed like personal data, so that reading the database does not reveal them. Messages never change,
-- except that an erasure of the customer removes their text. Their order is `place`, assigned under the lock on the chat's row.
-- Notes have a table of their own, so that no query of a customer's messages can return them.

-- Numbers the messages of all conversations.
create sequence chat_moves;

create table chats (
  customer_id bigint primary key references customers,
  -- The newest message: its place, counted from 1, and its number in chat_moves, by which lists page.
  last_place int not null default 0,
  last_move bigint,
  last_at timestamptz,
  -- The time, and the number in chat_moves, of the first message that waits for an answer; null: none waits.
  waiting_since timestamptz,
  waiting_move bigint,
  -- The last places that have reached the customer's app, that the customer has read, and that staff have read.
  customer_received int not null default 0,
  customer_read int not null default 0,
  staff_read int not null default 0,
  customer_typing_at timestamptz,
  staff_typing_at timestamptz,
  -- The member of staff who works on the conversation. The claim lapses after chat_claim_time.
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
  -- Null: the customer wrote it.
  staff_id bigint references staff,
  -- The sealed text; null: a picture without text, or erased.
  sealed bytea,
  key_id bytea generated always as (sealed_key(sealed)) stored,
  upload_id bigint references uploads,
  at timestamptz not null default clock_timestamp(),
  -- A retry is recognized by the hash of its idempotency key. The blind index of its content shows whether the content is the same.
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

-- Remarks of staff about a conversation. Customers never see them.
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

-- The history of claims.
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

-- Prepared answers, in each language.
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


-- News: articles for all readers, written by staff of role content or imported from feeds. Functions alone write them.
-- No edit is silent: each save makes a new version, and of a version only its publication time may change, until it has come.
-- A withdrawal is final, and a reader of the article is told of it. Readers see the newest version whose publication time has come.

-- Pictures above articles, re-encoded from the upload. A cover is public once a published article shows it. Its random name can't
-- be guessed before that.
create table news_covers (
  id bigint generated always as identity primary key,
  name text not null unique check (name ~ '^[A-Za-z0-9_-]{32}$'),
  width int not null check (width between 1 and 10000),
  height int not null check (height between 1 and 10000),
  picture bytea not null check (octet_length(picture) between 1 and 2097152),
  thumb bytea not null check (octet_length(thumb) between 1 and 2097152),
  -- Null: part of the demo.
  added_by bigint references staff,
  added_at timestamptz not null default now()
);

create table news_items (
  id bigint generated always as identity (start with 1000) primary key,
  -- Invented for the demo. Live mode shows no samples.
  is_sample boolean not null default false,
  -- The feed from which the article was imported; null: staff wrote it.
  feed text check (length(feed) between 1 and 500),
  created_at timestamptz not null default now(),
  -- The earliest publication time of its versions, which may lie in the future; null: none has one.
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
  -- The publisher of the news, and the address of the original.
  source text not null check (length(source) between 1 and 120),
  source_url text check (length(source_url) <= 2000 and source_url ~ '^https?://[^[:space:]]+$'),
  body_form text not null default 'markdown' check (body_form in ('markdown', 'html')),
  -- Tells readers what changed in this version.
  note text check (length(note) between 1 and 500),
  saved_at timestamptz not null default now(),
  -- Null: imported from a feed, or part of the demo.
  saved_by bigint references staff,
  -- The publication time; null: a draft.
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

-- Keys of imported entries: hashes of an entry's id within its feed, and of its link. They stay, so no entry is imported twice.
create table news_feed_keys (
  key bytea primary key check (octet_length(key) = 32),
  news_id bigint not null references news_items
);


-- Liabilities: the sum that the house owes to all customers, proved once a day (UTC) for each asset (decision 107).
-- The proof is a Merkle sum tree over each customer's available + held + earning money. Its root is in the public log as
-- liabilities|1|date|asset|total|rootHash. The nodes are here, so that customers can get the path from their own leaf to the root.
-- The server only reads these tables. Trees are kept for 31 days, and roots for good.

create table liability_days (
  date date not null,
  asset_id smallint not null references ledger.assets,
  -- The money of all customers at `taken_at`, in the smallest unit.
  total numeric(40) not null check (total >= 0),
  root bytea not null check (octet_length(root) = 32),
  taken_at timestamptz not null default now(),
  customers int not null check (customers >= 0),
  depth smallint not null check (depth between 1 and 40),
  -- The index of its log entry; null until the entry is appended.
  entry_index bigint unique,
  primary key (date, asset_id)
);

-- The leaf of each customer, at `place` in level 0. The nonce keeps others from guessing the content of a leaf.
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

-- A level of a tree, with 48 bytes for each node: 16 of the sum and 32 of the hash. Level 0 has the leaves.
create table liability_levels (
  date date not null,
  asset_id smallint not null,
  level smallint not null check (level between 0 and 40),
  nodes bytea not null,
  primary key (date, asset_id, level),
  foreign key (date, asset_id) references liability_days
);

-- Without compression a node can be read without the others.
alter table liability_levels alter column nodes set storage external;


-- Statistics: the figures that the house publishes about itself (/transparency, decision 108).
-- statistics_advance alone writes them. It counts each order, log entry and batch once, a limited number at a time.
-- It counts only final facts: all orders that settle before the mark of settlement_head are settled.
-- Days are UTC. Amounts are in smallest units.

-- Orders by the day of their settlement. `minutes` is the cycle.
create table order_statistics (
  date date not null,
  product_id smallint not null,
  minutes smallint not null,
  asset_id smallint not null,
  won bigint not null default 0,
  lost bigint not null default 0,
  tied bigint not null default 0,
  void bigint not null default 0,
  -- The results that void orders would have had at the next tick, if there was one within a minute (void_would_be).
  void_won bigint not null default 0,
  void_lost bigint not null default 0,
  void_tied bigint not null default 0,
  -- Of orders that were won or lost: the stakes, the amounts paid back, and the house's expected share of the stakes at even odds,
  -- stake * (1 - payout rate) / 2.
  staked numeric(40) not null default 0,
  paid numeric(40) not null default 0,
  stated numeric(40, 4) not null default 0,
  primary key (date, product_id, minutes, asset_id)
);

-- Each customer's profit (above zero) or loss by month.
create table customer_results (
  customer_id bigint not null,
  month date not null,
  asset_id smallint not null,
  result numeric(40) not null,
  primary key (customer_id, month, asset_id)
);

create index customer_results_by_month on customer_results (month);

-- Delays of orders in buckets of 50 ms of the log's time. `open`: from acceptance to the opening tick. `settle`: from the
-- settlement time to the settlement. The last bucket has all delays of 10 minutes and more.
create table delay_statistics (
  date date not null,
  kind text not null check (kind in ('open', 'settle')),
  bucket int not null check (bucket between 0 and 12000),
  count bigint not null,
  primary key (date, kind, bucket)
);

-- Gaps in prices, by reason.
create table gap_statistics (
  date date not null,
  product_id smallint not null,
  reason text not null,
  count bigint not null,
  primary key (date, product_id, reason)
);

-- Refused orders by refusal and by the customer's earlier result in the asset (result_before): 1: won, -1: lost, 0: neither. These
-- counts would show a house that refuses winners.
create table refusal_statistics (
  date date not null,
  code text not null,
  result smallint not null check (result between -1 and 1),
  count bigint not null,
  primary key (date, code, result)
);

-- The end of the part that is counted.
create table statistics_mark (
  only_row boolean primary key default true check (only_row),
  -- Orders that settle before `settles_ms`, log entries below `entry_index` and batches below `batch` are counted.
  settles_ms bigint not null default 0,
  entry_index bigint not null default 0,
  batch bigint not null default 0
);

insert into statistics_mark default values;

