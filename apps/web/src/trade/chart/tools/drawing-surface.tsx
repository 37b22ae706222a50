import { Button } from '@fairtick/ui';
import { type KeyboardEvent, useEffect, useRef, useState } from 'react';
import { useText } from '../../../messages/text-context.tsx';
import type { CandleChart } from '../plot/candle-chart.ts';
import type { ChartPeriod } from '../plot/chart-settings.ts';
import { candleTime, PERIOD_MS } from '../plot/chart-times.ts';
import { DRAWING_NAMES } from './chart-words.ts';
import { DrawingLayer } from './drawing-layer.ts';
import type { DrawingPoint } from './drawings.ts';
import css from './tools.module.css';
import type { Drawings } from './use-drawings.ts';

/** The drawings on a chart, and a bar for the one that is made or chosen; its keys move what the bar is about. */
export default function DrawingSurface({
  chart,
  drawings,
  period,
}: {
  chart: CandleChart;
  drawings: Drawings;
  period: ChartPeriod;
}) {
  const [layer, setLayer] = useState<DrawingLayer | null>(null);
  const [cursor, setCursor] = useState<{ point: DrawingPoint | null; set: number }>({ point: null, set: 0 });
  const newest = useRef(drawings);
  useEffect(() => {
    newest.current = drawings;
  });
  useEffect(() => {
    const made = new DrawingLayer(chart, PERIOD_MS[period], {
      onDrawn: (drawing) => newest.current.add(drawing),
      onChanged: (drawing) => newest.current.change(drawing),
      onSelect: (id) => newest.current.select(id),
      onCursor: (point, set) => setCursor({ point, set }),
    });
    setLayer(made);
    return chart.addLayer(made);
  }, [chart, period]);
  const { all, tool, selected } = drawings;
  useEffect(() => layer?.set({ drawings: all, tool, selected }), [layer, all, tool, selected]);
  useEffect(() => {
    if (tool !== null) setCursor({ point: null, set: 0 });
  }, [tool]);
  const chosen = all.find(({ id }) => id === selected);
  if (tool === null && !chosen) return null;
  return <DrawingBar key={tool ?? selected} {...{ drawings, layer, chart, period, cursor }} />;
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
  const name = t(DRAWING_NAMES[kind]);
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
      className={css.drawingBar}
      tabIndex={0}
      role="application"
      aria-label={`${name}: ${hint} ${t('chart.drawKeys')}`}
      onKeyDown={press}
    >
      <p>
        <b>{name}</b> {hint}
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
      <Button size="small" look="quiet" onClick={() => drawings.select(null)}>
        {t(tool === null ? 'chart.done' : 'chart.cancel')}
      </Button>
    </div>
  );
}
