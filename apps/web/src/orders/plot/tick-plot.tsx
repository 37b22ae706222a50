import type { Order, TickPoint } from '@fairtick/protocol';
import { useAnswer } from '../../api/use-answer.ts';
import { useSecond } from '../../live/clock.ts';
import { priceNow, useRow } from '../../live/market.ts';
import { useText } from '../../messages/text-context.tsx';
import { formatPrice, formatTime } from '../../state/format.ts';
import css from '../history.module.css';
import { outcomeOf } from '../outcome.ts';
import { hasOpened, type OpenedOrder, PricePlot } from './price-plot.tsx';

/** Interval at which an open order's ticks are refetched; in between, the live price moves the end of the line. */
const REFRESH_MS = 5_000;
/** Shares of an order's length that are shown before its opening, within bounds, and after its end. */
const BEFORE = 0.3;
const LEAST_BEFORE_MS = 15_000;
const MOST_BEFORE_MS = 300_000;
const AFTER = 0.06;
/** While an order is open: the least stretch of time that is shown, and the share of it that its prices fill until its end is near. */
const LEAST_MS = 60_000;
const FILLED = 0.75;

/** The log's prices around an order, as the chart showed them. An order that did not open has none. */
export function TickPlot({ order }: { order: Order }) {
  if (hasOpened(order)) return <Plot order={order} />;
  return order.status === 'unsettled' ? <div className={`flex-column mt-14 mx-side ${css.plot}`} /> : null;
}

/** Draws nothing if the log's old prices are no longer at hand. */
function Plot({ order }: { order: OpenedOrder }) {
  const { t, tag } = useText();
  const row = useRow(order.symbol);
  const second = useSecond();
  const isOpen = order.status === 'unsettled';
  const lengthMs = order.settlesAt - order.openedAt;
  const fromMs = order.openedAt - Math.min(MOST_BEFORE_MS, Math.max(LEAST_BEFORE_MS, lengthMs * BEFORE));
  const { data, isPending } = useAnswer(
    'product/ticks',
    { symbol: order.symbol, from: Math.round(fromMs), to: order.settlesAt },
    { refetchInterval: isOpen ? REFRESH_MS : false, staleTime: isOpen ? 0 : Number.POSITIVE_INFINITY },
  );
  if (isPending) return <div className={`flex-column mt-14 mx-side ${css.plot}`} />;
  const live = isOpen && row?.price && row.priceAt ? { time: row.priceAt, price: row.price } : null;
  const points = withEnds(data ?? [], live, order);
  const [first, last] = [points[0], points.at(-1)];
  if (points.length < 2 || !first || !last) return null;
  const beginMs = Math.max(fromMs, first.time);
  const endMs = order.settlesAt + lengthMs * AFTER;
  const shownMs = Math.max(LEAST_MS, (last.time - beginMs) / FILLED);
  const outcome = isOpen ? outcomeOf(order, { price: priceNow(row), nowMs: second, t }) : null;
  return (
    <figure className={`flex-column mt-14 mx-side ${css.plot}`}>
      <PricePlot
        points={points}
        orders={[order]}
        fromMs={beginMs}
        toMs={isOpen ? Math.min(endMs, beginMs + shownMs) : endMs}
        label={t('orders.plot', { open: formatPrice(order.openPrice), last: formatPrice(last.price) })}
      />
      <figcaption>
        <span>{t('orders.plotNote', { from: formatTime(first.time, tag) })}</span>
        {outcome && (
          // Keyed by its length: a longer amount is a new element, which causes no layout shift.
          <span key={outcome.amount.length}>
            {outcome.words} <b translate="no">{outcome.amount}</b>
          </span>
        )}
      </figcaption>
    </figure>
  );
}

/** The line passes through the opening, and ends at the settlement, or at the current price while the order is open. */
function withEnds(
  points: readonly TickPoint[],
  live: TickPoint | null,
  order: OpenedOrder,
): readonly TickPoint[] {
  const settled =
    order.settleTickAt !== null && order.settlePrice !== null
      ? { time: order.settleTickAt, price: order.settlePrice }
      : null;
  const opening = { time: order.openedAt, price: order.openPrice };
  const end = settled ?? (live && live.time <= order.settlesAt ? live : null);
  const known = points.filter(({ time }) => time !== opening.time && (!end || time < end.time));
  const all = [...known, opening].sort((a, b) => a.time - b.time);
  return end && end.time > opening.time ? [...all, end] : all;
}
