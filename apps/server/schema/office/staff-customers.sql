-- Links between people of the staff and their own customer accounts. A linked person decides nothing about that customer, by any
-- account: no deposit, withdrawal, correction, recovery or name. Their earlier approvals stop counting (approvals_of).
-- The person declares the link, at once, or two administrators make it. Only two administrators remove it. The database can't
-- know a link that nobody declared.

create table staff_customers (
  -- The person and not the account, so that the link applies to a second account of theirs, too.
  person text not null,
  customer_id bigint not null references customers,
  declared_at timestamptz not null default now(),
  -- The account of the person themselves, or of the administrator who carried out the change.
  declared_by bigint not null references staff,
  primary key (person, customer_id)
);

-- ## Functions

create or replace function is_own_customer(_staff bigint, _customer bigint) returns boolean
stable language sql security definer as $$
  select exists (
    select from staff s join staff_customers c on c.person = s.person where s.id = _staff and c.customer_id = _customer)
$$;

create or replace function demand_not_own(_staff bigint, _customer bigint) returns void stable language plpgsql as $$
begin
  if is_own_customer(_staff, _customer) then
    perform refuse('ABOUT_ONESELF', format('customer %s is staff %s themselves', _customer, _staff));
  end if;
end $$;

-- Returns the customer whom a subject of four eyes is about; null: it is not about a customer.
create or replace function about_customer(_kind text, _subject bigint) returns bigint
stable language plpgsql security definer as $$
begin
  return case
    when _kind in ('deposit', 'deposit_differing') then (select customer_id from deposit_requests where id = _subject)
    when _kind = 'withdrawal' then (select customer_id from withdrawal_requests where id = _subject)
    else (select p.customer_id from proposals p where p.id = _subject and p.kind = _kind) end;
end $$;

-- Declares one's own customer account. It takes effect at once, because it only takes rights away. Removing the link takes two
-- administrators (a proposal to unlink it). Also refuses an inactive account with NOTHING_NEW.
create or replace function staff_declare_customer(_by bigint, _customer bigint) returns void
language plpgsql security definer as $$
begin
  insert into staff_customers (person, customer_id, declared_by)
    select s.person, _customer, s.id from staff s where s.id = _by and s.is_active on conflict do nothing;
  if not found then perform refuse('NOTHING_NEW', 'that is so already'); end if;
  perform audit_append(_by, 'staff.declare', 'staff:' || _by, jsonb_build_object('customer', _customer));
end $$;
