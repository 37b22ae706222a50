import type { Candle, Order } from '@fairtick/protocol';
import { isTicking } from '@fairtick/protocol/product-state';
import { ClockIcon, ProductState } from '@fairtick/ui';
import { serverNow, useSecond } from '../../live/clock.ts';
import { useRow } from '../../live/market.ts';
import { useText } from '../../messages/text-context.tsx';
import { formatCountdown } from '../../state/format.ts';
import { useClosed } from '../market/product-state.tsx';
import { useProduct } from '../market/use-product.ts';
import css from './chart.module.css';
import { OrderStrip } from './orders/order-strip.tsx';
import type { ChartPeriod } from './plot/chart-settings.ts';
import { candleEnd } from './plot/chart-times.ts';

const DAY_MS = 86_400_000;

/** The product's state, or the time until the newest candle ends; days are counted in full while there are two or more. */
function CandleCountdown(props: { symbol: string; period: ChartPeriod; candle: Candle | undefined }) {
  const { t, tag } = useText();
  const { detail } = useProduct(props.symbol);
  const row = useRow(props.symbol);
  const closed = useClosed(row);
  useSecond();
  const look = `caption row rigid gap-4 ml-auto ${css.countdown}`;
  if (closed)
    return (
      <p className={look}>
        <ProductState state={closed} look="mark" />
      </p>
    );
  if (!detail || !row || !isTicking(row) || props.period === '1s' || !props.candle) return null;
  const left = candleEnd(props.candle.time, props.period, detail.day) - serverNow();
  if (left <= 0) return null;
  const days = Math.floor(left / DAY_MS);
  const unit = new Intl.NumberFormat(tag, { style: 'unit', unit: 'day', unitDisplay: 'long' });
  return (
    <p className={look} role="timer" aria-label={t('chart.candleEnds')}>
      <ClockIcon size={14} />
      <span>{t('chart.candleEnds')}</span>
      <b>{days >= 2 ? unit.format(days) : formatCountdown(left)}</b>
    </p>
  );
}

export default function ChartFoot(props: {
  symbol: string;
  period: ChartPeriod;
  candle: Candle | undefined;
  orders: readonly Order[];
  chosen: string | null;
  onChoose: (id: string) => void;
}) {
  const { symbol, period, candle, ...orders } = props;
  return (
    <>
      <OrderStrip {...orders} />
      <CandleCountdown {...{ symbol, period, candle }} />
    </>
  );
}
