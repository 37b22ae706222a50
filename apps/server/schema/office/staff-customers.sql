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

-- ## Functions

create or replace function is_own_customer(_staff bigint, _customer bigint) returns boolean
stable language sql security definer set search_path = public, pg_temp as $$
  select exists (select from staff s join staff_customers c on c.person = s.person where s.id = _staff and c.customer_id = _customer)
$$;

create or replace function demand_not_own(_staff bigint, _customer bigint) returns void
stable language plpgsql set search_path = public, pg_temp as $$
begin
  if is_own_customer(_staff, _customer) then
    perform refuse('ABOUT_ONESELF', format('customer %s is staff %s themselves', _customer, _staff));
  end if;
end $$;

-- Whom a subject of four eyes is about, where it is about a customer.
create or replace function about_customer(_kind text, _subject bigint) returns bigint
stable language plpgsql security definer set search_path = public, pg_temp as $$
begin
  return case
    when _kind in ('deposit', 'deposit_differing') then (select customer_id from deposit_requests where id = _subject)
    when _kind = 'withdrawal' then (select customer_id from withdrawal_requests where id = _subject)
    when _kind = 'correction' then (select customer_id from corrections where id = _subject)
    when _kind = 'account_recovery' then (select customer_id from recovery_requests where id = _subject) end;
end $$;

-- One's own customer account, declared at once and by oneself: it only ever takes rights away. Taking it back takes two
-- administrators (a change of kind unlink).
create or replace function staff_declare_customer(_by bigint, _customer bigint) returns void
language plpgsql security definer set search_path = public, pg_temp as $$
begin
  insert into staff_customers (person, customer_id, declared_by)
    select s.person, _customer, s.id from staff s where s.id = _by and s.is_active on conflict do nothing;
  if not found then perform refuse('NOTHING_NEW', 'that is so already'); end if;
  perform audit_append(_by, 'staff.declare', 'staff:' || _by, jsonb_build_object('customer', _customer));
end $$;
