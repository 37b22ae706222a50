-- Deposit channels: the addresses and bank accounts that deposits are paid to.
-- A row of deposit_channels never changes: a change adds a version, and the newest version applies. Amounts are in smallest
-- units. The server only reads this table. Changes and new channels are proposals (`channel`).
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

-- Proposes a change of a channel, or a new channel if `_channel` is null, and returns the id of the proposal. `_terms` holds
-- columns of deposit_channels; the constraints of that table are checked when the last approval adds the version. Raises
-- NOTHING_NEW while another proposal for the channel is open.
create or replace function channel_propose(_staff bigint, _channel bigint, _terms jsonb) returns bigint
language plpgsql security definer as $$
begin
  if _channel is not null and not exists (select from deposit_channels where id = _channel) then
    perform refuse('REQUEST_NOT_FOUND', format('no channel %s', _channel));
  end if;
  _channel := coalesce(_channel, (select coalesce(max(id), 0) + 1 from deposit_channels));
  return (propose(_staff, 'channel', _channel::text, jsonb_build_object('channel', _channel, 'terms', _terms),
    jsonb_build_object('terms', _terms))).id;
end $$;

create or replace function carry_out_channel(_p proposals) returns void language plpgsql as $$
declare
  _channel bigint := (_p.content ->> 'channel')::bigint;
  _t deposit_channels := jsonb_populate_record(null::deposit_channels, _p.content -> 'terms');
begin
  insert into deposit_channels (id, version, asset_id, network, address, bank, min, max, presets, fee, is_enabled)
  values (_channel, (select coalesce(max(version), 0) + 1 from deposit_channels where id = _channel), _t.asset_id, _t.network,
    _t.address, _t.bank, _t.min, _t.max, coalesce(_t.presets, '{}'), coalesce(_t.fee, 0), _t.is_enabled);
end $$;
