import { useEffect } from 'react';
import { useText } from '../../messages/text-context.tsx';
import { PastLayer } from './past-layer.ts';
import type { CandleChart } from './plot/candle-chart.ts';

export default function PastView({ chart }: { chart: CandleChart }) {
  const { t } = useText();
  useEffect(
    () => chart.addLayer(new PastLayer(chart, (venue) => t('chart.pastFrom', { venue }))),
    [chart, t],
  );
  return null;
}
