import type { Queryable } from '../platform/db/database.ts';

export interface Halt {
  readonly sinceMs: number;
  readonly reason: string;
}

/** Halts and full limits, which stop orders beside hours and prices; as last committed. */
export interface OrderStops {
  /** The halt of all products. */
  readonly all: Halt | null;
  /** Halts of single products, by their ids. */
  readonly halted: ReadonlyMap<number, Halt>;
  /** Assets in which the house can take not even the least stake of any cycle, by the ids of products. */
  readonly full: ReadonlyMap<number, readonly string[]>;
}

export const NO_STOPS: OrderStops = { all: null, halted: new Map(), full: new Map() };

/**
 * The house's balance of an asset bounds all orders, its limits those of a product and of a group that settle in one minute
 * (`apps/server/schema/trading/placement-rules.sql`). A minute that is less than half full has room for the least stake of any cycle.
 */
const FULL = `with room as materialized (
    select p.asset_id, p.product_limit, p.group_limit, coalesce(h.balance, 0) - (p.amount - coalesce(s.amount, 0)) as left_over
    from promised_income p left join settled_income s using (asset_id)
    left join ledger.house_balances h on h.asset_id = p.asset_id and h.account = ledger.trading_account()
  ), used as materialized (
    select i.asset_id, i.minute_ms, c.exposure_group, u.product_id, u.income,
      sum(u.income) over (partition by i.asset_id, i.minute_ms, c.exposure_group) as grouped
    from minute_incomes i cross join unnest(i.products, i.incomes) as u (product_id, income) join products c on c.id = u.product_id
    where i.minute_ms > $1::bigint - 60000
  ), busy as materialized (
    select distinct u.asset_id, c.id as product_id from used u join room r using (asset_id)
    join products c on c.exposure_group = u.exposure_group
    where u.grouped > r.group_limit / 2 or c.id = u.product_id and u.income > r.product_limit / 2
  )
  select s.product_id, array_agg(a.code order by a.id) as assets from product_states s cross join room r
  join ledger.assets a on a.id = r.asset_id
  where (r.left_over < r.product_limit or least(r.product_limit, r.group_limit) = 0
      or (s.product_id, r.asset_id) in (select product_id, asset_id from busy))
    and exists (select from rule_terms t where t.rules_id = s.rules_id and t.asset_id = r.asset_id)
    and not exists (
      select from rule_terms t join rules e on e.id = t.rules_id join products c on c.id = s.product_id
      cross join lateral (select t.min_stake / 10000 * t.rate + t.min_stake % 10000 * t.rate / 10000 as income,
        ($1::bigint + e.delay_ms + 999) / 1000 * 1000 + t.minutes * 60000 as settles_ms) n
      where t.rules_id = s.rules_id and t.asset_id = r.asset_id and n.income <= r.left_over
        and n.income + coalesce((select u.income from used u where u.asset_id = r.asset_id and u.product_id = s.product_id
          and u.minute_ms = n.settles_ms / 60000 * 60000), 0) <= r.product_limit
        and n.income + coalesce((select max(u.grouped) from used u where u.asset_id = r.asset_id
          and u.exposure_group = c.exposure_group and u.minute_ms = n.settles_ms / 60000 * 60000), 0) <= r.group_limit
    )
  group by 1`;

const HALTS = `select h.product_id, floor(extract(epoch from h.halted_at) * 1000)::float8 as since_ms,
    regexp_replace(h.reason, '[\\x01-\\x1f|]', ' ', 'g') as reason
  from trading_halts h where h.lifted_at is null
    or not exists (select from log_halts l where l.halt_id = h.id and not l.is_on)`;

/** @param nowMs the log's time */
export async function readOrderStops(db: Queryable, nowMs: number): Promise<OrderStops> {
  const { rows: halts } = await db.query<{ product_id: number | null; since_ms: number; reason: string }>({
    name: 'open-halts',
    text: HALTS,
  });
  const { rows: full } = await db.query<{ product_id: number; assets: string[] }>({
    name: 'full-products',
    text: FULL,
    values: [Math.floor(nowMs)],
  });
  const known = halts.map(
    ({ product_id, since_ms, reason }) => [product_id, { sinceMs: since_ms, reason }] as const,
  );
  return {
    all: known.find(([productId]) => productId === null)?.[1] ?? null,
    halted: new Map(known.flatMap(([id, halt]) => (id === null ? [] : [[id, halt]]))),
    full: new Map(full.map(({ product_id, assets }) => [product_id, assets])),
  };
}
