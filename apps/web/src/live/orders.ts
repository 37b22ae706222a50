import type { Order } from '@fairtick/protocol';
import { useEffect } from 'react';
import { create } from 'zustand';
import { get, NetworkError } from '../api/client.ts';
import { followInSession } from '../api/stream.ts';
import { shake } from '../state/haptics.ts';
import { useSession } from '../state/session.ts';
import { onSessionEnd } from '../state/session-lifecycle.ts';
import { readStored, storeInSession } from '../state/storage.ts';
import { serverNow } from './clock.ts';
import { createNews, useNews } from './news.ts';

/** How long a settled order stays beside the open ones, so that its result is seen; on a screen that shows it, until it is left. */
const LINGER_MS = 12_000;

const ASK_TRIES = 3;

interface OrdersStore {
  /** Open orders and those just settled, earliest settlement first; null until the server has sent them. */
  readonly orders: readonly Order[] | null;
}

const STORED = 'openOrders';

export const useOrders = create<OrdersStore>()(() => ({ orders: readOpenOrders() }));
useOrders.subscribe(({ orders }) => {
  const of = useSession.getState().userInfo?.id;
  const open = orders?.filter((order) => order.status === 'unsettled');
  storeInSession(STORED, open && of !== undefined ? JSON.stringify({ of, open }) : null);
});
onSessionEnd(() => useOrders.setState({ orders: null }));

/** Orders that were open at the last visit, for the first screen; showing them at once avoids a shift of the layout later. */
function readOpenOrders(): readonly Order[] | null {
  try {
    const stored = JSON.parse(readStored(STORED) ?? 'null') as { of?: string; open: Order[] } | null;
    if (!stored || stored.of === undefined || stored.of !== useSession.getState().userInfo?.id) return null;
    return stored.open.filter((order) => order.settlesAt > serverNow());
  } catch {
    return null;
  }
}

/** The place of an order's state in its life: not opened, open, settled. */
const stateOf = ({ status, openPrice }: Order): number =>
  status === 'settled' ? 2 : openPrice === null ? 0 : 1;

/** Of two readings of one order, the later: an order never goes back to an earlier state. If both have the same state, `read`. */
export const laterOf = (known: Order | undefined, read: Order): Order =>
  known !== undefined && stateOf(known) > stateOf(read) ? known : read;

const news = createNews<Order>();
export const onOrder = news.on;
export const useOnOrder = (handler: (order: Order) => void): void => useNews(news, handler);

export function takeOrder(order: Order): void {
  const known = useOrders.getState().orders?.find((other) => other.id === order.id);
  // An answer may be older than the stream's message.
  if (laterOf(known, order) !== order) return;
  // A new order takes the place of those that are over.
  if (known === undefined && order.status === 'unsettled') forgetOverdue();
  if (order.status === 'settled' && known?.status === 'unsettled') shake('settle');
  const { orders } = useOrders.getState();
  const others = (orders ?? []).filter((other) => other.id !== order.id);
  const isNews = order.status === 'unsettled' || known !== undefined || orders === null;
  useOrders.setState({ orders: isNews ? sorted([...others, order]) : others });
  if (order.status === 'settled') setTimeout(() => expire(order.id), LINGER_MS);
  news.tell(order);
}

/** Screens that show the open orders, and settled orders whose time is over while one of them does. */
let watching = 0;
const overdue = new Set<string>();

/** Keeps settled orders in their places while the calling screen is shown: nothing moves under the reader's eyes. */
export function useLingering(): void {
  useEffect(() => {
    watching += 1;
    return () => {
      watching -= 1;
      if (watching === 0) forgetOverdue();
    };
  }, []);
}

function expire(orderId: string): void {
  if (watching > 0) overdue.add(orderId);
  else forget(orderId);
}

function forgetOverdue(): void {
  for (const id of overdue) forget(id);
  overdue.clear();
}

function forget(orderId: string): void {
  useOrders.setState(({ orders }) => ({ orders: orders?.filter((order) => order.id !== orderId) ?? null }));
}

function sorted(orders: readonly Order[]): readonly Order[] {
  return [...orders].sort((a, b) => a.settlesAt - b.settlesAt || Number(a.id) - Number(b.id));
}

export const followOrders = (): void =>
  followInSession(
    'orders',
    (message) => (message.type === 'change' ? takeOrder(message.data) : takeSnapshot(message.data)),
    // An answer to a call of the former session may have arrived after that session ended.
    () => useOrders.setState({ orders: null }),
  );

/**
 * Takes the open orders of a new session, or after a reconnection. An order missing from them was settled meanwhile, so its result
 * is fetched; until then it stays as last seen.
 */
export function takeSnapshot(unsettled: readonly Order[]): void {
  const { orders } = useOrders.getState();
  const others = new Map(orders?.map((order) => [order.id, order]));
  const listed = unsettled.map((order) => {
    const known = others.get(order.id);
    others.delete(order.id);
    return laterOf(known, order);
  });
  useOrders.setState({ orders: sorted([...listed, ...others.values()]) });
  for (const order of listed) news.tell(order);
  for (const order of others.values()) if (order.status === 'unsettled') void askFor(order.id);
}

/** Fetches an order's state. Without an answer the order stays as it is; the next snapshot triggers another try. */
async function askFor(orderId: string): Promise<void> {
  const { token } = useSession.getState();
  for (let attempt = 1; attempt <= ASK_TRIES; attempt += 1) {
    try {
      const order = await get('order/detail', { id: orderId }, { isSilent: true });
      if (token === useSession.getState().token) takeOrder(order);
      return;
    } catch (error) {
      if (!(error instanceof NetworkError)) return;
    }
  }
}
