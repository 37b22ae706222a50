import type { Order } from '@fairtick/protocol';
import { DirectionMark, Ruler } from '@fairtick/ui';
import { type ReactNode, useId, useLayoutEffect, useRef } from 'react';
import { useSecond } from '../live/clock.ts';
import { priceNow, useRow } from '../live/market.ts';
import { useText } from '../messages/text-context.tsx';
import { Link } from '../shell/link.tsx';
import { formatAmount, formatCountdown, formatPrice, formatSigned, formatTime } from '../state/format.ts';
import { CheckedMark } from './checked-receipts.tsx';
import { LoggedMark } from './logged-mark.tsx';
import { isBeforeOpening, isWaitLong, noPriceText, priceMove, resultText, untilNext } from './order-words.ts';
import css from './orders.module.css';
import { outcomeOf } from './outcome.ts';

export const orderPath = (order: Order): string => `/historyOrder?id=${order.id}`;

/**
 * An order's card. One that settles while it is shown keeps its height, so that the settlement moves nothing.
 * @param props.hasProduct whether an open order names its product
 */
export function OrderCard({ order, hasProduct = true }: { order: Order; hasProduct?: boolean }) {
  const place = useRef<HTMLDivElement>(null);
  const openHeight = useRef(0);
  const isOpen = order.status === 'unsettled';
  useLayoutEffect(() => {
    const element = place.current;
    if (!isOpen || !element) return;
    const observer = new ResizeObserver(() => {
      openHeight.current = element.offsetHeight;
    });
    observer.observe(element);
    return () => observer.disconnect();
  }, [isOpen]);
  return (
    <div ref={place} className={css.place} style={isOpen ? undefined : { minHeight: openHeight.current }}>
      {isOpen ? <OpenOrderCard order={order} hasProduct={hasProduct} /> : <SettledOrderCard order={order} />}
    </div>
  );
}

/**
 * An open order: direction, product, cycle, remaining time on the ruler, and prices. What ticks is the link's description, not part
 * of its name: a screen reader would read a changed name again.
 */
function OpenOrderCard({ order, hasProduct }: { order: Order; hasProduct: boolean }) {
  const { t } = useText();
  const second = useSecond();
  const price = priceNow(useRow(order.symbol));
  const id = useId();
  const totalMs = order.settlesAt - order.opensAt;
  const leftMs = Math.max(0, untilNext(order, second));
  const hasBegun = !isBeforeOpening(order, second);
  const standing = outcomeOf(order, { price, nowMs: second, t });
  return (
    <Link
      href={orderPath(order)}
      className={`card full gap-12 ${css.card}`}
      aria-describedby={`${id}-left ${id}-now ${id}-standing`}
      data-order={order.id}
    >
      <span className={`row min-0 gap-8 nowrap ${css.cardHead}`}>
        <DirectionMark way={order.direction}>{t(`trade.${order.direction}`)}</DirectionMark>
        {hasProduct && <b>{order.symbol}</b>}
        <b id={`${id}-left`} className={css.countdown} aria-hidden="true" data-left>
          {leftMs > 0
            ? formatCountdown(leftMs)
            : t(isWaitLong(order, second) ? 'orders.waiting' : 'orders.settling')}
        </b>
      </span>
      <Ruler units={30} share={hasBegun ? 1 - leftMs / totalMs : 0} />
      <span className={`text-11 ink-3 nowrap ${css.cardFigures}`}>
        <Stake order={order} />
        <span>
          {t('orders.openPrice')}{' '}
          <b translate="no">
            {order.openPrice === null ? t('orders.opening') : formatPrice(order.openPrice)}
          </b>
        </span>
        <span id={`${id}-now`} aria-hidden="true">
          {t('orders.currentPrice')} <b translate="no">{price ? formatPrice(price) : '–'}</b>
        </span>
      </span>
      <CardFoot order={order} isBefore={!hasBegun}>
        {/* Its place stays until the order opens and while it settles. */}
        <span id={`${id}-standing`} aria-hidden="true" data-standing>
          {standing && (
            <>
              {standing.words} <b translate="no">{standing.amount}</b>
            </>
          )}
        </span>
      </CardFoot>
    </Link>
  );
}

/** A settled order. Win, loss and void look the same; only the words differ. The stake below names the asset. */
function SettledOrderCard({ order }: { order: Order }) {
  const { t } = useText();
  const move = priceMove(order);
  return (
    <Link
      href={orderPath(order)}
      className={`card full gap-6 ${css.card}`}
      data-order={order.id}
      data-result={order.result}
    >
      <span className={`row min-0 gap-8 nowrap ${css.cardHead}`}>
        <DirectionMark way={order.direction}>{t(`trade.${order.direction}`)}</DirectionMark>
        <b>{order.symbol}</b>
        <span className="row min-0 gap-8 ml-auto">
          <span className="note ellipsis">{resultText(order, t)}</span>
          <b translate="no">{formatSigned(order.profit ?? '0')}</b>
        </span>
      </span>
      <span className={`text-11 ink-3 nowrap ${css.cardFigures}`}>
        <Stake order={order} />
        {order.openPrice !== null && order.settlePrice !== null ? (
          <>
            <span>
              {t('orders.openPrice')} <b translate="no">{formatPrice(order.openPrice)}</b>
            </span>
            <span>
              {t('orders.settlePrice')} <b translate="no">{formatPrice(order.settlePrice)}</b>
            </span>
          </>
        ) : (
          <span className={css.why}>{noPriceText(order, t)}</span>
        )}
      </span>
      <CardFoot order={order}>
        {move !== null && order.voidReason === null && (
          <span>{t('orders.movedBy', { by: formatPrice(move.replace('-', '')) })}</span>
        )}
      </CardFoot>
    </Link>
  );
}

function Stake({ order }: { order: Order }) {
  const { t } = useText();
  return (
    <span>
      {t('orders.stake')} <b translate="no">{`${formatAmount(order.amount)} ${order.asset}`}</b>
    </span>
  );
}

/** What it stands at or by how much it ended, the proof that this device holds, the cycle, and the time of what comes next: the opening, then the settlement. */
function CardFoot(props: { order: Order; isBefore?: boolean; children?: ReactNode }) {
  const { order, isBefore = false, children } = props;
  const { t, tag } = useText();
  const time = formatTime(isBefore ? order.opensAt : order.settlesAt, tag);
  const next =
    order.status === 'settled' ? time : t(isBefore ? 'orders.opensAt' : 'orders.settlesAt', { time });
  return (
    <span className={`caption row between wrap nowrap ${css.cardFoot}`}>
      {children}
      <LoggedMark order={order} />
      <CheckedMark order={order} />
      <span>{`${t('trade.minutes', { minutes: order.minutes })} · ${next}`}</span>
    </span>
  );
}
