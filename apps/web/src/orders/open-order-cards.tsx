import { useLingering, useOrders } from '../live/orders.ts';
import { useText } from '../messages/text-context.tsx';
import { Link } from '../shell/link.tsx';
import { OrderCard } from './order-card.tsx';

const SHOWN = 2;

export function OpenOrderCards() {
  const { t } = useText();
  const orders = useOrders((state) => state.orders);
  useLingering();
  if (!orders || orders.length === 0) return null;
  const rest = orders.length - SHOWN;
  return (
    <section className="stack gap-12 mt-12 mx-side" aria-label={t('orders.mine')}>
      {orders.slice(0, SHOWN).map((order) => (
        <OrderCard key={order.id} order={order} />
      ))}
      {rest > 0 && (
        <Link href="/historyOrder" className="secondary centred touch">
          {t('orders.more', { count: rest })}
        </Link>
      )}
    </section>
  );
}
