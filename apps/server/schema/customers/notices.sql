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

-- ## Functions

-- For functions of the database that decide something: the notice stands or falls with the decision.
create or replace function notice_add(_customer bigint, _kind text, _parameters jsonb) returns void
language plpgsql set search_path = public, pg_temp as $$
declare
  _id bigint;
begin
  insert into notices (customer_id, kind, parameters) values (_customer, _kind, _parameters) returning id into _id;
  perform pg_notify('notices', _customer || ':' || _id);
end $$;
