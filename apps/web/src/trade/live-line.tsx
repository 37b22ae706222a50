import type { TickPoint } from '@fairtick/protocol';
import { useEffect, useState } from 'react';
import { useAnswer } from '../api/use-answer.ts';
import { serverNow } from '../live/clock.ts';
import { useRow } from '../live/market.ts';
import { hasOpened, PricePlot } from '../orders/plot/price-plot.tsx';
import { useOpenOrders } from '../orders/product-orders.ts';
import css from './product.module.css';

/** How much of the past the line shows, and the most of the time to come, up to the ends of open orders, ms. */
const SPAN_MS = 120_000;
const MOST_AHEAD_MS = 60_000;
const LEAST_AHEAD_MS = 4_000;

/** The last two minutes of prices with the customer's open orders, above a phone's ticket. It grows with every price. */
export default function LiveLine({ symbol }: { symbol: string }) {
  const [fromMs] = useState(() => Math.floor(serverNow()) - SPAN_MS);
  const row = useRow(symbol);
  const orders = useOpenOrders(symbol).filter(hasOpened);
  const [live, setLive] = useState<readonly TickPoint[]>([]);
  const { data } = useAnswer(
    'product/ticks',
    { symbol, from: fromMs, to: fromMs + SPAN_MS },
    { staleTime: Number.POSITIVE_INFINITY },
  );
  const { price, priceAt } = row ?? {};
  useEffect(() => {
    if (!price || !priceAt) return;
    setLive((points) => [...points.filter(({ time }) => time > priceAt - SPAN_MS), { time: priceAt, price }]);
  }, [price, priceAt]);
  const points = [...(data ?? []), ...live];
  const lastMs = points.at(-1)?.time ?? 0;
  const ahead = Math.max(
    LEAST_AHEAD_MS,
    ...orders.map(({ settlesAt }) => settlesAt - lastMs + LEAST_AHEAD_MS),
  );
  return (
    <div className={css.line} data-testid="line">
      <PricePlot
        points={points}
        orders={orders}
        hasLabels
        fromMs={lastMs - SPAN_MS}
        toMs={lastMs + Math.min(MOST_AHEAD_MS, ahead)}
      />
    </div>
  );
}
