import { points } from '@fairtick/money';
import type { GapReason } from '@fairtick/trading';
import type { Queryable } from '../../platform/db/database.ts';
import type { Products } from '../products.ts';
import type { ProductState } from './draft-entry.ts';

interface Row extends Pick<ProductState, 'productId' | 'lastN' | 'lastMs' | 'ordersFromMs' | 'rulesId'> {
  readonly tickN: number | null;
  readonly tickMs: number;
  readonly tickPrice: string;
  readonly tickIndex: number;
  readonly gapReason: GapReason | null;
  readonly gapMs: number;
}

const STATES = `select product_id as "productId", last_n::float8 as "lastN", last_ms::float8 as "lastMs", tick_n::float8 as "tickN",
    tick_ms::float8 as "tickMs", tick_price as "tickPrice", tick_index::float8 as "tickIndex", gap_reason as "gapReason",
    gap_ms::float8 as "gapMs", orders_from_ms::float8 as "ordersFromMs", rules_id::float8 as "rulesId"
  from product_states`;

/** The initial state of a product that the log has never named. */
export function initialState(productId: number): ProductState {
  return { productId, lastN: 0, lastMs: 0, tick: null, gap: null, ordersFromMs: null, rulesId: null };
}

/** The state of each product as last committed; of those that the log has never named, the initial one. */
export async function readStates(db: Queryable, products: Products): Promise<Map<number, ProductState>> {
  const { rows } = await db.query<Row>(STATES);
  const states = new Map(products.all.map((product) => [product.id, initialState(product.id)]));
  for (const { tickN, tickMs, tickPrice, tickIndex, gapReason, gapMs, ...row } of rows) {
    const price = () => points(BigInt(tickPrice));
    const tick = tickN === null ? null : { n: tickN, timeMs: tickMs, price: price(), index: tickIndex };
    const gap = gapReason === null ? null : { reason: gapReason, timeMs: gapMs };
    states.set(row.productId, { ...row, tick, gap });
  }
  return states;
}
