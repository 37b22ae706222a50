-- Notices: the lines of each customer's permanent inbox.
-- Functions and triggers of the database add them; the customer's session marks them as read. The server makes the text from kind
-- and parameters when a notice is read, in the reader's language.

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

-- Adds a notice in the caller's transaction, so that it commits or rolls back with the event that it reports. Sends
-- `customer:notice` on the channel `notices`.
create or replace function notice_add(_customer bigint, _kind text, _parameters jsonb) returns void language plpgsql as $$
declare
  _id bigint;
begin
  insert into notices (customer_id, kind, parameters) values (_customer, _kind, _parameters) returning id into _id;
  perform tell('notices', _customer || ':' || _id);
end $$;

-- Marks the notices of the session's customer as read, up to the one with this id.
create or replace function notices_read(_token_hash bytea, _last bigint) returns void language sql security definer as $$
  update notices set read_at = now()
  where customer_id = (select session_customer(_token_hash, false)) and id <= _last and read_at is null
$$;
