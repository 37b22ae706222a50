import { Empty, FileIcon } from '@fairtick/ui';
import { useText } from '../messages/text-context.tsx';
import { OrderCard } from '../orders/order-card.tsx';
import { useProductOrders } from '../orders/product-orders.ts';
import css from './product.module.css';

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
    <div className={`stack gap-10 ${css.orderCards}`}>
      {orders.map((order) => (
        <OrderCard key={order.id} order={order} hasProduct={false} />
      ))}
    </div>
  );
}
