import type { Order } from '@fairtick/protocol';
import { useEffect, useEffectEvent, useState } from 'react';
import { useSecond } from '../../../live/clock.ts';
import { priceNow, useRow } from '../../../live/market.ts';
import { useText } from '../../../messages/text-context.tsx';
import { outcomeOf, stakeOf } from '../../../orders/outcome.ts';
import { formatTime } from '../../../state/format.ts';
import type { CandleChart } from '../plot/candle-chart.ts';
import type { ChartOrder } from './draw-order.ts';
import { OrdersLayer } from './orders-layer.ts';

export default function OrdersView(props: {
  chart: CandleChart;
  symbol: string;
  /** Open and just settled, the next to settle first. */
  shown: readonly Order[];
  known: readonly Order[];
  chosen: string | null;
  onChoose: (id: string) => void;
}) {
  const { chart, shown, known, chosen } = props;
  const { t, tag } = useText();
  const row = useRow(props.symbol);
  const second = useSecond();
  const [layer, setLayer] = useState<OrdersLayer | null>(null);
  const choose = useEffectEvent(props.onChoose);
  useEffect(() => {
    const made = new OrdersLayer(chart, (id) => choose(id));
    setLayer(made);
    return chart.addLayer(made);
  }, [chart]);
  const price = priceNow(row);
  useEffect(() => {
    const orders = shown.flatMap((order): ChartOrder[] => {
      const { id, direction, openPrice, openedAt, settlesAt } = order;
      if (openPrice === null || openedAt === null) return [];
      const outcome = outcomeOf(order, { price, nowMs: second, t });
      const isChosen = id === chosen;
      // The words stand at the chosen order, and at one that has settled: the others have the amount alone.
      const words = outcome && (isChosen || order.status === 'settled' ? `${outcome.words} ` : '');
      const label = (ends: string | null) => [stakeOf(order), ends].filter(Boolean).join(' · ');
      const amount = outcome?.amount ?? null;
      const result = amount && `${words}${amount}`;
      return [
        {
          ...{ id, direction, openedAt, isChosen },
          openPrice: Number(openPrice),
          endsAt: settlesAt,
          end: formatTime(settlesAt, tag),
          // A result keeps its word.
          labels: [
            label(result),
            ...(result && order.status === 'settled' ? [result] : amount ? [label(amount), amount] : []),
          ],
        },
      ];
    });
    layer?.set(orders, known, t('chart.settledMark'));
  }, [layer, shown, known, chosen, price, second, t, tag]);
  return null;
}
