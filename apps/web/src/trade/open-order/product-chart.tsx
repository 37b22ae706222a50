import type { Order } from '@fairtick/protocol';
import { DirectionMark } from '@fairtick/ui';
import { untilLoaded } from '@fairtick/ui/load-code';
import { lazy, Suspense, useEffect, useState } from 'react';
import { useText } from '../../messages/text-context.tsx';
import { resultText } from '../../orders/order-words.ts';
import { formatSigned, formatTime } from '../../state/format.ts';
import { useRow } from '../../state/market.ts';
import chartCss from '../chart/chart.module.css';
import { ChartPanel, plotHeight, shownStudies } from '../chart/chart-panel.tsx';
import { readChartSettings } from '../chart/chart-settings.ts';
import { useFullScreen } from '../chart/full-screen.tsx';
import { useProductOrders } from '../my-orders.tsx';
import { ifSettledAt } from './if-settled.ts';
import css from './open-order.module.css';

const OrderTicks = lazy(() => untilLoaded(() => import('./order-ticks.tsx')));

interface ProductChartProps {
  readonly symbol: string;
  readonly decimals: number;
  readonly height: 'tall' | 'fill';
  readonly hasPanes?: boolean;
}

/**
 * The candles; while an order of this product is open, its ticks in their place, until the reader wants the candles back. The
 * settlement changes only what the picture shows: it stays where it is. A chart in full screen stays.
 */
export function ProductChart(props: ProductChartProps) {
  const { t } = useText();
  const orders = useProductOrders(props.symbol);
  const newest = orders?.find(({ status }) => status === 'unsettled') ?? null;
  const [shownId, setShownId] = useState<string | null>(null);
  const [isChart, setChart] = useState(false);
  const isFull = useFullScreen(({ symbol }) => symbol === props.symbol);
  const newestId = newest?.id ?? null;
  useEffect(() => {
    if (newestId === null) return;
    setShownId(newestId);
    setChart(false);
  }, [newestId]);
  const shown = orders?.find(({ id }) => id === shownId) ?? null;
  if (shown === null || (isFull && !isChart)) return <ChartPanel {...props} />;
  if (!isChart) return <OrderPanel {...props} order={shown} onLeave={() => setChart(true)} />;
  return (
    <div className={css.frame} data-height={props.height}>
      <ChartPanel {...props} />
      <button type="button" className={css.back} onClick={() => setChart(false)}>
        {t('openOrder.view')}
      </button>
    </div>
  );
}

/** As high as the candles that it replaces. */
function OrderPanel({
  order,
  decimals,
  height,
  hasPanes = true,
  onLeave,
}: ProductChartProps & { order: Order; onLeave: () => void }) {
  const { t, tag } = useText();
  const [settings] = useState(readChartSettings);
  const { openedAt, openPrice } = order;
  const opened = openedAt === null || openPrice === null ? null : { ...order, openedAt, openPrice };
  const direction = t(order.direction === 'up' ? 'trade.up' : 'trade.down');
  return (
    <section className={chartCss.panel} data-height={height} aria-label={t('openOrder.view')}>
      <div className={`${chartCss.bar} ${css.bar}`}>
        <DirectionMark way={order.direction}>
          {t('openOrder.title', {
            direction,
            minutes: order.minutes,
            time: formatTime(order.settlesAt, tag),
          })}
        </DirectionMark>
        <button type="button" className={chartCss.tableButton} onClick={onLeave}>
          {t('openOrder.chart')}
        </button>
      </div>
      <div className={chartCss.plot} style={plotHeight(shownStudies(settings, hasPanes))}>
        <Suspense>{opened && <OrderTicks key={order.id} order={opened} decimals={decimals} />}</Suspense>
        <IfNow order={order} />
      </div>
    </section>
  );
}

/** What the order would end with at the price of now, or what it ended with. */
function IfNow({ order }: { order: Order }) {
  const { t } = useText();
  const row = useRow(order.symbol);
  if (order.status === 'settled') {
    return (
      <p className={css.ifNow}>
        {resultText(order, t)} <b>{`${formatSigned(order.profit ?? '0')} ${order.asset}`}</b>
      </p>
    );
  }
  const outcome = row?.price ? ifSettledAt(order, row.price) : null;
  if (outcome === null) return <p className={css.ifNow}>{t('openOrder.opens')}</p>;
  return (
    <p className={css.ifNow}>
      {t('openOrder.ifNow')} <b>{`${formatSigned(outcome)} ${order.asset}`}</b>
    </p>
  );
}
