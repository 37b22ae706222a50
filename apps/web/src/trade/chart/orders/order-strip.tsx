import type { Order } from '@fairtick/protocol';
import { DirectionMark } from '@fairtick/ui';
import { useId } from 'react';
import { useSecond } from '../../../live/clock.ts';
import { priceNow, useRow } from '../../../live/market.ts';
import { useText } from '../../../messages/text-context.tsx';
import { isBeforeOpening, untilNext } from '../../../orders/order-words.ts';
import { outcomeOf, stakeOf } from '../../../orders/outcome.ts';
import { formatCountdown, formatExactTime, formatTime } from '../../../state/format.ts';
import css from '../chart.module.css';

export function OrderStrip(props: {
  orders: readonly Order[];
  chosen: string | null;
  onChoose: (id: string) => void;
}) {
  const { t } = useText();
  if (props.orders.length === 0) return null;
  return (
    <ul className={`flex min-0 gap-6 scroll-x ${css.strip}`} aria-label={t('chart.openOrders')}>
      {props.orders.map((order) => (
        <li key={order.id}>
          <Chip
            order={order}
            isChosen={order.id === props.chosen}
            onChoose={() => props.onChoose(order.id)}
          />
        </li>
      ))}
    </ul>
  );
}

/** The countdown is the button's description, not part of its name: a screen reader would read a changed name again. */
function Chip({ order, isChosen, onChoose }: { order: Order; isChosen: boolean; onChoose: () => void }) {
  const { t, tag } = useText();
  const second = useSecond();
  const row = useRow(order.symbol);
  const id = useId();
  const outcome = outcomeOf(order, { price: priceNow(row), nowMs: second, t });
  const isOpen = order.status === 'unsettled';
  const left = Math.max(0, untilNext(order, second));
  const way = t(`trade.${order.direction}`);
  const state = !isOpen
    ? outcome?.words
    : isBeforeOpening(order, second)
      ? t('orders.opensAt', { time: formatExactTime(order.opensAt, tag) })
      : left > 0
        ? formatCountdown(left)
        : t('orders.settling');
  return (
    <button
      type="button"
      className={`row gap-8 text-12 ink-2 nowrap ${css.chip}`}
      aria-pressed={isChosen}
      aria-label={`${way}, ${stakeOf(order)}, ${t('orders.settlesAt', { time: formatTime(order.settlesAt, tag) })}`}
      aria-describedby={id}
      data-chip={order.id}
      data-result={order.result}
      onClick={onChoose}
    >
      <DirectionMark way={order.direction}>
        <b className="strong ink" translate="no">
          {stakeOf(order)}
        </b>
      </DirectionMark>
      <span id={id} aria-hidden="true">
        {state} {isOpen && outcome && <span className="sr">{outcome.words} </span>}
        {outcome && (
          <b className="strong ink" translate="no">
            {outcome.amount}
          </b>
        )}
      </span>
    </button>
  );
}
