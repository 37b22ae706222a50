-- Who has lost the second factor with the password: the review by two may take the factor off, too (decision 092). It is
-- part of what both agree to; it happens when the code is used and not before; and from then on no withdrawal is approved
-- for twice the hold (48 hours in live mode), the time in which an owner who never asked can still stop it.

-- When a code of that kind took the factors off.
alter table customers add column factor_taken_at timestamptz;

-- Whoever marks such a code as used takes the factors off and starts the longer hold, in the same transaction: there is no
-- way to have one without the other.
create function recovery_codes_take_factor() returns trigger language plpgsql security definer set search_path = public, pg_temp as $$
begin
  update customers set factor_taken_at = now() where id = new.customer_id;
  delete from customer_second_factors where customer_id = new.customer_id;
  delete from customer_challenges where customer_id = new.customer_id;
  return null;
end $$;
create trigger recovery_codes_take_factor after update of used_at on recovery_codes
  for each row when (new.takes_factor and old.used_at is null and new.used_at is not null) execute function recovery_codes_take_factor();

create or replace function hold_until(_customer bigint, _destination bigint) returns timestamptz
stable language sql set search_path = pg_catalog, pg_temp as $$
  select greatest(
    greatest(d.changed_at, c.password_changed_at, c.second_factor_changed_at, w.changed_at) + make_interval(secs => s.hold_seconds),
    c.factor_taken_at + make_interval(secs => 2 * s.hold_seconds))
  from public.destinations d
  join public.customers c on c.id = d.customer_id
  left join public.pay_words w on w.customer_id = d.customer_id
  cross join public.house_settings s
  where d.id = _destination and d.customer_id = _customer and d.removed_at is null
$$;

-- A code of the staff's stands beside the customer's own ones, which all stay good: what is said of it is said above.
create or replace function recovery_codes_tell_new() returns trigger language plpgsql security definer set search_path = public, pg_temp as $$
begin
  perform notice_add(t.customer_id, 'security.codes', '{}')
    from (select distinct customer_id from added where expires_at is null) t
    join customers c on c.id = t.customer_id and c.created_at < now();
  return null;
end $$;

-- The server makes codes for customers, and none that takes a factor.
revoke insert on recovery_codes from fairtick_server;
grant insert (customer_id, code_hash) on recovery_codes to fairtick_server;
