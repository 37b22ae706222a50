import { formatDecimal, formatRate } from '@fairtick/money';
import type { Order, Trade } from '@fairtick/protocol';
import { settlementTime } from '@fairtick/trading';
import type { LogReader } from '../../market/log/log-reader.ts';
import type { MarketView } from '../../market/market-view.ts';
import { LONGEST_CYCLE_MS } from '../../market/product-rules.ts';
import type { Products } from '../../market/products.ts';
import type { RuleBook } from '../../market/rule-book.ts';
import type { Assets } from '../../platform/assets.ts';
import { int8Array } from '../../platform/db/binary-arrays.ts';
import type { Queryable } from '../../platform/db/database.ts';
import { acceptanceOf, acceptanceText, batchOf, ORDERS_PER_BATCH, type PlacedOrder } from '../order-terms.ts';
import type { BatchBook, SignedTree } from '../placement/batch-book.ts';
import { type LoggedFacts, type OrderGroup, openingOf, readFacts } from '../settlement/logged-facts.ts';

export interface OrderQueryParts {
  readonly db: Queryable;
  readonly assets: Assets;
  readonly products: Products;
  readonly rules: RuleBook;
  readonly reader: LogReader;
  readonly market: MarketView;
  readonly batches: BatchBook;
}

/** What reading orders needs. Without a market, open orders have no current price. */
export type OrderReadParts = Omit<OrderQueryParts, 'market'> & {
  readonly market: Pick<MarketView, 'get'> | null;
};

/** An order id with the customer who claims the order. */
export interface OwnedOrder {
  readonly customerId: string;
  readonly orderId: number;
}

export interface OrderFilter {
  readonly customerId: string;
  readonly isSettled?: boolean | undefined;
  readonly assetId?: number | undefined;
  readonly productId?: number | undefined;
  readonly result?: NonNullable<Order['result']> | undefined;
  /** Accepted in this time, both ends included. */
  readonly fromMs?: number | undefined;
  readonly toMs?: number | undefined;
}

/**
 * No order below this id is open: its batch was logged before the settlement mark by more than the longest cycle. A query for a
 * customer's open orders thus skips the settled ones.
 */
const FIRST_OPEN = `coalesce((
    select first_order(l.last_batch + 1) from logged_batches l, settlement_head s
    where l.time_ms < s.settled_before_ms - ${LONGEST_CYCLE_MS + 60_000} order by l.time_ms desc limit 1), 0)`;

/** A part of a query over one customer's `orders_and_results`, `o`. */
interface Matching {
  /** Ends the name of a prepared query: the conditions that it has. */
  readonly name: string;
  readonly where: string;
  /** The parameters from $1 on. */
  readonly values: readonly unknown[];
}

/**
 * The conditions that a filter has and no others: a plan for all at once would read every order of the customer. Batches are logged
 * in the order of their clocks, so an order of the period has a higher id than all that were logged before it.
 */
export function matching(filter: OrderFilter): Matching {
  const { customerId, isSettled, assetId, productId, result, fromMs, toMs } = filter;
  const values: unknown[] = [customerId];
  const parts = ['o.customer_id = $1'];
  let name = '';
  const add = (letter: string, value: unknown, condition: (parameter: string) => string) => {
    if (value === undefined) return;
    values.push(value);
    parts.push(condition(`$${values.length}`));
    name += letter;
  };
  if (isSettled !== undefined) {
    parts.push(`o.settled_at_ms is ${isSettled ? 'not ' : ''}null`);
    name += isSettled ? 's' : 'o';
  }
  add('a', assetId, (parameter) => `o.asset_id = ${parameter}::smallint`);
  add('p', productId, (parameter) => `o.product_id = ${parameter}::smallint`);
  add('r', result && RESULT_NUMBERS.get(result), (parameter) => `o.result = ${parameter}::smallint`);
  add(
    'f',
    fromMs,
    (parameter) => `o.accepted_at_ms >= ${parameter}::bigint and o.id >= coalesce((
      select first_order(b.last_batch + 1) from logged_batches b where b.time_ms < ${parameter}::bigint
      order by b.time_ms desc limit 1), 0)`,
  );
  add('t', toMs, (parameter) => `o.accepted_at_ms <= ${parameter}::bigint`);
  return { name: `orders-${name}`, where: parts.join(' and '), values };
}

interface OrderPage {
  readonly limit: number;
  /** Only orders with lower ids than this. */
  readonly beforeId?: number;
}

/** One customer's orders, newest first. */
export async function listOrders(
  parts: OrderQueryParts,
  { limit, beforeId = Number.MAX_SAFE_INTEGER, ...filter }: OrderFilter & OrderPage,
): Promise<Order[]> {
  const { name, where, values } = matching(filter);
  const { rows } = await parts.db.query<OrderRow>({
    name: `list-${name}`,
    text: `${SELECT} where ${where} and o.id < $${values.length + 1}
      ${filter.isSettled === false ? `and o.id >= ${FIRST_OPEN}` : ''} order by o.id desc limit $${values.length + 2}`,
    values: [...values, beforeId, limit],
  });
  return present(parts, rows);
}

/** These orders, newest first. An order that belongs to another customer is left out. */
export async function findOrders(parts: OrderReadParts, wanted: readonly OwnedOrder[]): Promise<Order[]> {
  const { rows } = await parts.db.query<OrderRow>({
    name: 'orders-find',
    text: `${SELECT} join unnest($1::bigint[], $2::bigint[]) as w (customer_id, id) on w.id = o.id
      and w.customer_id = o.customer_id order by o.id desc`,
    values: [
      int8Array(wanted.map(({ customerId }) => BigInt(customerId))),
      int8Array(wanted.map(({ orderId }) => orderId)),
    ],
  });
  return present(parts, rows);
}

/** How an order ended, according to the ledger, and the terms that it was accepted on. */
export interface SettledOrder {
  readonly placed: PlacedOrder;
  readonly result: 'profit' | 'loss' | 'none';
  readonly credited: bigint;
  readonly voidReason: Order['voidReason'];
  readonly openPrice: bigint | null;
  readonly settlePrice: bigint | null;
}

/** One customer's order: null where it does not exist, `unsettled` until it is settled or void. */
export async function findSettled(
  parts: Pick<OrderQueryParts, 'db' | 'assets' | 'products' | 'rules' | 'batches'>,
  { customerId, orderId }: OwnedOrder,
): Promise<SettledOrder | 'unsettled' | null> {
  const { rows } = await parts.db.query<OrderRow>({
    name: 'order-settled',
    text: `${SELECT} where o.id = $1 and o.customer_id = $2`,
    values: [orderId, customerId],
  });
  const row = rows[0];
  if (!row) return null;
  const result = RESULTS.get(row.result);
  if (row.settled_at_ms === null || row.credited === null || !result) return 'unsettled';
  const [{ hash: rulesHash }, batches] = await Promise.all([
    parts.rules.get(Number(row.rules_id)),
    parts.batches.getMany([batchOf(orderId)]),
  ]);
  const batch = batches.get(batchOf(orderId)) as SignedTree;
  const whole = (text: string | null) => (text === null ? null : BigInt(text));
  return {
    placed: readPlaced(parts, row, { batch, rulesHash }),
    result,
    credited: BigInt(row.credited),
    voidReason: row.void_reason,
    openPrice: whole(row.open_price),
    settlePrice: whole(row.settle_price),
  };
}

/** The rules that a customer's order names; null where the customer has no such order. */
export async function rulesOf(db: Queryable, { customerId, orderId }: OwnedOrder): Promise<number | null> {
  const { rows } = await db.query<{ rules_id: string }>({
    name: 'order-rules',
    text: 'select rules_id from orders where id = $1 and customer_id = $2',
    values: [orderId, customerId],
  });
  return rows[0] ? Number(rows[0].rules_id) : null;
}

/** The orders among which the latest of a product are looked for: reading them takes some milliseconds. */
const NEWEST_ORDERS = 5_000;

/** A product's orders among the newest of all products, newest first, without the customers' names. */
export async function latestTrades(
  parts: OrderQueryParts,
  productId: number,
  limit: number,
): Promise<Trade[]> {
  const { rows } = await parts.db.query<{
    accepted_at_ms: string;
    direction: number;
    stake: string;
    asset_id: number;
    minutes: number;
  }>({
    name: 'orders-latest',
    text: `select accepted_at_ms, direction, stake, asset_id, minutes
      from (select * from orders order by id desc limit $3) newest where product_id = $1 order by id desc limit $2`,
    values: [productId, limit, NEWEST_ORDERS],
  });
  return rows.map((row) => {
    const asset = parts.assets.byId(row.asset_id);
    return {
      time: Number(row.accepted_at_ms),
      direction: row.direction === 1 ? 'up' : 'down',
      amount: formatDecimal(BigInt(row.stake), asset.scale),
      asset: asset.code,
      minutes: row.minutes,
    };
  });
}

type OrderRow = {
  id: string;
  accepted_at_ms: string;
  opens_at_ms: string;
  asked: Buffer | null;
  settles_at_ms: string;
  stake: string;
  income: string;
  rules_id: string;
  seen_size: string | null;
  seen_root: Buffer | null;
  payout_rate_bps: number;
  product_id: number;
  asset_id: number;
  minutes: number;
  direction: number;
  settled_at_ms: string | null;
  result: number | null;
  credited: string | null;
  void_reason: Order['voidReason'];
  open_index: string | null;
  open_price: string | null;
  settle_index: string | null;
  settle_price: string | null;
};

const SELECT = 'select o.* from orders_and_results o';

/** Opening prices of unsettled orders are not stored: they are those of the fixes. */
async function present(parts: OrderReadParts, rows: readonly OrderRow[]): Promise<Order[]> {
  const unsettled = rows.filter((row) => row.settled_at_ms === null);
  const facts = await readFacts(parts.db, unsettled.map(groupOf));
  const factsOf = new Map(unsettled.map((row, at) => [row, facts[at]]));
  const book = await parts.rules.getMany(rows.map((row) => Number(row.rules_id)));
  const batches = await parts.batches.getMany(rows.map((row) => batchOf(Number(row.id))));
  return rows.map((row) => {
    const rulesHash = book.get(Number(row.rules_id))?.hash ?? '';
    const batch = batches.get(batchOf(Number(row.id))) as SignedTree;
    const placed = readPlaced(parts, row, { batch, rulesHash });
    return {
      ...presentPlaced(parts, placed),
      ...presentOpening(parts, row, factsOf.get(row)),
      ...presentSettlement(parts, row),
    };
  });
}

/** A newly placed order as the API presents it: not opened, not settled. */
export function presentPlaced(
  parts: Pick<OrderReadParts, 'assets' | 'products' | 'market'>,
  placed: PlacedOrder,
): Order {
  const product = parts.products.byId(placed.productId);
  const asset = parts.assets.byId(placed.assetId);
  const market = parts.market?.get(product.id);
  return {
    id: String(placed.id),
    symbol: product.symbol,
    direction: placed.direction,
    minutes: placed.minutes,
    asset: asset.code,
    amount: formatDecimal(placed.stake, asset.scale),
    payoutRate: formatRate(placed.payoutRateBps),
    expectedIncome: formatDecimal(placed.income, asset.scale),
    status: 'unsettled',
    createdAt: placed.acceptedAtMs,
    opensAt: placed.opensAtMs,
    settlesAt: placed.settlesAtMs,
    acceptance: acceptanceOf(placed.acceptance),
    openPrice: null,
    openedAt: null,
    openIndex: null,
    currentPrice:
      market && market.gap === null && market.price !== null
        ? formatDecimal(market.price, product.decimals)
        : null,
    settlePrice: null,
    settledAt: null,
    settleTickAt: null,
    settleIndex: null,
    result: null,
    profit: null,
    voidReason: null,
  };
}

function groupOf(row: OrderRow): OrderGroup {
  return {
    batch: batchOf(Number(row.id)),
    productId: row.product_id,
    opensAtMs: Number(row.opens_at_ms),
    settlesAtMs: Number(row.settles_at_ms),
  };
}

const OUTCOMES = [
  [1, 'profit'],
  [-1, 'loss'],
  [0, 'none'],
] as const;
export const RESULTS = new Map<number | null, Order['result']>(OUTCOMES);
const RESULT_NUMBERS = new Map<Order['result'], number>(OUTCOMES.map(([number, result]) => [result, number]));

function presentOpening(
  parts: OrderReadParts,
  row: OrderRow,
  facts: LoggedFacts | undefined,
): Partial<Order> {
  const opening = facts && openingOf(facts, groupOf(row));
  if (opening?.state !== 'open') return {};
  const { decimals } = parts.products.byId(row.product_id);
  return {
    openPrice: formatDecimal(opening.fix.price, decimals),
    openedAt: Number(row.opens_at_ms),
    openIndex: opening.fix.index,
  };
}

function presentSettlement(parts: OrderReadParts, row: OrderRow): Partial<Order> {
  if (row.settled_at_ms === null || row.credited === null) return {};
  const { decimals } = parts.products.byId(row.product_id);
  const { scale } = parts.assets.byId(row.asset_id);
  const price = (text: string | null) => (text === null ? null : formatDecimal(BigInt(text), decimals));
  const number = (text: string | null) => (text === null ? null : Number(text));
  return {
    status: 'settled',
    openPrice: price(row.open_price),
    openedAt: row.open_index === null ? null : Number(row.opens_at_ms),
    openIndex: number(row.open_index),
    settlePrice: price(row.settle_price),
    settledAt: number(row.settled_at_ms),
    settleTickAt: row.settle_index === null ? null : Number(row.settles_at_ms),
    settleIndex: number(row.settle_index),
    result: RESULTS.get(row.result) ?? null,
    profit: formatDecimal(BigInt(row.credited) - BigInt(row.stake), scale),
    voidReason: row.void_reason,
  };
}

/** The acceptance is rebuilt from the stored columns, byte for byte as it was signed. */
function readPlaced(
  parts: Pick<OrderQueryParts, 'assets' | 'products'>,
  row: OrderRow,
  { batch, rulesHash }: { batch: SignedTree; rulesHash: string },
): PlacedOrder {
  const id = Number(row.id);
  const asset = parts.assets.byId(row.asset_id);
  const terms = {
    id,
    direction: row.direction === 1 ? ('up' as const) : ('down' as const),
    minutes: row.minutes,
    stake: BigInt(row.stake),
    payoutRateBps: row.payout_rate_bps,
    acceptedAtMs: Number(row.accepted_at_ms),
    opensAtMs: Number(row.opens_at_ms),
    settlesAtMs: Number(row.settles_at_ms),
  };
  if (terms.settlesAtMs !== settlementTime(terms.opensAtMs, row.minutes)) {
    throw new Error(`order ${row.id} settles at another time than it was accepted for`);
  }
  const text = acceptanceText({
    ...terms,
    asset,
    rulesHash,
    asked: row.asked,
    symbol: parts.products.byId(row.product_id).symbol,
    logSize: batch.logSize,
    logRoot: batch.logRoot,
    seen:
      row.seen_size === null
        ? null
        : { size: Number(row.seen_size), root: (row.seen_root as Buffer).toString('hex') },
  });
  return {
    ...terms,
    productId: row.product_id,
    assetId: row.asset_id,
    income: BigInt(row.income),
    rulesId: Number(row.rules_id),
    acceptance: { text, place: id % ORDERS_PER_BATCH, batch },
  };
}
