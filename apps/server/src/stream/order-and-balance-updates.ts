import type { Balance, Order } from '@fairtick/protocol';
import { readBalances } from '../platform/balances.ts';
import type { ChannelNews } from '../platform/bus/channels.ts';
import type { Pool } from '../platform/db/database.ts';
import { BOUNDS } from '../platform/fairness/bounds.ts';
import { Line } from '../platform/fairness/line.ts';
import { findOrders, listOrders, type OrderQueryParts } from '../trading/orders/order-queries.ts';
import type { Readers } from './frames.ts';

export interface OrderUpdatesParts extends OrderQueryParts {
  readonly pool: Pool;
}

const MAX_UNSETTLED = 100;
const MAX_FOLLOWED = 2_000;

interface Due {
  readonly orders: Map<number, boolean>;
  funds: boolean;
}

/** Each customer's news are read and sent in turn, so that no older state of an order can follow a newer one. */
export class OrderUpdates {
  readonly #parts: OrderUpdatesParts;
  readonly #readers: Readers;
  readonly #turns = new Line(BOUNDS.updates);
  readonly #due = new Map<string, Due>();
  #onFault: (error: unknown) => void = () => {};
  /** Orders that have not opened yet, by product: order to customer. */
  readonly #opening = new Map<number, Map<number, string>>();
  readonly #unsettled = new Map<string, Set<number>>();

  constructor(parts: OrderUpdatesParts, readers: Readers) {
    this.#parts = parts;
    this.#readers = readers;
  }

  /** @param handler is called for news that could not be read */
  onFault(handler: (error: unknown) => void): void {
    this.#onFault = handler;
  }

  /** Order 0: only the funds changed. */
  async publish(changed: ChannelNews<'orders'>): Promise<void> {
    for (const { customerId, orderId } of changed) {
      if (this.#readers.isConnected(customerId)) this.#tellSoon(customerId, orderId, true);
    }
  }

  /** The database does not store openings: an order has opened if the log says so now. */
  lookForOpenings(productId: number): void {
    for (const [orderId, customerId] of this.#opening.get(productId) ?? []) {
      this.#tellSoon(customerId, orderId, false);
    }
  }

  /** An order that was last sent as unsettled and is not among these has ended while a notification was missed. */
  async snapshot(customerId: string, hand: (orders: readonly Order[]) => void): Promise<void> {
    await this.#inTurn(customerId, async () => {
      const followed = [...(this.#unsettled.get(customerId) ?? [])];
      const orders = await listOrders(this.#parts, { customerId, isSettled: false, limit: MAX_UNSETTLED });
      hand(orders);
      for (const order of orders) this.#follow(customerId, order);
      const listed = new Set(orders.map((order) => Number(order.id)));
      for (const orderId of followed) if (!listed.has(orderId)) this.#tellSoon(customerId, orderId, true);
    });
  }

  async balances(customerId: string, hand: (balances: readonly Balance[]) => void): Promise<void> {
    await this.#inTurn(customerId, async () => hand(await this.#readBalances(customerId)));
  }

  forget(customerId: string): void {
    this.#unsettled.delete(customerId);
    for (const [productId, waiting] of this.#opening) {
      for (const [orderId, owner] of waiting) if (owner === customerId) waiting.delete(orderId);
      if (waiting.size === 0) this.#opening.delete(productId);
    }
  }

  #tellSoon(customerId: string, orderId: number, isNews: boolean): void {
    let due = this.#due.get(customerId);
    if (!due) {
      due = { orders: new Map(), funds: false };
      this.#due.set(customerId, due);
      // Begins once all orders of a notification are collected.
      const tell = () => Promise.resolve().then(() => this.#tell(customerId));
      this.#inTurn(customerId, tell).catch(this.#onFault);
    }
    if (orderId > 0) due.orders.set(orderId, isNews || due.orders.get(orderId) === true);
    if (isNews) due.funds = true;
  }

  async #tell(customerId: string): Promise<void> {
    const due = this.#due.get(customerId);
    this.#due.delete(customerId);
    if (!due || !this.#readers.isConnected(customerId)) return;
    const wanted = [...due.orders.keys()].map((orderId) => ({ customerId, orderId }));
    const orders = wanted.length > 0 ? await findOrders(this.#parts, wanted) : [];
    for (const order of orders.reverse()) {
      const isNews = due.orders.get(Number(order.id)) === true;
      if (!isNews && !this.#hasJustOpened(order)) continue;
      this.#follow(customerId, order);
      this.#readers.publishTo(customerId, 'orders', order, () => [[order.id, order]]);
    }
    if (!due.funds) return;
    const balances = await this.#readBalances(customerId);
    this.#readers.publishTo(customerId, 'funds', balances, () => [['funds', balances]]);
  }

  #hasJustOpened(order: Order): boolean {
    const product = this.#parts.products.bySymbol(order.symbol);
    const isAwaited = product !== null && this.#opening.get(product.id)?.has(Number(order.id)) === true;
    return isAwaited && (order.openPrice !== null || order.status === 'settled');
  }

  #readBalances(customerId: string): Promise<Balance[]> {
    return readBalances(this.#parts.pool, this.#parts.assets, customerId);
  }

  #follow(customerId: string, order: Order): void {
    if (!this.#readers.isConnected(customerId)) return;
    const orderId = Number(order.id);
    const unsettled = this.#unsettled.get(customerId) ?? new Set<number>();
    if (order.status === 'settled') unsettled.delete(orderId);
    else if (unsettled.size < MAX_FOLLOWED) unsettled.add(orderId);
    if (unsettled.size > 0) this.#unsettled.set(customerId, unsettled);
    else this.#unsettled.delete(customerId);

    const product = this.#parts.products.bySymbol(order.symbol);
    if (!product) return;
    const waiting = this.#opening.get(product.id) ?? new Map<number, string>();
    if (order.status === 'unsettled' && order.openPrice === null) waiting.set(orderId, customerId);
    else waiting.delete(orderId);
    if (waiting.size > 0) this.#opening.set(product.id, waiting);
    else this.#opening.delete(product.id);
  }

  #inTurn<T>(customerId: string, work: () => Promise<T>): Promise<T> {
    return this.#turns.take({ kind: 'inside', who: customerId }, work);
  }
}
