-- Deposits and withdrawals: channels, requests, what happened to each, and the notices that tell of it.
--
-- The server only reads these tables. What a customer does goes through the functions below, which take the hash of the
-- customer's own session token: without a customer's session there is no request, whoever asks. What staff decide is in
-- 008_decisions.sql. The lifecycles are drawn in recharge/deposit-lifecycle.ts and withdraw/withdrawal-lifecycle.ts.

-- Where deposits are paid to. Rows are never changed: a change is a new version, the newest one counts.
create table deposit_channels (
  id bigint not null,
  version int not null check (version >= 1),
  asset_id smallint not null references ledger.assets,
  network text not null check (length(network) between 1 and 40),
  -- Of a chain; else the bank's details.
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
  -- Of the smallest deposit at least four fifths arrive.
  check (fee * 5 <= min)
);

-- A change of a channel, or a new one, on its way to two people: the terms as a new version would have them.
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

-- ## Functions

-- What a deposit over a channel has to pay and reach at least: of all versions that held within the last day the best for the
-- customer, who may have sent the money under the one before.
create or replace function channel_best(_channel bigint, out fee bigint, out min bigint)
language sql stable set search_path = public, pg_temp as $$
  select min(v.fee), min(v.min) from (
    select c.fee, c.min, lead(c.created_at) over (order by c.version) as until from deposit_channels c where c.id = _channel
  ) v where v.until is null or v.until > now() - interval '24 hours'
$$;

-- The channels as they stand, those that are not open any more too.
create or replace function current_channels() returns setof deposit_channels
language sql stable set search_path = public, pg_temp as $$
  select distinct on (id) * from deposit_channels order by id, version desc;
$$;

create or replace function channel_content(_c channel_changes) returns bytea
immutable language sql set search_path = public, pg_temp as $$
  select sha256(convert_to(jsonb_build_object('change', _c.id, 'channel', _c.channel_id, 'terms', _c.terms)::text, 'UTF8'))
$$;

-- `_channel` null: a new one. The terms are those of a row of deposit_channels, and are held to its constraints when they count.
create or replace function channel_propose(_staff bigint, _channel bigint, _terms jsonb) returns bigint
language plpgsql security definer set search_path = public, pg_temp as $$
declare
  _c channel_changes;
begin
  if _channel is not null and not exists (select from deposit_channels where id = _channel) then
    perform refuse('REQUEST_NOT_FOUND', format('no channel %s', _channel));
  end if;
  insert into channel_changes (channel_id, terms, proposed_by)
  values (coalesce(_channel, (select coalesce(max(id), 0) + 1 from deposit_channels)), _terms, _staff)
  on conflict do nothing returning * into _c;
  if _c.id is null then perform refuse('NOTHING_NEW', format('a change of channel %s is proposed already', _channel)); end if;
  perform record_edit(_staff, 'channel', _c.id, channel_content(_c));
  perform audit_append(_staff, 'channel.propose', 'channel:' || _c.channel_id, jsonb_build_object('change', _c.id, 'terms', _terms));
  return _c.id;
end $$;

create or replace function channel_decide(_staff bigint, _id bigint, _agrees boolean) returns text
language plpgsql security definer set search_path = public, pg_temp as $$
declare
  _c channel_changes;
  _t deposit_channels;
begin
  select * into _c from channel_changes where id = _id for update;
  if not found then perform refuse('REQUEST_NOT_FOUND', format('no change %s', _id)); end if;
  if _c.status <> 'proposed' then perform refuse('REQUEST_CLOSED', format('change %s is decided', _id)); end if;
  if not _agrees then
    if not (staff_may(_staff, 'cashier') or staff_may(_staff, 'approver')) then
      perform refuse('ROLE_MISSING', format('staff %s decides no channels', _staff));
    end if;
    update channel_changes set status = 'refused', decided_by = _staff, decided_at = clock_timestamp() where id = _id;
    perform audit_append(_staff, 'channel.refuse', 'channel:' || _c.channel_id, jsonb_build_object('change', _id));
    return 'refused';
  end if;
  perform approve(_staff, 'channel', _id, channel_content(_c));
  if (select count(*) from approvals_of('channel', _id, channel_content(_c)) a where a.counts) < approvals_needed('channel') then
    return 'proposed';
  end if;
  perform demand_approvals('channel', _id, channel_content(_c));
  _t := jsonb_populate_record(null::deposit_channels, _c.terms);
  insert into deposit_channels (id, version, asset_id, network, address, bank, min, max, presets, fee, is_enabled)
  values (_c.channel_id, (select coalesce(max(version), 0) + 1 from deposit_channels where id = _c.channel_id), _t.asset_id, _t.network,
    _t.address, _t.bank, _t.min, _t.max, coalesce(_t.presets, '{}'), coalesce(_t.fee, 0), _t.is_enabled);
  update channel_changes set status = 'done', decided_by = _staff, decided_at = clock_timestamp() where id = _id;
  perform audit_append(_staff, 'channel.done', 'channel:' || _c.channel_id, jsonb_build_object('change', _id));
  return 'done';
end $$;
