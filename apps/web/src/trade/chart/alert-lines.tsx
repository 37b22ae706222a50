import { LineStyle } from 'lightweight-charts';
import { useEffect } from 'react';
import { useAnswer } from '../../api/use-answer.ts';
import { useOnNotice } from '../../live/notices.ts';
import { useText } from '../../messages/text-context.tsx';
import type { CandleChart } from './plot/candle-chart.ts';
import { colours } from './plot/chart-colours.ts';

export default function AlertLines({ chart, symbol }: { chart: CandleChart; symbol: string }) {
  const { t } = useText();
  const { data, refetch } = useAnswer('alert/list');
  useOnNotice(({ kind }) => kind.startsWith('alert.') && void refetch());
  const waiting = data?.waiting.filter((alert) => alert.symbol === symbol).map(({ price }) => price);
  const prices = waiting?.join() ?? '';
  useEffect(() => {
    if (prices === '') return;
    const { prices: series, box } = chart.parts;
    const lines = prices.split(',').map((price) =>
      series.createPriceLine({
        price: Number(price),
        title: t('chart.alert'),
        lineWidth: 1,
        lineStyle: LineStyle.SparseDotted,
        axisLabelVisible: true,
      }),
    );
    return chart.addLayer({
      show() {},
      paint() {
        const colour = colours(box);
        const [color, ground] = [colour('--info'), colour('--info-wash')];
        for (const line of lines)
          line.applyOptions({ color, axisLabelColor: ground, axisLabelTextColor: color });
        chart.tagsMoved();
      },
      remove() {
        for (const line of lines) series.removePriceLine(line);
        chart.tagsMoved();
      },
    });
  }, [chart, prices, t]);
  return (
    <ul className="sr" aria-label={t('chart.alerts')}>
      {waiting?.map((price) => (
        <li key={price}>{price}</li>
      ))}
    </ul>
  );
}
