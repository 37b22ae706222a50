import type { Candle, Order, Period } from '@fairtick/protocol';
import { useEffect, useRef, useState } from 'react';
import { useText } from '../../messages/text-context.tsx';
import { formatPrice, formatTime } from '../../state/format.ts';
import { useSettings } from '../../state/settings.ts';
import { CandleChart } from './candle-chart.ts';
import css from './chart.module.css';

interface PriceChartProps {
  readonly symbol: string;
  readonly period: Period;
  readonly decimals: number;
  readonly candles: readonly Candle[];
  readonly orders: readonly Order[];
  readonly onLeftEdge: () => void;
}

/** Candles, volume, the last price, and the reader's own openings and settlements. A table serves as the alternative. */
export default function PriceChart({
  symbol,
  period,
  decimals,
  candles,
  orders,
  onLeftEdge,
}: PriceChartProps) {
  const { t, tag } = useText();
  const dark = useSettings((state) => state.dark);
  const updown = useSettings((state) => state.updown);
  const box = useRef<HTMLDivElement>(null);
  const [chart, setChart] = useState<CandleChart | null>(null);
  /** The chart that is not removed: after a change of language `chart` is the old one until the next rendering. */
  const live = useRef<CandleChart | null>(null);
  const edge = useRef(onLeftEdge);
  useEffect(() => {
    edge.current = onLeftEdge;
  }, [onLeftEdge]);
  useEffect(() => {
    if (!box.current) return;
    const made = new CandleChart(box.current, { decimals, period, tag, onLeftEdge: () => edge.current() });
    live.current = made;
    setChart(made);
    return () => {
      live.current = null;
      setChart(null);
      made.remove();
    };
  }, [decimals, period, tag]);
  useEffect(() => {
    if (chart === live.current) chart?.paint(`${dark} ${updown}`);
  }, [chart, dark, updown]);
  useEffect(() => {
    if (chart === live.current) chart?.show(candles);
  }, [chart, candles]);
  useEffect(() => {
    if (chart === live.current) chart?.mark(orders, t('chart.settledMark'));
  }, [chart, orders, t]);

  const last = candles.at(-1);
  const label = last
    ? t('chart.label', { symbol, price: formatPrice(last.close), count: candles.length })
    : symbol;
  return (
    <>
      <div ref={box} className={css.chart} role="img" aria-label={label} />
      <OwnMarks orders={orders} fromMs={candles[0]?.time ?? Number.POSITIVE_INFINITY} />
    </>
  );
}

/** The chart's marks in words, for screen readers. */
function OwnMarks({ orders, fromMs }: { orders: readonly Order[]; fromMs: number }) {
  const { t, tag } = useText();
  const marks = orders.flatMap((order) => {
    const direction = t(order.direction === 'up' ? 'trade.up' : 'trade.down');
    const mark = (id: 'chart.openedAt' | 'chart.settledAt', price: string | null, ms: number | null) =>
      price === null || ms === null || ms < fromMs
        ? []
        : [t(id, { direction, price: formatPrice(price), time: formatTime(ms, tag) })];
    return [
      ...mark('chart.openedAt', order.openPrice, order.openedAt),
      ...mark('chart.settledAt', order.settlePrice, order.settleTickAt),
    ];
  });
  if (marks.length === 0) return null;
  return (
    <ul className="sr" aria-label={t('chart.ownMarks')}>
      {marks.map((mark, at) => (
        <li key={at}>{mark}</li>
      ))}
    </ul>
  );
}
