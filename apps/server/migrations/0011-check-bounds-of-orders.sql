-- The door of placement takes sessions and checks all bounds. Its two functions replace those that took customers and terms.
-- An account is closed under a session, too.
create table rule_terms (
  rules_id bigint not null references rules,
  asset_id smallint not null references ledger.assets,
  minutes smallint not null,
  rate smallint not null,
  min_balance bigint not null,
  min_stake bigint not null,
  max_stakes jsonb not null,
  primary key (rules_id, asset_id, minutes)
);
create or replace function terms_of(_rules_id bigint, _entry text) returns setof rule_terms
stable language sql set search_path = public, pg_temp as $$
  select _rules_id, a.id, (c ->> 'minutes')::smallint, round((c ->> 'payoutRate')::numeric * 10000)::smallint,
    trunc((l ->> 'minBalance')::numeric * u.unit)::bigint, trunc((l ->> 'minPurchase')::numeric * u.unit)::bigint,
    (select jsonb_object_agg(v.key, trunc(m.amount * u.unit * v.value::int)) from jsonb_each_text(e.json -> 'levels') v
      where v.value is not null)
  from (select rules_json(_entry) as json offset 0) e
  cross join jsonb_array_elements(e.json -> 'limits') l
  join ledger.assets a on a.code = l ->> 'asset'
  cross join jsonb_array_elements(e.json -> 'cycles') c
  cross join lateral (select power(10::numeric, a.scale::numeric) as unit) u
  cross join lateral (
    select (s ->> 'amount')::numeric as amount from jsonb_array_elements(l -> 'max') with ordinality as e (s, n)
    where (c ->> 'minutes')::int <= (s ->> 'upToMinutes')::int order by n limit 1
  ) m
$$;
insert into rule_terms select t.* from rules r cross join lateral terms_of(r.id, r.entry) t;
create table trading_periods (
  product_id smallint primary key references products,
  rules_id bigint not null references rules,
  from_ms bigint not null,
  until_ms bigint not null check (until_ms > from_ms),
  is_open boolean not null
) with (fillfactor = 50);
alter table order_batches
  add column sessions bigint[],
  add check (cardinality(sessions) = accepted),
  alter column sessions set storage external;
drop function if exists customer_close(bigint);
drop function if exists rules_in_force(smallint, bigint);
drop function if exists orders_open_batch(bigint[], smallint[], bigint[], bytea, smallint[]);
drop function if exists orders_close_batch(bigint, bigint, bigint, bytea, int, jsonb, bytea, bytea, text, bigint, bigint[], bytea,
  smallint[], smallint[], smallint[], smallint[], bigint[], bigint[], smallint[], bigint[], bigint[], bigint[], bigint[], bigint[],
  smallint[], bigint[], smallint[], bigint[]);
drop function if exists orders_demand_terms(smallint[], smallint[], smallint[], bigint[], bigint);
drop function if exists ledger.take(bigint[], smallint[], bigint[]);
drop function if exists ledger.hold_hash(bigint, smallint, bigint);
drop trigger if exists placement_is_closed on placement_head;
alter table placement_head
  drop column open_holds,
  drop column open_hash,
  add column open_hash bytea,
  add column open_at_ms bigint,
  add column open_log_size bigint,
  add column open_log_root bytea,
  add column open_heavy bigint[],
  add check (num_nulls(open_hash, open_at_ms, open_log_size, open_log_root) in (0, 4));
create table minute_incomes (
  minute_ms bigint not null,
  asset_id smallint not null references ledger.assets,
  products smallint[] not null,
  incomes bigint[] not null,
  primary key (minute_ms, asset_id),
  check (cardinality(products) = cardinality(incomes))
) with (fillfactor = 30);
insert into minute_incomes (minute_ms, asset_id, products, incomes)
select minute_ms, asset_id, array_agg(product_id order by product_id), array_agg(income order by product_id)
from (
  select settles_at_ms / 60000 * 60000 as minute_ms, asset_id, product_id, sum(income)::bigint as income from orders
  where settles_at_ms >= (select min(settles_at_ms) / 60000 * 60000 from orders where settled_at_ms is null) group by 1, 2, 3
) o group by 1, 2;
