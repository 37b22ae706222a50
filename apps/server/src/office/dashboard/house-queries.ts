import { formatDecimal } from '@fairtick/money';
import type { OfficeData } from '@fairtick/protocol/office';
import type { PriceAge } from '../../market/price-ages.ts';
import type { Products } from '../../market/products.ts';
import type { Asset, Assets } from '../../platform/assets.ts';
import type { Queryable } from '../../platform/db/database.ts';
import type { HourTurnover } from './turnover.ts';

type House = OfficeData<'dashboard/house'>;
const HOURS_A_DAY = 24;
const MAX_SCOPES = 20;
const MAX_CUSTOMERS = 10;

/** Sums hours into UTC days. */
export function turnoverDays(hours: readonly HourTurnover[], assets: Assets): House['turnover'] {
  const days = new Map<string, { day: number; asset: Asset; orders: number; stakes: bigint }>();
  for (const { hour, assetId, orders, stakes } of hours) {
    const day = Math.floor(hour / HOURS_A_DAY);
    const sum = days.get(`${day}:${assetId}`) ?? { day, asset: assets.byId(assetId), orders: 0, stakes: 0n };
    days.set(`${day}:${assetId}`, { ...sum, orders: sum.orders + orders, stakes: sum.stakes + stakes });
  }
  return [...days.values()]
    .sort((a, b) => a.day - b.day || a.asset.id - b.asset.id)
    .map(({ day, asset, orders, stakes }) => ({
      date: new Date(day * HOURS_A_DAY * 3_600_000).toISOString().slice(0, 10),
      asset: asset.code,
      isPractice: asset.isPractice,
      orders,
      stakes: formatDecimal(stakes, asset.scale),
    }));
}

type LimitRow = { readonly asset_id: number; readonly product_limit: string; readonly group_limit: string };

/** The most exposed minute of each scope, by the rule that placement refuses by; those nearest to their limit first. */
export async function readExposure(
  db: Queryable,
  { products, assets }: { products: Products; assets: Assets },
): Promise<House['exposure']> {
  const { rows } = await db.query<LimitRow>(
    'select asset_id, product_limit, group_limit from promised_income',
  );
  const limits = new Map(rows.map((row) => [row.asset_id, row]));
  const worst = new Map<string, House['exposure'][number]>();
  for (const { assetId, productId, group, minuteMs, income: loss } of await readIncomes(db)) {
    const row = limits.get(assetId);
    if (!row) throw new Error(`asset ${assetId} has no limits`);
    const isGroup = productId === null;
    const scope = isGroup ? String(group) : products.byId(productId).symbol;
    const limit = BigInt(isGroup ? row.group_limit : row.product_limit);
    const { code, scale } = assets.byId(row.asset_id);
    const usedBps = limit === 0n ? 10_000 : Number((loss * 10_000n) / limit);
    const key = `${assetId}:${isGroup}:${scope}`;
    if ((worst.get(key)?.usedBps ?? -1) >= usedBps) continue;
    worst.set(key, {
      scope,
      isGroup,
      asset: code,
      minuteAt: minuteMs,
      worstLoss: formatDecimal(loss, scale),
      limit: formatDecimal(limit, scale),
      usedBps,
    });
  }
  return [...worst.values()].sort((a, b) => b.usedBps - a.usedBps).slice(0, MAX_SCOPES);
}

/** The customers of each asset whose open orders could cost the house most. */
export async function readCustomerExposure(db: Queryable, assets: Assets): Promise<House['customers']> {
  const { rows } = await db.query<{ id: string; asset_id: number; orders: number; income: string }>(
    `select customer_id::text as id, asset_id, orders, income::text from (
       select o.customer_id, o.asset_id, count(*)::int as orders, sum(o.income) as income,
         row_number() over (partition by o.asset_id order by sum(o.income) desc, o.customer_id) as place
       from settlement_head s join orders_and_results o on o.settles_at_ms >= s.settled_before_ms and o.settled_at_ms is null group by 1, 2
     ) of_customer where place <= $1 order by asset_id, place`,
    [MAX_CUSTOMERS],
  );
  return rows.map(({ id, asset_id, orders, income }) => {
    const { code: asset, scale } = assets.byId(asset_id);
    return { id, asset, orders, worstLoss: formatDecimal(BigInt(income), scale) };
  });
}

/** The promised incomes of the current settlement minute and all later ones, per product (group is null) or per group. */
async function readIncomes(db: Queryable) {
  const { rows } = await db.query<{
    assetId: number;
    productId: number | null;
    group: string | null;
    minuteMs: number;
    income: string;
  }>(
    `select m.asset_id as "assetId", p.id as "productId", p.exposure_group as "group", m.minute_ms::float8 as "minuteMs",
       sum(i.income)::text as income
     from minute_incomes m cross join unnest(m.products, m.incomes) as i (product_id, income)
     join products p on p.id = i.product_id where m.minute_ms >= log_now() / 60000 * 60000
     group by grouping sets ((1, 4, 2), (1, 4, 3))`,
  );
  return rows.map((row) => ({ ...row, income: BigInt(row.income) }));
}

const SETTLEMENT = `
  with clock as (select h.time_ms as now_ms, s.settled_before_ms as mark from log_head h, settlement_head s),
  open as (
    select count(*)::int as open, count(*) filter (where o.settles_at_ms < c.now_ms)::int as due,
      (min(o.settles_at_ms) filter (where o.settles_at_ms < c.now_ms))::float8 as oldest
    from clock c left join orders_and_results o on o.settles_at_ms >= c.mark and o.settled_at_ms is null
    where o.id is not null
  ),
  lately as (
    select count(*)::int as settled, percentile_disc(0.5) within group (order by o.settled_at_ms - o.settles_at_ms)::float8 as p50,
      percentile_disc(0.99) within group (order by o.settled_at_ms - o.settles_at_ms)::float8 as p99
    from clock c join orders_and_results o on o.settles_at_ms >= c.now_ms - 900000 and o.settles_at_ms < c.now_ms
    where o.settled_at_ms >= o.settles_at_ms
  )
  select open.open, open.due, open.oldest as "oldestDueAt", lately.settled as "settledLately", lately.p50 as "delayP50",
    lately.p99 as "delayP99"
  from open, lately`;

type Settlement = Omit<House['settlement'], 'voids'>;

export async function readSettlement(db: Queryable): Promise<Settlement> {
  const { rows } = await db.query<Settlement>(SETTLEMENT);
  return rows[0] as Settlement;
}

/** Reads a day of orders, so it should run less often than the rest. */
export async function readVoids(db: Queryable): Promise<House['settlement']['voids']> {
  const { rows } = await db.query<House['settlement']['voids'][number]>(
    `select o.void_reason as reason, count(*)::int as orders
     from log_head h join orders_and_results o on o.settles_at_ms >= h.time_ms - 86400000 and o.settles_at_ms < h.time_ms
     where o.void_reason is not null group by 1 order by 2 desc`,
  );
  return rows;
}

const LOG = `
  select log_now()::float8 as time, h.size::float8 as size, greatest(log_now() - h.time_ms, 0)::float8 as "silenceMs",
    (select max(time_ms) from log_checkpoints)::float8 as "checkpointAt",
    (select next_batch - 1 from placement_head)::float8 - h.last_batch as "batchesWaiting", h.holder is not null as "hasWriter",
    (select count(*)::int from product_states) as products,
    (select coalesce(json_agg(g), '[]') from (select gap_reason as reason, count(*)::int as products from product_states
      where gap_reason is not null group by 1 order by 2 desc) g) as gaps,
    (select size::float8 from audit_head) as "auditSize"
  from log_head h`;

type LogHealth = Omit<House['log'], 'oldestPrice'> & { readonly time: number };

export async function readLogHealth(db: Queryable): Promise<LogHealth> {
  const { rows } = await db.query<LogHealth>(LOG);
  return rows[0] as LogHealth;
}

export function oldestPrice(ages: readonly PriceAge[]): House['log']['oldestPrice'] {
  const [oldest] = [...ages].sort((a, b) => b.ageMs - a.ageMs);
  return oldest ? { symbol: oldest.symbol, age: oldest.ageMs } : null;
}
