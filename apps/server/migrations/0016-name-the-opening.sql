-- Orders open at a named time. A database whose log has begun is refused before migrations run, so none of these tables has rows.
alter table orders
  add column opens_at_ms bigint not null,
  add column asked bytea check (octet_length(asked) = 32),
  drop constraint orders_payout_rate_bps_check,
  add constraint orders_payout_rate_bps_check check (payout_rate_bps between 1000 and 9999);

do $$
declare
  _name text;
begin
  for _name in
    select conname from pg_constraint
    where conrelid = 'orders'::regclass and contype = 'c' and conname ~ '^orders_check[0-9]*$'
  loop
    execute format('alter table orders drop constraint %I', _name);
  end loop;
end $$;

alter table orders
  add check ((seen_size is null) = (seen_root is null)),
  add check (opens_at_ms % 250 = 0 and opens_at_ms between accepted_at_ms + 2000 and accepted_at_ms + 70000),
  add check (settles_at_ms = (opens_at_ms + minutes * 60000::bigint + 999) / 1000 * 1000),
  add check (income = stake / 10000 * payout_rate_bps + stake % 10000 * payout_rate_bps / 10000),
  add check ((settled_at_ms is null) = (result is null) and (result is null) = (credited is null)),
  add check (num_nulls(open_index, open_ms, open_price) in (0, 3) and num_nulls(settle_index, settle_ms, settle_price) in (0, 3)),
  add check (credited = case result when 1 then stake + income when 0 then stake + case when void_reason is null then 0 else stake / 10 end else 0 end),
  add check (case
    when result is null then num_nonnulls(void_reason, open_index, settle_index) = 0
    when void_reason is not null then
      result = 0 and num_nonnulls(open_index, settle_index) = 0 and settled_at_ms > accepted_at_ms
    else open_ms >= opens_at_ms and open_ms <= settles_at_ms and settles_at_ms <= settled_at_ms
      and open_ms % 250 = 0 and open_price > 0
      and case when settle_index is null then result = 1
        else settle_ms = settles_at_ms and open_index <= settle_index and settle_price > 0
          and result = sign(settle_price - open_price) * direction
      end
  end is true);

create table order_refusals (
  id bigint generated always as identity primary key,
  at_ms bigint not null,
  refused int not null check (refused > 0),
  refusals jsonb not null
);

alter table order_batches drop column refused, drop column refusals, drop constraint order_batches_accepted_check, add check (accepted > 0);
alter table placement_head add column turns bigint not null default 0;
alter table settlement_head drop column noted_batch, add column noted_turn bigint not null default 0;
alter table statistics_mark drop column batch;

drop function if exists settles_ms(bigint, smallint);
drop function if exists orders_open_batch(bytea, smallint[], bigint[], bytea, smallint[], smallint[]);
drop function if exists orders_close_batch(int, jsonb, bytea, bytea, text, bigint[], bigint[], bytea, smallint[], smallint[], smallint[], smallint[],
  bigint[], bigint[], bigint[], bigint[], bigint[], bigint[], smallint[], bigint[], bigint[]);
drop function if exists orders_demand_terms(bigint, bigint[], smallint[], smallint[], smallint[], bigint[], bigint[], bigint[]);
drop function if exists orders_demand_exposure(bigint, smallint[], smallint[], smallint[], bigint[]);
drop function if exists orders_demand_shares(bigint, bigint[], bigint[], smallint[], smallint[], smallint[]);
