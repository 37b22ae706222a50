import { useEffect } from 'react';
import { useText } from '../../messages/text-context.tsx';
import { PastLayer } from './past-layer.ts';
import type { CandleChart } from './plot/candle-chart.ts';

/** Marks on the chart where the log begins. */
export default function PastView({ chart }: { chart: CandleChart }) {
  const { t } = useText();
  useEffect(
    () => chart.addLayer(new PastLayer(chart, (venue) => t('chart.pastFrom', { venue }))),
    [chart, t],
  );
  return null;
}
