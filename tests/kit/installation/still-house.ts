import type { Order } from '@fairtick/protocol';
import { GRID_MS, type ProductRules } from '@fairtick/trading';
import { MarketView } from '../../../apps/server/src/market/market-view.ts';
import { RuleBook } from '../../../apps/server/src/market/rule-book.ts';
import type { WriterTerm } from '../../../apps/server/src/market/writer/writer-term.ts';
import { findOrders, type OrderQueryParts } from '../../../apps/server/src/trading/orders/order-queries.ts';
import { BatchBook } from '../../../apps/server/src/trading/placement/batch-book.ts';
import { placeOrders } from '../../../apps/server/src/trading/placement/place-orders.ts';
import type {
  OrderRequest,
  PlacementAnswer,
  PlacementParts,
} from '../../../apps/server/src/trading/placement/placement-parts.ts';
import { settleAllDue } from '../../../apps/server/src/trading/settlement/settle-lanes.ts';
import {
  advanceSettlementHead,
  correctOrders,
  voidUnopenedOrders,
} from '../../../apps/server/src/trading/settlement/settle-orders.ts';
import { addTraders } from '../people/traders.ts';
import { House, START_MS } from './house.ts';
import { ManualFeed } from './manual-feed.ts';
import { openWriter } from './writers.ts';

/** The database's clock is set this far behind the log's last time, so that the log's time stands still until the next step. */
const STILL_MS = 24 * 3_600_000;

/** An order as the audit reads it. Prices are whole points, times Unix ms. */
export interface OrderRecord {
  readonly id: number;
  readonly customerId: string;
  readonly acceptedAtMs: number;
  readonly opensAtMs: number;
  readonly settlesAtMs: number;
  readonly settledAtMs: number | null;
  readonly result: 'profit' | 'loss' | 'none' | null;
  readonly credited: bigint | null;
  readonly voidReason: string | null;
  readonly openPrice: bigint | null;
  readonly settlePrice: bigint | null;
}

/**
 * An installation whose clock stands still between two steps: an order is accepted at exactly the time that the test set, on a
 * slow machine too. All other parts are the real ones.
 */
export class StillHouse {
  readonly house: House;
  readonly feed: ManualFeed;
  readonly placement: PlacementParts;
  /** Two placement instances with separate caches of rules, like two API processes. */
  readonly processes: readonly [PlacementParts, PlacementParts];
  #session: WriterTerm;
  #placed = 0;

  private constructor(house: House, feed: ManualFeed) {
    this.house = house;
    this.feed = feed;
    this.placement = house.placement;
    this.processes = [house.placement, { ...house.placement, rules: new RuleBook(house.db.server) }];
    this.#session = house.session;
  }

  /** Opens with these rules for every product, or with a feed that has its own; no product has a price yet. */
  static async open(
    rules: Partial<ProductRules> = {},
    startMs = START_MS,
    feed = new ManualFeed(rules),
  ): Promise<StillHouse> {
    const still = new StillHouse(await House.open(feed, startMs), feed);
    await still.#hold();
    return still;
  }

  get nowMs(): number {
    return this.house.clock.targetMs;
  }

  /** Sets the clock and writes the entries of that grid time. */
  async stepTo(timeMs: number): Promise<void> {
    this.house.clock.stepTo(timeMs);
    await this.#session.step();
    await this.#hold();
  }

  async stepBy(ms: number): Promise<void> {
    await this.stepTo(this.nowMs + ms);
  }

  /** Steps through every grid time on the way. */
  async runTo(timeMs: number): Promise<void> {
    while (this.nowMs < timeMs) await this.stepBy(Math.min(GRID_MS, timeMs - this.nowMs));
  }

  /** Goes on in steps that the writer can make up for: it writes every grid time that it missed. */
  async leapTo(timeMs: number): Promise<void> {
    while (this.nowMs < timeMs) await this.stepTo(Math.min(timeMs, this.nowMs + 30_000));
  }

  /** All sources quote this price now; the log has it at the next step. */
  quote(symbol: string, price: string, receivedMs = this.nowMs): void {
    this.feed.price(this.house.product(symbol), price, receivedMs);
  }

  /** All sources quote this price just before the next grid time, which is then written. */
  async tick(symbol: string, price: string): Promise<void> {
    this.quote(symbol, price, this.nowMs + 1);
    await this.stepBy(GRID_MS);
  }

  /** Runs to an opening time, at which all sources quote this price. */
  async openAt(opensAtMs: number, symbol: string, price: string): Promise<void> {
    await this.runTo(opensAtMs - GRID_MS);
    await this.tick(symbol, price);
  }

  /** The writer stops and another starts: it has no price yet, and logs that. */
  async restart(timeMs: number): Promise<void> {
    this.house.clock.stepTo(timeMs);
    this.feed.receivesSinceMs = timeMs;
    this.#session = await openWriter(this.house, this.feed);
    await this.stepTo(timeMs);
  }

  /** Inserts customers with 10 000 DEMO each in one statement. */
  async customers(count: number): Promise<string[]> {
    return (await addTraders(this.house.db.owner, count)).map(({ id }) => id);
  }

  /** Places through the two instances in turn. */
  place(requests: readonly OrderRequest[], parts: Partial<PlacementParts> = {}): Promise<PlacementAnswer[]> {
    this.#placed += 1;
    return placeOrders({ ...(this.processes[this.#placed % 2] as PlacementParts), ...parts }, requests);
  }

  /** Places one order that must be accepted, and returns its id. */
  async buy(customerId: string, order: Parameters<House['request']>[1]): Promise<number> {
    const [answer] = await this.place([this.house.request(customerId, order)]);
    if (answer?.kind !== 'accepted') throw new Error(`not accepted: ${JSON.stringify(answer)}`);
    return answer.orderId;
  }

  /** Does all that an engine does in one turn. */
  async settle(): Promise<number> {
    const pool = this.house.db.server;
    const settled = (await voidUnopenedOrders(pool)) + (await settleAllDue(pool));
    await correctOrders(pool);
    await advanceSettlementHead(pool);
    return settled;
  }

  async order(id: number): Promise<OrderRecord> {
    const [order] = await this.orders([id]);
    if (!order) throw new Error(`no order ${id}`);
    return order;
  }

  /** The orders with these ids, or all of them, oldest first. */
  async orders(ids: readonly number[] | null = null): Promise<OrderRecord[]> {
    const { rows } = await this.house.db.owner.query(
      'select * from orders_and_results where $1::bigint[] is null or id = any ($1::bigint[]) order by id',
      [ids],
    );
    const number = (text: string | null) => (text === null ? null : Number(text));
    const whole = (text: string | null) => (text === null ? null : BigInt(text));
    return rows.map((row) => ({
      id: Number(row.id),
      customerId: row.customer_id,
      acceptedAtMs: Number(row.accepted_at_ms),
      opensAtMs: Number(row.opens_at_ms),
      settlesAtMs: Number(row.settles_at_ms),
      settledAtMs: number(row.settled_at_ms),
      result: row.result === null ? null : ((['loss', 'none', 'profit'] as const)[row.result + 1] ?? null),
      credited: whole(row.credited),
      voidReason: row.void_reason,
      openPrice: whole(row.open_price),
      settlePrice: whole(row.settle_price),
    }));
  }

  /** The dependencies of order queries, with the current market. */
  async queryParts(): Promise<OrderQueryParts> {
    const { db, assets, products, rules, reader } = this.house;
    const market = new MarketView(db.server, products, rules);
    await market.load();
    const batches = new BatchBook(db.server);
    return { db: db.server, assets, products, rules, reader, market, batches };
  }

  /** An order as its customer sees it. */
  async shown(customerId: string, orderId: number): Promise<Order> {
    const [order] = await findOrders(await this.queryParts(), [{ customerId, orderId }]);
    if (!order) throw new Error(`customer ${customerId} has no order ${orderId}`);
    return order;
  }

  /** The audit's violations; empty if all is well. */
  violations(): Promise<string[]> {
    return this.house.violations();
  }

  async close(): Promise<void> {
    await this.house.close();
  }

  async #hold(): Promise<void> {
    await this.house.db.owner.query('update log_head set offset_ms = offset_ms - $1', [STILL_MS]);
  }
}
