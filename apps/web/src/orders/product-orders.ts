import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';
import { get } from '../api/client.ts';
import { onOrder } from '../live/orders.ts';
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
