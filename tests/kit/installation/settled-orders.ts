import type { Pool } from '../../../apps/server/src/platform/db/database.ts';

interface SettledOrders {
  readonly customer: string;
  /** The ids follow it. */
  readonly afterId: number;
  /** 1, -1 or 0 for each order. */
  readonly results: readonly number[];
  /** The first is accepted this much later than `fromMs`, each other one as much later than the one before. */
  readonly everyMs: number;
  readonly fromMs: number;
  /** Whether wins have no prices, as for want of a fix. */
  readonly isPriceless?: boolean;
}

/** Adds orders of a minute each with their results, as the engine would have left them, without money. */
export async function addSettledOrders(owner: Pool, orders: SettledOrders): Promise<void> {
  const { customer, afterId, results, everyMs, fromMs, isPriceless = false } = orders;
  await owner.query(
    `with wanted as (
       select $1::bigint + n as id, result, $5::bigint + n * $4::bigint as at_ms, result = 1 and $6 as is_priceless
       from unnest($3::int[]) with ordinality r (result, n)
     ), placed as (
       insert into orders (id, customer_id, key_hash, input_hash, accepted_at_ms, opens_at_ms, settles_at_ms, stake, income, rules_id,
         payout_rate_bps, product_id, asset_id, minutes, direction)
       select id, $2, int8send(id), int8send(0), at_ms, opens_ms, opens_ms + 60000, 100, 80, 1, 8000, 1, 1, 1, 1
       from wanted, lateral (select (at_ms + 2999) / 1000 * 1000 as opens_ms) o
       returning id, opens_at_ms, settles_at_ms
     )
     insert into order_results (order_id, settled_at_ms, credited, result, open_index, open_price, settle_index, settle_price)
     select id, case when is_priceless then opens_at_ms + 86400001 else settles_at_ms end, case result when 1 then 180 when 0 then 100 else 0 end,
       result, case when not is_priceless then 1 end, case when not is_priceless then 100 end, case when not is_priceless then 2 end,
       case when not is_priceless then 100 + result end
     from wanted join placed using (id)`,
    [afterId, customer, results, everyMs, fromMs, isPriceless],
  );
}
