import type { Order } from '@fairtick/protocol';
import { DirectionMark, Empty, FileIcon } from '@fairtick/ui';
import { useAnswer } from '../api/use-answer.ts';
import { useOnOrder } from '../live/orders.ts';
import { useText } from '../messages/text-context.tsx';
import { OrderCard, orderPath } from '../orders/order-card.tsx';
import { OrderMark, useOrderColumns } from '../orders/order-table.tsx';
import { type Column, openByLink } from '../parts/sortable-table.tsx';
import { useHasRoomForOrders } from '../parts/use-width.ts';
import { Link } from '../shell/link.tsx';
import { formatAmount } from '../state/format.ts';
import { useIsLoggedIn } from '../state/session.ts';
import product from './product.module.css';
import css from './wide-trade.module.css';

const LIMIT = 20;
const SHOWN: ReadonlySet<string> = new Set(['cycle', 'stake', 'opening', 'settlement', 'result']);
/** Widths of the columns, percent. They don't follow their contents: a settlement moves nothing. */
const WIDTHS = [12.5, 13.5, 10, 16, 12, 12.5, 16, 7.5];

export function DesktopOrders() {
  const { t } = useText();
  const isMember = useIsLoggedIn();
  const { data, refetch } = useAnswer('order/list', { limit: LIMIT }, { enabled: isMember });
  useOnOrder(() => void refetch());
  const columns = useOrderColumns().filter(({ id }) => SHOWN.has(id));
  const isTable = useHasRoomForOrders();
  const orders = isMember ? data?.items : [];
  if (!orders || orders.length === 0) {
    return (
      <Empty icon={<FileIcon size={28} />} title={t('orders.empty')}>
        {t('orders.emptyHint')}
      </Empty>
    );
  }
  return (
    <>
      {isTable ? (
        <table className={`full text-13 nowrap ${css.orders}`}>
          <colgroup>
            {WIDTHS.map((percent, column) => (
              <col key={column} style={{ width: `${percent}%` }} />
            ))}
          </colgroup>
          <thead>
            <tr>
              <th scope="col">{t('trade.direction')}</th>
              <th scope="col">{t('orders.product')}</th>
              {columns.map(({ id, name }) => (
                <th key={id} scope="col" data-figure>
                  {name}
                </th>
              ))}
              <th scope="col">
                <span className="sr">{t('orders.detail')}</span>
              </th>
            </tr>
          </thead>
          <tbody>
            {orders.map((order) => (
              <OrderRow key={order.id} order={order} columns={columns} />
            ))}
          </tbody>
        </table>
      ) : (
        <div className={`stack gap-10 ${product.orderCards}`}>
          {orders.map((order) => (
            <OrderCard key={order.id} order={order} />
          ))}
        </div>
      )}
      <Link href="/historyOrder" className={`secondary py-12 ${css.all}`}>
        {t('orders.all')}
      </Link>
    </>
  );
}

function OrderRow({ order, columns }: { order: Order; columns: readonly Column<Order>[] }) {
  const { t } = useText();
  const way = t(`trade.${order.direction}`);
  return (
    <tr className={css.order} onClick={openByLink}>
      <td>
        <DirectionMark way={order.direction}>{way}</DirectionMark>
      </td>
      <td>
        <b>{order.symbol}</b>
        <OrderMark order={order} />
      </td>
      {columns.map(({ id, cell }) => (
        <td key={id} data-figure>
          {cell(order)}
        </td>
      ))}
      <td data-figure>
        <Link
          href={orderPath(order)}
          data-order={order.id}
          aria-label={`${t('orders.detail')}: ${way} ${order.symbol}, ${formatAmount(order.amount)} ${order.asset}`}
        >
          {t('orders.detail')}
        </Link>
      </td>
    </tr>
  );
}
