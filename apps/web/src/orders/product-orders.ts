import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useMemo } from 'react';
import { get } from '../api/client.ts';
import { onOrder, useLingering, useOrders } from '../live/orders.ts';
import { useIsLoggedIn } from '../state/session.ts';

const LIMIT = 10;

/** The customer's newest orders of a product, fetched once and kept current by the stream; the chart marks them, too. */
export function useProductOrders(symbol: string) {
  const isMember = useIsLoggedIn();
  const client = useQueryClient();
  const queryKey = ['orders', 'product', symbol];
  const { data } = useQuery({
    queryKey,
    queryFn: ({ signal }) => get('order/list', { symbol, limit: LIMIT }, { signal, isSilent: true }),
    enabled: isMember,
  });
  useEffect(
    () =>
      onOrder((order) => {
        if (order.symbol === symbol)
          void client.invalidateQueries({ queryKey: ['orders', 'product', symbol] });
      }),
    [symbol, client],
  );
  return isMember ? data?.items : [];
}

/** The open orders of a product and those just settled, the next to settle first. */
export function useOpenOrders(symbol: string) {
  const orders = useOrders((state) => state.orders);
  useLingering();
  return useMemo(() => orders?.filter((order) => order.symbol === symbol) ?? [], [orders, symbol]);
}
