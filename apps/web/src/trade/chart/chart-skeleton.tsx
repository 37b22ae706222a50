import { useText } from '../../messages/text-context.tsx';
import css from './chart.module.css';

/** Heights of the bodies, as shares of 100, in the shape of a calm market. */
const BODIES = [
  38, 44, 41, 50, 55, 49, 58, 63, 60, 54, 57, 66, 70, 64, 61, 55, 59, 52, 47, 51, 56, 62, 58, 53,
];

/** The place of the chart until its code and candles are there; nothing moves. */
export function ChartSkeleton() {
  const { t } = useText();
  return (
    <div className={`secondary centred ${css.skeleton}`} role="status" aria-busy="true">
      <svg viewBox="0 0 240 100" preserveAspectRatio="none" aria-hidden="true">
        <path
          d={BODIES.map((top, at) => `M${at * 10 + 2} ${100 - top}h6v${8 + ((at * 7) % 11)}h-6z`).join('')}
        />
      </svg>
      <span>{t('chart.loading')}</span>
    </div>
  );
}
