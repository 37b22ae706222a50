import type { Candle, Order } from '@fairtick/protocol';
import { useTextScale } from '@fairtick/ui/text-scale';
import { useEffect, useEffectEvent, useId, useMemo, useRef, useState } from 'react';
import { useText } from '../../messages/text-context.tsx';
import { later } from '../../parts/later.tsx';
import { formatChange, formatPrice, formatTime, wayOf } from '../../state/format.ts';
import { useIsLoggedIn } from '../../state/session.ts';
import { useSettings } from '../../state/settings.ts';
import css from './chart.module.css';
import { CandleChart } from './plot/candle-chart.ts';
import type { ChartPeriod, ChartScale, ChartStyle, Lengths, Study } from './plot/chart-settings.ts';
import { viewOf } from './plot/chart-view.ts';
import type { Drawings } from './tools/use-drawings.ts';

const OrdersView = later(() => import('./orders/orders-view.tsx'));
const AlertLines = later(() => import('./alert-lines.tsx'), { part: 'chart' });
const StudiesView = later(() => import('./studies-view.tsx'), { part: 'chart' });
const CompareView = later(() => import('./compare-view.tsx'), { part: 'chart' });
const PastView = later(() => import('./past-view.tsx'), { part: 'chart' });
const DrawingSurface = later(() => import('./tools/drawing-surface.tsx'), { part: 'chart' });

interface PriceChartProps {
  readonly symbol: string;
  readonly period: ChartPeriod;
  readonly style: ChartStyle;
  readonly scale: ChartScale;
  readonly hasMagnet: boolean;
  readonly hasVolume: boolean;
  readonly studies: readonly Study[];
  readonly lengths: Lengths;
  /** The symbol of a product whose line is compared with the candles. */
  readonly compare: string | null;
  readonly decimals: number;
  readonly candles: readonly Candle[];
  readonly orders: {
    /** Open and just settled, the next to settle first. */
    readonly shown: readonly Order[];
    readonly known: readonly Order[];
    readonly chosen: string | null;
    readonly onChoose: (id: string) => void;
  };
  readonly drawings: Drawings;
  readonly onLeftEdge: () => void;
  /** Once the first candles are on the screen. */
  readonly onDrawn: () => void;
}

function useChart(props: PriceChartProps) {
  const { symbol, period, style, decimals, candles, onLeftEdge, scale, hasMagnet, hasVolume } = props;
  const { tag } = useText();
  const textSize = useTextScale();
  const colours = useSettings(({ dark, updown }) => `${dark} ${updown}`);
  const box = useRef<HTMLDivElement>(null);
  const [chart, setChart] = useState<CandleChart | null>(null);
  const [pointed, setPointed] = useState<number | null>(null);
  const [isAway, setAway] = useState(false);
  const last = candles.at(-1);
  const atLeftEdge = useEffectEvent(onLeftEdge);
  const lastNow = useEffectEvent(() => last);
  const isDrawn = useRef(false);
  // biome-ignore lint/correctness/useExhaustiveDependencies: a chart keeps the text size that it was made with
  useEffect(() => {
    let made: CandleChart | null = null;
    const make = () => {
      if (!box.current) return;
      isDrawn.current = true;
      made = new CandleChart(box.current, {
        decimals,
        period,
        style,
        tag,
        last: lastNow(),
        view: viewOf(symbol, period),
        onLeftEdge: () => atLeftEdge(),
        onPoint: setPointed,
        onAway: setAway,
      });
      setChart(made);
    };
    // The first chart is made in a task of its own, because a slow phone needs 0.2 s for it; one in its place is there at once.
    const timer = isDrawn.current ? make() : setTimeout(make);
    return () => {
      clearTimeout(timer ?? undefined);
      setChart(null);
      setPointed(null);
      made?.remove();
    };
  }, [decimals, symbol, period, style, tag, textSize]);
  useEffect(() => chart?.paint(colours), [chart, colours]);
  useEffect(() => chart?.show(candles), [chart, candles]);
  useEffect(() => chart?.showVolume(hasVolume), [chart, hasVolume]);
  useEffect(() => chart?.setScale(scale), [chart, scale]);
  useEffect(() => chart?.setMagnet(hasMagnet), [chart, hasMagnet]);
  const drawn = useEffectEvent(props.onDrawn);
  useEffect(() => {
    if (!chart) return;
    // The library draws in the next frame.
    const frame = requestAnimationFrame(() => drawn());
    return () => cancelAnimationFrame(frame);
  }, [chart]);
  return { box, chart, pointed, isAway, last };
}

export default function PriceChart(props: PriceChartProps) {
  const { symbol, period, candles, orders, studies, drawings, hasMagnet, lengths, compare } = props;
  const times = useTimes(candles);
  const { t } = useText();
  const isMember = useIsLoggedIn();
  const { box, chart, pointed, isAway, last } = useChart(props);
  const about = useId();
  const hasDrawings = drawings.all.length > 0 || drawings.tool !== null || drawings.canUndo;
  return (
    <>
      <div
        ref={box}
        className={css.chart}
        role="img"
        aria-label={t('chart.label', { symbol })}
        aria-describedby={about}
      />
      {/* The name stays the same while prices change; the figures are its description. */}
      <p id={about} hidden>
        {last &&
          t(period === '1s' ? 'chart.aboutSeconds' : 'chart.about', {
            count: candles.length,
            price: formatPrice(last.close),
          })}
      </p>
      <div className={css.legend} aria-hidden="true">
        <Figures
          candle={candles[pointed ?? candles.length - 1]}
          isPointed={pointed !== null}
          isPoint={period === '1s'}
        />
        {chart && compare !== null && (
          <CompareView {...{ chart, period, times }} symbol={compare} key={compare} />
        )}
        {chart && studies.length > 0 && <StudiesView {...{ chart, studies, lengths, candles, pointed }} />}
      </div>
      {chart && orders.shown.length + orders.known.length > 0 && (
        <OrdersView {...{ chart, symbol, ...orders }} />
      )}
      {chart && candles[0]?.source !== undefined && <PastView chart={chart} />}
      {chart && isAway && (
        <button type="button" className={`reach ${css.toNow}`} onClick={() => chart.backToNow()}>
          {t('chart.toNow')}
        </button>
      )}
      {chart && hasDrawings && <DrawingSurface {...{ chart, drawings, period, symbol, hasMagnet }} />}
      {chart && isMember && <AlertLines chart={chart} symbol={symbol} />}
      <OwnMarks orders={orders.known} fromMs={candles[0]?.time ?? Number.POSITIVE_INFINITY} />
    </>
  );
}

/** The times of candles: the same list until another candle begins. */
function useTimes(candles: readonly Candle[]): readonly number[] {
  const [first, last] = [candles[0]?.time, candles.at(-1)?.time];
  // biome-ignore lint/correctness/useExhaustiveDependencies: between the same ends the times are the same
  return useMemo(() => candles.map(({ time }) => time), [first, last, candles.length]);
}

const FIGURES = ['open', 'high', 'low', 'close'] as const;

/** Open, high, low, close and change of a candle; on a phone only while one is pointed at. */
function Figures(props: {
  candle: Candle | undefined;
  isPointed: boolean;
  /** Whether the candle is a second, which has one price. */
  isPoint: boolean;
}) {
  const { candle, isPointed, isPoint } = props;
  const { t } = useText();
  if (!candle) return null;
  return (
    <p className={css.values} data-testid="candle" data-pointed={isPointed || undefined}>
      {isPoint ? (
        <span>
          <b translate="no">{formatPrice(candle.close)}</b>
        </span>
      ) : (
        FIGURES.map((name) => (
          <span key={name}>
            {t(`chart.short.${name}`)} <b translate="no">{formatPrice(candle[name])}</b>
          </span>
        ))
      )}
      {!isPoint && <b data-direction={wayOf(candle.change)}>{formatChange(candle.change)}</b>}
    </p>
  );
}

function OwnMarks({ orders, fromMs }: { orders: readonly Order[]; fromMs: number }) {
  const { t, tag } = useText();
  const marks = orders.flatMap((order) => {
    const direction = t(`trade.${order.direction}`);
    const mark = (id: 'chart.openedAt' | 'chart.settledAt', price: string | null, ms: number | null) =>
      price === null || ms === null || ms < fromMs
        ? []
        : [t(id, { direction, price: formatPrice(price), time: formatTime(ms, tag) })];
    return [
      ...mark('chart.openedAt', order.openPrice, order.openedAt),
      ...mark('chart.settledAt', order.settlePrice, order.settleTickAt),
    ];
  });
  if (marks.length === 0) return null;
  return (
    <ul className="sr" aria-label={t('chart.ownMarks')}>
      {marks.map((mark, at) => (
        <li key={at}>{mark}</li>
      ))}
    </ul>
  );
}
