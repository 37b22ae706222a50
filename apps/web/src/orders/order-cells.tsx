import type { Order } from '@fairtick/protocol';
import { useSecond } from '../live/clock.ts';
import { priceNow, useRow } from '../live/market.ts';
import { useText } from '../messages/text-context.tsx';
import { formatChange, formatCountdown, formatPrice, formatSigned, formatTime } from '../state/format.ts';
import { isBeforeOpening, isWaitLong, priceMove, resultText, untilNext } from './order-words.ts';

/** Cells of an order's row in a table. */
export function OpeningPrice({ order }: { order: Order }) {
  const { t } = useText();
  if (order.openPrice !== null) return <span translate="no">{formatPrice(order.openPrice)}</span>;
  return order.status === 'unsettled' ? t('orders.opening') : '–';
}

/** The current price of an open order's product, or the settlement price with its distance from the opening price. */
export function NowOrSettled({ order }: { order: Order }) {
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

/** What an open order waits for, or the result with its amount. */
export function LeftOrResult({ order }: { order: Order }) {
  const { t } = useText();
  if (order.status === 'unsettled') return <Left order={order} />;
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
