import { Empty, FileIcon } from '@fairtick/ui';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';
import { get } from '../api/client.ts';
import { useText } from '../messages/text-context.tsx';
import { OrderCard } from '../orders/order-card.tsx';
import { onOrder } from '../state/orders.ts';
import { useIsLoggedIn } from '../state/session.ts';
import css from './product.module.css';

const LIMIT = 10;

/** The customer's newest orders of this product. */
export function MyOrders({ symbol }: { symbol: string }) {
  const { t } = useText();
  const orders = useProductOrders(symbol);
  if (!orders || orders.length === 0) {
    return (
      <Empty icon={<FileIcon size={28} />} title={t('orders.emptyProduct')}>
        {t('orders.emptyHint')}
      </Empty>
    );
  }
  return (
    <div className={css.orderCards}>
      {orders.map((order) => (
        <OrderCard key={order.id} order={order} hasProduct={false} />
      ))}
    </div>
  );
}

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
