import type { Order } from '@fairtick/protocol';
import { useEffect, useRef, useState } from 'react';
import { useSecond } from '../../../live/clock.ts';
import { useRow } from '../../../live/market.ts';
import { useText } from '../../../messages/text-context.tsx';
import { outcomeOf, stakeOf } from '../../../orders/outcome.ts';
import { formatTime } from '../../../state/format.ts';
import type { CandleChart } from '../plot/candle-chart.ts';
import type { ChartOrder } from './draw-order.ts';
import { OrdersLayer } from './orders-layer.ts';

/** How long the lines of a settled order stay with its result. */
const SETTLED_MS = 30_000;

/** The customer's orders on a chart: lines and labels of those under way, marks of all. The strip below says the same in words. */
export default function OrdersView(props: {
  chart: CandleChart;
  symbol: string;
  /** Open and just settled, the next to settle first. */
  open: readonly Order[];
  known: readonly Order[];
  chosen: string | null;
  onChoose: (id: string) => void;
}) {
  const { chart, open, known, chosen } = props;
  const { t, tag } = useText();
  const row = useRow(props.symbol);
  const second = useSecond();
  const [layer, setLayer] = useState<OrdersLayer | null>(null);
  const choose = useRef(props.onChoose);
  useEffect(() => {
    choose.current = props.onChoose;
  });
  useEffect(() => {
    const made = new OrdersLayer(chart, (id) => choose.current(id));
    setLayer(made);
    return chart.addLayer(made);
  }, [chart]);
  const price = row?.price ?? null;
  useEffect(() => {
    const orders = open
      .filter(({ status, settlesAt }) => status === 'unsettled' || second < settlesAt + SETTLED_MS)
      .flatMap((order): ChartOrder[] => {
        const { id, direction, openPrice, openedAt, settlesAt } = order;
        if (openPrice === null || openedAt === null) return [];
        const outcome = outcomeOf(order, price, t);
        const isChosen = id === chosen;
        // The words stand at the chosen order, and at one that has settled: the others have the amount alone.
        const words = outcome && (isChosen || order.status === 'settled' ? `${outcome.words} ` : '');
        const label = (ends: string | null) => [stakeOf(order), ends].filter(Boolean).join(' · ');
        const amount = outcome?.amount ?? null;
        return [
          {
            ...{ id, direction, openedAt, isChosen },
            openPrice: Number(openPrice),
            endsAt: settlesAt,
            end: formatTime(settlesAt, tag),
            labels: [label(amount && `${words}${amount}`), label(amount), ...(amount ? [amount] : [])],
          },
        ];
      });
    layer?.set(orders, known, t('chart.settledMark'));
  }, [layer, open, known, chosen, price, second, t, tag]);
  return null;
}
