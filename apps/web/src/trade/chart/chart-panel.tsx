import type { Candle, Order } from '@fairtick/protocol';
import { Button, CloseFullIcon, FullIcon, IconButton, ListIcon, RadioOption, ToolsIcon } from '@fairtick/ui';
import { type CSSProperties, type ReactNode, useEffect, useRef, useState } from 'react';
import { useText } from '../../messages/text-context.tsx';
import { useOpenOrders, useProductOrders } from '../../orders/product-orders.ts';
import { later } from '../../parts/later.tsx';
import { zoneName } from '../../state/format.ts';
import { useProduct } from '../market/use-product.ts';
import css from './chart.module.css';
import { FullScreen, useFullScreen } from './full-screen.tsx';
import { useLastingOrders } from './orders/lasting-orders.ts';
import {
  CHART_PERIODS,
  type ChartPeriod,
  type ChartSettings,
  FIRST_SETTINGS,
  hasOwnPane,
  readChartSettings,
  type Study,
  storeChartSettings,
} from './plot/chart-settings.ts';
import { isLong } from './plot/chart-times.ts';
import { viewOf } from './plot/chart-view.ts';
import { FirstCandles, pageCandles } from './plot/first-candles.tsx';
import { useDrawings } from './tools/use-drawings.ts';
import { useCandles } from './use-candles.ts';

const PriceChart = later(() => import('./price-chart.tsx'), { waiting: <ChartSkeleton /> });
const ChartFoot = later(() => import('./chart-foot.tsx'));
const CandleTable = later(() => import('./candle-table.tsx'), { part: 'chart' });
const PastNote = later(() => import('./past-note.tsx'), { part: 'chart' });
const ChartTools = later(() => import('./tools/chart-tools.tsx'), { part: 'chart' });

interface PanelProps {
  readonly symbol: string;
  readonly decimals: number;
  readonly height: 'tall' | 'fill';
  /** Shown below the chart in full screen, where a screen's own buttons are covered. */
  readonly buyButtons?: ReactNode;
}

function useChartSettings() {
  const [settings, setSettings] = useState(readChartSettings);
  const change = (part: Partial<ChartSettings>) => {
    const next = { ...settings, ...part };
    setSettings(next);
    storeChartSettings(next);
  };
  return { settings, change };
}

export function ChartPanel(props: PanelProps) {
  const { symbol, decimals, height, buyButtons } = props;
  const { t, tag } = useText();
  const { settings, change } = useChartSettings();
  const [isTable, setTable] = useState(false);
  const [drawn, setDrawn] = useState('');
  const isFull = useFullScreen((state) => state.symbol === symbol);
  const setFull = (next: boolean) => useFullScreen.setState({ symbol: next ? symbol : null });
  const { period, hasMagnet } = settings;
  const compare = settings.compare === symbol ? null : settings.compare;
  const scale = compare === null ? settings.scale : 'percent';
  // A second has one price.
  const style = period === '1s' && settings.style === 'candles' ? 'line' : settings.style;
  const feed = useCandles(symbol, period);
  const { detail } = useProduct(symbol);
  const known = useProductOrders(symbol) ?? NONE;
  const open = useOpenOrders(symbol);
  const { shown, ...choice } = useLastingOrders(open);
  const orders = { shown, known, ...choice };
  // Simulated sources quote without a pause: each candle would have the same volume.
  const hasVolume = detail !== null && !detail.isSimulated && period !== '1s';
  const drawings = useDrawings(symbol);
  const panel = useFocusAfterFull(isFull);
  const { studies, lengths } = settings;
  // In another language it is another chart: the old one is gone before its last effects.
  const key = `${symbol}:${period}:${tag}`;
  const first =
    drawn === key || isTable || feed.hasFailed ? null : firstCandles(props, settings, feed.candles);
  const parts = (
    <>
      <ChartBar {...{ symbol, settings, change, drawings, isTable, isFull, setTable, setFull }} />
      <div className={css.plot} style={plotHeight(studies)}>
        {first && <FirstCandles candles={first} decimals={decimals} />}
        <Plot feed={feed} period={period} isTable={isTable}>
          {(candles) => (
            <PriceChart
              key={key}
              onLeftEdge={feed.loadOlder}
              onDrawn={() => setDrawn(key)}
              {...{ symbol, period, style, scale, hasMagnet, hasVolume, studies, lengths, compare, decimals }}
              {...{ candles, orders, drawings }}
            />
          )}
        </Plot>
      </div>
      <div className={`row rigid gap-12 px-side ${css.foot}`}>
        <ChartFoot candle={feed.candles?.at(-1)} orders={open} {...{ symbol, period, ...choice }} />
      </div>
      {detail && isLong(period) && (
        <p className={css.dayStart}>
          {t('chart.dayStart', { time: detail.day.from, zone: zoneName(detail.day.zone) })}
        </p>
      )}
      {feed.candles?.[0]?.source !== undefined && <PastNote candles={feed.candles} period={period} />}
    </>
  );
  return (
    <section ref={panel} className={css.panel} data-height={height}>
      {isFull ? (
        <FullScreen symbol={symbol} actions={buyButtons} onClose={() => setFull(false)}>
          {parts}
        </FullScreen>
      ) : (
        parts
      )}
    </section>
  );
}

/** The candles of the picture that stands where the chart begins to be drawn; null where the chart will look another way. */
function firstCandles(
  { symbol }: PanelProps,
  { period, style, studies, compare }: ChartSettings,
  candles: readonly Candle[] | null,
): readonly Candle[] | null {
  const { spacing, position } = viewOf(symbol, period);
  const isPlain = style === 'candles' && period !== '1s' && studies.length === 0 && compare === null;
  return isPlain && spacing === null && position === null ? (candles ?? pageCandles(symbol, period)) : null;
}

/** The chart on the page that the server makes, as a first visit has it. */
export function PrerenderedChart(
  props: Pick<PanelProps, 'symbol' | 'decimals'> & { candles: readonly Candle[] },
) {
  const { symbol, decimals, candles } = props;
  const drawings = useDrawings(symbol);
  const nothing = () => {};
  const bar = {
    drawings,
    isTable: false,
    isFull: false,
    change: nothing,
    setTable: nothing,
    setFull: nothing,
  };
  return (
    <section className={css.panel} data-height="tall" data-first-chart>
      <ChartBar symbol={symbol} settings={FIRST_SETTINGS} {...bar} />
      <div className={css.plot}>
        <FirstCandles candles={candles} decimals={decimals} />
      </div>
    </section>
  );
}

function ChartBar(props: {
  symbol: string;
  settings: ChartSettings;
  change: (part: Partial<ChartSettings>) => void;
  drawings: ReturnType<typeof useDrawings>;
  isTable: boolean;
  isFull: boolean;
  setTable: (isTable: boolean) => void;
  setFull: (isFull: boolean) => void;
}) {
  const { symbol, settings, change, drawings, isTable, isFull, setTable, setFull } = props;
  const { t } = useText();
  return (
    <div className={`row ${css.bar}`}>
      <Periods period={settings.period} onChange={(period) => change({ period })} />
      <Tools {...{ symbol, settings, drawings }} onChange={change} isDisabled={isTable} />
      <BarButton icon={<ListIcon size={18} />} aria-pressed={isTable} onClick={() => setTable(!isTable)}>
        {t('chart.table')}
      </BarButton>
      <FullButton isFull={isFull} onClick={() => setFull(!isFull)} />
    </div>
  );
}

/** The chart or the table of the candles; before they are there, or without them, what says so. */
function Plot(props: {
  feed: ReturnType<typeof useCandles>;
  period: ChartPeriod;
  isTable: boolean;
  children: (candles: readonly Candle[]) => ReactNode;
}) {
  const { t } = useText();
  const { candles, hasFailed, retry } = props.feed;
  if (hasFailed)
    return (
      <div className={`secondary stack gap-12 ${css.fault}`}>
        <p>{t('shell.networkError')}</p>
        <Button size="small" onClick={retry}>
          {t('list.again')}
        </Button>
      </div>
    );
  if (props.isTable) return <CandleTable candles={candles ?? []} period={props.period} />;
  if (candles?.length === 0) return <p className={`centred ink-2 ${css.none}`}>{t('chart.noPrices')}</p>;
  return candles ? props.children(candles) : <ChartSkeleton />;
}

const NONE: readonly Order[] = [];

/** The full screen has buttons of its own, so the focus returns to the button that opened it. */
function useFocusAfterFull(isFull: boolean) {
  const panel = useRef<HTMLElement>(null);
  const wasFull = useRef(isFull);
  useEffect(() => {
    if (wasFull.current && !isFull) panel.current?.querySelector<HTMLElement>('[data-full]')?.focus();
    wasFull.current = isFull;
  }, [isFull]);
  return panel;
}

/** Each indicator with a pane of its own makes the plot higher on a phone. */
const plotHeight = (studies: readonly Study[]) =>
  ({ '--panes': studies.filter(hasOwnPane).length }) as CSSProperties;

function FullButton({ isFull, onClick }: { isFull: boolean; onClick: () => void }) {
  const { t } = useText();
  return (
    <IconButton
      className={css.fullButton ?? ''}
      data-full
      label={t(isFull ? 'chart.closeFull' : 'chart.full')}
      onClick={onClick}
    >
      {isFull ? <CloseFullIcon size={18} /> : <FullIcon size={18} />}
    </IconButton>
  );
}

function Periods({ period, onChange }: { period: ChartPeriod; onChange: (period: ChartPeriod) => void }) {
  const { t } = useText();
  return (
    <fieldset className={`flex fill scroll-x ${css.periods}`}>
      <legend className="sr">{t('chart.period')}</legend>
      {CHART_PERIODS.map((value) => (
        <RadioOption
          key={value}
          className={`note centred nowrap ${css.period}`}
          name="period"
          value={value}
          isChecked={value === period}
          onChange={() => onChange(value)}
        >
          {t(`chart.${value}`)}
        </RadioOption>
      ))}
    </fieldset>
  );
}

function Tools(props: {
  symbol: string;
  settings: ChartSettings;
  onChange: (part: Partial<ChartSettings>) => void;
  drawings: ReturnType<typeof useDrawings>;
  isDisabled: boolean;
}) {
  const { t } = useText();
  const [isOpen, setOpen] = useState(false);
  /** The dialog's code comes with its first opening. */
  const [wasOpen, setWasOpen] = useState(false);
  const open = () => {
    setWasOpen(true);
    setOpen(true);
  };
  return (
    <>
      <BarButton icon={<ToolsIcon size={18} />} disabled={props.isDisabled} onClick={open}>
        {t('chart.tools')}
      </BarButton>
      {wasOpen && <ChartTools {...props} isOpen={isOpen} onClose={() => setOpen(false)} />}
    </>
  );
}

/** A button of the chart's bar; where it is narrow, the icon alone is seen. */
function BarButton(props: {
  icon: ReactNode;
  children: string;
  disabled?: boolean;
  'aria-pressed'?: boolean;
  onClick: () => void;
}) {
  const { icon, children, ...rest } = props;
  return (
    <button
      type="button"
      className={`secondary row gap-6 touch ${css.tableButton}`}
      title={children}
      {...rest}
    >
      {icon}
      <span>{children}</span>
    </button>
  );
}

/** Heights of the bodies, as shares of 100, in the shape of a calm market. */
const BODIES = [
  38, 44, 41, 50, 55, 49, 58, 63, 60, 54, 57, 66, 70, 64, 61, 55, 59, 52, 47, 51, 56, 62, 58, 53,
];

/** The place of the chart until its code and candles are there; nothing moves. */
function ChartSkeleton() {
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
