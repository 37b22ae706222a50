import type { Candle, Period } from '@fairtick/protocol';
import { DirectionMark } from '@fairtick/ui';
import { groupBy } from '@fairtick/ui/group-by';
import { Fragment } from 'react';
import { useText } from '../../messages/text-context.tsx';
import { formatChange, formatPrice, wayOf } from '../../state/format.ts';
import { candleClock, candleDay } from './plot/chart-times.ts';
import css from './table.module.css';

const ROWS = 60;

/**
 * The newest candles in figures, the newest first. A day stands above its candles where there are several days; the candles of a
 * period that is no part of a day are named by their own day.
 */
export default function CandleTable({ candles, period }: { candles: readonly Candle[]; period: Period }) {
  const { t, tag } = useText();
  const rows = candles.slice(-ROWS).reverse();
  const days = groupBy(rows, ({ time }) => candleDay(time, period, tag));
  const hasDays = days.size > 1 && days.size < rows.length;
  return (
    <div className={css.box} tabIndex={0} role="region" aria-label={t('chart.table')}>
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
          {[...days].map(([day, ofDay]) => (
            <Fragment key={day}>
              {hasDays && (
                <tr className={css.day}>
                  <th scope="rowgroup" colSpan={8}>
                    {day}
                  </th>
                </tr>
              )}
              {ofDay.map((candle) => (
                <tr key={candle.time}>
                  <th scope="row">{candleClock(candle.time, period, tag) ?? day}</th>
                  <td translate="no">{formatPrice(candle.open)}</td>
                  <td translate="no">{formatPrice(candle.high)}</td>
                  <td translate="no">{formatPrice(candle.low)}</td>
                  <td translate="no">{formatPrice(candle.close)}</td>
                  <td translate="no">{formatPrice(candle.volume)}</td>
                  <td translate="no">{formatPrice(candle.turnover)}</td>
                  <td>
                    <DirectionMark way={wayOf(candle.change)}>{formatChange(candle.change)}</DirectionMark>
                  </td>
                </tr>
              ))}
            </Fragment>
          ))}
        </tbody>
      </table>
      <p className={css.note}>{t('chart.volumeNote')}</p>
    </div>
  );
}
