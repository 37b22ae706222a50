import { type ISeriesApi, LineSeries, type UTCTimestamp } from 'lightweight-charts';
import { useEffect, useEffectEvent, useState } from 'react';
import { useRow } from '../../live/market.ts';
import { useText } from '../../messages/text-context.tsx';
import css from './chart.module.css';
import type { CandleChart } from './plot/candle-chart.ts';
import { closing } from './plot/chart-bars.ts';
import { colours } from './plot/chart-colours.ts';
import type { ChartPeriod } from './plot/chart-settings.ts';
import { useCandles } from './use-candles.ts';

/**
 * Another product as a line on a scale in percent, which begins for both at the left edge. It has the times of the chart's own candles
 * alone: another time would move them apart.
 */
export default function CompareView(props: {
  chart: CandleChart;
  symbol: string;
  period: ChartPeriod;
  times: readonly number[];
}) {
  const { chart, symbol, period, times } = props;
  const { t } = useText();
  const name = useRow(symbol)?.name ?? symbol;
  const feed = useCandles(symbol, period);
  const [line, setLine] = useState<ISeriesApi<'Line'> | null>(null);
  useEffect(() => {
    const { chart: api, box } = chart.parts;
    const series = api.addSeries(LineSeries, { priceLineVisible: false, lineWidth: 2, title: symbol });
    setLine(series);
    return chart.addLayer({
      show() {},
      paint() {
        series.applyOptions({ color: colours(box)('--ink') });
      },
      remove() {
        setLine(null);
        api.removeSeries(series);
      },
    });
  }, [chart, symbol]);
  useEffect(() => {
    const own = new Map(feed.candles?.map((candle) => [candle.time, candle]));
    line?.setData(
      times.map((ms) => {
        const candle = own.get(ms);
        return candle ? closing(candle) : { time: (ms / 1000) as UTCTimestamp };
      }),
    );
  }, [line, feed.candles, times]);
  const oldest = feed.candles?.[0]?.time;
  const isShort = oldest !== undefined && (times[0] ?? oldest) < oldest;
  const older = useEffectEvent(feed.loadOlder);
  // biome-ignore lint/correctness/useExhaustiveDependencies: again after each older part
  useEffect(() => {
    if (isShort) older();
  }, [isShort, oldest]);
  return (
    <p className={css.values}>
      <span>
        <i style={{ background: 'var(--ink)' }} />
        {t('chart.compared', { name })}
      </span>
    </p>
  );
}
