import type { Candle, Order, Period } from '@fairtick/protocol';
import {
  AreaSeries,
  type CandlestickData,
  CandlestickSeries,
  type CreatePriceLineOptions,
  createChart,
  createSeriesMarkers,
  type HistogramData,
  HistogramSeries,
  type IChartApi,
  type IPriceLine,
  type ISeriesApi,
  type ISeriesMarkersPluginApi,
  type LineData,
  LineSeries,
  LineStyle,
  type MouseEventParams,
  type SeriesMarker,
  type SeriesType,
  type Time,
  type UTCTimestamp,
} from 'lightweight-charts';
import { AxisLabels } from './axis-labels.ts';
import { bar, closing, PRICE_MARGINS, priceFormatOf, seconds } from './chart-bars.ts';
import { colours } from './chart-colours.ts';
import { FRAME_OPTIONS, holdAxis, openingLine, PRICE_SCALE_OPTIONS, paintFrame } from './chart-frame.ts';
import type { ChartStyle } from './chart-settings.ts';
import { candleTime, PERIOD_MS, tickMark } from './chart-times.ts';
import { RealMouse } from './real-mouse.ts';

/** Floats are enough for drawing: prices become numbers in the chart only. */
interface ChartOptions {
  readonly decimals: number;
  readonly period: Period;
  readonly tag: string;
  readonly style: ChartStyle;
  /** The newest candle, for the width of the price axis before the first paint. */
  readonly last: Candle | undefined;
  /** What an earlier chart of the same candles showed. */
  readonly view: ChartView | null;
  readonly onLeftEdge: () => void;
  /** The index of the candle under the crosshair; null: there is none. */
  readonly onPoint: (index: number | null) => void;
  /** Whether the newest candle is out of sight. */
  readonly onAway: (isAway: boolean) => void;
}

/** Width of a candle, px, and candles between the newest one and the right edge. */
export interface ChartView {
  readonly spacing: number;
  readonly position: number;
}

/** A layer over the candles: indicators or drawings. */
export interface ChartLayer {
  /** @param isNext the last candle is new; null: any candle may have changed */
  show(candles: readonly Candle[], isNext: boolean | null): void;
  paint(): void;
  /** Takes a tap or click; returns whether it is no one else's. */
  take?(tap: MouseEventParams): boolean;
  remove(): void;
}

/** This spacing fits a phone's width well. */
const BAR_SPACING = 7.6;
/** Candles' widths between the newest candle and the price scale. */
const RIGHT_OFFSET = 1;
/** Share of the height that volume takes at the bottom. */
const VOLUME_SHARE = 0.08;
/** Wraps the library that draws the price chart, with the app's colours. Rising candles are hollow, falling ones filled. */
export class CandleChart {
  readonly #box: HTMLElement;
  readonly #options: ChartOptions;
  readonly #chart: IChartApi;
  readonly #prices: ISeriesApi<SeriesType>;
  readonly #volume: ISeriesApi<'Histogram'>;
  readonly #marks: ISeriesMarkersPluginApi<Time>;
  readonly #labels: AxisLabels;
  #lastLine: IPriceLine | null = null;
  #orderLines: IPriceLine[] = [];
  #shown: readonly Candle[] = [];
  #orders: readonly Order[] = [];
  #settledWord = '';
  #theme = '';
  #isGone = false;
  readonly #layers = new Set<ChartLayer>();
  readonly #mouse: RealMouse;
  /** The candle at which a tap set the crosshair. */
  #pointed: number | null = null;

  constructor(box: HTMLElement, options: ChartOptions) {
    this.#box = box;
    this.#options = options;
    this.#mouse = new RealMouse(box);
    this.#chart = createChart(box, {
      ...FRAME_OPTIONS,
      localization: {
        locale: options.tag,
        timeFormatter: (time: Time) => candleTime(Number(time) * 1000, options.period, options.tag),
      },
      timeScale: {
        borderVisible: false,
        timeVisible: true,
        secondsVisible: false,
        rightOffset: RIGHT_OFFSET,
        barSpacing: options.view?.spacing ?? BAR_SPACING,
        minBarSpacing: 2,
        tickMarkFormatter: (time: Time, kind: number) =>
          tickMark(Number(time) * 1000, kind, options.period, options.tag),
      },
      rightPriceScale: { ...PRICE_SCALE_OPTIONS, scaleMargins: PRICE_MARGINS },
      handleScroll: { vertTouchDrag: false },
    });
    const plain = { lastValueVisible: false, priceLineVisible: false };
    if (options.style === 'candles') this.#prices = this.#chart.addSeries(CandlestickSeries, plain);
    else if (options.style === 'line') this.#prices = this.#chart.addSeries(LineSeries, plain);
    else this.#prices = this.#chart.addSeries(AreaSeries, plain);
    this.#labels = new AxisLabels(this.#prices, options.decimals);
    this.#volume = this.#chart.addSeries(HistogramSeries, {
      ...plain,
      priceScaleId: 'volume',
      priceFormat: { type: 'volume' },
    });
    this.#volume.priceScale().applyOptions({ scaleMargins: { top: 1 - VOLUME_SHARE, bottom: 0 } });
    if (options.last) this.#holdAxis(options.last);
    this.#marks = createSeriesMarkers(this.#prices, []);
    this.#chart.timeScale().subscribeVisibleLogicalRangeChange((range) => {
      if (range && range.from < 10) options.onLeftEdge();
      options.onAway(range !== null && range.to < this.#shown.length - 1);
    });
    this.#chart.subscribeCrosshairMove(({ point, logical }) =>
      options.onPoint(point && logical !== undefined && this.#shown[logical] ? logical : null),
    );
    this.#chart.subscribeClick((tap) => this.#point(tap));
  }

  /** The library's chart and the series of prices, for layers. */
  get parts(): {
    readonly chart: IChartApi;
    readonly prices: ISeriesApi<SeriesType>;
    readonly box: HTMLElement;
  } {
    return { chart: this.#chart, prices: this.#prices, box: this.#box };
  }

  get decimals(): number {
    return this.#options.decimals;
  }

  /** Whether the last pointer over the chart was a mouse. */
  get isMouse(): boolean {
    return this.#mouse.isMouse;
  }

  get view(): ChartView {
    const scale = this.#chart.timeScale();
    return { spacing: scale.options().barSpacing, position: scale.scrollPosition() };
  }

  /** Afterwards nothing has an effect: a screen that changes may still pass on what belonged to this chart. */
  remove(): void {
    this.#isGone = true;
    for (const layer of this.#layers) layer.remove();
    this.#layers.clear();
    this.#mouse.remove();
    this.#chart.remove();
  }

  addLayer(layer: ChartLayer): () => void {
    this.#layers.add(layer);
    layer.paint();
    if (this.#shown.length > 0) layer.show(this.#shown, null);
    return () => {
      if (this.#layers.delete(layer)) layer.remove();
    };
  }

  /** Scrolls to the newest candle; at once for readers who want less motion. */
  backToNow(): void {
    this.#chart
      .timeScale()
      .scrollToPosition(RIGHT_OFFSET, !matchMedia('(prefers-reduced-motion: reduce)').matches);
  }

  /** Removes the crosshair; the library does not report that itself. */
  clearPoint(): void {
    this.#chart.clearCrosshairPosition();
    this.#options.onPoint(null);
  }

  /** A finger has no crosshair: a tap shows it at a candle, and one more at the same candle hides it. */
  #point(tap: MouseEventParams): void {
    for (const layer of this.#layers) if (layer.take?.(tap)) return;
    const { logical } = tap;
    if (this.#mouse.isMouse) return;
    const candle = logical === undefined ? undefined : this.#shown[logical];
    const isAgain = logical === this.#pointed;
    this.#pointed = candle && !isAgain && logical !== undefined ? logical : null;
    if (this.#pointed === null || !candle) this.clearPoint();
    else this.#chart.setCrosshairPosition(Number(candle.close), seconds(candle.time), this.#prices);
  }

  /** Applies the page's current colours, if the theme has changed. */
  paint(theme: string): void {
    if (this.#isGone || theme === this.#theme) return;
    this.#theme = theme;
    const colour = colours(this.#box);
    paintFrame(this.#chart, this.#box, colour);
    const [up, down] = [colour('--up'), colour('--down')];
    const ink = colour('--ink-2');
    // A series takes the options of its own kind from these.
    this.#prices.applyOptions({
      upColor: 'transparent',
      borderVisible: true,
      borderUpColor: up,
      wickUpColor: up,
      downColor: down,
      borderDownColor: down,
      wickDownColor: down,
      color: ink,
      lineColor: ink,
      lineWidth: 2,
      topColor: `${ink}26`,
      bottomColor: `${ink}26`,
    });
    this.#volume.applyOptions({ color: `${colour('--ink-3')}38` });
    this.#drawLast();
    this.#drawMarks();
    for (const layer of this.#layers) layer.paint();
  }

  /** Shows these candles. If they only continue the last ones, updates the last candle without redrawing the rest. */
  show(candles: readonly Candle[]): void {
    if (this.#isGone) return;
    const before = this.#shown;
    this.#shown = candles;
    const last = candles.at(-1);
    if (!last) return;
    this.#holdAxis(last);
    // Candles before the last may differ, too, after the stream was down.
    const isContinued =
      before.length > 0 &&
      before[0]?.time === candles[0]?.time &&
      candles.at(-2) === before[candles.length - 2] &&
      candles.length - before.length <= 1 &&
      candles.length >= before.length;
    const isLonger = candles.length !== before.length;
    const toBar: (candle: Candle) => CandlestickData<UTCTimestamp> | LineData<UTCTimestamp> =
      this.#options.style === 'candles' ? bar : closing;
    if (isContinued) {
      this.#prices.update(toBar(last));
      this.#volume.update(this.#volumeBar(last));
    } else {
      this.#prices.setData(candles.map(toBar));
      this.#volume.setData(candles.map((candle) => this.#volumeBar(candle)));
      if (before.length === 0) this.#begin();
    }
    for (const layer of this.#layers) layer.show(candles, isContinued ? isLonger : null);
    this.#drawLast();
    // A mark may belong to the new candle.
    if (isLonger) this.#drawMarks();
  }

  #holdAxis({ close }: Candle): void {
    const format = priceFormatOf(this.#options.decimals).formatter;
    holdAxis(this.#chart, this.#box, { value: Number(close), format });
  }

  #begin(): void {
    const scale = this.#chart.timeScale();
    if (this.#options.view) scale.scrollToPosition(this.#options.view.position, false);
    else scale.scrollToRealTime();
  }

  /** Marks the reader's own openings and settlements, and the opening prices of open orders. */
  mark(orders: readonly Order[], settledWord: string): void {
    this.#orders = orders;
    this.#settledWord = settledWord;
    if (!this.#isGone) this.#drawMarks();
  }

  #drawMarks(): void {
    const orders = this.#orders;
    const colour = colours(this.#box);
    const first = this.#shown[0]?.time ?? Number.POSITIVE_INFINITY;
    const times = { up: new Map<number, number>(), down: new Map<number, number>(), settled: new Map() };
    const count = (kind: keyof typeof times, ms: number | null) => {
      if (ms === null || ms < first) return;
      const candle = this.#candleOf(ms);
      times[kind].set(candle, (times[kind].get(candle) ?? 0) + 1);
    };
    for (const order of orders) {
      count(order.direction, order.openedAt);
      count('settled', order.settleTickAt);
    }
    const marks = [
      ...marksOf(times.up, { position: 'belowBar', shape: 'arrowUp', color: colour('--up'), size: 1 }),
      ...marksOf(times.down, { position: 'aboveBar', shape: 'arrowDown', color: colour('--down'), size: 1 }),
      ...marksOf(times.settled, {
        position: 'aboveBar',
        shape: 'circle',
        color: colour('--ink-2'),
        size: 0.7,
        text: this.#settledWord,
      }),
    ];
    this.#marks.setMarkers(marks.sort((a, b) => Number(a.time) - Number(b.time)));
    for (const line of this.#orderLines) this.#prices.removePriceLine(line);
    this.#orderLines = orders
      .filter((order) => order.status === 'unsettled' && order.openPrice !== null)
      .map((order) => this.#prices.createPriceLine(openingLine(order, colour)));
    this.#labels.update();
  }

  #candleOf(ms: number): number {
    const known = this.#shown.filter((candle) => candle.time <= ms).at(-1);
    return known?.time ?? ms - (ms % PERIOD_MS[this.#options.period]);
  }

  /** Without the colours of rising and falling: the volume counts prices, not trades in a direction. */
  #volumeBar(candle: Candle): HistogramData<UTCTimestamp> {
    return { time: seconds(candle.time), value: Number(candle.volume) };
  }

  #drawLast(): void {
    const last = this.#shown.at(-1);
    if (!last) return;
    const colour = colours(this.#box);
    const options: CreatePriceLineOptions = {
      price: Number(last.close),
      color: colour('--gold-mark'),
      lineWidth: 1,
      lineStyle: LineStyle.Dotted,
      axisLabelVisible: true,
      axisLabelColor: colour('--gold-fill'),
      axisLabelTextColor: colour('--gold-ink'),
    };
    if (this.#lastLine) this.#lastLine.applyOptions(options);
    else this.#lastLine = this.#prices.createPriceLine(options);
    this.#labels.update();
  }
}

type Mark = Omit<SeriesMarker<Time> & { position: 'aboveBar' | 'belowBar' }, 'time'>;

/** One mark for all events of a candle, with their number if there are several. */
function marksOf(counts: ReadonlyMap<number, number>, mark: Mark): SeriesMarker<Time>[] {
  return [...counts].map(([ms, count]) => ({
    ...mark,
    time: seconds(ms),
    text: [mark.text, count > 1 ? `×${count}` : ''].filter(Boolean).join(' '),
  }));
}
