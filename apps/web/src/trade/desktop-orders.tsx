import type { Order } from '@fairtick/protocol';
import { DirectionMark, Empty, FileIcon } from '@fairtick/ui';
import { useText } from '../messages/text-context.tsx';
import { OrderCard, orderPath } from '../orders/order-card.tsx';
import { useOrderColumns } from '../orders/order-table.tsx';
import { useProductOrders } from '../orders/product-orders.ts';
import { type Column, openByLink } from '../parts/sortable-table.tsx';
import { useHasRoomForOrders } from '../parts/use-width.ts';
import { Link } from '../shell/link.tsx';
import { formatAmount } from '../state/format.ts';
import product from './product.module.css';
import css from './wide-trade.module.css';

const SHOWN: ReadonlySet<string> = new Set(['cycle', 'stake', 'opening', 'settlement', 'result', 'evidence']);
/** Widths of the columns, percent. They don't follow their contents: a settlement moves nothing. */
const WIDTHS = [11, 9.5, 16, 12, 12.5, 16, 15.5, 7.5];

/** The customer's newest orders of a product, whatever became of them. */
export function DesktopOrders({ symbol }: { symbol: string }) {
  const { t } = useText();
  const columns = useOrderColumns().filter(({ id }) => SHOWN.has(id));
  const isTable = useHasRoomForOrders();
  const orders = useProductOrders(symbol);
  if (!orders || orders.length === 0) {
    return (
      <Empty icon={<FileIcon size={28} />} title={t('orders.emptyProduct')}>
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
            <OrderCard key={order.id} order={order} hasProduct={false} />
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
