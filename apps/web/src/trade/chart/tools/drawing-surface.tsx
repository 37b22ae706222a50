import { Button } from '@fairtick/ui';
import { type KeyboardEvent, useEffect, useEffectEvent, useMemo, useRef, useState } from 'react';
import { useText } from '../../../messages/text-context.tsx';
import type { CandleChart } from '../plot/candle-chart.ts';
import type { ChartPeriod } from '../plot/chart-settings.ts';
import { candleTime, PERIOD_MS } from '../plot/chart-times.ts';
import { AlertBar } from './alert-bar.tsx';
import { DrawingLayer } from './drawing-layer.ts';
import type { DrawingPoint } from './drawings.ts';
import css from './tools.module.css';
import type { Drawings } from './use-drawings.ts';

/** The drawings on a chart, and a bar for the one that is made or chosen; its keys move what the bar is about. */
export default function DrawingSurface(props: {
  chart: CandleChart;
  drawings: Drawings;
  period: ChartPeriod;
  symbol: string;
  hasMagnet: boolean;
}) {
  const { chart, drawings, period, symbol, hasMagnet } = props;
  const [layer, setLayer] = useState<DrawingLayer | null>(null);
  const [cursor, setCursor] = useState<{ point: DrawingPoint | null; set: number }>({ point: null, set: 0 });
  const [alertPrice, setAlertPrice] = useState('');
  const newest = useEffectEvent(() => drawings);
  useEffect(() => {
    const made = new DrawingLayer(chart, PERIOD_MS[period], {
      onDrawn: (drawing) => newest().add(drawing),
      onPrice: ({ price }) => setAlertPrice(price.toFixed(chart.decimals)),
      onChanged: (drawing) => newest().change(drawing),
      onSelect: (id) => newest().select(id),
      onCursor: (point, set) => setCursor({ point, set }),
    });
    setLayer(made);
    return chart.addLayer(made);
  }, [chart, period]);
  const { all, tool, selected } = drawings;
  /** The alert's line moves with its price. */
  const shown = useMemo(() => {
    const price = tool === 'priceAlert' ? Number(alertPrice) : 0;
    return price > 0 ? [...all, { id: DRAFT, kind: 'level' as const, points: [{ time: 0, price }] }] : all;
  }, [all, tool, alertPrice]);
  useEffect(
    () => layer?.set({ drawings: shown, tool, selected, hasMagnet }),
    [layer, shown, tool, selected, hasMagnet],
  );
  useEffect(() => {
    if (tool !== null) setCursor({ point: null, set: 0 });
    if (tool === 'priceAlert') setAlertPrice('');
  }, [tool]);
  useUndoKey(drawings);
  const chosen = all.find(({ id }) => id === selected);
  if (tool === null && !chosen) return null;
  if (tool === 'priceAlert')
    return (
      <AlertBar
        symbol={symbol}
        price={alertPrice}
        onPrice={setAlertPrice}
        onEnd={() => drawings.begin(null)}
      />
    );
  return <DrawingBar key={tool ?? selected} {...{ drawings, layer, chart, period, cursor }} />;
}

/** The id of the line of an alert that is not set yet; drawings have ids from 1. */
const DRAFT = 0;

/** Ctrl+Z or ⌘Z takes back the last change, unless a field has the focus, which has its own. */
function useUndoKey({ canUndo, undo }: Drawings): void {
  const takeBack = useEffectEvent(undo);
  useEffect(() => {
    if (!canUndo) return;
    const press = (event: globalThis.KeyboardEvent) => {
      const isField = event.target instanceof HTMLInputElement && event.target.type !== 'radio';
      if (event.key !== 'z' || event.shiftKey || !(event.ctrlKey || event.metaKey) || isField) return;
      event.preventDefault();
      takeBack();
    };
    document.addEventListener('keydown', press);
    return () => document.removeEventListener('keydown', press);
  }, [canUndo]);
}

function DrawingBar(props: {
  drawings: Drawings;
  layer: DrawingLayer | null;
  chart: CandleChart;
  period: ChartPeriod;
  cursor: { point: DrawingPoint | null; set: number };
}) {
  const { t, tag } = useText();
  const { drawings, cursor } = props;
  const { tool, selected } = drawings;
  const bar = useRef<HTMLDivElement>(null);
  // The keys work at once after the choice of a tool, and after Enter has set the last point.
  useEffect(() => bar.current?.focus({ preventScroll: true }), []);
  const kind = tool ?? drawings.all.find(({ id }) => id === selected)?.kind ?? 'trend';
  const name = t(`chart.${kind}`);
  const hint =
    tool === null
      ? t('chart.drawingHint')
      : t(kind === 'level' ? 'chart.drawLevel' : cursor.set === 0 ? 'chart.drawFirst' : 'chart.drawSecond');
  const press = (event: KeyboardEvent<HTMLDivElement>) => {
    if (event.target !== event.currentTarget) return;
    if (event.key === 'Escape') drawings.select(null);
    else if (selected !== null && (event.key === 'Delete' || event.key === 'Backspace'))
      drawings.remove(selected);
    else if (!props.layer?.press(event.key, event.shiftKey)) return;
    // Else Escape would close a full screen, and arrows scroll the page.
    event.preventDefault();
    event.stopPropagation();
  };
  const at = cursor.point;
  return (
    <div
      ref={bar}
      className={`row gap-4 text-12 ink-2 ${css.drawingBar}`}
      tabIndex={0}
      role="application"
      aria-label={`${name}: ${hint} ${t('chart.drawKeys')}`}
      onKeyDown={press}
    >
      <p className="fill">
        <b className="strong ink">{name}</b> {hint}
      </p>
      <span className="sr" role="status">
        {at &&
          `${candleTime(at.time, props.period, tag)}, ${props.chart.parts.prices.priceFormatter().format(at.price)}`}
      </span>
      {selected !== null && (
        <Button size="small" look="quiet" onClick={() => drawings.remove(selected)}>
          {t('chart.delete')}
        </Button>
      )}
      {tool === null && drawings.canUndo && (
        <Button size="small" look="quiet" onClick={drawings.undo}>
          {t('chart.undo')}
        </Button>
      )}
      <Button size="small" look="quiet" onClick={() => drawings.select(null)}>
        {t(tool === null ? 'chart.done' : 'chart.cancel')}
      </Button>
    </div>
  );
}
