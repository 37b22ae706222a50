-- Halts: times without new orders in one product or in all. Prices, settlement and withdrawals go on.
-- A halt ends when the log says so (halts_logged), a moment after it was lifted: no order is accepted between its two entries.
-- A single catalogue or approver member halts at once. Lifting a halt is a proposal (`halt_lift`). At most one halt of each
-- product is open, and one of all.
-- Lock order: the proposal -> placement_head -> staff -> the halt -> the audit log.

create table trading_halts (
  id bigint generated always as identity primary key,
  -- Null: all products.
  product_id smallint references products,
  reason text not null check (length(reason) between 1 and 500),
  halted_by bigint not null references staff,
  halted_at timestamptz not null default now(),
  -- The proposal to lift the halt, which was carried out at lifted_at.
  lift_id bigint references proposals,
  lifted_at timestamptz,
  check (lifted_at is null or lift_id is not null)
);

create unique index trading_halts_open on trading_halts (coalesce(product_id, 0)) where lifted_at is null;

-- ## Functions

-- Halts new orders in a product, or in all for null, and returns the id of the halt. The update of the head waits for the batch
-- that is being placed, and every later batch sees the halt.
create or replace function trading_halt(_by bigint, _reason text, _product smallint default null) returns bigint
language plpgsql security definer as $$
declare
  _id bigint;
begin
  perform demand_role(_by, 'catalogue', 'approver');
  update placement_head set is_halted = is_halted or _product is null,
    halted_products = case when _product is null then halted_products
      else array_append(array_remove(halted_products, _product), _product) end;
  if exists (select from trading_halts where lifted_at is null and product_id is not distinct from _product) then
    perform refuse('NOTHING_NEW', 'new orders are halted already');
  end if;
  insert into trading_halts (product_id, reason, halted_by) values (_product, _reason, _by) returning id into _id;
  perform audit_append(_by, 'halt.start', 'halt:' || _id, jsonb_strip_nulls(jsonb_build_object('reason', _reason,
    'symbol', (select symbol from products where id = _product))));
  return _id;
end $$;

-- Proposes to lift a halt. A newer proposal replaces an earlier one. Returns the hash of the content to be approved.
create or replace function trading_propose_lift(_by bigint, _id bigint, _note text) returns bytea
language plpgsql security definer as $$
declare
  _p proposals;
begin
  perform demand_role(_by, 'catalogue');
  _p := propose(_by, 'halt_lift', _id::text, jsonb_build_object('halt', _id, 'note', _note), jsonb_build_object('note', _note),
    _replaces => true);
  update trading_halts set lift_id = _p.id where id = _id and lifted_at is null;
  if not found then perform refuse('CHANGE_NOT_FOUND', format('no open halt %s', _id)); end if;
  return _p.content_hash;
end $$;

-- Returns the id of the proposal to lift an open halt. Raises CHANGE_NOT_FOUND or NOTHING_PROPOSED.
create or replace function trading_lift_proposed(_halt bigint) returns bigint language plpgsql as $$
declare
  _h trading_halts;
begin
  select * into _h from trading_halts where id = _halt and lifted_at is null;
  if not found then perform refuse('CHANGE_NOT_FOUND', format('no open halt %s', _halt)); end if;
  if _h.lift_id is null then perform refuse('NOTHING_PROPOSED', 'nothing is proposed'); end if;
  return _h.lift_id;
end $$;

-- Waits for a batch that is being placed.
create or replace function check_halt_lift() returns void language plpgsql as $$
begin
  perform from placement_head for update;
end $$;

create or replace function carry_out_halt_lift(_p proposals) returns jsonb language plpgsql as $$
begin
  update trading_halts set lifted_at = now() where lift_id = _p.id and lifted_at is null;
  if not found then perform refuse('CHANGE_NOT_FOUND', format('no open halt %s', _p.subject)); end if;
  return jsonb_build_object('proposedBy', _p.proposed_by, 'content', encode(_p.content_hash, 'hex'));
end $$;
