-- Deposit channels: the addresses and bank accounts that deposits are paid to, and changes of them.
-- A row of deposit_channels never changes: a change adds a version, and the newest version applies. Amounts are in smallest units.
-- The server only reads these tables. One member of staff proposes a change, and others approve it (four_eyes_rules, `channel`).
-- A live house can't enable a channel of the demo (platform/settings.sql).

create table deposit_channels (
  id bigint not null,
  version int not null check (version >= 1),
  asset_id smallint not null references ledger.assets,
  network text not null check (length(network) between 1 and 40),
  -- Set for a chain; `bank` is set for a bank account.
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
  -- The fee takes at most a fifth of the smallest deposit.
  check (fee * 5 <= min)
);

-- Proposed changes of channels and proposed new channels. `terms` holds the columns of the new version.
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

-- Returns the lowest fee and the lowest minimum of all versions of a channel that applied within the last 24 hours, because the
-- customer may have sent the money under an earlier version.
create or replace function channel_best(_channel bigint, out fee bigint, out min bigint)
language sql stable set search_path = public, pg_temp as $$
  select min(v.fee), min(v.min) from (
    select c.fee, c.min, lead(c.created_at) over (order by c.version) as until from deposit_channels c where c.id = _channel
  ) v where v.until is null or v.until > now() - interval '24 hours'
$$;

-- Returns the newest version of each channel, including channels that are not enabled.
create or replace function current_channels() returns setof deposit_channels
language sql stable set search_path = public, pg_temp as $$
  select distinct on (id) * from deposit_channels order by id, version desc;
$$;

-- The hash that approvals of a change refer to.
create or replace function channel_content(_c channel_changes) returns bytea
immutable language sql set search_path = public, pg_temp as $$
  select sha256(convert_to(jsonb_build_object('change', _c.id, 'channel', _c.channel_id, 'terms', _c.terms)::text, 'UTF8'))
$$;

-- Proposes a change of a channel, or a new channel if `_channel` is null, and returns the id of the change. `_terms` holds columns
-- of deposit_channels; the constraints of that table are checked when the last approval adds the version.
-- Raises NOTHING_NEW while another change of the channel is open.
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

-- Approves a change (`_agrees`) or refuses it. The last approval that is needed adds the new version. Any cashier or approver may
-- refuse, including the proposer. Returns the status of the change after the call.
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
