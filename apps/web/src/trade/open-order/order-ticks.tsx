import type { Order, TickPoint } from '@fairtick/protocol';
import { useQuery } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { get } from '../../api/client.ts';
import { useRow } from '../../live/market.ts';
import { useText } from '../../messages/text-context.tsx';
import { formatPrice, formatTime } from '../../state/format.ts';
import { useSettings } from '../../state/settings.ts';
import chartCss from '../chart/chart.module.css';
import { OrderChart } from './order-chart.ts';
import { slotsOf } from './order-slots.ts';

/** How often an open order's ticks are fetched again; in between, the live price continues the line. */
const AGAIN_MS = 2_000;

/** An opened order's ticks so far. Open or settled, the picture keeps its place. */
export default function OrderTicks({
  order,
  decimals,
}: {
  order: Order & { openedAt: number; openPrice: string };
  decimals: number;
}) {
  const { t, tag } = useText();
  const theme = useSettings(({ dark, updown }) => `${dark} ${updown}`);
  const row = useRow(order.symbol);
  const { openedAt, openPrice, settlesAt, direction, settlePrice } = order;
  const box = useRef<HTMLDivElement>(null);
  const [chart, setChart] = useState<OrderChart | null>(null);
  const isOpen = order.status === 'unsettled';
  const { data } = useQuery({
    queryKey: ['ticks', order.symbol, order.openedAt, order.settlesAt],
    queryFn: ({ signal }) =>
      get(
        'product/ticks',
        { symbol: order.symbol, from: order.openedAt, to: order.settlesAt },
        { signal, isSilent: true },
      ),
    refetchInterval: isOpen ? AGAIN_MS : false,
  });
  useEffect(() => {
    if (!box.current) return;
    const made = new OrderChart(box.current, { decimals, tag, openPrice });
    setChart(made);
    return () => {
      setChart(null);
      made.remove();
    };
  }, [decimals, tag, openPrice]);
  const now = isOpen && row?.price && row.priceAt ? row : null;
  const lastTime = now ? now.priceAt : settlePrice && settlesAt;
  const lastPrice = now ? now.price : settlePrice;
  useEffect(() => chart?.paint(theme), [chart, theme]);
  useEffect(() => {
    const known: TickPoint[] = [{ time: openedAt, price: openPrice }, ...(data ?? [])];
    const last = lastTime && lastPrice ? [{ time: lastTime, price: lastPrice }] : [];
    const before = lastTime ? known.filter(({ time }) => time < lastTime) : known;
    chart?.show(slotsOf([...before, ...last], { openedAt, settlesAt }), { openPrice, direction });
  }, [chart, data, openedAt, openPrice, settlesAt, direction, lastTime, lastPrice]);
  const label = t('openOrder.label', {
    symbol: order.symbol,
    open: formatPrice(openPrice),
    last: formatPrice(lastPrice ?? openPrice),
    time: formatTime(settlesAt, tag),
  });
  return <div ref={box} className={chartCss.chart} role="img" aria-label={label} />;
}
