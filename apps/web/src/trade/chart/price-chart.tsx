import type { Candle, Order, Period } from '@fairtick/protocol';
import { useEffect, useRef, useState } from 'react';
import { useText } from '../../messages/text-context.tsx';
import { formatPrice } from '../../state/format.ts';
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

/** Candles, volume, the last price, and the reader's own openings and settlements. A table stands beside it. */
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
  const edge = useRef(onLeftEdge);
  useEffect(() => {
    edge.current = onLeftEdge;
  }, [onLeftEdge]);
  useEffect(() => {
    if (!box.current) return;
    const made = new CandleChart(box.current, { decimals, period, tag, onLeftEdge: () => edge.current() });
    setChart(made);
    return () => {
      setChart(null);
      made.remove();
    };
  }, [decimals, period, tag]);
  useEffect(() => chart?.paint(`${dark} ${updown}`), [chart, dark, updown]);
  useEffect(() => chart?.show(candles), [chart, candles]);
  useEffect(() => chart?.mark(orders, t('chart.settledMark')), [chart, orders, t]);

  const last = candles.at(-1);
  const label = last
    ? t('chart.label', { symbol, price: formatPrice(last.close), count: candles.length })
    : symbol;
  return <div ref={box} className={css.chart} role="img" aria-label={label} />;
}
