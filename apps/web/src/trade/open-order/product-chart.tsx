import type { Order } from '@fairtick/protocol';
import { untilLoaded } from '@fairtick/ui/load-code';
import { lazy, Suspense, useEffect, useState } from 'react';
import { useRow } from '../../live/market.ts';
import { useText } from '../../messages/text-context.tsx';
import { resultText } from '../../orders/order-words.ts';
import { useProductOrders } from '../../orders/product-orders.ts';
import { formatSigned } from '../../state/format.ts';
import chartCss from '../chart/chart.module.css';
import { ChartPanel, plotHeight, shownStudies } from '../chart/chart-panel.tsx';
import { useFullScreen } from '../chart/full-screen.tsx';
import { readChartSettings } from '../chart/plot/chart-settings.ts';
import { ifSettledAt } from './if-settled.ts';
import css from './open-order.module.css';

const OrderTicks = lazy(() => untilLoaded(() => import('./order-ticks.tsx')));

interface ProductChartProps {
  readonly symbol: string;
  readonly decimals: number;
  readonly height: 'tall' | 'fill';
  readonly hasPanes?: boolean;
}

type OpenedOrder = Order & { readonly openedAt: number; readonly openPrice: string };

/**
 * The candles; once an order of this product has opened, its ticks in their place, until the reader wants the candles back. The
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
  const shown = opened(orders?.find(({ id }) => id === shownId));
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

function opened(order: Order | undefined): OpenedOrder | null {
  if (!order || order.openedAt === null || order.openPrice === null) return null;
  return { ...order, openedAt: order.openedAt, openPrice: order.openPrice };
}

/** As high as the candles that it replaces. The order's card has its other facts. */
function OrderPanel({
  order,
  decimals,
  height,
  hasPanes = true,
  onLeave,
}: ProductChartProps & { order: OpenedOrder; onLeave: () => void }) {
  const { t } = useText();
  const [settings] = useState(readChartSettings);
  return (
    <section className={chartCss.panel} data-height={height} aria-label={t('openOrder.view')}>
      <div className={`${chartCss.bar} ${css.bar}`}>
        <IfNow order={order} />
        <button type="button" className={chartCss.tableButton} onClick={onLeave}>
          {t('openOrder.chart')}
        </button>
      </div>
      <div className={chartCss.plot} style={plotHeight(shownStudies(settings, hasPanes))}>
        <Suspense>
          <OrderTicks key={order.id} order={order} decimals={decimals} />
        </Suspense>
      </div>
    </section>
  );
}

/** What the order would end with at the price of now, or what it ended with. */
function IfNow({ order }: { order: OpenedOrder }) {
  const { t } = useText();
  const row = useRow(order.symbol);
  const isSettled = order.status === 'settled';
  const outcome = isSettled ? order.profit : row?.price ? ifSettledAt(order, row.price) : null;
  return (
    <p>
      {isSettled ? resultText(order, t) : t('openOrder.ifNow')}{' '}
      <b>{outcome === null ? '–' : `${formatSigned(outcome)} ${order.asset}`}</b>
    </p>
  );
}
