import type { Candle } from '@fairtick/protocol';
import { DirectionMark } from '@fairtick/ui';
import { groupBy } from '@fairtick/ui/group-by';
import { Fragment } from 'react';
import { useText } from '../../messages/text-context.tsx';
import { formatChange, formatPrice, wayOf } from '../../state/format.ts';
import { pastOf } from './past.ts';
import type { ChartPeriod } from './plot/chart-settings.ts';
import { candleClock, candleDay } from './plot/chart-times.ts';
import css from './table.module.css';

const ROWS = 60;
const POINT = ['close'] as const;
const FIGURES = ['open', 'high', 'low', 'close', 'volume', 'turnover'] as const;
type Columns = typeof POINT | typeof FIGURES;

const priceOf = (price: string | null): string => (price === null ? '–' : formatPrice(price));

/**
 * The newest candles in figures, the newest first. A day stands above its candles where there are several days; the candles of a
 * period that is no part of a day are named by their own day.
 */
export default function CandleTable(props: { candles: readonly Candle[]; period: ChartPeriod }) {
  const { candles, period } = props;
  const { t, tag } = useText();
  const rows = candles.slice(-ROWS).reverse();
  const days = groupBy(rows, ({ time }) => candleDay(time, period, tag));
  // A candle of one second has one price: a point.
  const isPoint = period === '1s';
  const columns = isPoint ? POINT : FIGURES;
  const width = columns.length + (isPoint ? 1 : 2);
  const past = pastOf(candles);
  // The newest candle of a venue; rows above it are from the log.
  const firstPast = past && candles[past.begins - 1];
  const hasDays = days.size > 1 && days.size < rows.length;
  return (
    <div className={css.box} tabIndex={0} role="region" aria-label={t('chart.table')}>
      <table className={`full text-12 nowrap ${css.table}`}>
        <thead>
          <tr>
            <th scope="col">{t('chart.time')}</th>
            {columns.map((name) => (
              <th key={name} scope="col">
                {t(`chart.${name}`)}
              </th>
            ))}
            {!isPoint && <th scope="col">{t('chart.change')}</th>}
          </tr>
        </thead>
        <tbody>
          {[...days].map(([day, ofDay]) => (
            <Fragment key={day}>
              {hasDays && (
                <tr className={css.day}>
                  <th scope="rowgroup" colSpan={width}>
                    {day}
                  </th>
                </tr>
              )}
              {ofDay.map((candle) => (
                <Fragment key={candle.time}>
                  {candle === firstPast && past && (
                    <tr className={css.day}>
                      <th scope="rowgroup" colSpan={width}>
                        {t('chart.pastFrom', { venue: past.venue })}
                      </th>
                    </tr>
                  )}
                  <CandleRow
                    columns={columns}
                    candle={candle}
                    name={candleClock(candle.time, period, tag) ?? day}
                  />
                </Fragment>
              ))}
            </Fragment>
          ))}
        </tbody>
      </table>
      {!isPoint && <p className={`caption ${css.note}`}>{t('chart.volumeNote')}</p>}
    </div>
  );
}

function CandleRow({ candle, name, columns }: { candle: Candle; name: string; columns: Columns }) {
  return (
    <tr>
      <th scope="row">{name}</th>
      {columns.map((column) => (
        <td key={column} translate="no">
          {priceOf(candle[column])}
        </td>
      ))}
      {columns === FIGURES && (
        <td>
          <DirectionMark way={wayOf(candle.change)}>{formatChange(candle.change)}</DirectionMark>
        </td>
      )}
    </tr>
  );
}
