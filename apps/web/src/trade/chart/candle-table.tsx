import type { Candle, Period } from '@fairtick/protocol';
import { useText } from '../../messages/text-context.tsx';
import { formatChange, formatPrice } from '../../state/format.ts';
import css from './chart.module.css';
import { candleTime } from './chart-times.ts';

const ROWS = 60;

/** The newest candles in figures, the newest first. */
export default function CandleTable({ candles, period }: { candles: readonly Candle[]; period: Period }) {
  const { t, tag } = useText();
  const rows = candles.slice(-ROWS).reverse();
  return (
    <div className={css.tableBox} tabIndex={0} role="region" aria-label={t('chart.table')}>
      <table className={css.table}>
        <thead>
          <tr>
            <th scope="col">{t('chart.time')}</th>
            <th scope="col">{t('chart.open')}</th>
            <th scope="col">{t('chart.high')}</th>
            <th scope="col">{t('chart.low')}</th>
            <th scope="col">{t('chart.close')}</th>
            <th scope="col">{t('chart.volume')}</th>
            <th scope="col">{t('chart.turnover')}</th>
            <th scope="col">{t('chart.change')}</th>
          </tr>
        </thead>
        <tbody>
          {rows.map((candle) => (
            <tr key={candle.time}>
              <th scope="row">{candleTime(candle.time, period, tag)}</th>
              <td>{formatPrice(candle.open)}</td>
              <td>{formatPrice(candle.high)}</td>
              <td>{formatPrice(candle.low)}</td>
              <td>{formatPrice(candle.close)}</td>
              <td>{formatPrice(candle.volume)}</td>
              <td>{formatPrice(candle.turnover)}</td>
              <td>{formatChange(candle.change)}</td>
            </tr>
          ))}
        </tbody>
      </table>
      <p className={css.tableNote}>{t('chart.volumeNote')}</p>
    </div>
  );
}
