import { useMemo } from 'react';
import { useAnswer } from '../api/use-answer.ts';
import { useLingering, useOnOrder, useOrders } from '../live/orders.ts';
import { useIsLoggedIn } from '../state/session.ts';

const LIMIT = 20;

/** The customer's newest orders of a product, fetched once and kept current by the stream; the chart marks them, too. */
export function useProductOrders(symbol: string) {
  const isMember = useIsLoggedIn();
  const { data, refetch } = useAnswer('order/list', { symbol, limit: LIMIT }, { enabled: isMember });
  useOnOrder((order) => order.symbol === symbol && void refetch());
  return isMember ? data?.items : [];
}

/** The open orders of a product and those just settled, the next to settle first. */
export function useOpenOrders(symbol: string) {
  const orders = useOrders((state) => state.orders);
  useLingering();
  return useMemo(() => orders?.filter((order) => order.symbol === symbol) ?? [], [orders, symbol]);
}
