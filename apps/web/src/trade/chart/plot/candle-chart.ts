import type { Candle } from '@fairtick/protocol';
import {
  AreaSeries,
  type CandlestickData,
  CandlestickSeries,
  type CreatePriceLineOptions,
  CrosshairMode,
  createChart,
  type HistogramData,
  HistogramSeries,
  type IChartApi,
  type IPriceLine,
  type ISeriesApi,
  type LineData,
  LineSeries,
  LineStyle,
  type Logical,
  type MouseEventParams,
  PriceScaleMode,
  type SeriesType,
  type Time,
  type UTCTimestamp,
  type WhitespaceData,
} from 'lightweight-charts';
import { AxisLabels } from './axis-labels.ts';
import { bar, closing, PRICE_MARGINS, priceFormatOf, seconds } from './chart-bars.ts';
import { colours } from './chart-colours.ts';
import { FRAME_OPTIONS, holdAxis, PRICE_SCALE_OPTIONS, paintFrame } from './chart-frame.ts';
import type { ChartPeriod, ChartScale, ChartStyle } from './chart-settings.ts';
import { candleTime, PERIOD_MS, tickMark } from './chart-times.ts';
import { type ChartView, fittingView, RIGHT_OFFSET } from './chart-view.ts';
import { RealMouse } from './real-mouse.ts';
import { TimeLabels } from './time-labels.ts';

/** Floats are enough for drawing: prices become numbers in the chart only. */
interface ChartOptions {
  readonly decimals: number;
  readonly period: ChartPeriod;
  readonly tag: string;
  readonly style: ChartStyle;
  /** The newest candle, for the width of the price axis before the first paint. */
  readonly last: Candle | undefined;
  readonly view: ChartView;
  readonly onLeftEdge: () => void;
  /** The index of the candle under the crosshair; null: there is none. */
  readonly onPoint: (index: number | null) => void;
  readonly onAway: (isAway: boolean) => void;
}

/** A layer over the candles: orders, indicators or drawings. */
export interface ChartLayer {
  /** @param isNext the last candle is new; null: any candle may have changed */
  show(candles: readonly Candle[], isNext: boolean | null): void;
  paint(): void;
  /** Takes a tap or click; returns whether it is no one else's. */
  take?(tap: MouseEventParams): boolean;
  remove(): void;
}

/** Smaller differences of the visible part are not the reader's, candles and px. */
const TOLERANCE = 0.01;
/** Share of the height that volume takes at the bottom. */
const VOLUME_SHARE = 0.08;
const SCALE_MODES: Readonly<Record<ChartScale, PriceScaleMode>> = {
  normal: PriceScaleMode.Normal,
  log: PriceScaleMode.Logarithmic,
  percent: PriceScaleMode.Percentage,
};

/** Wraps the library that draws the price chart, with the app's colours. Rising candles are hollow, falling ones filled. */
export class CandleChart {
  readonly #box: HTMLElement;
  readonly #options: ChartOptions;
  readonly #chart: IChartApi;
  readonly #prices: ISeriesApi<SeriesType>;
  /** Null where the volume says nothing. */
  #volume: ISeriesApi<'Histogram'> | null = null;
  readonly #labels: AxisLabels;
  readonly #timeLabels: TimeLabels;
  #lastLine: IPriceLine | null = null;
  #shown: readonly Candle[] = [];
  #theme = '';
  #isGone = false;
  readonly #layers = new Set<ChartLayer>();
  readonly #mouse: RealMouse;
  /** Candles for which there is room after the newest one. */
  #ahead = 0;
  /** The visible part that the chart has set itself; what differs from it in the same width is the reader's choice. */
  #fitted: Readonly<Record<'width' | 'spacing' | 'offset' | 'position', number>> | null = null;
  #isPointed = false;

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
        secondsVisible: options.period === '1s',
        rightOffset: RIGHT_OFFSET,
        minBarSpacing: 2,
      },
      rightPriceScale: { ...PRICE_SCALE_OPTIONS, scaleMargins: PRICE_MARGINS },
      crosshair: { mode: CrosshairMode.Normal },
      handleScroll: { vertTouchDrag: false },
    });
    const plain = { lastValueVisible: false, priceLineVisible: false };
    if (options.style === 'candles') this.#prices = this.#chart.addSeries(CandlestickSeries, plain);
    else if (options.style === 'line') this.#prices = this.#chart.addSeries(LineSeries, plain);
    else this.#prices = this.#chart.addSeries(AreaSeries, plain);
    this.#labels = new AxisLabels(this.#prices, options.decimals);
    this.#timeLabels = new TimeLabels(this.#chart, (time, kind) =>
      tickMark(Number(time) * 1000, kind, options.period, options.tag),
    );
    if (options.last) this.#holdAxis(options.last);
    // The library tells a new size before it takes it.
    this.#chart.timeScale().subscribeSizeChange(() => queueMicrotask(() => this.#fit()));
    this.#chart.timeScale().subscribeVisibleLogicalRangeChange((range) => {
      this.#noteChoice();
      if (range && range.from < 10) options.onLeftEdge();
      options.onAway(range !== null && range.to < this.#shown.length - 1);
    });
    this.#chart.subscribeCrosshairMove(({ point, logical, paneIndex }) => {
      this.#labels.point(point && paneIndex === 0 ? point.y : null);
      this.#timeLabels.point(point && logical !== undefined ? this.xOf(logical) : null);
      options.onPoint(point && logical !== undefined && this.#shown[logical] ? logical : null);
    });
    this.#chart.subscribeClick((tap) => this.#point(tap));
  }

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

  get periodMs(): number {
    return PERIOD_MS[this.#options.period];
  }

  /** Distance of a place among the candles from the left, px. The library has it for whole indices. */
  xOf(index: number): number | null {
    const scale = this.#chart.timeScale();
    const before = Math.floor(index);
    const x = scale.logicalToCoordinate(before as Logical);
    return x === null ? null : x + (index - before) * scale.options().barSpacing;
  }

  get isMouse(): boolean {
    return this.#mouse.isMouse;
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
    const scale = this.#chart.timeScale();
    const isCalm = matchMedia('(prefers-reduced-motion: reduce)').matches;
    scale.scrollToPosition(this.#fitted?.offset ?? RIGHT_OFFSET, !isCalm);
  }

  /** Removes the crosshair; the library does not report that itself. */
  clearPoint(): void {
    this.#chart.clearCrosshairPosition();
    this.#labels.point(null);
    this.#timeLabels.point(null);
    this.#options.onPoint(null);
  }

  /**
   * Keeps room for an end after the newest candle, within bounds. Only an end later than any before moves what the reader has chosen, and
   * never a look at the past.
   */
  keepUntil(endMs: number): void {
    const newestMs = this.#shown.at(-1)?.time ?? endMs;
    const ahead = Math.max(0, (endMs - newestMs) / this.periodMs);
    if (this.#isGone || ahead === this.#ahead) return;
    const { view } = this.#options;
    if (endMs > view.endMs && (view.position ?? -1) >= 0) view.position = null;
    view.endMs = Math.max(view.endMs, endMs);
    this.#ahead = ahead;
    this.#fit();
  }

  /** After a layer has changed its tags on the axis of prices. */
  tagsMoved(): void {
    if (!this.#isGone) this.#labels.update();
  }

  /** A finger has no crosshair: a tap shows it at a candle, and the next one hides it. */
  #point(tap: MouseEventParams): void {
    for (const layer of this.#layers) if (layer.take?.(tap)) return;
    const { logical } = tap;
    if (this.#mouse.isMouse) return;
    const candle = logical === undefined ? undefined : this.#shown[logical];
    const wasPointed = this.#isPointed;
    this.#isPointed = candle !== undefined && !wasPointed;
    if (!this.#isPointed || !candle) this.clearPoint();
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
    this.#volume?.applyOptions({ color: `${colour('--ink-3')}38` });
    this.#drawLast();
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
      this.#volume?.update(this.#volumeBar(last));
    } else {
      this.#prices.setData(candles.map(toBar));
      this.#volume?.setData(candles.map((candle) => this.#volumeBar(candle)));
      this.#fit();
    }
    for (const layer of this.#layers) layer.show(candles, isContinued ? isLonger : null);
    this.#drawLast();
  }

  /** Without the colours of rising and falling: the volume counts prices, not trades in a direction. */
  showVolume(isShown: boolean): void {
    if (this.#isGone || isShown === (this.#volume !== null)) return;
    if (this.#volume) {
      this.#chart.removeSeries(this.#volume);
      this.#volume = null;
      return;
    }
    this.#volume = this.#chart.addSeries(HistogramSeries, {
      lastValueVisible: false,
      priceLineVisible: false,
      priceScaleId: 'volume',
      priceFormat: { type: 'volume' },
      color: `${colours(this.#box)('--ink-3')}38`,
    });
    this.#volume.priceScale().applyOptions({ scaleMargins: { top: 1 - VOLUME_SHARE, bottom: 0 } });
    this.#volume.setData(this.#shown.map((candle) => this.#volumeBar(candle)));
  }

  setScale(scale: ChartScale): void {
    if (!this.#isGone) this.#prices.priceScale().applyOptions({ mode: SCALE_MODES[scale] });
  }

  /** With a magnet the crosshair stands at the nearest open, high, low or close. */
  setMagnet(isOn: boolean): void {
    if (this.#isGone) return;
    this.#chart.applyOptions({
      crosshair: { mode: isOn ? CrosshairMode.MagnetOHLC : CrosshairMode.Normal },
    });
  }

  #holdAxis({ close }: Candle): void {
    const format = priceFormatOf(this.#options.decimals).formatter;
    holdAxis(this.#chart, this.#box, { value: Number(close), format });
  }

  /** Width of the pane, px, computed because the library does not know it before the first frame; none while it is hidden. */
  get #width(): number {
    return this.#box.clientWidth - this.#prices.priceScale().options().minimumWidth;
  }

  /** Shows what the reader has chosen, and what suits the width where nothing is chosen. */
  #fit(): void {
    const width = this.#width;
    if (this.#isGone || width <= 0 || this.#shown.length === 0) return;
    const { period, view } = this.#options;
    const scale = this.#chart.timeScale();
    const { spacing, offset } = fittingView(
      period,
      { width, count: this.#shown.length, ahead: this.#ahead },
      view.spacing,
    );
    // What changes meanwhile is not the reader's choice.
    this.#fitted = null;
    // As an option the position is taken at once; a scroll would come a frame later.
    const position = view.position ?? offset;
    scale.applyOptions({ barSpacing: spacing, rightOffset: position });
    this.#fitted = { width: scale.width(), spacing, offset, position };
  }

  /** A scroll to the newest candle is no choice: the chart follows it again. */
  #noteChoice(): void {
    const fitted = this.#fitted;
    const scale = this.#chart.timeScale();
    if (this.#isGone || !fitted?.width || fitted.width !== scale.width()) return;
    const { view } = this.#options;
    const { barSpacing } = scale.options();
    if (Math.abs(barSpacing - fitted.spacing) > TOLERANCE) view.spacing = barSpacing;
    const position = scale.scrollPosition();
    if (Math.abs(position - fitted.offset) <= TOLERANCE) view.position = null;
    else if (Math.abs(position - fitted.position) > TOLERANCE) view.position = position;
  }

  #volumeBar({ time, volume }: Candle): HistogramData<UTCTimestamp> | WhitespaceData<UTCTimestamp> {
    return volume === null ? { time: seconds(time) } : { time: seconds(time), value: Number(volume) };
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
