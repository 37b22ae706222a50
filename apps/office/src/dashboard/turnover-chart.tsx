import { useTextScale } from '@fairtick/ui/text-scale';
import { createChart, HistogramSeries, type IChartApi, type ISeriesApi } from 'lightweight-charts';
import { useEffect, useRef } from 'react';
import { useSettings } from '../state/settings.ts';
import css from './dashboard.module.css';

export interface Bar {
  /** `YYYY-MM-DD`. */
  readonly date: string;
  /** A float is enough for drawing; the table has the exact figure. Null: no orders, no bar. */
  readonly value: number | null;
}

interface Chart {
  readonly api: IChartApi;
  readonly bars: ISeriesApi<'Histogram'>;
}

/** Draws a bar for each day. The table beside it has the same figures and serves screen readers. */
export function TurnoverChart({ bars }: { bars: readonly Bar[] }) {
  const { dark } = useSettings();
  const textSize = useTextScale();
  const box = useRef<HTMLDivElement>(null);
  const chart = useRef<Chart | null>(null);
  useEffect(() => {
    if (!box.current) return;
    const api = createChart(box.current, {
      autoSize: true,
      handleScroll: false,
      handleScale: false,
      layout: { attributionLogo: false, background: { color: 'transparent' } },
      rightPriceScale: { borderVisible: false },
      timeScale: { borderVisible: false, fixLeftEdge: true, fixRightEdge: true },
      grid: { vertLines: { visible: false } },
    });
    chart.current = {
      api,
      bars: api.addSeries(HistogramSeries, { priceLineVisible: false, lastValueVisible: false, base: 0 }),
    };
    return () => {
      chart.current = null;
      api.remove();
    };
  }, []);
  useEffect(() => {
    const { api, bars: series } = chart.current ?? {};
    if (!api || !series || !box.current) return;
    const style = getComputedStyle(box.current);
    const colour = (name: string) => style.getPropertyValue(name).trim();
    const isLineOf = dark ? '--line-2' : '--line';
    api.applyOptions({
      layout: { textColor: colour('--ink-3'), fontSize: 12 * textSize },
      grid: { horzLines: { color: colour(isLineOf) } },
      crosshair: { vertLine: { visible: false }, horzLine: { visible: false } },
    });
    series.applyOptions({ color: colour('--ink-3') });
    series.setData(bars.map(({ date, value }) => (value === null ? { time: date } : { time: date, value })));
    api.timeScale().fitContent();
  }, [bars, dark, textSize]);
  return <div ref={box} className={css.chart} aria-hidden="true" />;
}
