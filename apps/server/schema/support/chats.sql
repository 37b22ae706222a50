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
  -- A retry is recognized by the hash of its idempotency key. The blind index of its content shows whether the content is the
  -- same.
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

-- Prepared answers, each with a text in each language.
create table canned_answers (
  id bigint generated always as identity primary key,
  title text not null check (length(title) between 1 and 60),
  texts jsonb not null check (is_localised(texts, 1000)),
  changed_by bigint references staff,
  changed_at timestamptz not null default now()
);

insert into canned_answers (title, texts) values
  ('Greeting', '{
    "zh": "您好，我已收到您的消息，正在为您查看，请稍候。",
    "tw": "您好，我已收到您的訊息，正在為您查看，請稍候。",
    "en": "Hello, thank you for your message. I am looking into it; one moment, please."
  }'),
  ('Deposit under review', '{
    "zh": "您的充值正在审核，以核实金额入账，结果会发到您的通知。",
    "tw": "您的入金正在審核，以核實金額入帳，結果會發到您的通知。",
    "en": "Your deposit is under review. We credit the amount we confirm; you will find the result in your notifications."
  }'),
  ('Withdrawal on hold', '{
    "zh": "修改密码、提现密码或收款方式后有保护期，期满后审核才会继续。",
    "tw": "修改密碼、出金密碼或收款方式後有保護期，期滿後審核才會繼續。",
    "en": "Changing your password, withdrawal password or payout details starts a hold. The review continues when it ends."
  }'),
  ('Never your password', '{
    "zh": "我们绝不会向您索要密码、验证码或恢复码，请不要发给任何人。",
    "tw": "我們絕不會向您索取密碼、驗證碼或恢復碼，請不要發給任何人。",
    "en": "We never ask for your password, verification codes or recovery codes. Please do not send them to anyone."
  }');

-- ## Functions

-- Returns the seconds that the customer has to wait before the next message; 0: none. The limits are 30 messages a minute and 20
-- pictures an hour.
create or replace function chat_wait(_customer bigint, _is_picture boolean) returns int stable language sql security definer as $$
  select coalesce(greatest(0, ceil(extract(epoch from max(f.free_at) - clock_timestamp()))), 0)::int from (
    (select m.at + interval '1 minute' as free_at from chat_messages m
      where m.customer_id = _customer and m.staff_id is null order by m.place desc offset 29 limit 1)
    union all
    (select m.at + interval '1 hour' from chat_messages m
      where _is_picture and m.customer_id = _customer and m.upload_id is not null order by m.place desc offset 19 limit 1)
  ) f
$$;

-- Adds a message at the end of the conversation. The caller holds the lock on the conversation's row.
create or replace function chat_add(_customer bigint, _staff bigint, _id bigint, _sealed bytea, _upload bigint, _key_hash bytea,
  _input_index bytea) returns chat_messages language plpgsql as $$
declare
  _message chat_messages;
  _move bigint := nextval('chat_moves');
begin
  insert into chat_messages (id, customer_id, place, staff_id, sealed, upload_id, key_hash, input_index)
    select _id, _customer, c.last_place + 1, _staff, _sealed, _upload, _key_hash, _input_index from chats c
    where c.customer_id = _customer
    returning * into _message;
  update chats c set last_place = _message.place, last_at = _message.at, last_move = _move,
    waiting_since = case when _staff is null then coalesce(c.waiting_since, _message.at) end,
    waiting_move = case when _staff is null then coalesce(c.waiting_move, _move) end,
    -- The author has read all messages and has stopped typing.
    customer_received = case when _staff is null then _message.place else c.customer_received end,
    customer_read = case when _staff is null then _message.place else c.customer_read end,
    customer_typing_at = case when _staff is null then null else c.customer_typing_at end,
    staff_read = case when _staff is null then c.staff_read else _message.place end,
    staff_typing_at = case when _staff is null then c.staff_typing_at end
    where c.customer_id = _customer;
  perform tell('chat', _customer || ':' || _id);
  return _message;
end $$;

-- Stores a customer's message, once per key. A retry with the same content returns the stored message. `_input_index` is the
-- blind index of the content under the current key of the key ring, `_also` those under all its keys.
-- SESSION_EXPIRED, IDEMPOTENCY_MISMATCH and TOO_MANY_REQUESTS (with `wait_seconds`) come as `refused`; INVALID_UPLOAD is an
-- error.
create or replace function chat_send(_token_hash bytea, _id bigint, _sealed bytea, _upload bigint, _key_hash bytea,
  _input_index bytea, _also bytea[], out message_id bigint, out refused text, out wait_seconds int)
language plpgsql security definer as $$
declare
  _customer bigint := session_customer(_token_hash, false);
  _known chat_messages;
begin
  if _customer is null then refused := 'SESSION_EXPIRED'; return; end if;
  insert into chats (customer_id) values (_customer) on conflict do nothing;
  perform from chats where customer_id = _customer for update;
  select * into _known from chat_messages m where m.customer_id = _customer and m.staff_id is null and m.key_hash = _key_hash;
  if found then
    if _known.input_index = _input_index or _known.input_index = any (_also) then message_id := _known.id;
    else refused := 'IDEMPOTENCY_MISMATCH'; end if;
    return;
  end if;
  wait_seconds := chat_wait(_customer, _upload is not null);
  if wait_seconds > 0 then refused := 'TOO_MANY_REQUESTS'; return; end if;
  if _upload is not null and not exists (select from uploads u
      where u.id = _upload and u.customer_id = _customer and u.purpose = 'chat' and u.file is not null) then
    perform refuse('INVALID_UPLOAD', format('upload %s is no picture of a conversation of customer %s', _upload, _customer));
  end if;
  message_id := (chat_add(_customer, null, _id, _sealed, _upload, _key_hash, _input_index)).id;
end $$;

-- Records that messages up to `_place` have reached the customer's app, or with `_is_read` that the customer has read them. Marks
-- never go back.
create or replace function chat_mark(_token_hash bytea, _place int, _is_read boolean) returns void
language plpgsql security definer as $$
declare
  _customer bigint := session_customer(_token_hash, false);
begin
  update chats c set
    customer_received = greatest(c.customer_received, least(_place, c.last_place)),
    customer_read = case when _is_read then greatest(c.customer_read, least(_place, c.last_place)) else c.customer_read end
    where c.customer_id = _customer
      and (c.customer_received < least(_place, c.last_place) or _is_read and c.customer_read < least(_place, c.last_place));
  if found then perform tell('chat', _customer || ':'); end if;
end $$;

-- Records that the customer is typing, at most once a second.
create or replace function chat_typing(_token_hash bytea) returns void language sql security definer as $$
  update chats set customer_typing_at = now() where customer_id = session_customer(_token_hash, false)
    and (customer_typing_at is null or customer_typing_at < now() - interval '1 second')
$$;

-- A claim lapses this long after it was taken or renewed. Other staff can take the conversation then.
create or replace function chat_claim_time() returns interval immutable language sql as $$ select interval '15 minutes' $$;

-- Locks the conversation's row and returns it, after checking that the member of staff may work on it. With `_as_mine` it refuses
-- while another one's claim lasts (CHAT_CLAIMED).
create or replace function chat_for_staff(_staff bigint, _customer bigint, _as_mine boolean) returns chats language plpgsql as $$
declare
  _row chats;
begin
  perform demand_usable(_staff, 'support');
  perform demand_not_own(_staff, _customer);
  select * into _row from chats c where c.customer_id = _customer for update;
  if not found then perform refuse('CHAT_NOT_FOUND', format('no conversation %s', _customer)); end if;
  if _as_mine and _row.claimed_by <> _staff and _row.claimed_at > now() - chat_claim_time() then
    perform refuse('CHAT_CLAIMED', format('conversation %s is claimed', _customer));
  end if;
  return _row;
end $$;

-- Claims the conversation, or renews the claim. A new claim is sent to the customer, who sees who serves them.
create or replace function chat_claim(_staff bigint, _customer bigint) returns void language plpgsql security definer as $$
declare
  _row chats := chat_for_staff(_staff, _customer, true);
begin
  update chats set claimed_by = _staff, claimed_at = now() where customer_id = _customer;
  if _row.claimed_by is distinct from _staff or _row.claimed_at <= now() - chat_claim_time() then
    insert into chat_steps (customer_id, step, staff_id) values (_customer, 'claimed', _staff);
    perform tell('chat', _customer || ':');
  end if;
end $$;

create or replace function chat_release(_staff bigint, _customer bigint) returns void language plpgsql security definer as $$
declare
  _row chats := chat_for_staff(_staff, _customer, true);
begin
  if _row.claimed_by is distinct from _staff then return; end if;
  update chats set claimed_by = null, claimed_at = null, staff_typing_at = null where customer_id = _customer;
  insert into chat_steps (customer_id, step, staff_id) values (_customer, 'released', _staff);
  perform tell('chat', _customer || ':');
end $$;

-- Gives the conversation to a colleague of support, who gets the claim.
create or replace function chat_hand_over(_staff bigint, _customer bigint, _to bigint) returns void
language plpgsql security definer as $$
declare
  _row chats := chat_for_staff(_staff, _customer, true);
begin
  if _to = _staff or not staff_may(_to, 'support') or is_own_customer(_to, _customer) then
    perform refuse('COLLEAGUE_NOT_FOUND', format('staff %s is no colleague of support', _to));
  end if;
  update chats set claimed_by = _to, claimed_at = now(), staff_typing_at = null where customer_id = _customer;
  insert into chat_steps (customer_id, step, staff_id, to_staff) values (_customer, 'handed', _staff, _to);
  perform audit_append(_staff, 'chat.hand_over', 'chat:' || _customer, jsonb_build_object('to', _to));
  perform tell('chat', _customer || ':');
end $$;

-- Stores an answer, once per member of staff and key, and claims the conversation for its author. Returns the message's id. A
-- retry with the same content returns the stored answer, even if another one has the conversation by then.
create or replace function chat_answer(_staff bigint, _customer bigint, _id bigint, _sealed bytea, _key_hash bytea,
  _input_index bytea, _also bytea[]) returns bigint language plpgsql security definer as $$
declare
  _known chat_messages;
begin
  perform chat_for_staff(_staff, _customer, false);
  select * into _known from chat_messages m where m.customer_id = _customer and m.staff_id = _staff and m.key_hash = _key_hash;
  if found then
    if _known.input_index = _input_index or _known.input_index = any (_also) then return _known.id; end if;
    perform refuse('IDEMPOTENCY_MISMATCH', 'that key was used for another answer');
  end if;
  perform chat_claim(_staff, _customer);
  perform chat_add(_customer, _staff, _id, _sealed, null, _key_hash, _input_index);
  perform audit_append(_staff, 'chat.answer', 'chat:' || _customer, jsonb_build_object('message', _id));
  return _id;
end $$;

-- Stores a note, once per member of staff and key. A retry has no effect.
create or replace function chat_note(_staff bigint, _customer bigint, _id bigint, _sealed bytea, _key_hash bytea) returns void
language plpgsql security definer as $$
begin
  perform chat_for_staff(_staff, _customer, false);
  insert into chat_notes (id, customer_id, staff_id, sealed, key_hash) values (_id, _customer, _staff, _sealed, _key_hash)
    on conflict do nothing;
  if found then perform audit_append(_staff, 'chat.note', 'chat:' || _customer, jsonb_build_object('note', _id)); end if;
end $$;

-- Records that staff have read up to `_place`. The customer sees this as read marks.
create or replace function chat_seen(_staff bigint, _customer bigint, _place int) returns void
language plpgsql security definer as $$
begin
  perform chat_for_staff(_staff, _customer, false);
  update chats c set staff_read = least(_place, c.last_place)
    where c.customer_id = _customer and c.staff_read < least(_place, c.last_place);
  if found then perform tell('chat', _customer || ':'); end if;
end $$;

create or replace function chat_staff_typing(_staff bigint, _customer bigint) returns void language plpgsql security definer as $$
declare
  _row chats := chat_for_staff(_staff, _customer, true);
begin
  if _row.staff_typing_at > now() - interval '1 second' then return; end if;
  update chats set staff_typing_at = now() where customer_id = _customer;
  perform tell('chat', _customer || ':');
end $$;

-- Writes a canned answer and returns its id; `_id` null: a new one. An unknown `_id` is refused with CHAT_NOT_FOUND.
create or replace function canned_set(_staff bigint, _id bigint, _title text, _texts jsonb) returns bigint
language plpgsql security definer as $$
declare
  _done bigint;
begin
  perform demand_usable(_staff, 'support');
  if _id is null then
    if (select count(*) from canned_answers) >= 200 then perform refuse('CANNED_FULL', 'too many canned answers'); end if;
    insert into canned_answers (title, texts, changed_by) values (_title, _texts, _staff) returning id into _done;
  else
    update canned_answers set title = _title, texts = _texts, changed_by = _staff, changed_at = now()
      where id = _id returning id into _done;
    if _done is null then perform refuse('CHAT_NOT_FOUND', format('no canned answer %s', _id)); end if;
  end if;
  perform audit_append(_staff, 'canned.set', 'canned:' || _done, jsonb_build_object('title', _title));
  return _done;
end $$;

create or replace function canned_remove(_staff bigint, _id bigint) returns void language plpgsql security definer as $$
begin
  perform demand_usable(_staff, 'support');
  delete from canned_answers where id = _id;
  if found then perform audit_append(_staff, 'canned.remove', 'canned:' || _id, '{}'); end if;
end $$;
