import type { Candle } from '@fairtick/protocol';
import { textScale } from '@fairtick/ui/text-scale';
import { useEffect } from 'react';
import { useText } from '../../messages/text-context.tsx';
import { pastOf } from './past.ts';
import type { CandleChart } from './plot/candle-chart.ts';
import { colours } from './plot/chart-colours.ts';
import { fontPx } from './plot/chart-frame.ts';
import { PaneLayer, type PaneSpace } from './plot/pane-layer.ts';

/** Below the legend, px. */
const TOP = 40;
const GAP = 6;
const DASH = [2, 3];

class PastLayer extends PaneLayer {
  readonly #wordsOf: (venue: string) => string;
  #past: ReturnType<typeof pastOf> = null;
  #ink = '';
  #ground = '';
  #font = '';

  constructor(chart: CandleChart, wordsOf: (venue: string) => string) {
    super(chart);
    this.#wordsOf = wordsOf;
    this.attach();
  }

  show(candles: readonly Candle[]): void {
    this.#past = pastOf(candles);
    this.redraw();
  }

  paint(): void {
    const { box } = this.chart.parts;
    const colour = colours(box);
    [this.#ink, this.#ground] = [colour('--ink-3'), colour('--bg')];
    this.#font = `${fontPx()}px ${getComputedStyle(box).fontFamily}`;
    this.redraw();
  }

  protected draw({ context, mediaSize }: PaneSpace): void {
    const x = this.#past && this.chart.xOf(this.#past.begins - 0.5);
    if (!this.#past || x === null) return;
    const at = Math.round(x) + 0.5;
    const top = TOP * textScale();
    context.strokeStyle = this.#ink;
    context.setLineDash(DASH);
    context.beginPath();
    context.moveTo(at, top);
    context.lineTo(at, mediaSize.height);
    context.stroke();
    const words = this.#wordsOf(this.#past.venue);
    context.font = this.#font;
    context.textAlign = 'right';
    context.textBaseline = 'top';
    const width = context.measureText(words).width + 2 * GAP;
    // The note below the chart names the venue as well.
    if (at - 1 < width) return;
    context.fillStyle = this.#ground;
    context.fillRect(at - 1 - width, top - GAP / 2, width, fontPx() + GAP);
    context.fillStyle = this.#ink;
    context.fillText(words, at - GAP, top);
  }
}

export default function PastView({ chart }: { chart: CandleChart }) {
  const { t } = useText();
  useEffect(
    () => chart.addLayer(new PastLayer(chart, (venue) => t('chart.pastFrom', { venue }))),
    [chart, t],
  );
  return null;
}
