-- Destinations of withdrawals: customers' bank cards, bank accounts and crypto addresses, sealed.
-- The server's role inserts rows and sets removed_at, and nothing else. A row never changes its content: an edited card is a new
-- row with the same card_id, and the old row is removed. A removal is final, and each new row writes a notice (triggers in
-- personal-data.sql). Only the rotation of keys and the erasure of a customer, which run as the owner, replace sealed values.

-- Bank cards, and bank accounts where people have no cards for payouts.
create table bank_cards (
  id bigint primary key,
  -- Identifies the card to its customer across edits: the id of the card's first row.
  card_id bigint not null,
  customer_id bigint not null references customers,
  -- Holder, bank, branch and number, and an account's country and bank code; null once erased.
  sealed bytea,
  key_id bytea generated always as (sealed_key(sealed)) stored,
  -- The number's last four digits, or letters of an IBAN, and its blind index.
  last4 text check (last4 ~ '^[0-9A-Z]{4}$'),
  number_index bytea check (octet_length(number_index) = 32),
  changed_at timestamptz not null default now(),
  removed_at timestamptz,
  -- Country of an account. Null: a card, or erased.
  country text check (country ~ '^[A-Z]{2}$'),
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
  check (case asset when 'USDT' then network in ('TRC20', 'ERC20') when 'BTC' then network = 'Bitcoin'
    else network = 'Ethereum' end),
  check (num_nulls(sealed, address_index) in (0, 2)),
  check (sealed is not null or removed_at is not null)
);

create unique index crypto_addresses_live on crypto_addresses (customer_id, asset) where removed_at is null;
create index crypto_addresses_by_address on crypto_addresses (address_index);
create index crypto_addresses_by_key on crypto_addresses (key_id);

-- ## Functions

-- All destinations, as withdrawals see them. `id` identifies the row and its content; `wire_id` is the id in the customer's app.
create or replace view destinations with (security_invoker = true) as
  select id, card_id as wire_id, customer_id, 'bank' as kind, 'USD' as asset, null as network, last4,
    number_index as content_index, changed_at, removed_at, country
  from bank_cards
  union all
  select id, id, customer_id, 'crypto', asset, network, null, address_index, changed_at, removed_at, null from crypto_addresses;

-- Time until which a withdrawal to this destination can't be approved: one hold after the last change of the destination,
-- password, second factor, recovery codes or withdrawal password (its first setting counts as a change), and at least two holds
-- after a recovery code removed the second factors or a claim was decided. An open claim holds for a week: see claim_holds_until.
-- Null: the destination was removed or belongs to another customer.
create or replace function hold_until(_customer bigint, _destination bigint) returns timestamptz
stable language sql set search_path = pg_catalog, pg_temp as $$
  select greatest(
    greatest(d.changed_at, c.password_changed_at, c.second_factor_changed_at, w.changed_at)
      + make_interval(secs => s.hold_seconds),
    c.factor_taken_at + make_interval(secs => 2 * s.hold_seconds),
    public.claim_hold_until(c.account, make_interval(secs => s.hold_seconds)))
  from public.destinations d
  join public.customers c on c.id = d.customer_id
  left join public.withdrawal_passwords w on w.customer_id = d.customer_id
  cross join public.house_settings s
  where d.id = _destination and d.customer_id = _customer and d.removed_at is null
$$;
