import type { Period } from '@fairtick/protocol';
import { Button, ListIcon } from '@fairtick/ui';
import { untilLoaded } from '@fairtick/ui/load-code';
import { lazy, Suspense, useState } from 'react';
import type { MessageId } from '../../messages/text.ts';
import { useText } from '../../messages/text-context.tsx';
import { useProductOrders } from '../my-orders.tsx';
import { CandleTable } from './candle-table.tsx';
import css from './chart.module.css';
import { useCandles } from './use-candles.ts';

const PriceChart = lazy(() => untilLoaded(() => import('./price-chart.tsx')));

const PERIODS: readonly { value: Period; label: MessageId }[] = [
  { value: '1m', label: 'chart.1m' },
  { value: '5m', label: 'chart.5m' },
  { value: '30m', label: 'chart.30m' },
  { value: '1d', label: 'chart.1d' },
  { value: '1w', label: 'chart.1w' },
  { value: '1M', label: 'chart.1M' },
];

/** The candlestick chart with its six periods, and the same as a table. */
export function ChartPanel(props: { symbol: string; decimals: number; height: 'tall' | 'fill' }) {
  const { t } = useText();
  const [period, setPeriod] = useState<Period>('1m');
  const [isTable, setTable] = useState(false);
  const feed = useCandles(props.symbol, period);
  const orders = useProductOrders(props.symbol) ?? [];
  return (
    <section className={css.panel} data-height={props.height}>
      <div className={css.bar}>
        <fieldset className={css.periods}>
          <legend className="sr">{t('chart.period')}</legend>
          {PERIODS.map(({ value, label }) => (
            <label key={value} className={css.period}>
              <input
                type="radio"
                name="period"
                checked={value === period}
                onChange={() => setPeriod(value)}
              />
              {t(label)}
            </label>
          ))}
        </fieldset>
        <button
          type="button"
          className={css.tableButton}
          aria-pressed={isTable}
          onClick={() => setTable(!isTable)}
        >
          <ListIcon size={18} />
          <span>{t('chart.table')}</span>
        </button>
      </div>
      <div className={css.plot}>
        {feed.hasFailed ? (
          <div className={css.fault}>
            <p>{t('shell.networkError')}</p>
            <Button size="small" onClick={feed.retry}>
              {t('list.again')}
            </Button>
          </div>
        ) : isTable ? (
          <CandleTable candles={feed.candles ?? []} period={period} />
        ) : (
          <Suspense>
            {feed.candles && (
              <PriceChart
                key={`${props.symbol}:${period}`}
                symbol={props.symbol}
                period={period}
                decimals={props.decimals}
                candles={feed.candles}
                orders={orders}
                onLeftEdge={feed.loadOlder}
              />
            )}
          </Suspense>
        )}
      </div>
    </section>
  );
}
