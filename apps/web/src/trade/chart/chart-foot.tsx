import type { Candle, Order } from '@fairtick/protocol';
import { CandleCountdown } from './candle-countdown.tsx';
import { OrderStrip } from './orders/order-strip.tsx';
import type { ChartPeriod } from './plot/chart-settings.ts';

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
