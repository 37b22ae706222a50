import type { Candle } from '@fairtick/protocol';
import { textScale } from '@fairtick/ui/text-scale';
import type { IPrimitivePaneView, ISeriesPrimitive, SeriesAttachedParameter, Time } from 'lightweight-charts';
import { pastOf } from './past.ts';
import type { CandleChart, ChartLayer } from './plot/candle-chart.ts';
import { colours } from './plot/chart-colours.ts';
import { fontPx } from './plot/chart-frame.ts';

/** Below the legend, px. */
const TOP = 40;
const GAP = 6;
const DASH = [2, 3];

/** A line where the log begins, with the name of the venue whose candles are before it. */
export class PastLayer implements ChartLayer, ISeriesPrimitive<Time> {
  readonly #chart: CandleChart;
  readonly #wordsOf: (venue: string) => string;
  readonly #views: readonly IPrimitivePaneView[];
  #past: ReturnType<typeof pastOf> = null;
  #ink = '';
  #ground = '';
  #font = '';
  #redraw = (): void => {};

  constructor(chart: CandleChart, wordsOf: (venue: string) => string) {
    this.#chart = chart;
    this.#wordsOf = wordsOf;
    this.#views = [
      {
        renderer: () => ({
          draw: (target) =>
            target.useMediaCoordinateSpace(({ context, mediaSize }) => this.#draw(context, mediaSize.height)),
        }),
      },
    ];
    chart.parts.prices.attachPrimitive(this);
  }

  attached({ requestUpdate }: SeriesAttachedParameter<Time>): void {
    this.#redraw = requestUpdate;
  }

  paneViews(): readonly IPrimitivePaneView[] {
    return this.#views;
  }

  show(candles: readonly Candle[]): void {
    this.#past = pastOf(candles);
    this.#redraw();
  }

  paint(): void {
    const { box } = this.#chart.parts;
    const colour = colours(box);
    [this.#ink, this.#ground] = [colour('--ink-3'), colour('--bg')];
    this.#font = `${fontPx()}px ${getComputedStyle(box).fontFamily}`;
    this.#redraw();
  }

  remove(): void {
    this.#chart.parts.prices.detachPrimitive(this);
  }

  #draw(context: CanvasRenderingContext2D, height: number): void {
    const x = this.#past && this.#chart.xOf(this.#past.begins - 0.5);
    if (!this.#past || x === null) return;
    const at = Math.round(x) + 0.5;
    const top = TOP * textScale();
    context.strokeStyle = this.#ink;
    context.setLineDash(DASH);
    context.beginPath();
    context.moveTo(at, top);
    context.lineTo(at, height);
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
