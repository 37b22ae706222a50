import type { Candle } from '@fairtick/protocol';
import type { IPrimitivePaneView, ISeriesPrimitive, SeriesAttachedParameter, Time } from 'lightweight-charts';
import type { CandleChart, ChartLayer } from './candle-chart.ts';

/** Where a layer draws, in px of the page. */
export interface PaneSpace {
  readonly context: CanvasRenderingContext2D;
  readonly mediaSize: { readonly width: number; readonly height: number };
}

/** A layer that draws over the candles; its constructor ends with {@link attach}. */
export abstract class PaneLayer implements ChartLayer, ISeriesPrimitive<Time> {
  protected readonly chart: CandleChart;
  protected redraw = (): void => {};
  readonly #views: readonly IPrimitivePaneView[] = [
    { renderer: () => ({ draw: (target) => target.useMediaCoordinateSpace((space) => this.draw(space)) }) },
  ];

  constructor(chart: CandleChart) {
    this.chart = chart;
  }

  protected attach(): void {
    this.chart.parts.prices.attachPrimitive(this);
  }

  remove(): void {
    this.chart.parts.prices.detachPrimitive(this);
  }

  attached({ requestUpdate }: SeriesAttachedParameter<Time>): void {
    this.redraw = requestUpdate;
  }

  paneViews(): readonly IPrimitivePaneView[] {
    return this.#views;
  }

  abstract show(candles: readonly Candle[], isNext: boolean | null): void;
  abstract paint(): void;
  protected abstract draw(space: PaneSpace): void;
}
