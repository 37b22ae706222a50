import { formatDecimal } from '@fairtick/money';
import type { Statistics, Tally } from '@fairtick/protocol';
import type { Products } from '../../market/products.ts';
import type { Asset, Assets } from '../../platform/assets.ts';
import type { Queryable } from '../../platform/db/database.ts';
import type { Handlers } from '../../platform/http/context.ts';

const DEFAULT_DAYS = 30;
/** Only this many of the newest orders are counted, which takes about a tenth of a second. */
const MOST_ORDERS = 50_000;

interface TallyRow {
  /** Product and cycle of the row; a row with null in both totals all orders. */
  readonly product_id: number | null;
  readonly minutes: number | null;
  readonly orders: number;
  readonly won: number;
  readonly lost: number;
  readonly open: number;
  readonly staked: string;
  readonly could_be: string;
  readonly result: string;
  readonly from_ms: string;
  readonly to_ms: string;
  readonly all_orders: number;
}

export function statisticsHandlers(parts: { pool: Queryable; assets: Assets; products: Products }) {
  const { pool, assets, products } = parts;
  return {
    statistics: async ({ asset: code, days = DEFAULT_DAYS }, { session }) => {
      const asset = assets.named(code);
      const rows = await readTallies(pool, { customerId: session.customerId, assetId: asset.id, days });
      const all = rows.find((row) => row.product_id === null && row.minutes === null);
      if (!all) throw new Error('statistics have no total');
      return {
        ...tallyOf(all, asset),
        asset: asset.code,
        from: Number(all.from_ms),
        to: Number(all.to_ms),
        open: all.open,
        isPartial: all.all_orders >= MOST_ORDERS,
        byProduct: rows.flatMap((row) =>
          row.product_id === null || row.orders === 0
            ? []
            : [{ symbol: products.byId(row.product_id).symbol, ...tallyOf(row, asset) }],
        ),
        byCycle: rows.flatMap((row) =>
          row.minutes === null || row.orders === 0 ? [] : [{ minutes: row.minutes, ...tallyOf(row, asset) }],
        ),
      } satisfies Statistics;
    },
  } satisfies Partial<Handlers>;
}

/**
 * Tallies by the log's clock, which also times acceptances. Batches are logged in the order of their clocks, so an order of the
 * period has a higher id than all that were logged before it.
 */
async function readTallies(
  db: Queryable,
  of: { customerId: string; assetId: number; days: number },
): Promise<readonly TallyRow[]> {
  const { rows } = await db.query<TallyRow>(
    `with span as (select log_now() as to_ms, log_now() - $3 * 86400000::bigint as from_ms),
     mine as materialized (
       select o.product_id, o.minutes, o.result, o.stake, o.income, o.credited from span, orders_and_results o
       where o.customer_id = $1 and o.asset_id = $2 and o.accepted_at_ms >= span.from_ms
         and o.id >= coalesce((select first_order(b.last_batch + 1) from logged_batches b where b.time_ms < span.from_ms
           order by b.time_ms desc limit 1), 0)
       order by o.id desc limit $4
     )
     select t.*, span.from_ms, span.to_ms from span cross join (
       select product_id, minutes, count(credited)::int as orders, count(*)::int as all_orders,
         (count(*) filter (where result = 1))::int as won, (count(*) filter (where result = -1))::int as lost,
         (count(*) filter (where result is null))::int as open,
         coalesce(sum(stake) filter (where result <> 0), 0)::text as staked,
         coalesce(sum(stake + income) filter (where result <> 0), 0)::text as could_be,
         coalesce(sum(credited - stake), 0)::text as result
       from mine group by grouping sets ((), (product_id), (minutes))
     ) t order by t.orders desc, t.product_id, t.minutes`,
    [of.customerId, of.assetId, of.days, MOST_ORDERS],
  );
  return rows;
}

function tallyOf(row: TallyRow, { scale }: Asset): Tally {
  return {
    orders: row.orders,
    won: row.won,
    lost: row.lost,
    none: row.orders - row.won - row.lost,
    staked: formatDecimal(BigInt(row.staked), scale),
    result: formatDecimal(BigInt(row.result), scale),
    winRate: rateOf(BigInt(row.won), BigInt(row.won + row.lost), 0n),
    // Stakes divided by stakes plus possible income: at this win rate, wins pay exactly for losses.
    breakEven: rateOf(BigInt(row.staked), BigInt(row.could_be), BigInt(row.could_be) - 1n),
  };
}

const RATE_DECIMALS = 4;

/** `up` is 0 to round down, or `whole - 1` to round up: never in the customer's favour. Null when `whole` is zero. */
function rateOf(part: bigint, whole: bigint, up: bigint): string | null {
  if (whole === 0n) return null;
  return formatDecimal((part * 10n ** BigInt(RATE_DECIMALS) + up) / whole, RATE_DECIMALS);
}
