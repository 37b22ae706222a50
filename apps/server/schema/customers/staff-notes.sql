-- Notes of staff about a customer, and flags that are set and cleared with a reason. Append-only; the last row of a flag says
-- whether it is set. A flag changes nothing that the customer may do or get.

create table customer_notes (
  id bigint generated always as identity primary key,
  customer_id bigint not null references customers,
  staff_id bigint not null references staff,
  at timestamptz not null default clock_timestamp(),
  -- Null: a note alone.
  flag text check (flag in ('vulnerable', 'complaint', 'watch', 'press')),
  is_set boolean,
  text text not null check (length(text) between 2 and 1000),
  check ((flag is null) = (is_set is null))
);

create index customer_notes_by_customer on customer_notes (customer_id, id);
create index customer_notes_flags on customer_notes (flag, customer_id, id) where flag is not null;

-- Searches of the customers' list that a member of staff keeps: the fields of the form.
create table staff_searches (
  staff_id bigint not null references staff,
  name text not null check (length(name) between 1 and 60),
  filter jsonb not null check (length(filter::text) <= 2000),
  primary key (staff_id, name)
);

-- ## Functions

-- Writes a note; with `_flag` it sets the flag, or clears it. Raises NOTHING_NEW for a flag that is so already.
create or replace function customer_note(_staff bigint, _customer bigint, _flag text, _is_set boolean, _text text) returns void
language plpgsql security definer as $$
begin
  perform demand_staff_for(_staff, '{support,verification,cashier,approver}', _customer);
  perform from customers where id = _customer for no key update;
  if _is_set = coalesce((select n.is_set from customer_notes n where n.customer_id = _customer and n.flag = _flag
      order by n.id desc limit 1), false) then
    perform refuse('NOTHING_NEW', format('flag %s of customer %s is so', _flag, _customer));
  end if;
  insert into customer_notes (customer_id, staff_id, flag, is_set, text) values (_customer, _staff, _flag, _is_set, _text);
  perform audit_append(_staff, 'customer.' || case _is_set when true then 'flag' when false then 'unflag' else 'note' end,
    'customer:' || _customer, jsonb_strip_nulls(jsonb_build_object('flag', _flag)));
end $$;

create or replace function flags_of(_customer bigint) returns text[]
stable language sql set search_path = public, pg_temp as $$
  select array(select f.flag from (select distinct on (n.flag) n.flag, n.is_set from customer_notes n
    where n.customer_id = _customer and n.flag is not null order by n.flag, n.id desc) f where f.is_set order by f.flag)
$$;

-- Keeps a search of one's own under a name, or removes it (`_filter` null). Raises SEARCHES_FULL beyond 50.
create or replace function search_keep(_staff bigint, _name text, _filter jsonb) returns void
language plpgsql security definer as $$
begin
  perform acting_session(_staff);
  perform from staff where id = _staff for no key update;
  delete from staff_searches where staff_id = _staff and name = _name;
  if _filter is null then return; end if;
  if (select count(*) >= 50 from staff_searches where staff_id = _staff) then
    perform refuse('SEARCHES_FULL', 'a person keeps 50 searches');
  end if;
  insert into staff_searches (staff_id, name, filter) values (_staff, _name, _filter);
end $$;
