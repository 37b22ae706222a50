import type { Order, TickPoint } from '@fairtick/protocol';
import { useQuery } from '@tanstack/react-query';
import { get } from '../api/client.ts';
import { useRow } from '../live/market.ts';
import { useText } from '../messages/text-context.tsx';
import { formatPrice } from '../state/format.ts';
import css from './history.module.css';
import { layOut } from './tick-plot-layout.ts';

/** Interval at which an open order's ticks are refetched; in between, the live price moves the end of the line. */
const REFRESH_MS = 5_000;
const LEAST_SHOWN_MS = 20_000;

/**
 * The ticks from an order's opening to its settlement: a dashed line at the opening price, a gold dot at the settlement. Draws
 * nothing if old ticks are no longer available.
 */
export function TickPlot({ order }: { order: Order }) {
  const { t } = useText();
  const row = useRow(order.symbol);
  const isOpen = order.status === 'unsettled';
  const { data, isPending } = useQuery({
    queryKey: ['ticks', order.symbol, order.openedAt, order.settlesAt],
    queryFn: ({ signal }) =>
      get(
        'product/ticks',
        { symbol: order.symbol, from: order.openedAt ?? 0, to: order.settlesAt },
        { signal, isSilent: true },
      ),
    enabled: order.openedAt !== null,
    refetchInterval: isOpen ? REFRESH_MS : false,
    staleTime: isOpen ? 0 : Number.POSITIVE_INFINITY,
  });
  if (order.openedAt === null || order.openPrice === null) {
    return isOpen ? <div className={css.plot} data-waiting="" /> : null;
  }
  if (isPending) return <div className={css.plot} data-waiting="" />;
  const live = isOpen && row?.price && row.priceAt ? { time: row.priceAt, price: row.price } : null;
  const points = withEnd(data ?? [], live, order);
  if (points.length < 2) return null;
  const last = points[points.length - 1] as TickPoint;
  const plot = layOut(points, {
    openPrice: order.openPrice,
    fromMs: order.openedAt,
    toMs: isOpen ? shownUntil(order.openedAt, last.time, order.settlesAt) : order.settlesAt,
  });
  return (
    <div className={css.plot}>
      <svg
        viewBox="0 0 335 112"
        role="img"
        aria-label={t('orders.plot', { open: formatPrice(order.openPrice), last: formatPrice(last.price) })}
      >
        <line x1="0" x2="271" y1={plot.openY} y2={plot.openY} stroke="var(--edge)" strokeDasharray="2 4" />
        <polyline
          points={plot.line}
          fill="none"
          stroke="var(--ink-2)"
          strokeWidth="1.5"
          strokeLinejoin="round"
        />
        <circle cx="5" cy={plot.openY} r="3.5" fill="var(--bg)" stroke="var(--ink)" strokeWidth="1.5" />
        <circle
          cx={plot.lastX}
          cy={plot.lastY}
          r="3.5"
          fill={isOpen ? 'var(--ink)' : 'var(--gold-fill)'}
          stroke="var(--bg)"
          strokeWidth="1.5"
        />
        <text x="335" y={plot.lastLabelY} textAnchor="end" data-last="">
          {formatPrice(last.price)}
        </text>
        {plot.openLabelY !== null && (
          <text x="335" y={plot.openLabelY} textAnchor="end">
            {formatPrice(order.openPrice)}
          </text>
        )}
      </svg>
    </div>
  );
}

/** The right edge while the order is open: a young order's line fills half of the width, and the settlement is the last edge. */
const shownUntil = (openedAt: number, lastTime: number, settlesAt: number): number =>
  Math.min(settlesAt, openedAt + Math.max(LEAST_SHOWN_MS, 2 * (lastTime - openedAt)));

/** The line ends at the settlement, or at the current price while the order is open. */
function withEnd(points: readonly TickPoint[], live: TickPoint | null, order: Order): readonly TickPoint[] {
  const settled =
    order.settleTickAt !== null && order.settlePrice !== null
      ? { time: order.settleTickAt, price: order.settlePrice }
      : null;
  const end = settled ?? live;
  if (!end) return points;
  const before = points.filter((point) => point.time < end.time);
  return before.length > 0 && end.time <= order.settlesAt ? [...before, end] : points;
}
