import { useLingering, useOrders } from '../live/orders.ts';
import { useText } from '../messages/text-context.tsx';
import { Link } from '../shell/link.tsx';
import { OrderCard } from './order-card.tsx';
import css from './orders.module.css';

const SHOWN = 2;

/** The orders that settle next. */
export function OpenOrderCards() {
  const { t } = useText();
  const orders = useOrders((state) => state.orders);
  useLingering();
  if (!orders || orders.length === 0) return null;
  const rest = orders.length - SHOWN;
  return (
    <section className={css.openCards} aria-label={t('orders.mine')}>
      {orders.slice(0, SHOWN).map((order) => (
        <OrderCard key={order.id} order={order} />
      ))}
      {rest > 0 && (
        <Link href="/historyOrder" className={css.more}>
          {t('orders.more', { count: rest })}
        </Link>
      )}
    </section>
  );
}
