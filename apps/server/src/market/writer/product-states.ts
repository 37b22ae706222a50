import { points } from '@fairtick/money';
import type { GapReason } from '@fairtick/trading';
import type { Queryable } from '../../platform/db/database.ts';
import type { Products } from '../products.ts';
import type { ProductState } from './draft-entry.ts';
import { initialState } from './tick-writer.ts';

type StateRow = {
  product_id: number;
  last_n: string;
  last_ms: string;
  tick_n: string | null;
  tick_ms: string | null;
  tick_price: string | null;
  tick_index: string | null;
  gap_reason: GapReason | null;
  gap_ms: string | null;
  orders_from_ms: string | null;
  rules_id: string | null;
};

/** The state of each product as last committed; of those that the log has never named, the initial one. */
export async function readStates(db: Queryable, products: Products): Promise<Map<number, ProductState>> {
  const { rows } = await db.query<StateRow>('select * from product_states');
  const states = new Map(products.all.map((product) => [product.id, initialState(product.id)]));
  for (const row of rows) {
    states.set(row.product_id, {
      productId: row.product_id,
      lastN: Number(row.last_n),
      lastMs: Number(row.last_ms),
      tick:
        row.tick_n === null
          ? null
          : {
              n: Number(row.tick_n),
              timeMs: Number(row.tick_ms),
              price: points(BigInt(row.tick_price as string)),
              index: Number(row.tick_index),
            },
      gap: row.gap_reason === null ? null : { reason: row.gap_reason, timeMs: Number(row.gap_ms) },
      ordersFromMs: row.orders_from_ms === null ? null : Number(row.orders_from_ms),
      rulesId: row.rules_id === null ? null : Number(row.rules_id),
    });
  }
  return states;
}
