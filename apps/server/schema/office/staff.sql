-- Staff: accounts, roles, second factors, challenges and logins.
-- Functions alone create accounts, turn them on or off and write roles (staff-changes.sql). The server writes passwords,
-- languages, second factors, challenges and logins.
-- The server proves by a session on whose behalf it acts (acting.sql). Functions decide what that person may do; they run with
-- the rights of their owner.

create table staff (
  id bigint generated always as identity (start with 101) primary key,
  account text not null check (account ~ '^[A-Za-z][A-Za-z0-9_]{5,17}$'),
  display_name text not null check (length(display_name) between 1 and 40),
  -- The name by which the operator tells people apart. Two accounts of one person count as one pair of eyes.
  person text not null check (person ~ '^[a-z0-9][a-z0-9._-]{0,39}$'),
  password_hash text not null,
  -- Another person chose the password. The server allows nothing else until it is changed.
  must_change_password boolean not null default true,
  -- Such a password may begin a session for 24 hours from here: its creation, a reset, or the account's being turned on.
  one_time_from timestamptz not null default now(),
  is_active boolean not null default false,
  is_demo boolean not null default false,
  language text not null default 'zh' check (language = any (languages())),
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
  -- From this time on, the role may propose, approve and move money. For approvers and administrators it is later than the grant.
  -- A reset of the account, or turning it on again, postpones it.
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
  -- As of customer_second_factors.
  early_step bigint,
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

-- ## Functions

-- Whether the account is active and has the role. A role that is still held counts here; see demand_usable.
create or replace function staff_may(_staff bigint, _role text) returns boolean stable language sql security definer as $$
  select exists (select from staff s join staff_roles r on r.staff_id = s.id
    where s.id = _staff and s.is_active and r.role = _role)
$$;

-- Raises ROLE_MISSING unless the account is active and has one of the roles.
create or replace function demand_role(_staff bigint, variadic _roles text[]) returns void stable language plpgsql as $$
begin
  if not exists (select from unnest(_roles) r where staff_may(_staff, r)) then
    perform refuse('ROLE_MISSING', format('staff %s is none of %s', _staff, _roles));
  end if;
end $$;

-- As demand_role, and raises APPROVER_TOO_NEW while the role is held, so that a person who has just got access to an account
-- can't use its powers yet. The caller acts as this member of staff, so the function also checks their session (acting_session).
create or replace function demand_usable(_staff bigint, _role text) returns void stable language plpgsql as $$
begin
  perform demand_role(_staff, _role);
  if (select usable_from > now() from staff_roles where staff_id = _staff and role = _role) then
    perform refuse('APPROVER_TOO_NEW', format('role %s of staff %s is held', _role, _staff));
  end if;
  perform acting_session(_staff);
end $$;
