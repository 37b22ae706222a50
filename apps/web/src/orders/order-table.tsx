import type { Order } from '@fairtick/protocol';
import { DirectionMark, Stamp } from '@fairtick/ui';
import { useSecond } from '../live/clock.ts';
import { priceNow, useRow } from '../live/market.ts';
import { useText } from '../messages/text-context.tsx';
import type { More } from '../parts/load-more.tsx';
import { type Column, SortableTable } from '../parts/sortable-table.tsx';
import { Link } from '../shell/link.tsx';
import { compareMoney } from '../state/decimal-strings.ts';
import {
  formatAmount,
  formatChange,
  formatCountdown,
  formatDateTime,
  formatPrice,
  formatSigned,
  formatTime,
} from '../state/format.ts';
import { CheckedMark, useCheckedAt } from './checked-receipts.tsx';
import { LoggedMark, useEvidenceOf } from './logged-mark.tsx';
import { orderPath } from './order-card.tsx';
import { isBeforeOpening, isWaitLong, priceMove, resultText, untilNext } from './order-words.ts';
import css from './orders.module.css';
import { outcomeOf } from './outcome.ts';

export function OrderTable(props: { orders: readonly Order[]; more: More }) {
  const { t } = useText();
  return (
    <SortableTable
      label={t('title.historyOrder')}
      columns={useOrderColumns()}
      rows={props.orders}
      keyOf={({ id }) => id}
      more={props.more}
    />
  );
}

const profitOf = ({ asset, profit }: Order) => ({ asset, amount: profit ?? '0' });

export function useOrderColumns(): readonly Column<Order>[] {
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
      width: 13,
      isFigure: true,
      cell: (order) => <LeftOrResult order={order} />,
      compare: (a, b) => compareMoney(profitOf(a), profitOf(b)),
    },
    {
      id: 'evidence',
      name: t('orders.evidence'),
      width: 11,
      cell: (order) => <OrderMark order={order} />,
    },
  ];
}

/** What proves an order, in a narrow column: of a settled one its receipt, which contains the proof that it is in the log. */
function OrderMark({ order }: { order: Order }) {
  const { t } = useText();
  const atMs = useCheckedAt(order);
  const evidence = useEvidenceOf(order);
  if (order.status === 'unsettled' || evidence?.state === 'wrong')
    return <LoggedMark order={order} isShort />;
  if (atMs !== null) return <CheckedMark order={order} isShort />;
  return (
    <span className={`caption row gap-4 ${css.mark}`} data-receipt>
      <Stamp size={14} isChecked={false} />
      {t('evidence.short.receipt')}
    </span>
  );
}

function OpeningPrice({ order }: { order: Order }) {
  const { t } = useText();
  if (order.openPrice !== null) return <span translate="no">{formatPrice(order.openPrice)}</span>;
  return order.status === 'unsettled' ? t('orders.opening') : '–';
}

/** The current price of an open order's product, or the settlement price with its distance from the opening price. */
function NowOrSettled({ order }: { order: Order }) {
  const row = useRow(order.symbol);
  const price = order.status === 'unsettled' ? priceNow(row) : order.settlePrice;
  const move = priceMove(order);
  if (!price) return '–';
  return (
    <span translate="no">
      {formatPrice(price)}
      {move !== null && <small>{formatChange(move)}</small>}
    </span>
  );
}

/** The time left of an open order and what it stands at, or the result. */
function LeftOrResult({ order }: { order: Order }) {
  const { t } = useText();
  const second = useSecond();
  const price = priceNow(useRow(order.symbol));
  if (order.status === 'unsettled') {
    const standing = outcomeOf(order, { price, nowMs: second, t });
    return (
      <>
        <Left order={order} />
        {standing && (
          <small title={standing.words} data-standing translate="no">
            {standing.amount}
          </small>
        )}
      </>
    );
  }
  return `${resultText(order, t)} ${formatSigned(order.profit ?? '0')}`;
}

function Left({ order }: { order: Order }) {
  const { t, tag } = useText();
  const second = useSecond();
  const left = untilNext(order, second);
  if (isBeforeOpening(order, second))
    return <b>{t('orders.opensAt', { time: formatTime(order.opensAt, tag) })}</b>;
  if (left > 0) return <b>{formatCountdown(left)}</b>;
  return <b>{t(isWaitLong(order, second) ? 'orders.waiting' : 'orders.settling')}</b>;
}
