import type { Order } from '@fairtick/protocol';
import { DirectionMark } from '@fairtick/ui';
import { useText } from '../messages/text-context.tsx';
import type { More } from '../parts/load-more.tsx';
import { type Column, SortableTable } from '../parts/sortable-table.tsx';
import { Link } from '../shell/link.tsx';
import { compareMoney } from '../state/decimals.ts';
import { formatAmount, formatDateTime } from '../state/format.ts';
import { CheckedMark } from './checked-receipts.tsx';
import { LoggedMark } from './logged-mark.tsx';
import { orderPath } from './order-card.tsx';
import { LeftOrResult, NowOrSettled, OpeningPrice } from './order-cells.tsx';

/** The order history on a wide screen. */
export function OrderTable(props: { orders: readonly Order[]; more: More }) {
  const { t } = useText();
  return (
    <SortableTable
      label={t('title.historyOrder')}
      columns={useColumns()}
      rows={props.orders}
      keyOf={({ id }) => id}
      more={props.more}
    />
  );
}

const profitOf = ({ asset, profit }: Order) => ({ asset, amount: profit ?? '0' });

function useColumns(): readonly Column<Order>[] {
  const { t, tag } = useText();
  const way = ({ direction }: Order) => t(`trade.${direction}`);
  return [
    {
      id: 'time',
      name: t('orders.placedAt'),
      width: 13,
      cell: ({ createdAt }) => formatDateTime(createdAt, tag),
      compare: (a, b) => a.createdAt - b.createdAt || Number(a.id) - Number(b.id),
    },
    {
      id: 'product',
      name: t('orders.product'),
      width: 19,
      cell: (order) => (
        <Link href={orderPath(order)} data-order={order.id} data-result={order.result}>
          {order.symbol}
          <DirectionMark way={order.direction}>{way(order)}</DirectionMark>
        </Link>
      ),
      compare: (a, b) => a.symbol.localeCompare(b.symbol, 'en'),
    },
    {
      id: 'cycle',
      name: t('orders.cycle'),
      width: 9,
      isFigure: true,
      cell: ({ minutes }) => t('trade.minutes', { minutes }),
      compare: (a, b) => a.minutes - b.minutes,
    },
    {
      id: 'stake',
      name: t('orders.stake'),
      width: 14,
      isFigure: true,
      cell: ({ amount, asset }) => <span translate="no">{`${formatAmount(amount)} ${asset}`}</span>,
      compare: compareMoney,
    },
    {
      id: 'opening',
      name: t('orders.openPrice'),
      width: 10,
      isFigure: true,
      cell: (order) => <OpeningPrice order={order} />,
    },
    {
      id: 'settlement',
      name: t('orders.nowOrSettled'),
      width: 11,
      isFigure: true,
      cell: (order) => <NowOrSettled order={order} />,
    },
    {
      id: 'result',
      name: t('orders.leftOrResult'),
      width: 14,
      isFigure: true,
      cell: (order) => <LeftOrResult order={order} />,
      compare: (a, b) => compareMoney(profitOf(a), profitOf(b)),
    },
    {
      id: 'evidence',
      name: t('orders.evidence'),
      width: 10,
      cell: (order) => (
        <>
          <LoggedMark order={order} isShort />
          <CheckedMark order={order} isShort />
        </>
      ),
    },
  ];
}
