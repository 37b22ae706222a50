import type { Candle, Order } from '@fairtick/protocol';
import { CandleCountdown } from './candle-countdown.tsx';
import { OrderStrip } from './orders/order-strip.tsx';
import type { ChartPeriod } from './plot/chart-settings.ts';

/** Below the chart: the product's open orders, and the time until the newest candle ends or that there is no reliable price. */
export default function ChartFoot(props: {
  symbol: string;
  period: ChartPeriod;
  candle: Candle | undefined;
  orders: readonly Order[];
  chosen: string | null;
  onChoose: (id: string) => void;
}) {
  const { symbol, period, candle, ...orders } = props;
  return (
    <>
      <OrderStrip {...orders} />
      <CandleCountdown {...{ symbol, period, candle }} />
    </>
  );
}
