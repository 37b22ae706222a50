import type { Candle } from '@fairtick/protocol';
import { useText } from '../../messages/text-context.tsx';
import css from './chart.module.css';
import { pastOf } from './past.ts';
import type { ChartPeriod } from './plot/chart-settings.ts';
import { candleTime } from './plot/chart-times.ts';

export default function PastNote({ candles, period }: { candles: readonly Candle[]; period: ChartPeriod }) {
  const { t, tag } = useText();
  const past = pastOf(candles);
  if (!past) return null;
  const { venue, begins } = past;
  const first = candles[begins];
  return (
    <p className={css.dayStart}>
      {first === undefined
        ? t('chart.pastOnly', { venue })
        : t('chart.past', { venue, time: candleTime(first.time, period, tag) })}
    </p>
  );
}
