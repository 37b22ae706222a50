import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { get } from '../api/client.ts';
import { useLingering, useOnOrder, useOrders } from '../live/orders.ts';
import { useIsLoggedIn } from '../state/session.ts';

const LIMIT = 10;

/** The customer's newest orders of a product, fetched once and kept current by the stream; the chart marks them, too. */
export function useProductOrders(symbol: string) {
  const isMember = useIsLoggedIn();
  const { data, refetch } = useQuery({
    queryKey: ['orders', 'product', symbol],
    queryFn: ({ signal }) => get('order/list', { symbol, limit: LIMIT }, { signal, isSilent: true }),
    enabled: isMember,
  });
  useOnOrder((order) => order.symbol === symbol && void refetch());
  return isMember ? data?.items : [];
}

/** The open orders of a product and those just settled, the next to settle first. */
export function useOpenOrders(symbol: string) {
  const orders = useOrders((state) => state.orders);
  useLingering();
  return useMemo(() => orders?.filter((order) => order.symbol === symbol) ?? [], [orders, symbol]);
}
